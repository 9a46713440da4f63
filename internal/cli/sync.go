package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/purge"
	"github.com/git-ctx/git-ctx/internal/sync"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

const aboutRemotes = "REMOTE is one of git's remotes: the one named, else ctx.remote, else remote.pushDefault, else the\n" +
	"one used before, else the only one. All goes through 'git fetch' and 'git push', with git's own settings.\n"

const aboutConflicts = "A conflict is kept as data and pushed like any record; exit status 1 says that there is one.\n"

func newFetchCmd(env *Env) *cobra.Command {
	return newRemoteCmd(env, "fetch", "learn what a remote has, and change nothing here",
		"Bring the remote-tracking context branches (refs/ctx/remotes/) up to date.\n"+aboutRemotes, sync.Fetch)
}

func newPullCmd(env *Env) *cobra.Command {
	return newRemoteCmd(env, "pull", "fetch, and merge the remote's branch into the current one; exit 1 on conflicts",
		"Fetch, merge the remote's branch into the current context branch, and forward the other branches\n"+
			"that only lag behind.\n"+aboutConflicts+aboutRemotes, sync.Pull)
}

func newPushCmd(env *Env) *cobra.Command {
	return newRemoteCmd(env, "push", "give a remote what is here; exit 1 when it lacks some in the end",
		"Push every context branch, import and claim, without force. Where the remote has moved on, its\n"+
			"branches are fetched and merged first.\n"+aboutConflicts+aboutRemotes, sync.Push)
}

func newSyncCmd(env *Env) *cobra.Command {
	return newRemoteCmd(env, "sync", "fetch, merge and push; in a new clone, take over what the remote has",
		"Fetch, merge each context branch with the remote's, and push the result. In a clone without\n"+
			"context the remote's branches become the local ones.\n"+aboutConflicts+aboutRemotes, sync.Sync)
}

// exchange is one of the ways to talk to a remote.
type exchange func(context.Context, *ledger.Ledger, sync.Options) (*sync.Result, error)

func newRemoteCmd(env *Env, name, short, long string, run exchange) *cobra.Command {
	o := sync.Options{}
	cmd := &cobra.Command{
		Use: name + " [REMOTE]", Short: short, Long: strings.TrimSpace(long),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("git ctx "+name+" "+args[0], "%s takes one remote, got '%s' too", name, args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Remote = args[0]
			}
			return runRemote(cmd.Context(), env, name, run, o)
		},
	}
	cmd.Flags().BoolVar(&o.AcceptRewrite, "accept-rewrite", false, "go on though the remote lost commits it had; what it lost and is here counts")
	return cmd
}

func runRemote(ctx context.Context, env *Env, name string, run exchange, o sync.Options) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	if err := env.sentByName(name); err != nil {
		return err
	}
	if env.StderrTTY {
		o.Progress = &progress{env.Stderr}
	}
	res, runErr := run(ctx, led, o)
	if res == nil {
		return runErr
	}
	waiting, err := purge.Waiting(ctx, led)
	if err != nil {
		return errors.Join(runErr, err)
	}
	asks := len(waiting) > 0 && env.StdinTTY && env.StderrTTY && !env.json() && led.Author().Actor == records.Human
	for _, r := range waiting {
		note := fmt.Sprintf("%s was purged elsewhere by %s (%s): the branches have nothing of it any more", r.ID, r.By, r.Reason)
		if !asks {
			note += "; 'git ctx purge --received' drops it here for good"
		}
		res.Notes = append(res.Notes, note)
	}
	if env.json() {
		err = env.writeJSON(jsonOfSynced(res, runErr))
	} else {
		err = env.writeSynced(ctx, led, res, runErr == nil)
	}
	if asks && err == nil {
		err = env.askReceived(ctx)
	}
	switch {
	case runErr != nil:
		return runErr
	case err != nil:
		return err
	}
	return env.judgeSynced(ctx, led, res)
}

// askReceived asks the person at the terminal whether what was purged elsewhere
// is to be dropped.
func (e *Env) askReceived(ctx context.Context) error {
	fmt.Fprint(e.Stderr, "Drop it here for good? It cannot be taken back. [y/N] ")
	line, err := ui.ReadLine(e.input())
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		e.note("note: it stays for now; git ctx purge --received drops it")
		return nil
	}
	return runPurgeReceived(ctx, e, false)
}

