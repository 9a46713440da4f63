package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// forge commits a merge of two branches that keeps only the tree of the first.
func forge(t *testing.T, l *ledger.Ledger, ours, theirs string) gitstore.OID {
	t.Helper()
	ctx := t.Context()
	var c gitstore.Commit
	for _, name := range []string{ours, theirs} {
		oid, err := l.Repo().Ref(ctx, "refs/ctx/heads/"+name)
		if err != nil {
			t.Fatal(err)
		}
		c.Parents = append(c.Parents, oid)
	}
	first, err := l.Repo().ReadCommit(ctx, c.Parents[0])
	if err != nil {
		t.Fatal(err)
	}
	c.Author, c.Committer, c.Message = first.Author, first.Committer, "merged elsewhere\n\nCtx-Verb: merge\n"
	oid, err := l.Repo().WriteCommit(ctx, first.Tree, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Repo().UpdateRefs(ctx, "test", gitstore.RefUpdate{Name: "refs/ctx/heads/" + ours, Old: c.Parents[0], New: oid}); err != nil {
		t.Fatal(err)
	}
	return oid
}

func TestVerifyMergesOnceAndFindsWhatStands(t *testing.T) {
	ctx := t.Context()
	l, _ := fresh(t, records.ReviewAny, records.Human)
	remembered := filepath.Join(l.Repo().CommonDir(), "ctx", "verified")
	add := func(branch, title string) {
		t.Helper()
		if err := l.Switch(ctx, branch); err != nil {
			t.Fatal(err)
		}
		do(t, l, grammar.Op{Verb: "add", Kind: string(records.Goal), Title: title})
	}
	check := func(wantLost, wantChecked int) *ledger.MergeCheck {
		t.Helper()
		tip, err := l.Repo().Ref(ctx, "refs/ctx/heads/"+"main")
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.VerifyMerges(ctx, tip)
		if err != nil || len(res.Lost) != wantLost || res.Checked != wantChecked || res.Unverified != 0 {
			t.Fatalf("%+v, %v; want %d lost and %d merges checked", res, err, wantLost, wantChecked)
		}
		return res
	}
	if _, err := l.CreateBranch(ctx, "side", ""); err != nil {
		t.Fatal(err)
	}
	add("main", "Ours")
	add("side", "Theirs")
	add("main", "More of ours")
	if _, err := l.Merge(ctx, "side", ledger.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	check(0, 1)
	check(0, 0) // once is enough
	add("side", "Lost")
	add("main", "Kept")
	bad := forge(t, l, "main", "side")
	if lost := check(1, 1).Lost[0]; lost.Merge != bad || lost.Field != "" {
		t.Errorf("lost %+v, want a whole record of merge %s", lost, bad)
	}
	check(1, 0) // it stands, though the merge is seen
	if err := os.WriteFile(remembered, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	check(1, 2)
	if res, err := l.Restore(ctx, string(bad), ""); err != nil || len(res.Changed) != 1 {
		t.Fatal(res, err)
	}
	check(0, 0)
	data, err := os.ReadFile(remembered)
	if err != nil || !strings.Contains(string(data), "lossy "+string(bad)) {
		t.Errorf("remembered %q, %v", data, err)
	}
}
