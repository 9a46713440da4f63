package gitstore_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestPromisorIsGone: an object that stayed at the origin and can no longer be
// fetched is missing, by name and in one line; it is never an absent path.
func TestPromisorIsGone(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Partial)
	if err := os.Rename(repo.Other, repo.Other+".away"); err != nil {
		t.Fatal(err)
	}
	r := open(t, repo)
	snap, err := r.Snapshot(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	blob, err := snap.OID("top.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, one := r.ReadBlob(ctx, blob)
	_, inTree := snap.ReadFile("top.txt")
	many := r.ReadBlobs(ctx, []gitstore.OID{blob}, func(int, []byte) error { return nil })
	for how, err := range map[string]error{"one": one, "in a tree": inTree, "many": many} {
		var missing *gitstore.MissingObjectError
		if !errors.As(err, &missing) || missing.OID != blob || missing.Why == "" || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", how, err)
		}
	}
	if err := os.Rename(repo.Other+".away", repo.Other); err != nil {
		t.Fatal(err)
	}
	if b, err := r.ReadBlob(ctx, blob); string(b) != "second\n" || err != nil {
		t.Errorf("positive control: %q, %v", b, err)
	}
}
