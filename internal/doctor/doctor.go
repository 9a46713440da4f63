// Package doctor checks what git ctx stands on in a repository: git, refs, locks,
// remotes, hooks, the index, and what interrupted processes left behind.
//
// It works on stores that nothing else can open, and mends only what no record,
// ref of a branch or live session needs. Whether records are sound is for package
// fsck to say.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// Health is what a check of the doctor came to.
type Health string

// The results of a check. Fail means that something does not work, or that
// records are in danger; warn that it soon may.
const (
	OK   Health = "ok"
	Warn Health = "warn"
	Fail Health = "fail"
)

// A Finding is what a check found.
type Finding struct {
	Result Health
	Detail string
	Fix    string // what to do about it, a line each, "" when nothing is to be done
	Fixed  string // what was done about it, when fixes were asked for
}

// An Outcome is one check of the doctor with what it found.
type Outcome struct {
	ID   string // stable
	What string
	Finding
}

// A check is a value that is run against an open repository. Its error is a
// finding too: the check could not see, and that is a failure.
type check struct {
	id, what string
	run      func(*checkContext, context.Context) (Finding, error)
}

// A checkContext is the store that is checked.
type checkContext struct {
	led *ledger.Ledger
	now time.Time // by the system's clock, which file times follow
	fix bool
}

func (c *checkContext) repo() *gitstore.Repo { return c.led.Repo() }

// CheckRepository is the id of the check that needs no open repository: it
// fails when there is none to examine further.
const CheckRepository = "repository"

func checks() []check {
	return []check{
		{"git", "git is new enough", (*checkContext).git},
		{CheckRepository, "the repository can be used", (*checkContext).repository},
		{"store", "there is context, and its refs are sound", (*checkContext).store},
		{"objects", "every object that context refs lead to is there", (*checkContext).objects},
		{"policy", "ctx.yaml can be read and its format is known", (*checkContext).policy},
		{"branch", "the current context branch can be written", (*checkContext).branch},
		{"index", "the index can be used", (*checkContext).index},
		{"locks", "no lock of git's was left behind", (*checkContext).locks},
		{"leftovers", "no file of an interrupted write was left behind", (*checkContext).leftovers},
		{"merge-driver", "git merges records with our driver, or not at all", (*checkContext).mergeDriver},
		{"hooks", "hooks that call git ctx can run", (*checkContext).hooks},
		{"remotes", "no fetch overwrites context", (*checkContext).remotes},
		{"claims", "claims can be read and none is long expired", (*checkContext).claims},
		{"sessions", "no session outlived its worktree", (*checkContext).sessions},
	}
}

// Run runs every check of the doctor, on broken stores too. With fix it does
// what is safe: nothing that any record, ref of a branch or live session needs is
// touched.
func Run(ctx context.Context, led *ledger.Ledger, fix bool) []Outcome {
	c := &checkContext{led: led, now: time.Now(), fix: fix}
	var out []Outcome
	for _, ck := range checks() {
		f, err := ck.run(c, ctx)
		if err != nil {
			f = Finding{Result: Fail, Detail: err.Error(), Fix: f.Fix}
		}
		out = append(out, Outcome{ck.id, ck.what, f})
	}
	return out
}

func healthy(format string, args ...any) (Finding, error) {
	return Finding{Result: OK, Detail: fmt.Sprintf(format, args...)}, nil
}

// git asks for the version; Open has refused what is too old.
func (c *checkContext) git(ctx context.Context) (Finding, error) {
	out, err := c.repo().Git(ctx, nil, "version")
	return Finding{Result: OK, Detail: strings.TrimSpace(string(out))}, err
}

