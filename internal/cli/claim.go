package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// leaseFlags are what every way to claim takes.
type leaseFlags struct {
	lasts  time.Duration
	remote string
}

func (f *leaseFlags) bind(fs *pflag.FlagSet) {
	fs.DurationVar(&f.lasts, "for", claim.Usual, "how long the claim lasts, a `TIME` like 30m or 4h")
	fs.StringVar(&f.remote, "remote", "", "let the remote `NAME` decide too, so that one wins across clones")
}

func (f *leaseFlags) options(env *Env, command string) (claim.Options, error) {
	if f.lasts < time.Second || f.lasts > claim.Longest {
		return claim.Options{}, usagef("git ctx claim TASK --for 4h", "option '--for' '%s': a claim lasts from 1s to %dh", f.lasts, int(claim.Longest.Hours()))
	}
	if f.remote != "" {
		if err := env.sentByName(command); err != nil {
			return claim.Options{}, err
		}
	}
	return claim.Options{For: f.lasts, Remote: f.remote}, nil
}

type claimOptions struct {
	lease   leaseFlags
	release bool
	script  scriptFlags
}

func newClaimCmd(env *Env) *cobra.Command {
	o := &claimOptions{}
	cmd := &cobra.Command{
		Use: "claim [TASK]", Short: "take a task for this session alone, or list who works on what",
		Long: `Claim a task: of several sessions that do, exactly one succeeds, and the others exit with 1
and the holder's name. The task is started and becomes @task. A claim ends by itself after
--for; claiming again extends it, done and drop end it, --release gives it back.

A session is CTX_SESSION where that is set, else the worktree. Without --remote a claim
holds among the worktrees of this repository, and reaches other clones with the next sync.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runClaim(cmd.Context(), env, o, args) },
	}
	f := cmd.Flags()
	o.lease.bind(f)
	f.BoolVar(&o.release, "release", false, "give the claim back; the task's state stays")
	o.script.bind(f, "task, actor, holder, session, since, until, live or expired, mine or other")
	return cmd
}

func runClaim(ctx context.Context, env *Env, o *claimOptions, args []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	switch {
	case len(args) > 1:
		return usagef("git ctx claim "+args[0], "claim takes one task, got '%s' too", args[1])
	case len(args) == 0 && o.release:
		return usagef("git ctx claim --release TASK", "option '--release' needs the task")
	}
	lease, err := o.lease.options(env, "claim")
	if err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return listClaims(ctx, env, led, o)
	case o.release:
		c, err := claim.Release(ctx, led, args[0], lease.Remote)
		return env.answerRelease(args[0], c, err)
	}
	c, err := claim.Take(ctx, led, args[0], lease)
	return env.answerClaim(c, err)
}

// claimJSON is a claim in JSON answers.
type claimJSON struct {
	Task    records.ID    `json:"task"`
	Actor   records.Actor `json:"actor"`
	Holder  string        `json:"holder"`
	Session string        `json:"session"`
	Since   string        `json:"since"`
	Expires string        `json:"expires"`
	Live    bool          `json:"live"`
	Mine    bool          `json:"mine"`
	Commit  gitstore.OID  `json:"commit"`
}

func (e *Env) asClaim(c *claim.Claim) *claimJSON {
	return &claimJSON{c.Task, c.Actor, c.Holder, c.Session, records.FormatInstant(c.Since), records.FormatInstant(c.Expires),
		c.Live(e.Now()), c.Mine, c.Commit}
}

// claimAnswer is the JSON answer of claim TASK and next --claim. The claim is
// the other session's when claimed is false; there is none when there was nothing to claim.
type claimAnswer struct {
	Format  int           `json:"format"`
	Claimed bool          `json:"claimed"`
	Renewed bool          `json:"renewed"`
	Claim   *claimJSON    `json:"claim,omitempty"`
	Commit  gitstore.OID  `json:"commit,omitempty"`
	State   records.State `json:"state,omitempty"`
	Title   string        `json:"title,omitempty"`
	Notes   []string      `json:"notes"`
}

// answerClaim prints what a claim came to. Having lost it is the answer "no".
func (e *Env) answerClaim(c *claim.Result, err error) error {
	var held *claim.HeldError
	switch {
	case errors.As(err, &held):
		e.note("%v", held)
		return e.refuseClaim(held.Claim)
	case errors.Is(err, claim.ErrNone):
		e.note("%v: git ctx next --explain says what each waits for, git ctx claim who holds which", err)
		return e.refuseClaim(nil)
	case err != nil:
		return err
	}
	r, _ := c.Edit.View.Record(c.Task)
	e.warnMade(c.Edit.Made)
	if e.json() {
		return e.writeJSON(claimAnswer{Format: jsonFormat, Claimed: true, Renewed: c.Renewed, Claim: e.asClaim(c.Claim),
			Commit: c.Edit.Commit, State: r.State(), Title: r.Title, Notes: append([]string{}, c.Edit.Notes...)})
	}
	_, err = fmt.Fprintf(e.Stdout, "%s %s, yours until %s: %s\n", c.Task, r.State(), records.FormatInstant(c.Expires), text.Visible(query.TitleOf(r)))
	return err
}

func (e *Env) refuseClaim(holder *claim.Claim) error {
	if e.json() {
		out := claimAnswer{Format: jsonFormat, Notes: []string{}}
		if holder != nil {
			out.Claim = e.asClaim(holder)
		}
		if err := e.writeJSON(out); err != nil {
			return err
		}
	}
	return errNo
}

// claimNext is next --claim.
func claimNext(ctx context.Context, env *Env, o *nextOptions) error {
	if o.read != (readFlags{}) || o.script.wanted() || o.explain {
		return usagef("git ctx next --claim", "option '--claim' takes one task now: it goes with --for and --remote only")
	}
	lease, err := o.lease.options(env, "next --claim")
	if err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	c, err := query.ClaimNext(ctx, led, lease)
	return env.answerClaim(c, err)
}

// releaseAnswer is the JSON answer of claim --release.
type releaseAnswer struct {
	Format   int        `json:"format"`
	Released bool       `json:"released"`
	Claim    *claimJSON `json:"claim,omitempty"`
}

func (e *Env) answerRelease(name string, c *claim.Claim, err error) error {
	out := releaseAnswer{Format: jsonFormat, Released: c != nil}
	var held *claim.HeldError
	switch {
	case errors.As(err, &held):
		e.note("%v", held)
		out.Claim, err = e.asClaim(held.Claim), errNo
	case err != nil:
		return err
	case c != nil:
		out.Claim = e.asClaim(c)
	default:
		e.note("'%s' is not claimed", name)
	}
	if e.json() {
		return errors.Join(e.writeJSON(out), err)
	}
	if c != nil {
		_, err = fmt.Fprintf(e.Stdout, "%s released\n", c.Task)
	}
	return err
}

type claimsAnswer struct {
	Format int          `json:"format"`
	Claims []*claimJSON `json:"claims"`
}

func listClaims(ctx context.Context, env *Env, led *ledger.Ledger, o *claimOptions) error {
	cs, bad, err := claim.List(ctx, led)
	if err != nil {
		return err
	}
	for _, b := range bad {
		env.note("warning: %v: git ctx doctor", b)
	}
	switch {
	case env.json():
		out := claimsAnswer{Format: jsonFormat, Claims: []*claimJSON{}}
		for _, c := range cs {
			out.Claims = append(out.Claims, env.asClaim(c))
		}
		return env.writeJSON(out)
	case o.script.wanted():
		for _, c := range cs {
			err := o.script.row(env, string(c.Task), string(c.Actor), c.Holder, c.Session, records.FormatInstant(c.Since), records.FormatInstant(c.Expires),
				either(c.Live(env.Now()), "live", "expired"), either(c.Mine, "mine", "other"))
			if err != nil {
				return err
			}
		}
		return nil
	}
	return env.page(ctx, nil, func(p *page) {
		for _, c := range cs {
			mark := either(c.Mine, "*", " ")
			until := ui.Painted{Text: "until " + records.FormatInstant(c.Expires), Colour: ui.Green}
			if !c.Live(env.Now()) {
				until = ui.Painted{Text: "expired " + records.FormatInstant(c.Expires), Colour: ui.Dim}
			}
			p.Printf("%s %s  %s  %s (%s, session %s) since %s\n", mark, ui.Painted{Text: string(c.Task), Colour: ui.Yellow}, until,
				c.Actor, c.Holder, c.Session, records.FormatInstant(c.Since))
		}
	})
}

func either(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
