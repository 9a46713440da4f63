package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// Health is what a check of the doctor came to.
type Health string

// The results of a check. Fail means that something does not work, or that
// records are in danger; warn that it soon may.
const (
	HealthOK   Health = "ok"
	HealthWarn Health = "warn"
	HealthFail Health = "fail"
)

// A Finding is what a check found.
type Finding struct {
	Result Health
	Detail string
	Fix    string // what to do about it, "" when nothing is to be done
	Fixed  string // what was done about it, when fixes were asked for
}

// A Checkup is one check of the doctor with what it found.
type Checkup struct {
	ID   string // stable
	What string
	Finding
}

// An examination is one check: a value, run against an open repository. Its
// error is a finding too: the check could not see, and that is a failure.
type examination struct {
	id, what string
	run      func(*patient, context.Context) (Finding, error)
}

// A patient is a repository under examination.
type patient struct {
	l   *Ledger
	now time.Time // by the system's clock, which file times follow
	fix bool
}

// CheckRepository is the id of the check that needs no open repository: it
// fails when there is none to examine further.
const CheckRepository = "repository"

func examinations() []examination {
	return []examination{
		{"git", "git is new enough", (*patient).git},
		{CheckRepository, "the repository can be used", (*patient).repository},
		{"store", "there is context, and its refs are sound", (*patient).store},
		{"policy", "ctx.yaml can be read and its format is known", (*patient).policy},
		{"branch", "the current context branch can be written", (*patient).branch},
		{"index", "the index can be used", (*patient).index},
		{"locks", "no lock of git's was left behind", (*patient).locks},
		{"leftovers", "no file of an interrupted write was left behind", (*patient).leftovers},
		{"merge-driver", "git merges records with our driver, or not at all", (*patient).mergeDriver},
		{"hooks", "hooks that call git ctx can run", (*patient).hooks},
		{"remotes", "no fetch overwrites context", (*patient).remotes},
		{"claims", "claims can be read and none is long expired", (*patient).claims},
		{"sessions", "no session outlived its worktree", (*patient).sessions},
	}
}

// Examine runs every check of the doctor, on broken stores too. With fix it
// does what is safe: nothing that any record, ref of a branch or live session
// needs is touched.
func (l *Ledger) Examine(ctx context.Context, fix bool) []Checkup {
	p := &patient{l: l, now: time.Now(), fix: fix}
	var out []Checkup
	for _, e := range examinations() {
		f, err := e.run(p, ctx)
		if err != nil {
			f = Finding{Result: HealthFail, Detail: err.Error(), Fix: f.Fix}
		}
		out = append(out, Checkup{e.id, e.what, f})
	}
	return out
}

func healthy(format string, args ...any) (Finding, error) {
	return Finding{Result: HealthOK, Detail: fmt.Sprintf(format, args...)}, nil
}

// git asks for the version; Open has refused what is too old.
func (p *patient) git(ctx context.Context) (Finding, error) {
	out, err := p.l.repo.Git(ctx, nil, "version")
	return Finding{Result: HealthOK, Detail: strings.TrimSpace(string(out))}, err
}

// repository describes the shape. That git opened it settles ownership.
func (p *patient) repository(ctx context.Context) (Finding, error) {
	r := p.l.repo
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
	return Finding{Result: HealthOK, Detail: r.CommonDir() + ": " + strings.Join(words, ", ")}, err
}

func (p *patient) store(ctx context.Context) (Finding, error) {
	refs, err := p.l.repo.Refs(ctx, p.l.HeadRefs())
	if err != nil {
		var broken *gitstore.BrokenRefError
		if errors.As(err, &broken) {
			return Finding{Fix: "restore the ref from its reflog: git reflog show " + broken.Ref}, err
		}
		return Finding{}, err
	}
	if len(refs) == 0 {
		return Finding{HealthWarn, "there is no context yet", "git ctx init", ""}, nil
	}
	for _, ref := range refs {
		if _, err := p.l.repo.Snapshot(ctx, string(ref.OID)); err != nil {
			return Finding{Fix: "git ctx fsck, and git fsck"}, fmt.Errorf("context branch '%s': %w", strings.TrimPrefix(ref.Name, p.l.HeadRefs()), err)
		}
	}
	return healthy("%d context branches", len(refs))
}

