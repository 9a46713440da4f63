package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Whole reports whether everything that the objects lead to, and those in without do
// not, is in the repository. What a promisor remote has promised counts as there.
func (r *Repo) Whole(ctx context.Context, tips []OID, without ...OID) (bool, error) {
	if len(tips) == 0 {
		return true, nil
	}
	var in bytes.Buffer
	for _, t := range tips {
		fmt.Fprintln(&in, t)
	}
	for _, t := range without {
		fmt.Fprintln(&in, "^"+t)
	}
	// The commit-graph knows commits whose objects are gone.
	_, err := r.Git(ctx, &in, "-c", "core.commitGraph=false", "rev-list", "--objects", "--quiet", "--exclude-promisor-objects", "--stdin")
	if exitCode(err) > 0 {
		return false, nil
	}
	return err == nil, err
}

// A Gap is an object that is missing or damaged, and the commit that needs it.
type Gap struct {
	OID    OID
	Kind   string // git's name of the type
	Commit OID    // the object itself where that is a commit
	Path   string // of a tree or blob, from the top of the commit's tree
}

// Gaps knows the commits that some tips lead to, as far as they can be read.
type Gaps struct {
	repo     *Repo
	boundary map[OID]bool // of a shallow history
	commits  map[OID]*Commit
	order    []OID // parents first
	gaps     map[OID]*Gap
	lost     map[OID]string // the type of what is missing
	inTree   map[OID]*Gap
}

// FindGaps reads everything that tips lead to. It costs as much as it has to read, and
// is for histories that [Repo.Whole] denies.
func (r *Repo) FindGaps(ctx context.Context, tips []OID) (*Gaps, error) {
	g := &Gaps{repo: r, boundary: make(map[OID]bool), commits: make(map[OID]*Commit), gaps: make(map[OID]*Gap),
		lost: make(map[OID]string), inTree: make(map[OID]*Gap)}
	if r.shallow {
		b, err := os.ReadFile(filepath.Join(r.commonDir, "shallow"))
		if err != nil {
			return nil, fmt.Errorf("read where the history is cut: %w", err)
		}
		for _, oid := range strings.Fields(string(b)) {
			g.boundary[OID(oid)] = true
		}
	}
	if err := g.readCommits(ctx, tips); err != nil {
		return nil, err
	}
	if err := g.readTrees(ctx); err != nil {
		return nil, err
	}
	for _, oid := range g.order {
		gap, err := g.gapOf(ctx, oid)
		if err != nil {
			return nil, err
		}
		g.gaps[oid] = gap
	}
	return g, nil
}

// Gap returns what a commit lacks, of several the one that its oldest commit lacks; nil where it is whole.
func (g *Gaps) Gap(commit OID) *Gap { return g.gaps[commit] }

// Commit returns a commit that could be read, else nil.
func (g *Gaps) Commit(oid OID) *Commit { return g.commits[oid] }

// HasTree reports whether a commit's own tree is whole, whatever its history lacks.
func (g *Gaps) HasTree(ctx context.Context, commit OID) (bool, error) {
	c := g.commits[commit]
	if c == nil {
		return false, nil
	}
	gap, err := g.below(ctx, c.Tree, kindTree)
	return gap == nil && err == nil, err
}

// Parents returns those of a commit that this history is to hold.
func (g *Gaps) Parents(oid OID) []OID {
	if c := g.commits[oid]; c != nil && !g.boundary[oid] {
		return c.Parents
	}
	return nil
}

// Reached returns what commits lead to, themselves included.
func (g *Gaps) Reached(from ...OID) map[OID]bool {
	seen, stack := make(map[OID]bool), slices.Clone(from)
	for len(stack) > 0 {
		oid := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !seen[oid] {
			seen[oid] = true
			stack = append(stack, g.Parents(oid)...)
		}
	}
	return seen
}

