package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var errGone = errors.New("the object is gone")

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
