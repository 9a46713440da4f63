package gitstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

func collect(t *testing.T, r *gitstore.Repo, opts gitstore.LogOptions) []gitstore.OID {
	t.Helper()
	var oids []gitstore.OID
	for c, err := range r.Log(context.Background(), opts) {
		if err != nil {
			t.Fatal(err)
		}
		oids = append(oids, c.OID)
	}
	return oids
}

func TestHistory(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Subdir) // paths count from the top, wherever we stand
	r := open(t, repo)
	base := mustCommit(t, r, branch, file("x", "1"), file("y", "1"))
	if err := r.UpdateRefs(ctx, "branch", gitstore.RefUpdate{Name: "refs/ctx/heads/side", New: base}); err != nil {
		t.Fatal(err)
	}
	flip := mustCommit(t, r, branch, file("x", "2"))
	back := mustCommit(t, r, branch, file("x", "1"))
	side := mustCommit(t, r, "refs/ctx/heads/side", file("z", "1"))
	tree, err := r.WriteTree(ctx, "", []gitstore.Change{file("x", "1"), file("y", "1"), file("z", "1")})
	if err != nil {
		t.Fatal(err)
	}
	merge, err := r.WriteCommit(ctx, tree, nil, gitstore.Commit{Parents: []gitstore.OID{back, side},
		Author: ada(), Committer: ada(), Message: "merge\n"})
	if err != nil {
		t.Fatal(err)
	}
	// git's default simplification would follow the first parent, where x never changed.
	reversed, err := r.WriteCommit(ctx, tree, nil, gitstore.Commit{Parents: []gitstore.OID{side, back},
		Author: ada(), Committer: ada(), Message: "merge\n"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		opts gitstore.LogOptions
		want []gitstore.OID
	}{
		{"nothing", gitstore.LogOptions{}, nil},
		{"excluded", gitstore.LogOptions{Tips: []gitstore.OID{back}, Exclude: []gitstore.OID{base}}, []gitstore.OID{back, flip}},
		{"first parent", gitstore.LogOptions{Tips: []gitstore.OID{merge}, FirstParent: true}, []gitstore.OID{merge, back, flip, base}},
		{"limit", gitstore.LogOptions{Tips: []gitstore.OID{back}, Limit: 1}, []gitstore.OID{back}},
		{"flip and back", gitstore.LogOptions{Tips: []gitstore.OID{reversed}, Paths: []string{"x"}}, []gitstore.OID{back, flip, base}},
		{"literal path", gitstore.LogOptions{Tips: []gitstore.OID{merge}, Paths: []string{"*"}}, nil},
	}
	for _, tt := range tests {
		if got := collect(t, r, tt.opts); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	all := collect(t, r, gitstore.LogOptions{Tips: []gitstore.OID{merge}})
	if len(all) != 5 || all[0] != merge || all[4] != base {
		t.Errorf("all: %v", all)
	}
	for range r.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{merge}}) {
		break // ends the child without an error
	}
	bad := gitstore.OID(strings.Repeat("1", 40))
	n := 0
	for _, err := range r.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{bad}}) {
		n++
		var ge *gitstore.GitError
		if !errors.As(err, &ge) || !strings.Contains(err.Error(), string(bad)) {
			t.Errorf("missing tip: %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d results for a missing tip", n)
	}

	if bases, err := r.MergeBases(ctx, back, side); !slices.Equal(bases, []gitstore.OID{base}) || err != nil {
		t.Errorf("merge bases %v, %v", bases, err)
	}
	head, err := r.Ref(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if bases, err := r.MergeBases(ctx, back, head); len(bases) != 0 || err != nil {
		t.Errorf("unrelated: %v, %v", bases, err)
	}
	for _, tt := range []struct {
		a, b gitstore.OID
		want bool
	}{{base, merge, true}, {merge, base, false}, {flip, flip, true}, {side, back, false}} {
		if got, err := r.IsAncestor(ctx, tt.a, tt.b); got != tt.want || err != nil {
			t.Errorf("IsAncestor(%s, %s) = %v, %v", tt.a, tt.b, got, err)
		}
	}
	if _, err := r.IsAncestor(ctx, bad, base); err == nil {
		t.Error("a missing commit has no ancestry")
	}
}

// TestLogTwice: equal histories come in equal order.
func TestLogTwice(t *testing.T) {
	repo := gittest.New(t, gittest.Bare)
	r := open(t, repo)
	var tips []gitstore.OID
	for b := range 3 {
		for i := range 3 {
			tips = append(tips[:b:b], mustCommit(t, r, fmt.Sprintf("refs/ctx/heads/b%d", b), file(fmt.Sprint(i), "x")))
		}
	}
	first := collect(t, r, gitstore.LogOptions{Tips: tips})
	repo.Git("repack", "-adq")
	if again := collect(t, open(t, repo), gitstore.LogOptions{Tips: tips}); !slices.Equal(first, again) {
		t.Errorf("%v then %v", first, again)
	}
}
