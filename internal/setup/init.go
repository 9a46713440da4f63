// Package setup begins stores and changes their policy: it plants the root that all
// stores of a format share, or takes over what a clone tracks of its remote. It asks no
// remote, and loosens no policy for who could not accept under it.
package setup

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

//go:embed store-readme.md
var storeReadme []byte

// storeAttributes keeps git from merging records as text where our driver is not set up.
const storeAttributes = "/records/** text eol=lf merge=binary\n/ctx.yaml text eol=lf merge=binary\n"

// InitOptions are the choices of init; zero values leave things as they are.
type InitOptions struct {
	Review        records.Review
	Follow        bool
	DefaultBranch string
}

// An Initialised tells what init did.
type Initialised struct {
	Branch string
	Commit gitstore.OID
	// Created is false when the branch was there already.
	Created bool
	// Adopted are the branches taken over from what is tracked of remote From.
	Adopted []string
	From    string
	Policy  *records.Policy
	Notes   []string
}

// Init makes sure that the default context branch exists, and applies the
// choices given. A clone takes over what it tracks of its remote; else the
// branch starts on the root commit that all stores of a format share. It
// touches nothing but refs/ctx and our own configuration, and asks no remote.
func Init(ctx context.Context, l *ledger.Ledger, o InitOptions) (*Initialised, error) {
	if err := l.RefuseScoped("init"); err != nil {
		return nil, err
	}
	branch, err := l.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	if o.DefaultBranch != "" {
		if branch, err = renameDefault(ctx, l, branch, o.DefaultBranch); err != nil {
			return nil, err
		}
	}
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return nil, err
	}
	res := &Initialised{Branch: branch}
	res.Commit, err = l.Repo().Ref(ctx, l.HeadRefs()+branch)
	if errors.Is(err, gitstore.ErrRefNotFound) {
		err = found(ctx, l, res, o)
	}
	unlock()
	if err != nil {
		return nil, err
	}
	if o.DefaultBranch != "" && o.DefaultBranch != ledger.UsualBranch {
		if err := l.Repo().SetConfig(ctx, "ctx.defaultBranch", o.DefaultBranch); err != nil {
			return nil, err
		}
	}
	if err := l.HideFromTransport(ctx, strings.TrimSuffix(ledger.ScopesPrefix, "/")); err != nil {
		return nil, err
	}
	if o.Follow {
		if err := l.Repo().SetConfig(ctx, "ctx.follow", "true"); err != nil {
			return nil, err
		}
	}
	if res.Commit, err = setReview(ctx, l, res.Branch, res, o.Review); err != nil {
		return nil, err
	}
	return res, nil
}

// found gives the default branch its first commit.
func found(ctx context.Context, l *ledger.Ledger, res *Initialised, o InitOptions) error {
	if err := l.RefuseMirror(ctx); err != nil {
		return err
	}
	var err error
	if res.From, res.Adopted, err = adopt(ctx, l); err != nil {
		return err
	}
	heads, err := l.RefsBelow(ctx, l.HeadRefs())
	if err != nil {
		return err
	}
	if len(heads) == 0 {
		res.Created = true
		res.Commit, err = plant(ctx, l, res.Branch, o.Review)
		return err
	}
	if o.DefaultBranch == "" {
		if res.Branch, err = l.DefaultBranch(ctx); err != nil {
			return err
		}
	}
	if res.Commit = heads[res.Branch]; res.Commit == "" {
		names := slices.Sorted(maps.Keys(heads))
		return &ledger.BranchError{Branch: res.Branch, Why: "it is not among those there are: " + strings.Join(names, ", "),
			Hint: "git ctx init --default-branch " + names[0]}
	}
	return nil
}

// renameDefault checks that another default branch may be chosen.
func renameDefault(ctx context.Context, l *ledger.Ledger, have, want string) (string, error) {
	if have == want {
		return want, nil
	}
	if _, err := l.Repo().Ref(ctx, l.HeadRefs()+have); err == nil {
		return "", &ledger.BranchError{Branch: want, Why: fmt.Sprintf("this repository's default branch is '%s' already", have)}
	} else if !errors.Is(err, gitstore.ErrRefNotFound) {
		return "", err
	}
	return want, l.CheckBranchName(ctx, want)
}

