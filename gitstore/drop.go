package gitstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An ObjectGraph leads from objects to the trees, commits and tags that name
// them, reachable or not.
type ObjectGraph struct {
	above map[OID][]OID
	named map[string][]OID
}

// Graph reads every tree, commit and tag in the repository. Of blobs it knows
// the given ones and those that a tree holds under one of the file names.
func (r *Repo) Graph(ctx context.Context, blobs []OID, names map[string]bool) (*ObjectGraph, error) {
	g := &ObjectGraph{above: make(map[OID][]OID), named: make(map[string][]OID)}
	wanted := make(map[OID]bool, len(blobs))
	for _, b := range blobs {
		wanted[b] = true
	}
	err := r.eachObject(ctx, func(kind objectKind) bool { return kind != kindBlob }, func(oid OID, kind objectKind, content []byte) error {
		if kind != kindTree {
			g.commit(oid, content)
			return nil
		}
		entries, err := parseTree(r.objectFormat, content)
		if err != nil {
			return nil // damage is fsck's to tell
		}
		for _, e := range entries {
			if names[e.name] && e.isBlob() && !slices.Contains(g.named[e.name], e.oid) {
				g.named[e.name] = append(g.named[e.name], e.oid)
			}
			if e.isTree() || names[e.name] || wanted[e.oid] {
				g.above[e.oid] = append(g.above[e.oid], oid)
			}
		}
		return nil
	})
	return g, err
}

// commit takes in a commit or a tag.
func (g *ObjectGraph) commit(oid OID, content []byte) {
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		name, value, _ := strings.Cut(string(line), " ")
		switch name {
		case "":
			return
		case "tree", "parent", "object":
			g.above[OID(value)] = append(g.above[OID(value)], oid)
		}
	}
}

// Named returns the blobs that some tree holds under a file name.
func (g *ObjectGraph) Named(name string) []OID { return g.named[name] }

// Above returns the objects and all that lead to one of them.
func (g *ObjectGraph) Above(oids []OID) map[OID]bool {
	found := make(map[OID]bool)
	stack := slices.Clone(oids)
	for len(stack) > 0 {
		oid := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !found[oid] {
			found[oid] = true
			stack = append(stack, g.above[oid]...)
		}
	}
	return found
}