// judgeSynced says on stderr what the remote lacks and what is to be settled,
// and answers whether all is well.
func (e *Env) judgeSynced(ctx context.Context, led *ledger.Ledger, res *sync.Result) error {
	lacking := res.Lacking()
	for _, a := range res.SetAside {
		e.note("error: remote '%s': '%s' is set aside: it does not lead to a commit of a context store", res.Remote, a.Ref)
		e.note("hint: git cat-file -p %s", a.OID)
	}
	refused, hidden := false, false
	said := ""
	for _, p := range lacking {
		why := p.Reason
		if p.Status == gitstore.PushLost {
			why = fmt.Sprintf("others push all the time (%s), gave up after %d tries", p.Reason, res.Attempts)
		} else {
			refused = true
			hidden = hidden || !strings.Contains(p.Reason, "hook declined")
			said = p.Said
		}
		e.note("error: remote '%s' did not take '%s': %s", res.Remote, p.Ref, why)
	}
	for line := range strings.Lines(said) {
		e.note("remote: %s", strings.TrimSuffix(line, "\n"))
	}
	if len(lacking) > 0 {
		_, namespaced, err := led.Repo().Config(ctx, "ctx.pushNamespace")
		switch {
		case err != nil:
			return err
		case !refused:
			e.note("hint: git ctx sync")
		case hidden && !namespaced:
			e.note("hint: git config ctx.pushNamespace refs/heads/ctx")
			e.note("hint: in every clone; the host then shows context among its code branches, and claims and imports are not shared")
		}
	}
	if len(lacking)+len(res.SetAside)+len(res.Claims.Lost) > 0 || !res.Clean() {
		return errNo
	}
	return nil
}

// syncedJSON is the JSON answer of fetch, pull, push and sync.
type syncedJSON struct {
	Format   int              `json:"format"`
	Remote   string           `json:"remote"`
	Fetched  []refMoveJSON    `json:"fetched"`
	Branches []branchMoveJSON `json:"branches"`
	Pushed   []pushedJSON     `json:"pushed"`
	Claims   claimsJSON       `json:"claims"`
	SetAside []setAsideJSON   `json:"set_aside"`
	Attempts int              `json:"attempts"`
	Notes    []string         `json:"notes"`
	Error    string           `json:"error,omitempty"`
}

type refMoveJSON struct {
	Ref     string       `json:"ref"`
	Old     gitstore.OID `json:"old"`
	New     gitstore.OID `json:"new"`
	Commits int          `json:"commits"`
}

type branchMoveJSON struct {
	Ref     string `json:"ref"`
	From    string `json:"from"`
	Created bool   `json:"created"`
	mergedJSON
}

type pushedJSON struct {
	refMoveJSON
	Status gitstore.PushStatus `json:"status"`
	Reason string              `json:"reason,omitempty"`
}

type setAsideJSON struct {
	Ref string       `json:"ref"`
	OID gitstore.OID `json:"object"`
}

type claimsJSON struct {
	Taken    []records.ID `json:"taken"`
	Ended    []records.ID `json:"ended"`
	Sent     []records.ID `json:"sent"`
	Returned []records.ID `json:"returned"`
	Lost     []records.ID `json:"lost"`
}

