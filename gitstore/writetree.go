package gitstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change is one file to write, as a regular file with mode 100644, or to
// delete when Data is nil. An empty file is a non-nil Data of length 0.
type Change struct {
	Path string // slash-separated, relative to the top
	Data []byte
}

// PathError reports a path that cannot be in a tree, or that collides with
// what is there.
type PathError struct{ Path, Problem string }

// Error names the path and what is wrong with it.
func (e *PathError) Error() string { return fmt.Sprintf("path '%s': %s", e.Path, e.Problem) }

// checkTreePath refuses what git fsck would: empty, dot and .git components.
func checkTreePath(path string) error {
	if path == "" {
		return &PathError{path, "is empty"}
	}
	if strings.ContainsRune(path, 0) {
		return &PathError{path, "contains a NUL"}
	}
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "":
			return &PathError{path, "has an empty component"}
		case part == ".", part == "..":
			return &PathError{path, "has a '" + part + "' component"}
		case strings.EqualFold(part, ".git"), strings.EqualFold(part, "git~1"):
			return &PathError{path, "has a '.git' component"}
		}
	}
	return nil
}

// changeNode is the changes below one path, as a tree.
type changeNode struct {
	write, remove bool
	content       []byte
	children      map[string]*changeNode
}

func changeTree(changes []Change) (*changeNode, error) {
	root := &changeNode{}
	for _, c := range changes {
		if err := checkTreePath(c.Path); err != nil {
			return nil, err
		}
		n := root
		for part := range strings.SplitSeq(c.Path, "/") {
			if n.children == nil {
				n.children = make(map[string]*changeNode)
			}
			if n.children[part] == nil {
				n.children[part] = &changeNode{}
			}
			n = n.children[part]
		}
		if n.write || n.remove {
			return nil, &PathError{c.Path, "is changed twice"}
		}
		n.write, n.remove, n.content = c.Data != nil, c.Data == nil, c.Data
	}
	return root, nil
}

// treeWriter applies changes and hands new objects to out.
type treeWriter struct {
	repo *Repo
	out  *packWriter
}

func (w *treeWriter) writeRoot(ctx context.Context, base OID, changes []Change) (OID, error) {
	root, err := changeTree(changes)
	if err != nil {
		return "", err
	}
	oid, err := w.apply(ctx, base, root, "")
	if err != nil {
		return "", err
	}
	if oid == "" {
		return w.out.write(kindTree, nil)
	}
	return oid, nil
}

// apply returns the tree that results from n's changes to base, "" when
// nothing is left in it.
func (w *treeWriter) apply(ctx context.Context, base OID, n *changeNode, path string) (OID, error) {
	old, err := w.repo.readTree(ctx, base)
	if err != nil {
		return "", err
	}
	byName := make(map[string]treeEntry, len(old)+len(n.children))
	for _, e := range old {
		byName[e.name] = e
	}
	changed := false
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		before, had := byName[name]
		after, keep, err := w.entry(ctx, before, had, name, n.children[name], path+name)
		if err != nil {
			return "", err
		}
		if keep == had && after == before {
			continue
		}
		changed = true
		if keep {
			byName[name] = after
		} else {
			delete(byName, name)
		}
	}
	if len(byName) == 0 {
		return "", nil
	}
	if !changed {
		return base, nil
	}
	return w.store(slices.Collect(maps.Values(byName)))
}

func (w *treeWriter) store(entries []treeEntry) (OID, error) {
	sortEntries(entries)
	b, err := formatTree(entries)
	if err != nil {
		return "", err
	}
	return w.out.write(kindTree, b)
}

// entry applies one node to one tree entry; keep is false when the entry ends
// up absent.
func (w *treeWriter) entry(ctx context.Context, before treeEntry, had bool, name string, n *changeNode, path string) (after treeEntry, keep bool, err error) {
	now, has := before, had
	if n.remove {
		now, has = treeEntry{}, false
	}
	if n.write {
		if n.childAdds() {
			return now, false, &PathError{path, "is written as a file and as a directory"}
		}
		if has && now.isTree() {
			left, err := w.apply(ctx, now.oid, n, path+"/") // it may be emptied here
			if err != nil {
				return now, false, err
			}
			if left != "" {
				return now, false, &PathError{path, "is a directory"}
			}
		}
		oid := hashObject(w.repo.objectFormat, kindBlob, n.content)
		if has && now.isBlob() && now.oid == oid && now.mode == modeFile {
			return now, true, nil // reachable already: nothing to store
		}
		if _, err := w.out.write(kindBlob, n.content); err != nil {
			return now, false, err
		}
		return treeEntry{name: name, mode: modeFile, oid: oid}, true, nil
	}
	if len(n.children) == 0 {
		return now, has, nil
	}
	if has && !now.isTree() {
		if !n.childAdds() {
			return now, has, nil // deletions below a file find nothing
		}
		return now, false, &PathError{path, "is not a directory"}
	}
	oid, err := w.apply(ctx, now.oid, n, path+"/")
	if err != nil || oid == "" {
		return treeEntry{}, false, err
	}
	return treeEntry{name: name, mode: modeTree, oid: oid}, true, nil
}

// childAdds reports whether any change below n writes a file.
func (n *changeNode) childAdds() bool {
	for _, c := range n.children {
		if c.write || c.childAdds() {
			return true
		}
	}
	return false
}
