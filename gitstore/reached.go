package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// ReachedFrom returns those of the objects that some commits, tags, trees or blobs lead to.
func (r *Repo) ReachedFrom(ctx context.Context, oids map[OID]bool, tips []OID) ([]OID, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	return r.reached(ctx, oids, tips)
}

// ReachedBeside returns those of the objects that anything but some refs reaches:
// other refs, the HEADs and indexes of all worktrees, reflogs. By names the refs,
// HEADs and reflogs that name one of them. The reflogs of the refs left out are
// to be empty.
func (r *Repo) ReachedBeside(ctx context.Context, oids map[OID]bool, leftOut func(ref string) bool) (found []OID, by []string, err error) {
	refs, err := r.AllRefs(ctx, "refs/")
	if err != nil {
		return nil, nil, err
	}
	heads, err := r.worktreeHeads(ctx)
	if err != nil {
		return nil, nil, err
	}
	var tips []OID
	for _, ref := range refs {
		if target, err := r.SymbolicTarget(ctx, ref.Name); err != nil {
			return nil, nil, err
		} else if leftOut(ref.Name) || target != "" && leftOut(target) {
			continue
		}
		if tips = append(tips, ref.OID); oids[ref.OID] {
			by = append(by, ref.Name)
		}
	}
	for _, h := range heads {
		if tips = append(tips, h); oids[h] {
			by = append(by, "HEAD of a worktree")
		}
	}
	if found, err = r.reached(ctx, oids, tips, "--reflog", "--indexed-objects"); err != nil || len(found) == 0 {
		return nil, nil, err
	}
	logs, err := r.reflogsNaming(found)
	if err != nil {
		return nil, nil, err
	}
	if by = append(by, logs...); len(by) == 0 {
		by = []string{"an index, or a ref that leads there"}
	}
	return found, by, nil
}

func (r *Repo) reached(ctx context.Context, oids map[OID]bool, tips []OID, args ...string) ([]OID, error) {
	var in bytes.Buffer
	for _, t := range tips {
		fmt.Fprintln(&in, t)
	}
	out, err := r.Git(ctx, &in, append([]string{"rev-list", "--objects", "--no-object-names", "--ignore-missing", "--stdin"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("find what refs reach: %w", err)
	}
	var found []OID
	for line := range strings.Lines(string(out)) {
		if oid := OID(strings.TrimSpace(line)); oids[oid] {
			found = append(found, oid)
		}
	}
	return found, nil
}

func (r *Repo) worktreeHeads(ctx context.Context) ([]OID, error) {
	out, err := r.Git(ctx, nil, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	var heads []OID
	for line := range strings.Lines(string(out)) {
		if h, ok := strings.CutPrefix(strings.TrimSpace(line), "HEAD "); ok && !OID(h).IsZero() {
			heads = append(heads, OID(h))
		}
	}
	return heads, nil
}

// Present returns those of the objects that are in the repository. Nothing is
// fetched from a promisor: what is not here is not to come.
func (r *Repo) Present(ctx context.Context, oids []OID) ([]OID, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	var in, out, stderr bytes.Buffer
	wanted := make(map[OID]bool, len(oids))
	for _, oid := range oids {
		wanted[oid] = true
		fmt.Fprintln(&in, oid)
	}
	cmd := r.command(ctx, "cat-file", "--batch-check=%(objectname) here")
	cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &stderr
	text := &out
	if err := gitFailure(ctx, cmd.Args, cmd.Run(), stderr.String()); err != nil {
		// A git that does not know the variable tried to fetch. It lists what it has in any case.
		all, err := r.Git(ctx, nil, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) here")
		if err != nil {
			return nil, fmt.Errorf("look for objects: %w", err)
		}
		text = bytes.NewBuffer(all)
	}
	var found []OID
	for line := range strings.Lines(text.String()) {
		if oid, ok := strings.CutSuffix(strings.TrimSpace(line), " here"); ok && wanted[OID(oid)] {
			found = append(found, OID(oid))
		}
	}
	return found, nil
}