func (g *Gaps) readCommits(ctx context.Context, tips []OID) error {
	type visit struct {
		oid  OID
		done bool // its parents are in order
	}
	seen := make(map[OID]bool)
	var stack []visit
	for _, t := range tips {
		stack = append(stack, visit{oid: t})
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.done {
			g.order = append(g.order, v.oid)
			continue
		}
		if seen[v.oid] {
			continue
		}
		seen[v.oid] = true
		stack = append(stack, visit{v.oid, true})
		c, err := g.repo.ReadCommit(ctx, v.oid)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var other *WrongKindError
		if errors.As(err, &other) {
			continue // a ref to a tag or tree
		}
		if err != nil {
			g.lost[v.oid] = string(kindCommit)
			continue
		}
		g.commits[v.oid] = c
		for _, p := range g.Parents(v.oid) {
			stack = append(stack, visit{oid: p})
		}
	}
	return nil
}

// readTrees notes the trees that cannot be read and the blobs that are missing.
func (g *Gaps) readTrees(ctx context.Context) error {
	seen, blobs := make(map[OID]bool), []OID{}
	var walk func(tree OID) error
	walk = func(tree OID) error {
		if seen[tree] {
			return nil
		}
		seen[tree] = true
		entries, err := g.repo.readTree(ctx, tree)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			g.lost[tree] = string(kindTree)
			return nil
		}
		for _, e := range entries {
			if e.isTree() {
				if err := walk(e.oid); err != nil {
					return err
				}
			} else if e.isBlob() && !seen[e.oid] {
				seen[e.oid] = true
				blobs = append(blobs, e.oid)
			}
		}
		return nil
	}
	for _, oid := range g.order {
		if c := g.commits[oid]; c != nil {
			if err := walk(c.Tree); err != nil {
				return err
			}
		}
	}
	partial, err := g.repo.Git(ctx, nil, "config", "--get-regexp", `^(remote\..*\.promisor|extensions\.partialclone)$`)
	if exitCode(err) > 1 || err == nil && len(partial) > 0 {
		return nil // blobs may be promised
	}
	present, err := g.repo.Present(ctx, blobs)
	if err != nil {
		return err
	}
	for _, oid := range present {
		delete(seen, oid)
	}
	for _, oid := range blobs {
		if seen[oid] {
			g.lost[oid] = string(kindBlob)
		}
	}
	return nil
}

// gapOf looks at a commit whose parents were looked at.
func (g *Gaps) gapOf(ctx context.Context, oid OID) (*Gap, error) {
	c := g.commits[oid]
	if c == nil && g.lost[oid] == "" {
		return nil, nil
	}
	if c == nil {
		return &Gap{OID: oid, Kind: string(kindCommit), Commit: oid}, nil
	}
	for _, p := range g.Parents(oid) {
		if gap := g.gaps[p]; gap != nil {
			return gap, nil
		}
	}
	gap, err := g.below(ctx, c.Tree, kindTree)
	if gap == nil || err != nil {
		return nil, err
	}
	found := *gap
	found.Commit = oid
	return &found, nil
}

// below returns what is missing in a tree or blob, with its path from there.
func (g *Gaps) below(ctx context.Context, oid OID, kind objectKind) (*Gap, error) {
	if g.lost[oid] != "" {
		return &Gap{OID: oid, Kind: g.lost[oid]}, nil
	}
	if gap, known := g.inTree[oid]; known || kind != kindTree || len(g.lost) == 0 {
		return gap, nil
	}
	entries, err := g.repo.readTree(ctx, oid)
	if err != nil {
		return nil, err
	}
	var found *Gap
	for _, e := range entries {
		sub := kindBlob
		if e.isTree() {
			sub = kindTree
		}
		gap, err := g.below(ctx, e.oid, sub)
		if err != nil {
			return nil, err
		}
		if gap != nil {
			at := *gap
			at.Path = path.Join(e.name, gap.Path)
			found = &at
			break
		}
	}
	g.inTree[oid] = found
	return found, nil
}

// Descendants returns the commits in the repository that lead to one of some
// objects, whether a ref reaches them or not.
func (r *Repo) Descendants(ctx context.Context, oids []OID) (map[OID]bool, error) {
	graph, err := r.Graph(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	return graph.Above(oids), nil
}
