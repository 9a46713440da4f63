package gitstore_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

const (
	secretPath = "records/x/it.yaml"
	storeRef   = "refs/ctx/heads/main"
)

// history commits a file in three versions, the second of which names the first
// commit, and moves the ref.
func history(t *testing.T, r *gitstore.Repo) (commits, blobs []gitstore.OID) {
	t.Helper()
	ctx := context.Background()
	var tree gitstore.OID
	var err error
	for i, text := range []string{"secret one\n", "secret two\n", "harmless\n"} {
		path := secretPath
		if i == 2 {
			path = "records/x/other.yaml"
		} else {
			blob, err := r.WriteBlob(ctx, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			blobs = append(blobs, blob)
		}
		if tree, err = r.WriteTree(ctx, tree, []gitstore.Change{{Path: path, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
		who := gitstore.Signature{Name: "Ada Example", Email: "ada@example.com", When: time.Unix(1e9+int64(i), 0)}
		c := gitstore.Commit{Author: who, Committer: who, Message: "say secret\n"}
		if i > 0 {
			first := commits[0]
			c.Parents, c.Message = []gitstore.OID{commits[i-1]}, "reverts "+first.Short()+" and "+string(first)+"\n"
		}
		oid, err := r.WriteCommit(ctx, tree, nil, c)
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, oid)
	}
	if err := r.UpdateRefs(ctx, "test", gitstore.RefUpdate{Name: storeRef, New: commits[2]}); err != nil {
		t.Fatal(err)
	}
	return commits, blobs
}

func rewriteOf(tip gitstore.OID, blobs []gitstore.OID) gitstore.Rewrite {
	rw := gitstore.Rewrite{Tips: []gitstore.OID{tip}, Blobs: make(map[gitstore.OID][]byte),
		Message: func(m string) string { return strings.ReplaceAll(m, "secret", "(gone)") }}
	for _, b := range blobs {
		rw.Blobs[b] = []byte("a stub\n")
	}
	return rw
}

// TestRewriteAndDrop takes a file out of history and out of the repository, in
// every shape, loose and packed, and nothing else.
func TestRewriteAndDrop(t *testing.T) {
	ctx := context.Background()
	for _, shape := range gittest.Shapes(t) {
		if shape == gittest.Shallow || shape == gittest.Partial {
			continue // of these the ledger refuses the first, and the second has nothing of its own to show
		}
		t.Run(string(shape), func(t *testing.T) {
			repo := gittest.New(t, shape)
			r := open(t, repo)
			commits, blobs := history(t, r)
			users, err := r.WriteBlob(ctx, []byte("an unreachable object of the user's\n"))
			if err != nil {
				t.Fatal(err)
			}
			// Some of it in a pack that is kept, with what is not ours.
			all := strings.Join([]string{string(users), string(blobs[0]), string(commits[0])}, "\n") + "\n"
			out, err := r.Git(ctx, strings.NewReader(all), "pack-objects", "-q", filepath.Join(objectsDir(t, r), "pack", "pack"))
			if err != nil {
				t.Fatal(err)
			}
			keep := filepath.Join(objectsDir(t, r), "pack", "pack-"+strings.TrimSpace(string(out))+".keep")
			if err := os.WriteFile(keep, []byte("for a test\n"), 0o644); err != nil {
				t.Fatal(err)
			}

			tip := commits[2]
			dry, err := r.Rewrite(ctx, rewriteOf(tip, blobs), nil)
			if err != nil || len(dry) != 3 {
				t.Fatalf("it would rewrite %d commits, want 3: %v", len(dry), err)
			}
			moved, err := r.Rewrite(ctx, rewriteOf(tip, blobs), func(m map[gitstore.OID]gitstore.OID) error {
				return r.UpdateRefs(ctx, "test", gitstore.RefUpdate{Name: storeRef, Old: tip, New: m[tip]})
			})
			if err != nil || moved[tip] != dry[tip] {
				t.Fatalf("the same rewrite gave %s and %s: %v", dry[tip], moved[tip], err)
			}
			c, err := r.ReadCommit(ctx, moved[tip])
			if err != nil {
				t.Fatal(err)
			}
			first := moved[commits[0]]
			if want := "reverts " + first.Short() + " and " + string(first) + "\n"; c.Message != want {
				t.Errorf("message %q, want %q", c.Message, want)
			}
			if again, err := r.Rewrite(ctx, rewriteOf(moved[tip], blobs), nil); err != nil || len(again) != 0 {
				t.Errorf("again it rewrites %d commits: %v", len(again), err)
			}

			g, err := r.Graph(ctx, nil, map[string]bool{"it.yaml": true})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range blobs {
				if !slices.Contains(g.Named("it.yaml"), b) {
					t.Errorf("the graph does not know %s", b)
				}
			}
			doomed := g.Above(blobs)
			if held, err := r.ReachedFrom(ctx, doomed, []gitstore.OID{moved[tip]}); err != nil || len(held) > 0 {
				t.Fatalf("still reached: %v, %v", held, err)
			}
			if err := r.ExpireReflogs(ctx, []string{storeRef}); err != nil {
				t.Fatal(err)
			}
			if held, by, err := r.ReachedBeside(ctx, doomed, func(string) bool { return false }); err != nil || len(held) > 0 {
				t.Fatalf("still reached by %v: %v, %v", by, held, err)
			}
			if err := r.DropTraces(doomed); err != nil {
				t.Fatal(err)
			}
			if err := r.Drop(ctx, doomed); err != nil {
				t.Fatal(err)
			}
			gone := slices.Concat(blobs, commits)
			if left, err := r.Present(ctx, gone); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
			if found, err := r.FindText(ctx, []string{"secret"}); err != nil || len(found) > 0 {
				t.Errorf("text is left in %v: %v", found, err)
			}
			if left, err := r.Present(ctx, []gitstore.OID{users, moved[tip]}); err != nil || len(left) != 2 {
				t.Errorf("of what was to stay there is %v: %v", left, err)
			}
			kept, _ := filepath.Glob(filepath.Join(objectsDir(t, r), "pack", "*.keep"))
			kept = slices.DeleteFunc(kept, func(k string) bool {
				text, _ := os.ReadFile(k)
				return string(text) != "for a test\n"
			})
			if len(kept) != 1 || kept[0] == keep {
				t.Errorf("packs that others keep: %v", kept)
			}
			if data, err := r.ReadBlob(ctx, users); err != nil || string(data) != "an unreachable object of the user's\n" {
				t.Errorf("the user's object reads %q: %v", data, err)
			}
			repo.Fsck()
		})
	}
}

// What something outside reaches is told, with what does: refs, indexes, reflogs.
func TestReachedNamesWhatIsNeeded(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	commits, blobs := history(t, r)
	want := map[gitstore.OID]bool{blobs[0]: true, commits[1]: true}
	ours := func(ref string) bool { return strings.HasPrefix(ref, "refs/ctx/") }
	if err := r.ExpireReflogs(ctx, []string{storeRef}); err != nil {
		t.Fatal(err)
	}
	check := func(name string, n int, who string) {
		t.Helper()
		held, by, err := r.ReachedBeside(ctx, want, ours)
		if err != nil || len(held) != n || n > 0 && !slices.Contains(by, who) {
			t.Errorf("%s: %v by %q: %v", name, held, by, err)
		}
	}
	check("nothing outside", 0, "")
	if held, err := r.ReachedFrom(ctx, want, commits[1:2]); err != nil || len(held) != 2 {
		t.Errorf("our own commit reaches %v: %v", held, err)
	}
	repo.Git("update-ref", "refs/heads/mine", string(commits[1]))
	check("a branch", 2, "refs/heads/mine")
	repo.Git("update-ref", "-d", "refs/heads/mine")
	repo.Git("update-index", "--add", "--cacheinfo", "100644,"+string(blobs[0])+",staged")
	check("an index", 1, "an index, or a ref that leads there")
	repo.Git("read-tree", "--empty")
	repo.Git("update-ref", "--create-reflog", "refs/heads/was", string(commits[1]))
	repo.Git("update-ref", "refs/heads/was", "HEAD")
	check("a reflog", 2, "the reflog of refs/heads/was")
}

func objectsDir(t *testing.T, r *gitstore.Repo) string {
	t.Helper()
	out, err := r.Git(context.Background(), nil, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
