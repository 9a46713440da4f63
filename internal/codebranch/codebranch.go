// Package codebranch tells what became of the code branches that context branches
// follow: merged, squashed or gone, with context left behind. It reads and moves nothing.
package codebranch

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A CodeState says what became of a code branch.
type CodeState string

// What can become of a code branch whose work is done.
const (
	CodeGone     CodeState = "gone"     // there is no such code branch
	CodeMerged   CodeState = "merged"   // the default code branch holds its commits
	CodeSquashed CodeState = "squashed" // the default code branch holds its changes, in other commits
)

// An Unmerged is a context branch that was left behind: its code branch is done
// with, while the default context branch lacks commits of it.
type Unmerged struct {
	Branch  string       `json:"branch"`
	Commit  gitstore.OID `json:"commit"`
	Commits int          `json:"commits"` // that the default context branch lacks
	Code    CodeState    `json:"code"`
	Command string       `json:"command"` // merges it into the current context branch
}

// UnmergedBranches lists the context branches that were left behind, by name;
// none without ctx.follow, which is what ties the two kinds of branches.
func UnmergedBranches(ctx context.Context, l *ledger.Ledger) ([]Unmerged, error) {
	if follow, err := l.Following(ctx); err != nil || !follow {
		return nil, err
	}
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := l.Repo().Refs(ctx, l.HeadRefs())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(refs, func(r gitstore.Ref) bool { return r.Name == l.HeadRefs()+def })
	if i < 0 {
		return nil, nil
	}
	mainCode, err := defaultCode(ctx, l, def)
	if err != nil {
		return nil, err
	}
	var out []Unmerged
	for _, r := range refs {
		name := strings.TrimPrefix(r.Name, l.HeadRefs())
		if name == def || strings.HasPrefix(name, ledger.WorktreePrefix) {
			continue
		}
		lacks, err := l.CountLacking(ctx, refs[i].OID, r.OID)
		if err != nil {
			return nil, err
		}
		if lacks == 0 {
			continue
		}
		state, err := codeState(ctx, l, name, mainCode)
		if err != nil {
			return nil, err
		}
		if state != "" {
			out = append(out, Unmerged{Branch: name, Commit: r.OID, Commits: lacks, Code: state, Command: "git ctx merge " + name})
		}
	}
	return out, nil
}

// defaultCode returns the tip of the code branch that work ends up on: the one
// named like the default context branch, else the remote's; "" when neither is.
func defaultCode(ctx context.Context, l *ledger.Ledger, def string) (gitstore.OID, error) {
	for _, ref := range []string{ledger.CodePrefix + def, "refs/remotes/origin/HEAD", "refs/remotes/origin/" + def} {
		oid, err := l.Repo().Ref(ctx, ref)
		if !errors.Is(err, gitstore.ErrRefNotFound) {
			return oid, err
		}
	}
	return "", nil
}

// codeState finds out whether a code branch is done with; "" when it is not.
func codeState(ctx context.Context, l *ledger.Ledger, name string, mainCode gitstore.OID) (CodeState, error) {
	code, err := l.Repo().Ref(ctx, ledger.CodePrefix+name)
	switch {
	case errors.Is(err, gitstore.ErrRefNotFound):
		return CodeGone, nil
	case err != nil || mainCode == "":
		return "", err
	}
	if held, err := l.Repo().IsAncestor(ctx, code, mainCode); err != nil {
		return "", err
	} else if held {
		begun, err := begun(ctx, l, name)
		if err != nil || !begun {
			return "", err
		}
		return CodeMerged, nil
	}
	squashed, err := squashed(ctx, l, code, mainCode)
	if err != nil || !squashed {
		return "", err
	}
	return CodeSquashed, nil
}

