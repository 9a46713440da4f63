package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/purge"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type purgeOptions struct {
	reason             string
	dry, yes, received bool
}

func newPurgeCmd(env *Env) *cobra.Command {
	var o purgeOptions
	cmd := &cobra.Command{
		Use: "purge ID... | --received", Short: "take records out of all history, objects, indexes and logs",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.received && len(args) > 0 {
				return usagef("git ctx purge --received", "--received is about all that was purged elsewhere, and takes no id")
			}
			if o.received {
				return nil
			}
			return someIDs(cmd, args)
		},
		Long: "Take every version of a record out of the history of all context branches, with what commit messages\n" +
			"say of it, and drop it from objects, packs, indexes and reflogs. A tombstone and a receipt stay. Other\n" +
			"clones do the same when they fetch; commits get new object IDs. It cannot be taken back, so it wants\n" +
			"--yes; --dry-run shows what it would do. Killed, it is run again and finishes.\n" +
			"What others purged is taken out of the branches here as well, and dropped when --received confirms it.\n" +
			"What your own branches, stashes, reflogs or worktrees reach stays and is named; exit 1 says so.",
		RunE: func(cmd *cobra.Command, args []string) error { return runPurge(cmd.Context(), env, args, o) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.reason, "reason", "r", "", "say `WHY`; it is kept, so it must not repeat the text")
	f.BoolVarP(&o.dry, "dry-run", "n", false, "say what would be rewritten and change nothing")
	f.BoolVar(&o.received, "received", false, "drop here for good what was purged elsewhere; ctx.purgeReceived=auto does it unasked")
	f.BoolVar(&o.yes, "yes", false, "do it, though it cannot be taken back")
	return cmd
}

// purgedJSON is the JSON answer of purge.
type purgedJSON struct {
	Format     int            `json:"format"`
	DryRun     bool           `json:"dry_run"`
	IDs        []records.ID   `json:"ids"`
	Versions   int            `json:"versions"`
	Commits    int            `json:"commits"`
	Refs       []refMoveJSON  `json:"refs"`
	Objects    int            `json:"objects"`
	Quoted     []records.ID   `json:"quoted"`
	Elsewhere  []gitstore.OID `json:"elsewhere"`
	Files      []string       `json:"files"`
	Alternates []string       `json:"alternates"`
	Remotes    []string       `json:"remotes"`
	Kept       int            `json:"kept"`
	KeptBy     []string       `json:"kept_by"`
}

func runPurge(ctx context.Context, env *Env, ids []string, o purgeOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	if o.received {
		return runPurgeReceived(ctx, env, o.dry)
	}
	if strings.TrimSpace(o.reason) == "" {
		return usagef("git ctx show "+ids[0], "'purge' needs a reason: --reason WHY, which is kept")
	}
	if !o.dry && !o.yes {
		return usagef("git ctx show "+ids[0], "'purge' cannot be taken back: --dry-run shows what it does, --yes does it")
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	res, err := purge.Run(ctx, led, ids, o.reason, o.dry)
	if err != nil {
		return err
	}
	return env.answerPurged(res, o.dry)
}

func runPurgeReceived(ctx context.Context, env *Env, dry bool) error {
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	res, err := purge.Received(ctx, led, dry)
	if err != nil {
		return err
	}
	return env.answerPurged(res, dry)
}

// answerPurged prints what a purge did, and answers whether all of it is gone.
func (e *Env) answerPurged(res *purge.Purged, dry bool) error {
	var err error
	if e.json() {
		err = e.writeJSON(jsonOfPurged(res, dry))
	} else {
		err = e.writePurged(res, dry)
	}
	if err == nil && res.Kept > 0 {
		return errNo
	}
	return err
}

func jsonOfPurged(res *purge.Purged, dry bool) purgedJSON {
	out := purgedJSON{Format: jsonFormat, DryRun: dry, IDs: res.IDs, Versions: res.Versions, Commits: res.Commits, Refs: []refMoveJSON{},
		Objects: res.Objects, Quoted: append([]records.ID{}, res.Quoted...), Elsewhere: append([]gitstore.OID{}, res.Elsewhere...),
		Files: append([]string{}, res.Files...), Alternates: append([]string{}, res.Alternates...), Remotes: append([]string{}, res.Remotes...),
		Kept: res.Kept, KeptBy: append([]string{}, res.KeptBy...)}
	for _, m := range res.Refs {
		out.Refs = append(out.Refs, refMoveJSON{Ref: m.Name, Old: m.Old, New: m.New})
	}
	return out
}

func (e *Env) writePurged(res *purge.Purged, dry bool) error {
	did := "purged"
	if dry {
		did = "would purge"
	}
	for _, f := range res.Faults {
		e.note("warning: %v: it is set aside", f)
	}
	var b strings.Builder
	if len(res.IDs) == 0 {
		fmt.Fprintln(&b, "nothing was purged elsewhere that is here")
	} else {
		fmt.Fprintf(&b, "%s %s: %s, %s rewritten, %s moved\n", did, joinIDs(res.IDs), text.Plural(res.Versions, "version"), text.Plural(res.Commits, "commit"), text.Plural(len(res.Refs), "ref"))
	}
	switch {
	case dry || len(res.IDs) == 0:
	case res.Kept > 0:
		fmt.Fprintf(&b, "%s dropped\n", text.Plural(res.Objects, "object"))
	default:
		fmt.Fprintf(&b, "%s dropped; none of the versions is in any object, index or reflog of this repository\n", text.Plural(res.Objects, "object"))
	}
	if _, err := fmt.Fprint(e.Stdout, text.Visible(b.String())); err != nil || dry {
		return err
	}
	if res.Kept > 0 {
		e.note("warning: %s", res.KeptNote())
	}
	if len(res.Quoted) > 0 {
		e.note("warning: its text is still quoted by: %s", joinIDs(res.Quoted))
	}
	switch n := len(res.Elsewhere); {
	case n == 1:
		e.note("warning: 1 other object of this repository holds a line of its text: git show %s", shortOID(res.Elsewhere[0]))
	case n > 1:
		e.note("warning: %d other objects of this repository hold a line of its text, as %s does: git show tells what it is", n, shortOID(res.Elsewhere[0]))
	}
	for _, f := range res.Files {
		e.note("warning: the file '%s' in the git directory holds a line of its text", f)
	}
	for _, dir := range res.Alternates {
		e.note("warning: objects are borrowed from '%s', which was not looked at: purge there too", dir)
	}
	for _, r := range res.Remotes {
		e.note("note: remote '%s' has the old history until: git ctx sync %s", r, r)
	}
	if len(res.Remotes) > 0 {
		e.note("note: a server keeps dropped objects until it collects them: on your own, 'git gc' after the sync; a hosting service does it when its support is asked")
		e.note("note: every other clone drops it with its next git ctx fetch or sync; copies and backups that do not fetch keep it")
	}
	return nil
}
