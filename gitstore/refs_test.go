package gitstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

func TestUpdateRefsKeepsTheOldValue(t *testing.T) {
	ctx := context.Background()
	for _, packed := range []bool{false, true} {
		repo := gittest.New(t, gittest.Plain)
		r := open(t, repo)
		one := mustCommit(t, r, branch, file("f", "1"))
		two := mustCommit(t, r, branch, file("f", "2"))
		if packed {
			repo.Git("pack-refs", "--all", "--prune")
		}
		tests := []struct {
			name     string
			update   gitstore.RefUpdate
			want     gitstore.OID
			existing string
		}{
			{"create only", gitstore.RefUpdate{Name: branch, New: one}, "", ""},
			{"stale", gitstore.RefUpdate{Name: branch, Old: one, New: one}, one, ""},
			{"stale delete", gitstore.RefUpdate{Name: branch, Old: one}, one, ""},
			{"absent", gitstore.RefUpdate{Name: "refs/ctx/heads/none", Old: one, New: two}, one, ""},
			{"below a ref", gitstore.RefUpdate{Name: branch + "/sub", New: one}, "", branch},
			{"above a ref", gitstore.RefUpdate{Name: "refs/ctx/heads", New: one}, "", branch},
		}
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s packed=%v", tt.name, packed), func(t *testing.T) {
				err := r.UpdateRefs(ctx, "test", tt.update)
				var changed *gitstore.RefChangedError
				var conflict *gitstore.RefConflictError
				switch {
				case tt.existing != "":
					if !errors.As(err, &conflict) || conflict.Existing != tt.existing {
						t.Errorf("got %v, want a conflict with %s", err, tt.existing)
					}
				case !errors.As(err, &changed) || changed.Ref != tt.update.Name || changed.Want != tt.want:
					t.Errorf("got %v, want a lost race", err)
				}
				if got := repo.Git("show-ref"); strings.Count(got, "refs/ctx/") != 1 || !strings.Contains(got, string(two)+" "+branch) {
					t.Errorf("refs after it:\n%s", got)
				}
				repo.Fsck()
			})
		}
	}
}

func TestUpdateRefsIsOneTransaction(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	one := mustCommit(t, r, branch, file("f", "1"))
	err := r.UpdateRefs(ctx, "test",
		gitstore.RefUpdate{Name: "refs/ctx/heads/other", New: one},
		gitstore.RefUpdate{Name: branch, New: one})
	var changed *gitstore.RefChangedError
	if !errors.As(err, &changed) || changed.Ref != branch || changed.Got != one {
		t.Errorf("got %v", err)
	}
	if _, err := r.Ref(ctx, "refs/ctx/heads/other"); !errors.Is(err, gitstore.ErrRefNotFound) {
		t.Errorf("half of the transaction happened: %v", err)
	}
	if err := r.UpdateRefs(ctx, "move\nall",
		gitstore.RefUpdate{Name: "refs/ctx/heads/other", New: one},
		gitstore.RefUpdate{Name: branch, Old: one}); err != nil {
		t.Fatal(err)
	}
	refs, err := r.Refs(ctx, "refs/ctx/")
	if err != nil || len(refs) != 1 || refs[0].Name != "refs/ctx/heads/other" {
		t.Errorf("refs %v, %v", refs, err)
	}
	if got := repo.Git("reflog", "show", "--format=%gs", "refs/ctx/heads/other"); got != "move all" {
		t.Errorf("reflog %q", got)
	}
}

func TestUpdateRefsRefusesBadInput(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	one := mustCommit(t, r, branch, file("f", "1"))
	for _, u := range []gitstore.RefUpdate{
		{Name: "main", New: one},
		{Name: "refs/ctx/../heads/x", New: one},
		{Name: "refs/ctx/a b", New: one},
		{Name: "refs/ctx/a\nb", New: one},
		{Name: "refs/ctx/x.lock", New: one},
		{Name: "refs/ctx/x"},
		{Name: "refs/ctx/x", New: one[:12]},
		{Name: "refs/ctx/x", New: gitstore.OID(strings.Repeat("1", 40))}, // no such object
	} {
		if err := r.UpdateRefs(ctx, "test", u); err == nil {
			t.Errorf("%v was accepted", u)
		}
	}
	if got := repo.Git("for-each-ref", "--format=%(refname)", "refs/ctx"); got != branch {
		t.Errorf("refs after it: %s", got)
	}
}

