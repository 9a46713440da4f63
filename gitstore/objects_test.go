package gitstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestWriteTreeModel holds WriteTree and DiffTrees against a map, and the map
// against git.
func TestWriteTreeModel(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Unborn)
	r := open(t, repo)
	paths := []string{"a", "a.b", "a/b", "a/c/d", "a/c/e", "ab", "b/a", "b/a0", "b-", "c/d/e/f"}
	rapid.Check(t, func(rt *rapid.T) {
		model := map[string]string{}
		var tree gitstore.OID
		for range rapid.IntRange(1, 3).Draw(rt, "steps") {
			before := maps.Clone(model)
			var changes []gitstore.Change
			picked := rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 1, 5, rapid.ID).Draw(rt, "paths")
			for _, p := range picked {
				c := gitstore.Change{Path: p}
				if rapid.IntRange(0, 3).Draw(rt, "op") > 0 {
					c.Data = []byte(rapid.SampledFrom([]string{"", "1", "2"}).Draw(rt, "content"))
				}
				changes = append(changes, c)
			}
			next, err := r.WriteTree(ctx, tree, changes)
			ok := applyModel(model, changes)
			if ok != (err == nil) {
				rt.Fatalf("changes %v on %v: %v, model accepts: %v", changes, before, err, ok)
			}
			var pathErr *gitstore.PathError
			if err != nil && !errors.As(err, &pathErr) {
				rt.Fatalf("unexpected error %v", err)
			}
			if !ok {
				model = before
				continue
			}
			checkDiff(ctx, rt, r, tree, next, before, model)
			tree = next
		}
		if tree == "" {
			return
		}
		var want []string
		for _, p := range slices.Sorted(maps.Keys(model)) {
			want = append(want, "100644 "+p)
		}
		got := repo.Git("ls-tree", "-r", "--format=%(objectmode) %(path)", string(tree))
		if got != strings.Join(want, "\n") {
			rt.Fatalf("git lists\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	})
	repo.Fsck()
}

// applyModel is WriteTree on a map: deletions first, then files, refusing what
// a tree cannot hold.
func applyModel(model map[string]string, changes []gitstore.Change) bool {
	for _, c := range changes {
		if c.Data == nil {
			for p := range model {
				if p == c.Path || strings.HasPrefix(p, c.Path+"/") {
					delete(model, p)
				}
			}
		}
	}
	for _, c := range changes {
		if c.Data != nil {
			model[c.Path] = string(c.Data)
		}
	}
	for p := range model {
		for q := range model {
			if strings.HasPrefix(q, p+"/") {
				return false
			}
		}
	}
	return true
}

func checkDiff(ctx context.Context, rt *rapid.T, r *gitstore.Repo, a, b gitstore.OID, before, after map[string]string) {
	var got []string
	content := func(oid gitstore.OID) string {
		if oid == "" {
			return "-"
		}
		data, err := r.ReadBlob(ctx, oid)
		if err != nil {
			rt.Fatal(err)
		}
		return strconv.Quote(string(data))
	}
	if err := r.DiffTrees(ctx, a, b, func(path string, old, new gitstore.OID) error {
		got = append(got, path+" "+content(old)+" "+content(new))
		return nil
	}); err != nil {
		rt.Fatal(err)
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	var want []string
	for _, p := range slices.Sorted(maps.Keys(all)) {
		x, y := "-", "-"
		if s, ok := before[p]; ok {
			x = strconv.Quote(s)
		}
		if s, ok := after[p]; ok {
			y = strconv.Quote(s)
		}
		if x != y {
			want = append(want, p+" "+x+" "+y)
		}
	}
	if !slices.Equal(got, want) {
		rt.Fatalf("diff %q, want %q", got, want)
	}
}

func TestWriteTreeRefusesBadPaths(t *testing.T) {
	ctx := context.Background()
	r := open(t, gittest.New(t, gittest.Unborn))
	for _, p := range []string{"", "/a", "a/", "a//b", ".", "../a", "a/./b", ".git/x", "a/.GIT", "GIT~1", "a\x00b"} {
		var pathErr *gitstore.PathError
		if _, err := r.WriteTree(ctx, "", []gitstore.Change{file(p, "x")}); !errors.As(err, &pathErr) {
			t.Errorf("%q: %v", p, err)
		}
	}
	if _, err := r.WriteTree(ctx, "", []gitstore.Change{file("a", "1"), file("a", "2")}); err == nil {
		t.Error("a path changed twice was accepted")
	}
	if _, err := r.WriteTree(ctx, "", []gitstore.Change{file("a/.gitattributes", "x")}); err != nil {
		t.Errorf("positive control: %v", err)
	}
}

func TestWriteTreeKeepsOtherModes(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	blob := repo.GitInput("x", "hash-object", "-w", "--stdin")
	head := repo.Git("rev-parse", "HEAD")
	base := repo.GitInput(fmt.Sprintf("100755 blob %s\texec\n120000 blob %s\tlink\n160000 commit %s\tsub\n", blob, blob, head), "mktree")
	r := open(t, repo)
	tree, err := r.WriteTree(ctx, gitstore.OID(base), []gitstore.Change{file("new", "n")})
	if err != nil {
		t.Fatal(err)
	}
	if got := repo.Git("ls-tree", "--format=%(objectmode) %(path)", string(tree)); got != "100755 exec\n120000 link\n100644 new\n160000 sub" {
		t.Errorf("got %q", got)
	}
}

func TestCommitRoundTrip(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	head := gitstore.OID(repo.Git("rev-parse", "HEAD"))
	tree := gitstore.OID(repo.Git("rev-parse", "HEAD^{tree}"))
	want := gitstore.Commit{Tree: tree, Parents: []gitstore.OID{head}, Author: ada(), Committer: ada(),
		Message: "subject\n\n  indented \n\nCtx-Verb: add\n\n"}
	want.Committer.When = time.Unix(1, 0).UTC()
	oid, err := r.WriteCommit(ctx, want.Tree, nil, want)
	if err != nil {
		t.Fatal(err)
	}
	repo.Git("update-ref", branch, string(oid))
	got, err := r.ReadCommit(ctx, oid)
	if err != nil {
		t.Fatal(err)
	}
	want.OID = oid
	sameCommit(t, *got, want)
	for c, err := range r.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{oid}, Exclude: []gitstore.OID{head}}) {
		if err != nil {
			t.Fatal(err)
		}
		sameCommit(t, *c, want)
	}
	if again, err := r.WriteCommit(ctx, want.Tree, nil, want); again != oid || err != nil {
		t.Errorf("same fields gave %s and %s, %v", oid, again, err)
	}
	repo.Fsck()

	for name, spoil := range map[string]func(*gitstore.Commit){
		"no name":       func(c *gitstore.Commit) { c.Author.Name = " " },
		"name with <":   func(c *gitstore.Commit) { c.Author.Name = "a<b" },
		"email with LF": func(c *gitstore.Commit) { c.Committer.Email = "a\nb" },
		"no time":       func(c *gitstore.Commit) { c.Author.When = time.Time{} },
		"NUL":           func(c *gitstore.Commit) { c.Message = "a\x00b" },
		"not UTF-8":     func(c *gitstore.Commit) { c.Message = "\xff" },
		"short parent":  func(c *gitstore.Commit) { c.Parents = []gitstore.OID{"abc"} },
	} {
		c := want
		spoil(&c)
		if _, err := r.WriteCommit(ctx, c.Tree, nil, c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func sameCommit(t *testing.T, got, want gitstore.Commit) {
	t.Helper()
	for _, pair := range [][2]gitstore.Signature{{got.Author, want.Author}, {got.Committer, want.Committer}} {
		if pair[0].Name != pair[1].Name || pair[0].Email != pair[1].Email ||
			pair[0].When.Format(time.RFC3339) != pair[1].When.Format(time.RFC3339) {
			t.Errorf("signature %v, want %v", pair[0], pair[1])
		}
	}
	if got.OID != want.OID || got.Tree != want.Tree || !slices.Equal(got.Parents, want.Parents) || got.Message != want.Message {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// TestDamagedObject: a loose file or a pack that is damaged is told, by the
// object's name, and writing the same content again heals it.
func TestDamagedObject(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	oid, err := r.Git(ctx, strings.NewReader("content\n"), "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(err)
	}
	loose := gitstore.OID(strings.TrimSpace(string(oid)))
	packed, err := r.WriteBlob(ctx, []byte("packed\n"))
	if err != nil {
		t.Fatal(err)
	}
	pack := strings.TrimSuffix(keepFiles(t, repo)[0], ".keep") + ".pack"
	for _, path := range []string{filepath.Join(r.CommonDir(), "objects", string(loose[:2]), string(loose[2:])), pack} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s is writable", path)
		}
		if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, bytes.Repeat([]byte{0}, int(info.Size())), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for oid, content := range map[gitstore.OID]string{loose: "content\n", packed: "packed\n"} {
		if _, err := r.ReadBlob(ctx, oid); err == nil || !strings.Contains(err.Error(), string(oid)) {
			t.Errorf("damaged object: %v", err)
		}
		if again, err := r.WriteBlob(ctx, []byte(content)); again != oid || err != nil {
			t.Fatal(again, err)
		}
		if b, err := r.ReadBlob(ctx, oid); string(b) != content || err != nil {
			t.Errorf("healed: %q, %v", b, err)
		}
	}
}

// TestQuarantine: in a receiving git, objects go to GIT_OBJECT_DIRECTORY and
// the repository's own are alternates.
func TestQuarantine(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	mustCommit(t, open(t, repo), branch, file("f", "1"))
	objects := filepath.Join(repo.Main, ".git", "objects")
	quarantine := filepath.Join(objects, "incoming")
	if err := os.Mkdir(quarantine, 0o755); err != nil {
		t.Fatal(err)
	}
	inside := *repo
	inside.Env = append(repo.Env[:len(repo.Env):len(repo.Env)],
		"GIT_OBJECT_DIRECTORY="+quarantine, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+objects)
	r := open(t, &inside)
	snap, err := r.Snapshot(ctx, branch)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := snap.ReadFile("f"); string(b) != "1" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	oid, err := r.WriteBlob(ctx, []byte("quarantined"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.TryGit("cat-file", "-e", string(oid)); err == nil {
		t.Error("the object escaped the quarantine")
	}
	if got := inside.Git("cat-file", "-p", string(oid)); got != "quarantined" {
		t.Errorf("positive control: %q", got)
	}
	unlock, err := r.Lock(ctx, 0)
	if err != nil {
		t.Fatalf("positive control: an object directory of one's own is not a quarantine: %v", err)
	}
	unlock()
	inside.Env = append(inside.Env, "GIT_QUARANTINE_PATH="+quarantine)
	if _, err := open(t, &inside).Lock(ctx, 0); !errors.Is(err, gitstore.ErrQuarantine) {
		t.Errorf("lock in a quarantine: %v", err)
	}
}