// begun reports whether a code branch ever had a commit of its own: one that
// was only just created lies in the default branch too, and is not done. The
// reflog tells; without one the branch counts as begun.
func begun(ctx context.Context, l *ledger.Ledger, name string) (bool, error) {
	out, err := l.Repo().Git(ctx, nil, "reflog", "show", "-n", "2", "--format=%gs", ledger.CodePrefix+name, "--")
	if err != nil {
		return false, err
	}
	entries := strings.Split(strings.TrimSpace(string(out)), "\n")
	return len(entries) > 1 || !strings.HasPrefix(entries[0], "branch: Created from") || strings.Contains(entries[0], "/"), nil
}

// squashReach is how many commits of the default branch are looked through for
// the changes of another one. A squash is made soon after the work.
const squashReach = 300

// squashed reports whether main holds the changes of code: each commit's, or
// all of them as one.
func squashed(ctx context.Context, l *ledger.Ledger, code, main gitstore.OID) (bool, error) {
	bases, err := l.Repo().MergeBases(ctx, code, main)
	if err != nil || len(bases) == 0 {
		return false, err
	}
	limit := []string{"-n", strconv.Itoa(squashReach), string(main), "^" + string(code)}
	there, err := patchIDs(ctx, l, append([]string{"log", "-p", "--no-merges", "--no-ext-diff", "--no-textconv", "--format=commit %H"}, limit...)...)
	if err != nil || len(there) == 0 {
		return false, err
	}
	whole, err := patchIDs(ctx, l, "diff-tree", "-p", "--no-ext-diff", "--no-textconv", string(bases[0]), string(code))
	if err != nil {
		return false, err
	}
	if len(whole) > 0 && there.holds(whole) {
		return true, nil
	}
	each, err := patchIDs(ctx, l, "log", "-p", "--no-merges", "--no-ext-diff", "--no-textconv", "--format=commit %H",
		"-n", strconv.Itoa(squashReach), string(code), "^"+string(main))
	return err == nil && len(each) > 0 && there.holds(each), err
}

// patchSet is a set of patches by git's patch ID.
type patchSet map[string]bool

func (s patchSet) holds(t patchSet) bool {
	for id := range t {
		if !s[id] {
			return false
		}
	}
	return true
}

// patchIDs names the patches that a git command prints.
func patchIDs(ctx context.Context, l *ledger.Ledger, args ...string) (patchSet, error) {
	patch, err := l.Repo().Git(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	out, err := l.Repo().Git(ctx, bytes.NewReader(patch), "patch-id", "--stable")
	if err != nil {
		return nil, err
	}
	ids := make(patchSet)
	for line := range strings.Lines(string(out)) {
		id, _, _ := strings.Cut(line, " ")
		ids[id] = true
	}
	return ids, nil
}

// MergedHere lists the context branches, by name, whose code branches the last
// git merge in this worktree brought in and whose commits the current context
// branch lacks. It is for git's post-merge hook; none without ctx.follow.
func MergedHere(ctx context.Context, l *ledger.Ledger) ([]string, error) {
	if follow, err := l.Following(ctx); err != nil || !follow {
		return nil, err
	}
	refs, err := l.Repo().Refs(ctx, l.HeadRefs())
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	current, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	tip, _, err := l.BranchTip(ctx, current)
	if err != nil {
		return nil, err
	}
	merged, err := codeMergedHere(ctx, l)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range refs {
		name := strings.TrimPrefix(r.Name, l.HeadRefs())
		if name == current || !merged[name] {
			continue
		}
		lacks, err := l.CountLacking(ctx, tip, r.OID)
		if err != nil {
			return nil, err
		}
		if lacks > 0 {
			out = append(out, name)
		}
	}
	return out, nil
}

// codeMergedHere returns the names of the code branches, here or on remotes,
// that HEAD holds and that it did not hold before the last merge.
func codeMergedHere(ctx context.Context, l *ledger.Ledger) (map[string]bool, error) {
	out, err := l.Repo().Git(ctx, nil, "for-each-ref", "--format=%(refname)", "--merged=HEAD", "--no-merged=ORIG_HEAD", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		ref := strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(ref, "refs/remotes/"); ok {
			_, ref, _ = strings.Cut(rest, "/")
		}
		names[strings.TrimPrefix(ref, ledger.CodePrefix)] = true
	}
	return names, nil
}
