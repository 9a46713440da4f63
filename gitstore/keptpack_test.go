package gitstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

func keepFiles(t *testing.T, repo *gittest.Repo) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(repo.Git("rev-parse", "--path-format=absolute", "--git-path", "objects/pack"), "*.keep"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestWriteOutlivesCollections lets git collect all it can between the objects
// of a write and the move of the ref that names them.
func TestWriteOutlivesCollections(t *testing.T) {
	ctx := context.Background()
	for _, shape := range gittest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			repo := gittest.New(t, shape)
			r := open(t, repo)
			one := mustCommit(t, r, branch, file("a/kept", "1\n"))
			c := gitstore.Commit{Parents: []gitstore.OID{one}, Author: ada(), Committer: ada(), Message: "two\n"}
			parent, err := r.ReadCommit(ctx, one)
			if err != nil {
				t.Fatal(err)
			}
			loose, err := r.Git(ctx, strings.NewReader("nobody needs it\n"), "hash-object", "-w", "--stdin")
			if err != nil {
				t.Fatal(err)
			}
			two, err := r.WriteCommit(ctx, parent.Tree, []gitstore.Change{file("a/b/new", "2\n")}, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, tidy := range [][]string{{"repack", "-adq"}, {"prune", "--expire=now"}, {"gc", "--quiet", "--prune=now"}} {
				repo.Git(tidy...)
			}
			if _, err := repo.TryGit("cat-file", "-e", strings.TrimSpace(string(loose))); err == nil {
				t.Error("positive control: nothing was pruned")
			}
			if err := r.UpdateRefs(ctx, "test", gitstore.RefUpdate{Name: branch, Old: one, New: two}); err != nil {
				t.Fatal(err)
			}
			repo.Git("gc", "--quiet", "--prune=now")
			again := open(t, repo)
			snap, err := again.Snapshot(ctx, branch)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"a/kept": "1\n", "a/b/new": "2\n"} {
				if b, err := snap.ReadFile(name); string(b) != want || err != nil {
					t.Errorf("%s: %q, %v", name, b, err)
				}
			}
			repo.Fsck()
		})
	}
}

// TestKeptPacksStayFew: many writes leave few packs, an old and a large one are
// git's again, and what others keep is theirs.
func TestKeptPacksStayFew(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	theirs := filepath.Join(repo.Main, ".git", "objects", "pack", "pack-"+strings.Repeat("0", 40))
	if err := os.WriteFile(theirs+".keep", []byte("receive-pack 1 on host\n"), 0o444); err != nil {
		t.Fatal(err)
	}
	most := 0
	for i := range 100 {
		mustCommit(t, r, branch, file(fmt.Sprintf("f%d", i), fmt.Sprint(i)))
		most = max(most, len(keepFiles(t, repo)))
	}
	if most != 32 { // 31 of ours and theirs
		t.Errorf("there were %d kept packs at once", most)
	}
	snap, err := open(t, repo).Snapshot(ctx, branch)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if b, err := snap.ReadFile(fmt.Sprintf("f%d", i)); string(b) != fmt.Sprint(i) || err != nil {
			t.Fatalf("f%d: %q, %v", i, b, err)
		}
	}
	repo.Fsck()

	before := keepFiles(t, repo)
	old := time.Now().Add(-15 * 24 * time.Hour)
	for _, keep := range before[:len(before)-1] {
		if keep != theirs+".keep" {
			if err := os.Chtimes(strings.TrimSuffix(keep, ".keep")+".pack", old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	large := filepath.Join(filepath.Dir(theirs), "pack-"+strings.Repeat("1", 40))
	for name, data := range map[string]string{".keep": "git ctx\n", ".pack": "", ".idx": ""} {
		if err := os.WriteFile(large+name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(large+".pack", 64<<20+1); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, r, branch, file("last", "x"))
	if err := errors.Join(os.Remove(large+".pack"), os.Remove(large+".idx")); err != nil {
		t.Fatal(err)
	}
	if left := keepFiles(t, repo); len(left) != 3 || !slices.Contains(left, theirs+".keep") || !slices.Contains(left, before[len(before)-1]) {
		t.Errorf("left are %q", left)
	}
	repo.Git("gc", "--quiet", "--prune=now")
	repo.Fsck()
}

// TestUnfinishedPackIsRemoved: what a dead writer left goes with the next
// write; the pack that somebody is writing, and git's own, stay.
func TestUnfinishedPackIsRemoved(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	mustCommit(t, r, branch, file("f", "1"))
	dir := filepath.Join(repo.Main, ".git", "objects", "pack")
	base := func(digit string) string { return filepath.Join(dir, "pack-"+strings.Repeat(digit, 40)) }
	for name, data := range map[string]string{
		base("1") + ".keep": "git ctx\n",
		base("2") + ".keep": "git ctx\n", base("2") + ".pack": "PACK", base("2") + ".idx-tmp": "",
		base("3") + ".keep": "git ctx\n", base("3") + ".pack": "PACK",
		base("4") + ".keep": "receive-pack 1 on host\n",
	} {
		if err := os.WriteFile(name, []byte(data), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	alive, err := os.Open(base("3") + ".keep")
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if locked, err := gitstore.TryLock(alive); !locked || err != nil {
		t.Fatal(locked, err)
	}
	if found, err := r.UnfinishedPacks(); len(found) != 4 || err != nil {
		t.Errorf("unfinished: %q, %v", found, err)
	}
	mustCommit(t, r, branch, file("f", "2"))
	for digit, want := range map[string]int{"1": 0, "2": 0, "3": 2, "4": 1} {
		if left, _ := filepath.Glob(base(digit) + "*"); len(left) != want {
			t.Errorf("of %s there is %q", digit, left)
		}
	}
	repo.Fsck()
}

// TestKeptPacksWaitForGC: while git gc runs, the packs that it may have listed stay.
func TestKeptPacksWaitForGC(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	pid := filepath.Join(repo.Main, ".git", "gc.pid")
	if err := os.WriteFile(pid, []byte("1 host\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		mustCommit(t, r, branch, file(fmt.Sprintf("f%d", i), fmt.Sprint(i)))
	}
	if n := len(keepFiles(t, repo)); n != 40 {
		t.Errorf("beside gc there are %d packs of 40 writes", n)
	}
	if err := os.Remove(pid); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, r, branch, file("last", "x"))
	if n := len(keepFiles(t, repo)); n >= 32 {
		t.Errorf("after it there are %d", n)
	}
	repo.Fsck()
}
