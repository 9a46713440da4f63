package gitstore

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestHiddenRefsDoNotExist looks at hidden refs, loose and packed, by every way
// in; shown again they are there.
func TestHiddenRefsDoNotExist(t *testing.T) {
	for _, pack := range []bool{false, true} {
		g := gittest.New(t, gittest.Plain)
		g.Git("commit", "-q", "--allow-empty", "-m", "one")
		const open, shut, other = "refs/x/open", "refs/x/s/a/main", "refs/x/s/ab"
		for _, ref := range []string{open, shut, other} {
			g.Git("update-ref", ref, "HEAD")
		}
		g.Git("symbolic-ref", "refs/x/alias", shut)
		if pack {
			g.Git("pack-refs", "--all")
		}
		r, err := Open(context.Background(), Options{Dir: g.Dir})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		look := func(ref string) (seen, listed, resolved, below bool) {
			ctx := context.Background()
			_, err := r.Ref(ctx, ref)
			if err != nil && !errors.Is(err, ErrRefNotFound) {
				t.Fatal(err)
			}
			refs, lerr := r.Refs(ctx, "refs/x/")
			if lerr != nil {
				t.Fatal(lerr)
			}
			_, rerr := r.ResolveCommit(ctx, ref)
			_, serr := r.ResolveCommit(ctx, ref+"^{commit}")
			return err == nil, slices.ContainsFunc(refs, func(x Ref) bool { return x.Name == ref }), rerr == nil, serr == nil
		}
		want := func(ref string, is bool) {
			t.Helper()
			seen, listed, resolved, below := look(ref)
			if seen != is || listed != is && ref != "refs/x/alias" || resolved != is || below != is {
				t.Errorf("packed %v: %s: seen %v, listed %v, resolved %v, with a suffix %v; want %v", pack, ref, seen, listed, resolved, below, is)
			}
		}
		want(shut, true)
		r.HideRefs("refs/x/s")
		want(shut, false)
		want(other, false)
		want(open, true)
		if _, err := r.Ref(context.Background(), "refs/x/alias"); !errors.Is(err, ErrRefNotFound) {
			t.Errorf("packed %v: an alias leads to a hidden ref: %v", pack, err)
		}
		r.HideRefs("refs/x/s", "!refs/x/s/a")
		want(shut, true)
		want(other, false)
		all, err := r.AllRefs(context.Background(), "refs/x/s/")
		if err != nil || len(all) != 2 {
			t.Errorf("packed %v: AllRefs lists %v, %v; want both", pack, all, err)
		}
	}
}
