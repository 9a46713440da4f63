package gitstore

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Entry modes as git writes them in trees.
const (
	modeTree    = 0o040000
	modeFile    = 0o100644
	modeExec    = 0o100755
	modeSymlink = 0o120000
	modeGitlink = 0o160000
)

// treeEntry is one line of a tree object.
type treeEntry struct {
	name string
	mode uint32
	oid  OID
}

func (e treeEntry) isTree() bool { return e.mode == modeTree }
func (e treeEntry) isBlob() bool { return e.mode != modeTree && e.mode != modeGitlink }

// key is what git sorts a tree by: directories as if they ended in a slash,
// which makes a walk come out in order of whole paths.
func (e treeEntry) key() string {
	if e.isTree() {
		return e.name + "/"
	}
	return e.name
}

// parseTree decodes a tree object. The codec is our own because go-git's is
// bound to 20-byte object IDs; a test holds it against go-git's.
func parseTree(format string, b []byte) ([]treeEntry, error) {
	rawLen := hexLen(format) / 2
	var entries []treeEntry
	for len(b) > 0 {
		mode, rest, ok := bytes.Cut(b, []byte{' '})
		if !ok {
			return nil, fmt.Errorf("malformed tree entry: no mode")
		}
		name, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(rest) < rawLen || len(name) == 0 {
			return nil, fmt.Errorf("malformed tree entry: truncated")
		}
		m, err := strconv.ParseUint(string(mode), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("malformed tree entry: mode %q", mode)
		}
		entries = append(entries, treeEntry{
			name: string(name), mode: uint32(m), oid: OID(hex.EncodeToString(rest[:rawLen])),
		})
		b = rest[rawLen:]
	}
	return entries, nil
}

// formatTree encodes entries that are already in git's order.
func formatTree(entries []treeEntry) ([]byte, error) {
	var buf bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&buf, "%o %s\x00", e.mode, e.name)
		raw, err := hex.DecodeString(string(e.oid))
		if err != nil {
			return nil, fmt.Errorf("tree entry '%s': %w", e.name, err)
		}
		buf.Write(raw)
	}
	return buf.Bytes(), nil
}

func sortEntries(entries []treeEntry) {
	slices.SortFunc(entries, func(a, b treeEntry) int { return strings.Compare(a.key(), b.key()) })
}

// treeCache keeps parsed trees by object ID, which never go stale. It is
// emptied when full: a walk over a large store would defeat finer eviction.
type treeCache struct {
	mu      sync.Mutex
	trees   map[OID][]treeEntry
	entries int
}

const treeCacheEntries = 64 << 10

func (c *treeCache) get(oid OID) ([]treeEntry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.trees[oid]
	return t, ok
}

func (c *treeCache) put(oid OID, t []treeEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trees == nil || c.entries+len(t) > treeCacheEntries {
		c.trees, c.entries = make(map[OID][]treeEntry), 0
	}
	if _, ok := c.trees[oid]; !ok {
		c.trees[oid] = t
		c.entries += len(t) + 1
	}
}

// clear forgets every tree: objects were taken out.
func (c *treeCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trees, c.entries = nil, 0
}

// readTree returns the entries of a tree, which the caller must not change.
// "" and the empty tree's ID need no object in the repository.
func (r *Repo) readTree(ctx context.Context, oid OID) ([]treeEntry, error) {
	if oid == "" || oid == emptyTree(r.objectFormat) {
		return nil, nil
	}
	if t, ok := r.trees.get(oid); ok {
		return t, nil
	}
	b, err := r.readObject(ctx, oid, kindTree)
	if err != nil {
		return nil, err
	}
	t, err := parseTree(r.objectFormat, b)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", oid, err)
	}
	r.trees.put(oid, t)
	return t, nil
}