// plant writes the root commit and creates the branch on it. The commit's bytes
// depend on the format version and the repository's object format alone, so that
// stores made apart share it. The branch first appears with the policy that was
// asked for, so that whoever else begins the store meanwhile finds it decided.
func plant(ctx context.Context, l *ledger.Ledger, branch string, review records.Review) (gitstore.OID, error) {
	root, err := plantRoot(ctx, l)
	if err != nil {
		return "", err
	}
	u := gitstore.RefUpdate{Name: l.HeadRefs() + branch, New: root}
	p := provenance.RootPolicy()
	if review == "" || review == p.Review {
		return root, l.Repo().UpdateRefs(ctx, "ctx: init", u)
	}
	p.Review = review
	return commitPolicy(ctx, l, root, p, policyChange{subject: fmt.Sprintf("policy: review %s", review)}, u)
}

// plantRoot writes the root commit; no ref names it yet.
func plantRoot(ctx context.Context, l *ledger.Ledger) (gitstore.OID, error) {
	who := ledger.StoreIdentity(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return l.WriteCommit(ctx, gitstore.Commit{
		Author: who, Committer: who,
		Message: fmt.Sprintf("ctx: root of format %d\n\nEvery git ctx store of this format starts here.\n\nCtx-Verb: init\n", records.FormatVersion),
	}, "", []gitstore.Change{
		{Path: ledger.AttributesFile, Data: []byte(storeAttributes)},
		{Path: ledger.ReadmeFile, Data: storeReadme},
		{Path: records.PolicyFile, Data: records.FormatPolicy(provenance.RootPolicy())},
	}, "ctx: init", func(string, gitstore.OID) error { return nil })
}

// setReview changes the review policy where another one is asked for.
func setReview(ctx context.Context, l *ledger.Ledger, branch string, res *Initialised, review records.Review) (gitstore.OID, error) {
	v, err := l.Load(ctx, branch, res.Commit)
	if err != nil {
		return "", err
	}
	res.Policy = v.Policy
	if review == "" || review == v.Policy.Review && v.Loosened == nil {
		return v.Commit, provenance.PolicyAllowsWrites(v.PolicyErr)
	}
	if err := provenance.PolicyAllowsWrites(v.PolicyErr); err != nil {
		return "", err
	}
	proof, err := mayLoosen(ctx, l, v, review, res.Created)
	if err != nil {
		return "", err
	}
	if err := l.Writable(ctx, branch, true); err != nil {
		return "", err
	}
	unlock, err := l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return "", err
	}
	defer unlock()
	p := *v.Policy
	p.Review = review
	oid, err := commitPolicy(ctx, l, v.Commit, &p, policyChange{subject: fmt.Sprintf("policy: review %s", review), proof: proof},
		gitstore.RefUpdate{Name: l.HeadRefs() + branch, Old: v.Commit})
	if err == nil {
		res.Policy = &p
	}
	return oid, err
}

// mayLoosen refuses a looser policy to an actor who could not accept under the
// present one; fresh is a store that this very call began, where nobody chose before.
// Where the present one asks for a signature, so does the change: proof reports it.
func mayLoosen(ctx context.Context, l *ledger.Ledger, v *ledger.View, review records.Review, fresh bool) (proof bool, err error) {
	looser := records.Stricter(v.Policy.Review, review) == v.Policy.Review
	if !looser || fresh {
		return false, nil
	}
	return loosen(ctx, l, v, fmt.Sprintf("review '%s': it is looser than '%s'", review, v.Policy.Review))
}

// loosen is mayLoosen of a change that is known to loosen the policy; what says how.
func loosen(ctx context.Context, l *ledger.Ledger, v *ledger.View, what string) (proof bool, err error) {
	if l.Options().Author.Actor != records.Human {
		return false, fmt.Errorf("%s, and only a person at a terminal may loosen the policy", what)
	}
	inForce, err := l.Policies().InForce(ctx, v.Policy)
	if err != nil || inForce != records.ReviewSigned {
		return false, err
	}
	return true, l.Signatures().OpenKey(ctx)
}
