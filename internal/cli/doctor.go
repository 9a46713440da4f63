package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/doctor"
)

func newDoctorCmd(env *Env) *cobra.Command {
	var fix bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "check what git ctx stands on here: repository, refs, locks, remotes, leftovers", Args: noArgs,
		Long: `Check what git ctx stands on in this repository; it works where other commands do not.
The exit status is 1 when a check fails. --fix does what is safe: it deletes temporary
files of interrupted writes, claims that nobody can hold any more, and the memory of
sessions whose worktree is gone. Everything else is reported with what to do.

Whether the records are sound is for 'git ctx fsck' to say, whether they agree for
'git ctx audit', whether git's objects are sound for 'git fsck'.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env, fix) },
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "do what is safe about what is found")
	return cmd
}

// doctorAnswer is the JSON answer of doctor.
type doctorAnswer struct {
	Format int                   `json:"format"`
	Checks []checkJSON           `json:"checks"`
	Counts map[doctor.Health]int `json:"counts"`
}

type checkJSON struct {
	ID     string        `json:"id"`
	What   string        `json:"what"`
	Result doctor.Health `json:"result"`
	Detail string        `json:"detail"`
	Fix    string        `json:"fix,omitempty"`
	Fixed  string        `json:"fixed,omitempty"`
}

func runDoctor(ctx context.Context, env *Env, fix bool) error {
	if err := env.formats(); err != nil {
		return err
	}
	var found []doctor.Outcome
	led, err := env.ledger(ctx)
	switch {
	case errors.Is(err, gitstore.ErrNotRepository), errors.Is(err, context.Canceled):
		return err
	case err != nil:
		found = []doctor.Outcome{unopened(err)}
	default:
		found = doctor.Run(ctx, led, fix)
	}
	out := doctorAnswer{Format: jsonFormat, Counts: map[doctor.Health]int{doctor.OK: 0, doctor.Warn: 0, doctor.Fail: 0}}
	for _, c := range found {
		out.Checks = append(out.Checks, checkJSON{c.ID, c.What, c.Result, c.Detail, c.Fix, c.Fixed})
		out.Counts[c.Result]++
	}
	if env.json() {
		err = env.writeJSON(out)
	} else {
		err = env.page(ctx, nil, func(p *page) { p.checks(out.Checks) })
	}
	if err == nil && out.Counts[doctor.Fail] > 0 {
		return errNo
	}
	return err
}

// unopened is the finding about a repository that git or we refuse to open.
func unopened(err error) doctor.Outcome {
	f := doctor.Finding{Result: doctor.Fail, Detail: err.Error()}
	var owner *gitstore.OwnershipError
	switch {
	case errors.As(err, &owner):
		f.Fix = "if you trust who owns it: git config --global --add safe.directory '" + owner.Dir + "'"
	case errors.Is(err, gitstore.ErrGitTooOld), errors.Is(err, gitstore.ErrGitMissing):
		f.Fix = "install git 2.31 or newer"
	}
	return doctor.Outcome{ID: doctor.CheckRepository, What: "the repository can be used", Finding: f}
}

func (p *page) checks(cs []checkJSON) {
	for _, c := range cs {
		hue := map[doctor.Health]ui.Colour{doctor.OK: ui.Green, doctor.Warn: ui.Yellow, doctor.Fail: ui.Red}[c.Result]
		p.Printf("%s %s  %s\n", ui.Painted{Text: string(c.Result), Colour: hue, Width: 4}, ui.Painted{Text: c.ID, Colour: ui.Plain, Width: 12}, oneLine(c.Detail))
		if c.Fixed != "" {
			p.Printf("     %s  fixed: %s\n", strings.Repeat(" ", 12), c.Fixed)
		}
		for todo := range strings.Lines(c.Fix) {
			p.Printf("     %s  to do: %s\n", strings.Repeat(" ", 12), strings.TrimSuffix(todo, "\n"))
		}
	}
}