// eachObject calls fn for every object in the repository whose type want takes,
// alternates included. content is valid only during the call.
func (r *Repo) eachObject(ctx context.Context, want func(objectKind) bool, fn func(OID, objectKind, []byte) error) error {
	out, err := r.Git(ctx, nil, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return fmt.Errorf("list objects: %w", err)
	}
	var wanted bytes.Buffer
	n := 0
	for line := range strings.Lines(string(out)) {
		kind, oid, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && want(objectKind(kind)) {
			fmt.Fprintln(&wanted, oid)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	cmd := r.command(ctx, "cat-file", "--batch", "--buffer")
	var stderr tail
	cmd.Stdin, cmd.Stderr = &wanted, &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("read objects: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("read objects: %w", gitFailure(ctx, cmd.Args, err, ""))
	}
	p := &batchProcess{out: bufio.NewReaderSize(pipe, 256<<10)}
	var buf []byte
	for range n {
		var oid OID
		var kind objectKind
		if oid, kind, buf, err = p.next(buf); errors.Is(err, errGone) {
			err = nil // a collection beside us was faster
			continue
		}
		if err == nil {
			err = fn(oid, kind, buf)
		}
		if err != nil {
			_ = cmd.Process.Kill()
			break
		}
	}
	_, _ = io.Copy(io.Discard, pipe)
	if werr := cmd.Wait(); err == nil {
		err = gitFailure(ctx, cmd.Args, werr, stderr.String())
	}
	if err != nil {
		return fmt.Errorf("read objects: %w", err)
	}
	return nil
}

var errGone = errors.New("the object is gone")

// next reads the next reply of a child that was asked for several objects.
func (p *batchProcess) next(buf []byte) (OID, objectKind, []byte, error) {
	peek, err := p.out.Peek(64)
	if err != nil && len(peek) == 0 {
		return "", "", buf, fmt.Errorf("git cat-file ended: %w", err)
	}
	name, _, _ := bytes.Cut(peek, []byte(" "))
	oid := OID(name)
	kind, content, err := p.answer(oid, buf)
	var missing *MissingObjectError
	if errors.As(err, &missing) {
		return oid, "", buf, errGone
	}
	return oid, kind, content, err
}

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

// Drop takes objects out of the repository: loose files are deleted, and packs
// that hold one are written anew without it. Every other object stays,
// reachable or not. What alternates hold is not touched. Nothing may need the
// objects any more; the caller has made sure of that. It may be repeated after
// a kill.
func (r *Repo) Drop(ctx context.Context, doomed map[OID]bool) error {
	for oid := range doomed {
		if err := os.Remove(r.loose.path(oid)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return writeFailure(r.objectsDir, fmt.Errorf("drop object %s: %w", oid, err))
		}
	}
	FaultPoint("dropped-loose")
	packs, err := filepath.Glob(filepath.Join(globQuote(r.objectsDir), "pack", "pack-*.idx"))
	if err != nil {
		return fmt.Errorf("list packs: %w", err)
	}
	for _, idx := range packs {
		if err := r.dropFromPack(ctx, strings.TrimSuffix(idx, ".idx"), doomed); err != nil {
			return fmt.Errorf("drop objects from %s: %w", filepath.Base(idx), err)
		}
	}
	r.release()
	return r.dropCommitGraph(ctx)
}

// dropFromPack writes a pack anew without the doomed objects. A kept pack of
// ours becomes another one, which no repack would do.
func (r *Repo) dropFromPack(ctx context.Context, pack string, doomed map[OID]bool) error {
	oids, err := r.packObjects(ctx, pack+".idx")
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(oids), func(o OID) bool { return doomed[o] })
	if len(kept) == len(oids) {
		return nil
	}
	switch {
	case len(kept) == 0:
	case isOurs(pack):
		p := newPackWriter(r.objectFormat)
		if err := p.copyPack(pack, doomed); err != nil {
			return err
		}
		if err := r.placePack(ctx, p); err != nil {
			return err
		}
	default:
		if err := r.repackAs(ctx, pack, kept); err != nil {
			return err
		}
	}
	FaultPoint("repacked")
	// A multi-pack index names the pack that goes; git makes it again.
	indexes, err := filepath.Glob(filepath.Join(globQuote(r.objectsDir), "pack", "multi-pack-index*"))
	if err != nil {
		return err
	}
	r.release() // it may have the pack open
	for _, f := range indexes {
		if err := os.RemoveAll(f); err != nil {
			return err
		}
	}
	return removePack(pack)
}

// repackAs has git write some objects of a pack as another one, which gets what
// protects the old one.
func (r *Repo) repackAs(ctx context.Context, pack string, kept []OID) error {
	var in bytes.Buffer
	for _, o := range kept {
		fmt.Fprintln(&in, o)
	}
	out, err := r.Git(ctx, &in, "pack-objects", "-q", "--delta-base-offset", filepath.Join(r.objectsDir, "pack", "pack"))
	if err != nil {
		return err
	}
	now := filepath.Join(r.objectsDir, "pack", "pack-"+strings.TrimSpace(string(out)))
	for _, mark := range []string{".keep", ".promisor"} {
		if data, err := os.ReadFile(pack + mark); err == nil {
			// Writable, since a run that is killed here writes it again.
			if err := os.WriteFile(now+mark, data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// release lets go of the packs that are open, and of the trees that are known.
func (r *Repo) release() {
	r.child.restart()
	r.packs.close()
	r.trees.clear()
}

func (r *Repo) packObjects(ctx context.Context, idx string) ([]OID, error) {
	f, err := os.Open(idx)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out, err := r.Git(ctx, f, "show-index", "--object-format="+r.objectFormat)
	if err != nil {
		return nil, err
	}
	var oids []OID
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) >= 2 {
			oids = append(oids, OID(words[1]))
		}
	}
	return oids, nil
}

// dropCommitGraph removes the commit graph, a cache that may name dropped
// commits, and has git make it again.
func (r *Repo) dropCommitGraph(ctx context.Context) error {
	had := false
	for _, name := range []string{"commit-graph", "commit-graphs"} {
		path := filepath.Join(r.objectsDir, "info", name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		had = true
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("drop commit graph: %w", err)
		}
	}
	if !had {
		return nil
	}
	_, err := r.Git(ctx, nil, "commit-graph", "write", "--reachable")
	return err
}

// globQuote makes a path match itself alone.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// FindText returns the objects of any kind that hold one of the texts.
func (r *Repo) FindText(ctx context.Context, texts []string) ([]OID, error) {
	var needles [][]byte
	for _, t := range texts {
		needles = append(needles, []byte(t))
	}
	var found []OID
	if len(needles) == 0 {
		return nil, nil
	}
	err := r.eachObject(ctx, func(objectKind) bool { return true }, func(oid OID, _ objectKind, content []byte) error {
		for _, n := range needles {
			if bytes.Contains(content, n) {
				found = append(found, oid)
				break
			}
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}
