package gitstore_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

const branch = "refs/ctx/heads/main"

func ada() gitstore.Signature {
	return gitstore.Signature{
		Name: "Ada Example", Email: "ada@example.com",
		When: time.Date(2026, 11, 30, 9, 0, 0, 0, time.FixedZone("", -5*3600-30*60)),
	}
}

func open(t testing.TB, repo *gittest.Repo) *gitstore.Repo {
	t.Helper()
	r, err := gitstore.Open(context.Background(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// commitFiles commits changes on top of a ref's value and moves the ref.
func commitFiles(ctx context.Context, r *gitstore.Repo, ref string, changes ...gitstore.Change) (gitstore.OID, error) {
	old, err := r.Ref(ctx, ref)
	if err != nil && !errors.Is(err, gitstore.ErrRefNotFound) {
		return "", err
	}
	c := gitstore.Commit{Author: ada(), Committer: ada(), Message: "change " + changes[0].Path + "\n"}
	if old != "" {
		parent, err := r.ReadCommit(ctx, old)
		if err != nil {
			return "", err
		}
		c.Parents, c.Tree = []gitstore.OID{old}, parent.Tree
	}
	oid, err := r.WriteCommit(ctx, c.Tree, changes, c)
	if err != nil {
		return "", err
	}
	return oid, r.UpdateRefs(ctx, "ctx: test", gitstore.RefUpdate{Name: ref, Old: old, New: oid})
}

func mustCommit(t testing.TB, r *gitstore.Repo, ref string, changes ...gitstore.Change) gitstore.OID {
	t.Helper()
	oid, err := commitFiles(context.Background(), r, ref, changes...)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

func file(path, content string) gitstore.Change {
	return gitstore.Change{Path: path, Data: []byte(content)}
}

// TestShapes runs the operations of the package in every shape of repository
// and checks with git itself.
func TestShapes(t *testing.T) {
	for _, shape := range gittest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t, shape)
			t.Run("write and read", func(t *testing.T) { shapeWriteRead(t, repo) })
			t.Run("code", func(t *testing.T) { shapeCode(t, repo) })
			t.Run("bulk", func(t *testing.T) { shapeBulk(t, repo) })
			repo.Fsck()
			repo.Untouched()
		})
	}
}

func shapeWriteRead(t *testing.T, repo *gittest.Repo) {
	ctx := context.Background()
	r := open(t, repo)
	first := mustCommit(t, r, branch, file("records/a/one", "1\n"), file("top", "top\n"))
	second := mustCommit(t, r, branch, file("records/b/two", "2\n"), gitstore.Change{Path: "top"})

	if got := repo.Git("rev-parse", branch); got != string(second) {
		t.Errorf("git sees %s, want %s", got, second)
	}
	if got := repo.Git("ls-tree", "-r", "--full-tree", "--name-only", branch); got != "records/a/one\nrecords/b/two" {
		t.Errorf("git lists %q", got)
	}
	if got := repo.Git("reflog", "show", "--format=%gs", branch); got != "ctx: test\nctx: test" {
		t.Errorf("reflog %q", got)
	}
	for _, packed := range []bool{false, true} {
		if packed {
			repo.Git("pack-refs", "--all")
			repo.Git("repack", "-adq")
		}
		fresh := open(t, repo)
		snap, err := fresh.Snapshot(ctx, branch)
		if err != nil {
			t.Fatal(err)
		}
		if snap.Commit() != second {
			t.Errorf("packed=%v: snapshot at %s", packed, snap.Commit())
		}
		if err := fstest.TestFS(snap, "records/a/one", "records/b/two"); err != nil {
			t.Errorf("packed=%v: %v", packed, err)
		}
		if _, err := snap.ReadFile("top"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("packed=%v: deleted file: %v", packed, err)
		}
		old, err := fresh.Snapshot(ctx, string(second)+"~1")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := old.ReadFile("top"); old.Commit() != first || string(b) != "top\n" || err != nil {
			t.Errorf("packed=%v: parent %s holds %q, %v", packed, old.Commit(), b, err)
		}
		refs, err := fresh.Refs(ctx, "refs/ctx/")
		if err != nil || len(refs) != 1 || refs[0] != (gitstore.Ref{Name: branch, OID: second}) {
			t.Errorf("packed=%v: refs %v, %v", packed, refs, err)
		}
		var log []gitstore.OID
		for c, err := range fresh.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{second}, Paths: []string{"top"}}) {
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, c.OID)
		}
		if len(log) != 2 || log[0] != second || log[1] != first {
			t.Errorf("packed=%v: log of top: %v", packed, log)
		}
	}
	// The next write works on the packed ref.
	third := mustCommit(t, r, branch, file("top", "again\n"))
	if got := repo.Git("rev-parse", branch); got != string(third) {
		t.Errorf("after packing git sees %s, want %s", got, third)
	}
}

// shapeCode reads what the shape says about the code: HEAD and its files, which
// a partial or shared clone has to get from elsewhere.
func shapeCode(t *testing.T, repo *gittest.Repo) {
	ctx := context.Background()
	r := open(t, repo)
	name, oid, err := r.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := map[gittest.Shape]string{
		gittest.Worktree: "side", gittest.WorktreeConfig: "side", gittest.BareWorktree: "side",
		gittest.RelativeTree: "side", gittest.Detached: "",
	}
	wantBranch, special := want[repo.Shape]
	if !special {
		wantBranch = "main"
	}
	if name != wantBranch {
		t.Errorf("HEAD is branch %q, want %q", name, wantBranch)
	}
	if repo.Shape == gittest.Unborn {
		if oid != "" {
			t.Errorf("unborn HEAD is at %s", oid)
		}
		return
	}
	if string(oid) != repo.Git("rev-parse", "HEAD") {
		t.Errorf("HEAD is at %s", oid)
	}
	snap, err := r.Snapshot(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := snap.ReadFile("a/b/code.txt"); string(b) != "second\n" || err != nil {
		t.Errorf("code.txt %q, %v", b, err)
	}
	if r.Shallow() != (repo.Shape == gittest.Shallow) || r.Bare() != (repo.Shape == gittest.Bare) {
		t.Errorf("shallow %v, bare %v", r.Shallow(), r.Bare())
	}
	author, committer, err := r.Identity(ctx)
	email := "ada@example.com"
	if repo.Shape == gittest.IncludeIf {
		email = gittest.WorkIdentity
	}
	if err != nil || author.Email != email || committer.Name != "Ada Example" {
		t.Errorf("identity %v %v, %v", author, committer, err)
	}
	if repo.Shape != gittest.Bare {
		if top := repo.Git("rev-parse", "--show-toplevel"); r.WorkTree() != top {
			t.Errorf("work tree %q, want %q", r.WorkTree(), top)
		}
	}
	if _, err := os.Stat(r.GitDir() + "/index"); (repo.Shape == gittest.Bare) == (err == nil) {
		t.Errorf("git dir %q: %v", r.GitDir(), err)
	}
}

func shapeBulk(t *testing.T, repo *gittest.Repo) {
	ctx := context.Background()
	r := open(t, repo)
	changes := manyFiles(120)
	oid, err := r.WriteCommit(ctx, "", changes, gitstore.Commit{Author: ada(), Committer: ada(), Message: "bulk\n"})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(repo.Git("ls-tree", "-r", "--full-tree", "--name-only", string(oid)), "\n") + 1; n != len(changes) {
		t.Errorf("%d files, want %d", n, len(changes))
	}
}