// policy reads ctx.yaml on the current and on the default branch: the one rules
// what is written, the other what is asserted anywhere.
func (p *patient) policy(ctx context.Context) (Finding, error) {
	branch, err := p.l.Branch(ctx)
	if err != nil {
		return Finding{}, err
	}
	def, err := p.l.DefaultBranch(ctx)
	if err != nil {
		return Finding{}, err
	}
	detail := "no context yet"
	names := []string{branch, def}
	for _, name := range slices.Compact(names) {
		tip, _, err := p.l.BranchTip(ctx, name)
		if errors.Is(err, ErrNotInitialised) {
			continue
		}
		if err != nil {
			return Finding{}, err
		}
		snap, err := p.l.repo.Snapshot(ctx, string(tip))
		if err != nil {
			return Finding{}, err
		}
		policy, err := ReadPolicy(snap)
		var newer *records.NewerFormatError
		switch {
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

func (p *patient) branch(ctx context.Context) (Finding, error) {
	name, err := p.l.Branch(ctx)
	if err != nil {
		return Finding{Fix: "git ctx switch BRANCH"}, err
	}
	_, born, err := p.l.BranchTip(ctx, name)
	var unusable *BranchError
	switch {
	case errors.Is(err, ErrNotInitialised):
		return healthy("'%s', not made yet", name)
	case errors.As(err, &unusable):
		return Finding{Fix: unusable.Hint}, err
	case err != nil:
		return Finding{}, err
	}
	if err := p.l.Writable(ctx, name, born); errors.As(err, &unusable) {
		return Finding{HealthWarn, err.Error(), unusable.Hint, ""}, nil
	} else if err != nil {
		return Finding{}, err
	}
	from := "by default"
	if _, err := os.Stat(p.l.headFile()); err == nil {
		from = "by git ctx switch"
	}
	return healthy("'%s', %s", name, from)
}

// longExpired is how long a claim must have been over before it is swept away.
const longExpired = 7 * 24 * time.Hour

func (p *patient) claims(ctx context.Context) (Finding, error) {
	cs, bad, err := p.l.Claims(ctx)
	if err != nil {
		return Finding{}, err
	}
	live, expired, old := 0, 0, 0
	drop := func(ref string, oid gitstore.OID) error {
		if !p.fix {
			return nil
		}
		return p.l.repo.UpdateRefs(ctx, "ctx: doctor", gitstore.RefUpdate{Name: ref, Old: oid})
	}
	for _, c := range cs {
		switch {
		case c.Live(p.l.Now()):
			live++
		case p.l.Now().Sub(c.Expires) < longExpired:
			expired++
		default:
			old++
			if err := drop(p.l.claimRef(c.Task), c.Commit); err != nil {
				return Finding{}, err
			}
		}
	}
	for _, b := range bad {
		if oid, err := p.l.repo.Ref(ctx, b.Ref); err == nil {
			if err := drop(b.Ref, oid); err != nil {
				return Finding{}, err
			}
		}
	}
	f := Finding{Result: HealthOK, Detail: fmt.Sprintf("%d live, %d expired, %d expired for more than a week", live, expired, old)}
	if len(bad) > 0 {
		f.Detail += fmt.Sprintf(", %d unreadable (%v)", len(bad), bad[0])
	}
	if old+len(bad) > 0 {
		f = p.swept(f, fmt.Sprintf("deleted %d claims that nobody can hold", old+len(bad)))
	}
	return f, nil
}

// swept completes the finding of something that --fix does away with.
func (p *patient) swept(f Finding, done string) Finding {
	if p.fix {
		f.Result, f.Fixed = HealthOK, done
		return f
	}
	f.Result, f.Fix = HealthWarn, "git ctx doctor --fix"
	return f
}
