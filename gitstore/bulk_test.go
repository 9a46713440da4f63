package gitstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

func manyFiles(n int) []gitstore.Change {
	changes := make([]gitstore.Change, n)
	for i := range changes {
		changes[i] = file(fmt.Sprintf("records/%02d/%d.yaml", i%32, i), fmt.Sprintf("id: r-%d\ntitle: record number %d\n", i, i))
	}
	return changes
}

func TestReadBlobs(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	var oids []gitstore.OID
	for i := range 3000 {
		oid := gitstore.OID("")
		if i < 50 {
			var err error
			if oid, err = r.WriteBlob(ctx, bytes.Repeat([]byte{byte(i)}, i*100)); err != nil {
				t.Fatal(err)
			}
		} else {
			oid = oids[i%50]
		}
		oids = append(oids, oid)
	}
	n := 0
	err := r.ReadBlobs(ctx, oids, func(i int, b []byte) error {
		if i != n || !bytes.Equal(b, bytes.Repeat([]byte{byte(i % 50)}, i%50*100)) {
			t.Fatalf("blob %d is wrong", i)
		}
		n++
		return nil
	})
	if err != nil || n != len(oids) {
		t.Errorf("%d blobs, %v", n, err)
	}
	stop := errors.New("stop")
	if err := r.ReadBlobs(ctx, oids, func(int, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
	var missing *gitstore.MissingObjectError
	bad := gitstore.OID(strings.Repeat("1", 40))
	if err := r.ReadBlobs(ctx, append([]gitstore.OID{bad}, oids...), func(int, []byte) error { return nil }); !errors.As(err, &missing) {
		t.Errorf("missing: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	if err := r.ReadBlobs(canceled, oids, func(int, []byte) error { cancel(); return nil }); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestWriteBulk(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	count := func() (loose, packs int) {
		for line := range strings.Lines(repo.Git("count-objects", "-v")) {
			_, _ = fmt.Sscanf(line, "count: %d", &loose)
			_, _ = fmt.Sscanf(line, "packs: %d", &packs)
		}
		return loose, packs
	}
	before, _ := count()
	changes := manyFiles(5000)
	keeps := func() int {
		kept, _ := filepath.Glob(filepath.Join(r.CommonDir(), "objects", "pack", "*.keep"))
		return len(kept)
	}
	oid, err := r.WriteBulk(ctx, "", changes, gitstore.Commit{Author: ada(), Committer: ada(), Message: "import\n"}, func(oid gitstore.OID) error {
		if keeps() != 1 {
			t.Error("the pack is not protected")
		}
		repo.Git("repack", "-adq")
		return r.UpdateRefs(ctx, "import", gitstore.RefUpdate{Name: branch, New: oid})
	})
	if err != nil {
		t.Fatal(err)
	}
	if keeps() != 0 {
		t.Error("the protection was left behind")
	}
	if after, packs := count(); after-before >= 100 || packs == 0 {
		t.Errorf("loose objects grew from %d to %d, %d packs", before, after, packs)
	}
	snap, err := r.Snapshot(ctx, branch)
	if err != nil || snap.Commit() != oid {
		t.Fatal(snap, err)
	}
	if b, err := snap.ReadFile(changes[4321].Path); !bytes.Equal(b, changes[4321].Data) || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	// The same tree by the other way has the same name.
	tree, err := r.WriteTree(ctx, snap.Tree(), changes)
	if tree != snap.Tree() || err != nil {
		t.Errorf("tree %s, want %s (%v)", tree, snap.Tree(), err)
	}
	repo.Fsck()
	refused := errors.New("refused")
	if _, err := r.WriteBulk(ctx, snap.Tree(), manyFiles(3), gitstore.Commit{Author: ada(), Committer: ada(), Message: "small\n"},
		func(gitstore.OID) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("publish error: %v", err)
	}
}