func jsonOfSynced(res *sync.Result, err error) syncedJSON {
	out := syncedJSON{Format: jsonFormat, Remote: res.Remote, Fetched: []refMoveJSON{}, Branches: []branchMoveJSON{},
		Pushed: []pushedJSON{}, SetAside: []setAsideJSON{}, Attempts: res.Attempts, Notes: append([]string{}, res.Notes...),
		Claims: claimsJSON{Taken: append([]records.ID{}, res.Claims.Taken...), Ended: append([]records.ID{}, res.Claims.Ended...),
			Sent: append([]records.ID{}, res.Claims.Sent...), Returned: append([]records.ID{}, res.Claims.Returned...), Lost: []records.ID{}}}
	for _, m := range res.Fetched {
		out.Fetched = append(out.Fetched, refMoveJSON(m))
	}
	for _, b := range res.Branches {
		out.Branches = append(out.Branches, branchMoveJSON{b.Ref, b.From, b.Created, jsonOfMerged(b.Merged, false)})
	}
	for _, p := range res.Pushed {
		out.Pushed = append(out.Pushed, pushedJSON{refMoveJSON(p.RefMove), p.Status, p.Reason})
	}
	for _, a := range res.SetAside {
		out.SetAside = append(out.SetAside, setAsideJSON(a))
	}
	for _, c := range res.Claims.Lost {
		out.Claims.Lost = append(out.Claims.Lost, c.Task)
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// writeSynced prints what moved, one line a ref; done says that nothing failed.
func (e *Env) writeSynced(ctx context.Context, led *ledger.Ledger, res *sync.Result, done bool) error {
	var b strings.Builder
	if done {
		fmt.Fprintf(&b, "remote %s\n", res.Remote)
	}
	for _, m := range res.Fetched {
		if m.New == "" {
			fmt.Fprintf(&b, "gone there: %s (was %s)\n", ledger.ShortRef(m.Ref), shortOID(m.Old))
			continue
		}
		fmt.Fprintf(&b, "fetched %s (%s): %s\n", ledger.ShortRef(m.Ref), shortOID(m.New), text.Plural(m.Commits, "commit"))
	}
	if _, err := fmt.Fprint(e.Stdout, text.Visible(b.String())); err != nil {
		return err
	}
	for _, m := range res.Branches {
		headline := mergeHeadline(m.Merged, ledger.ShortRef(m.From), ledger.ShortRef(m.Ref), false, false)
		if m.Created {
			n, err := led.CountRecords(ctx, m.Commit)
			if err != nil {
				return err
			}
			headline = fmt.Sprintf("created %s from %s (%s): %s", ledger.ShortRef(m.Ref), ledger.ShortRef(m.From), shortOID(m.Commit), text.Plural(n, "record"))
		}
		if err := e.writeMerged(m.Merged, headline, true); err != nil {
			return err
		}
	}
	return e.writePushed(res, done)
}

func (e *Env) writePushed(res *sync.Result, done bool) error {
	var b strings.Builder
	sent := 0
	for _, p := range res.Pushed {
		if p.Status == gitstore.PushDone {
			sent++
			fmt.Fprintf(&b, "pushed %s (%s): %s\n", p.Ref, shortOID(p.New), text.Plural(p.Commits, "commit"))
		}
	}
	for _, c := range res.Claims.Lost {
		fmt.Fprintf(&b, "lost the claim on %s to %s (%s)\n", c.Task, c.Actor, c.Holder)
	}
	for _, claims := range []struct {
		what string
		ids  []records.ID
	}{{"claimed elsewhere", res.Claims.Taken}, {"no longer claimed", res.Claims.Ended}, {"shared the claim on", res.Claims.Sent}, {"gave back the claim on", res.Claims.Returned}} {
		if len(claims.ids) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", claims.what, joinIDs(claims.ids))
		}
	}
	if done && sent+len(res.Lacking())+len(res.Fetched)+len(res.Branches) == 0 {
		fmt.Fprintln(&b, "nothing new")
	}
	_, err := fmt.Fprint(e.Stdout, text.Visible(b.String()))
	for _, n := range res.Notes {
		e.note("note: %s", n)
	}
	return err
}

// progress passes git's progress lines on to a terminal, without what could
// drive it: part of them is the remote's. git's own words are ASCII here.
type progress struct{ to io.Writer }

func (p *progress) Write(b []byte) (int, error) {
	clean := make([]byte, len(b))
	for i, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7f {
			c = '?'
		}
		clean[i] = c
	}
	_, err := p.to.Write(clean)
	return len(b), err
}

// remoteHints are what to try after an error about a remote.
func remoteHints(err error) []string {
	var (
		remote  *ledger.RemoteError
		rewound *sync.RewoundError
	)
	switch {
	case errors.As(err, &rewound):
		return []string{
			fmt.Sprintf("git log %s..%s shows what is gone there", rewound.New, rewound.Old),
			fmt.Sprintf("git ctx sync --accept-rewrite %s gives it back to the remote", rewound.Remote),
		}
	case errors.As(err, &remote) && remote.Hint != "":
		return []string{remote.Hint}
	}
	return nil
}
