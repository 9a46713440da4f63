package gitstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
