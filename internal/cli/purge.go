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
	reason   string
	dry, yes bool
}

func newPurgeCmd(env *Env) *cobra.Command {
	var o purgeOptions
	cmd := &cobra.Command{
		Use: "purge ID...", Short: "take records out of all history, objects, indexes and logs", Args: someIDs,
		Long: "Take every version of a record out of the history of all context branches, with what commit messages\n" +
			"say of it, and drop it from objects, packs, indexes and reflogs. A tombstone and a receipt stay. Other\n" +
			"clones do the same when they fetch; commits get new object IDs. It cannot be taken back, so it wants\n" +
			"--yes; --dry-run shows what it would do. Killed, it is run again and finishes.",
		RunE: func(cmd *cobra.Command, args []string) error { return runPurge(cmd.Context(), env, args, o) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.reason, "reason", "r", "", "say `WHY`; it is kept, so it must not repeat the text")
	f.BoolVarP(&o.dry, "dry-run", "n", false, "say what would be rewritten and change nothing")
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
}

func runPurge(ctx context.Context, env *Env, ids []string, o purgeOptions) error {
	if err := env.formats(); err != nil {
		return err
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
	if env.json() {
		return env.writeJSON(jsonOfPurged(res, o.dry))
	}
	return env.writePurged(res, o.dry)
}

func jsonOfPurged(res *purge.Purged, dry bool) purgedJSON {
	out := purgedJSON{Format: jsonFormat, DryRun: dry, IDs: res.IDs, Versions: res.Versions, Commits: res.Commits, Refs: []refMoveJSON{},
		Objects: res.Objects, Quoted: append([]records.ID{}, res.Quoted...), Elsewhere: append([]gitstore.OID{}, res.Elsewhere...),
		Files: append([]string{}, res.Files...), Alternates: append([]string{}, res.Alternates...), Remotes: append([]string{}, res.Remotes...)}
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
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s, %s rewritten, %s moved\n", did, joinIDs(res.IDs), text.Plural(res.Versions, "version"), text.Plural(res.Commits, "commit"), text.Plural(len(res.Refs), "ref"))
	if !dry {
		fmt.Fprintf(&b, "%s dropped; none of the versions is in any object, index or reflog of this repository\n", text.Plural(res.Objects, "object"))
	}
	if _, err := fmt.Fprint(e.Stdout, text.Visible(b.String())); err != nil || dry {
		return err
	}
	if len(res.Quoted) > 0 {
		e.note("warning: these records hold a line of its text still: %s", joinIDs(res.Quoted))
	}
	if n := len(res.Elsewhere); n > 0 {
		e.note("warning: %s of this repository hold a line of its text, as %s does: git show tells what it is", text.Plural(n, "other object"), shortOID(res.Elsewhere[0]))
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