// repository describes the shape. That git opened it settles ownership.
func (c *checkContext) repository(ctx context.Context) (Finding, error) {
	r := c.repo()
	words := []string{"objects " + r.ObjectFormat(), "refs " + r.RefFormat()}
	for _, w := range []struct {
		is   bool
		word string
	}{{r.Bare(), "bare"}, {r.GitDir() != r.CommonDir(), "linked worktree"}, {r.Shallow(), "shallow"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	filter, partial, err := r.Config(ctx, "remote.origin.partialclonefilter")
	if partial {
		words = append(words, "partial ("+filter+")")
	}
	return Finding{Result: OK, Detail: r.CommonDir() + ": " + strings.Join(words, ", ")}, err
}

func (c *checkContext) store(ctx context.Context) (Finding, error) {
	refs, err := c.repo().Refs(ctx, c.led.HeadRefs())
	if err != nil {
		var broken *gitstore.BrokenRefError
		if errors.As(err, &broken) {
			return Finding{Fix: "restore the ref from its reflog: git reflog show " + broken.Ref}, err
		}
		return Finding{}, err
	}
	if len(refs) == 0 {
		return Finding{Warn, "there is no context yet", "git ctx init", ""}, nil
	}
	for _, ref := range refs {
		if _, err := c.repo().Snapshot(ctx, string(ref.OID)); err != nil {
			return Finding{Fix: "see below, under objects"}, fmt.Errorf("context branch '%s': %w", strings.TrimPrefix(ref.Name, c.led.HeadRefs()), err)
		}
	}
	return healthy("%d context branches", len(refs))
}

// policy reads ctx.yaml on the current and on the default branch: the one rules
// what is written, the other what is asserted anywhere.
func (c *checkContext) policy(ctx context.Context) (Finding, error) {
	branch, err := c.led.Branch(ctx)
	if err != nil {
		return Finding{}, err
	}
	def, err := c.led.DefaultBranch(ctx)
	if err != nil {
		return Finding{}, err
	}
	detail := "no context yet"
	names := []string{branch, def}
	for _, name := range slices.Compact(names) {
		tip, _, err := c.led.BranchTip(ctx, name)
		if errors.Is(err, ledger.ErrNotInitialised) {
			continue
		}
		if err != nil {
			return Finding{}, err
		}
		snap, err := c.repo().Snapshot(ctx, string(tip))
		if err != nil {
			return Finding{}, err
		}
		policy, err := provenance.ReadPolicy(snap)
		var newer *records.NewerFormatError
		var missing *gitstore.MissingObjectError
		switch {
		case errors.As(err, &missing):
			return Finding{}, err // the check of objects says what to do
		case errors.As(err, &newer):
			return Finding{Fix: "update git ctx; until then the context can be read"}, fmt.Errorf("context branch '%s': %w", name, err)
		case err != nil:
			return Finding{Fix: "mend it in a checkout: git ctx worktree add DIR, commit there, git ctx merge wt/DIR; until then the strictest policy holds and nothing is written"},
				fmt.Errorf("context branch '%s': %w", name, err)
		}
		detail = fmt.Sprintf("format %d, review %s", policy.Format, policy.Review)
	}
	return healthy("%s", detail)
}

func (c *checkContext) branch(ctx context.Context) (Finding, error) {
	name, err := c.led.Branch(ctx)
	if err != nil {
		return Finding{Fix: "git ctx switch BRANCH"}, err
	}
	_, born, err := c.led.BranchTip(ctx, name)
	var unusable *ledger.BranchError
	switch {
	case errors.Is(err, ledger.ErrNotInitialised):
		return healthy("'%s', not made yet", name)
	case errors.As(err, &unusable):
		return Finding{Fix: unusable.Hint}, err
	case err != nil:
		return Finding{}, err
	}
	if err := c.led.Writable(ctx, name, born); errors.As(err, &unusable) {
		return Finding{Warn, err.Error(), unusable.Hint, ""}, nil
	} else if err != nil {
		return Finding{}, err
	}
	from := "by default"
	if chosen, err := c.led.ChosenBranch(); err == nil && chosen != "" {
		from = "by git ctx switch"
	}
	return healthy("'%s', %s", name, from)
}

// longExpired is how long a claim must have been over before it is swept away.
const longExpired = 7 * 24 * time.Hour

func (c *checkContext) claims(ctx context.Context) (Finding, error) {
	all, bad, err := claim.List(ctx, c.led)
	if err != nil {
		return Finding{}, err
	}
	live, expired, old := 0, 0, 0
	drop := func(ref string, oid gitstore.OID) error {
		if !c.fix {
			return nil
		}
		return c.repo().UpdateRefs(ctx, "ctx: doctor", gitstore.RefUpdate{Name: ref, Old: oid})
	}
	for _, claim := range all {
		switch {
		case claim.Live(c.led.Now()):
			live++
		case c.led.Now().Sub(claim.Expires) < longExpired:
			expired++
		default:
			old++
			if err := drop(c.led.ClaimRefs()+string(claim.Task), claim.Commit); err != nil {
				return Finding{}, err
			}
		}
	}
	for _, b := range bad {
		if oid, err := c.repo().Ref(ctx, b.Ref); err == nil {
			if err := drop(b.Ref, oid); err != nil {
				return Finding{}, err
			}
		}
	}
	f := Finding{Result: OK, Detail: fmt.Sprintf("%d live, %d expired, %d expired for more than a week", live, expired, old)}
	if len(bad) > 0 {
		f.Detail += fmt.Sprintf(", %d unreadable (%v)", len(bad), bad[0])
	}
	if old+len(bad) > 0 {
		f = c.swept(f, fmt.Sprintf("deleted %d claims that nobody can hold", old+len(bad)))
	}
	return f, nil
}

// swept completes the finding of something that --fix does away with.
func (c *checkContext) swept(f Finding, done string) Finding {
	if c.fix {
		f.Result, f.Fixed = OK, done
		return f
	}
	f.Result, f.Fix = Warn, "git ctx doctor --fix"
	return f
}