func TestStaleLockIsNamed(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	one := mustCommit(t, r, branch, file("f", "1"))
	lock := filepath.Join(r.CommonDir(), filepath.FromSlash(branch)+".lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := commitFiles(context.Background(), r, branch, file("f", "2"))
	var locked *gitstore.RefLockedError
	if !errors.As(err, &locked) || locked.File != lock || locked.Ref != branch {
		t.Fatalf("got %v", err)
	}
	if got, err := r.Ref(context.Background(), branch); got != one || err != nil {
		t.Errorf("ref %s, %v", got, err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, r, branch, file("f", "2"))
}

func TestRefsAgreeWithGit(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	one := mustCommit(t, r, branch, file("f", "1"))
	var in strings.Builder
	for i := range 300 {
		fmt.Fprintf(&in, "create refs/ctx/heads/b%d/x %s\ncreate refs/ctx/heads/b%d-x %s\n", i, one, i, one)
		fmt.Fprintf(&in, "create refs/tags/t%d %s\n", i, one)
	}
	repo.GitInput(in.String(), "update-ref", "--stdin")
	repo.Git("tag", "-m", "peeled", "refs-tag")
	check := func(when string) {
		t.Helper()
		for _, prefix := range []string{"refs/ctx/", "refs/ctx/heads/b1", "refs/", "refs/none/", "refs/zzz"} {
			refs, err := r.Refs(ctx, prefix)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, ref := range refs {
				got = append(got, string(ref.OID)+" "+ref.Name)
				if oid, err := r.Ref(ctx, ref.Name); oid != ref.OID || err != nil {
					t.Errorf("%s: Ref(%s) = %s, %v", when, ref.Name, oid, err)
				}
			}
			for line := range strings.Lines(repo.Git("for-each-ref", "--format=%(objectname) %(refname)") + "\n") {
				line = strings.TrimSpace(line)
				if _, name, _ := strings.Cut(line, " "); strings.HasPrefix(name, prefix) {
					want = append(want, line)
				}
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s: prefix %s: %d refs, git has %d", when, prefix, len(got), len(want))
			}
		}
	}
	check("loose")
	repo.Git("pack-refs", "--all")
	check("packed")
	two := mustCommit(t, r, branch, file("f", "2"))
	repo.Git("update-ref", "-d", "refs/ctx/heads/b7/x")
	repo.Git("symbolic-ref", "refs/ctx/heads/sym", branch)
	check("mixed")
	if oid, err := r.Ref(ctx, "refs/ctx/heads/sym"); oid != two || err != nil {
		t.Errorf("symbolic ref: %s, %v", oid, err)
	}
	// Without the "sorted" promise the file must still be read whole.
	packed := filepath.Join(r.CommonDir(), "packed-refs")
	b, err := os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")[1:]
	var entries []string
	for i := 0; i < len(lines); i++ {
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "^") {
			entries = append(entries, lines[i]+lines[i+1])
			i++
		} else if lines[i] != "" {
			entries = append(entries, lines[i])
		}
	}
	for i, j := 0, len(entries)-1; i < j; i, j = i+1, j-1 {
		entries[i], entries[j] = entries[j], entries[i]
	}
	if err := os.WriteFile(packed, []byte(strings.Join(entries, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	check("unsorted")
}

func TestBrokenRefIsNamed(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	mustCommit(t, r, branch, file("f", "1"))
	file := filepath.Join(r.CommonDir(), filepath.FromSlash(branch))
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var broken *gitstore.BrokenRefError
	if _, err := r.Ref(ctx, branch); !errors.As(err, &broken) || broken.File != file {
		t.Errorf("Ref: %v", err)
	}
	if _, err := r.Refs(ctx, "refs/ctx/"); !errors.As(err, &broken) {
		t.Errorf("Refs: %v", err)
	}
}

func TestCheckedOut(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	mustCommit(t, r, branch, file("f", "1"))
	check := func(ref, want string) {
		t.Helper()
		if got, err := r.CheckedOut(ctx, ref); got != want || err != nil {
			t.Errorf("%s is checked out at %q, want %q (%v)", ref, got, want, err)
		}
	}
	check(branch, "")
	check("refs/heads/main", repo.Main)
	tree := filepath.Join(t.TempDir(), "tree")
	repo.Git("worktree", "add", "--quiet", "--detach", tree, branch)
	check(branch, "")
	repo.GitIn(tree, "symbolic-ref", "HEAD", branch)
	check(branch, tree)
	linked, err := gitstore.Open(ctx, gitstore.Options{Dir: tree, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer linked.Close()
	if name, _, err := linked.Head(ctx); name != branch || err != nil {
		t.Errorf("HEAD %q, %v", name, err)
	}
	if got, err := linked.CheckedOut(ctx, "refs/heads/main"); got != repo.Main || err != nil {
		t.Errorf("main worktree seen from a linked one: %q, %v", got, err)
	}

	bare := gittest.New(t, gittest.BareWorktree)
	b := open(t, bare)
	if got, err := b.CheckedOut(ctx, "refs/heads/main"); got != "" || err != nil {
		t.Errorf("a bare repository has nothing checked out, got %q, %v", got, err)
	}
	if got, err := b.CheckedOut(ctx, "refs/heads/side"); got != bare.Dir || err != nil {
		t.Errorf("side is at %q, %v", got, err)
	}
}

func TestReadOnlyRepository(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	mustCommit(t, r, branch, file("f", "1"))
	if err := filepath.WalkDir(r.CommonDir(), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			t.Cleanup(func() { _ = os.Chmod(p, 0o755) })
			err = os.Chmod(p, 0o555)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Snapshot(ctx, branch); err != nil {
		t.Errorf("read: %v", err)
	}
	var ro *gitstore.ReadOnlyError
	if _, err := r.Lock(ctx, 0); !errors.As(err, &ro) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("lock: %v", err)
	}
	if _, err := r.WriteBlob(ctx, []byte("new")); !errors.As(err, &ro) {
		t.Errorf("write: %v", err)
	}
	head, err := r.Ref(ctx, branch)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRefs(ctx, "x", gitstore.RefUpdate{Name: "refs/ctx/y", New: head}); !errors.As(err, &ro) {
		t.Errorf("update: %v", err)
	}
}
