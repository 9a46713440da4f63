package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/records"
)

// TestGitMergesAsWeDo holds git merge with the driver, git merge-tree and git
// ctx merge against each other, on generated versions of many records: all
// three must give the same blobs.
func TestGitMergesAsWeDo(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { testEquivalence(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

const equivalenceRecords = 28

func testEquivalence(t *testing.T, r *rand.Rand) {
	repo := gittest.New(t, gittest.Plain)
	repo.Git("ctx", "init", "--review", "any")
	tree := filepath.Join(filepath.Dir(repo.Main), "records")
	repo.Git("ctx", "worktree", "add", tree, "--branch", "ours")
	var all []versions
	for i := range equivalenceRecords {
		all = append(all, makeVersions(r, i))
	}
	commit := func(name string, pick func(versions) *records.Record) string {
		for _, v := range all {
			writeRecord(t, tree, pick(v))
		}
		repo.GitIn(tree, "add", "-A")
		repo.GitIn(tree, "commit", "-q", "--allow-empty", "-m", name)
		return repo.GitIn(tree, "rev-parse", "HEAD")
	}
	base := commit("base", func(v versions) *records.Record { return v.base })
	theirs := commit("theirs", func(v versions) *records.Record { return v.theirs })
	repo.GitIn(tree, "reset", "-q", "--hard", base)
	ours := commit("ours", func(v versions) *records.Record { return v.ours })

	treeOut, _ := repo.TryGit("merge-tree", "--write-tree", ours, theirs) // status 1 is a conflict
	merged, _, _ := strings.Cut(treeOut, "\n")
	repo.Git("update-ref", "refs/ctx/heads/mine", ours)
	repo.Git("update-ref", "refs/ctx/heads/theirs", theirs)
	repo.Git("ctx", "switch", "mine")
	_, _ = repo.TryGit("ctx", "merge", "theirs")
	_, _ = repo.TryGit("-C", tree, "merge", "-q", theirs)

	disputed := 0
	for _, v := range all {
		path := records.IDPath(v.ours.ID)
		want := repo.Git("cat-file", "blob", "refs/ctx/heads/mine:"+path)
		inTree := repo.Git("cat-file", "blob", merged+":"+path)
		data, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		file := strings.TrimSuffix(string(data), "\n")
		if inTree != want || file != want {
			t.Errorf("%s:\n--- git ctx merge\n%s\n--- git merge-tree\n%s\n--- git merge\n%s", path, want, inTree, file)
		}
		if strings.Contains(want, "\nconflicts:\n") {
			disputed++
		}
	}
	if disputed < 3 || disputed > equivalenceRecords-3 {
		t.Errorf("%d of %d records are disputed: the cases show little", disputed, equivalenceRecords)
	}
	repo.Fsck()
}

// versions are one record in the base, where base may be nil, and on both sides.
type versions struct{ base, ours, theirs *records.Record }

func makeVersions(r *rand.Rand, i int) versions {
	kinds := []records.Kind{records.Hypothesis, records.Task, records.Decision, records.Evidence}
	prefix := []string{"hyp", "task", "dec", "ev"}
	k := i % len(kinds)
	created := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	first := &records.Record{
		ID: records.ID(fmt.Sprintf("%s-%010d", prefix[k], i)), Kind: kinds[k], Title: "Zero", Body: "one\ntwo\nthree\nfour\nfive",
		Tags:    []string{"a", "b"},
		Verdict: &records.Verdict{State: kinds[k].Schema().Birth(), Actor: records.Human, By: "Ada Example", At: created, N: "000000"},
		Created: records.Created{By: "Ada Example", Actor: records.Human, At: created},
	}
	v := versions{base: first, ours: change(r, first), theirs: change(r, first)}
	switch r.IntN(8) {
	case 0:
		v.base = nil
	case 1:
		v.ours = first
	}
	return v
}

// change returns a descendant in which some fields differ.
func change(r *rand.Rand, from *records.Record) *records.Record {
	c := from.Clone()
	some := func() bool { return r.IntN(3) == 0 }
	if some() {
		c.Title = []string{"One", "Two"}[r.IntN(2)]
	}
	if some() {
		lines := strings.Split(c.Body, "\n")
		lines[r.IntN(len(lines))] = []string{"changed", "changed too"}[r.IntN(2)]
		c.Body = strings.Join(lines, "\n")
	}
	if some() {
		c.Tags = [][]string{{"a"}, {"a", "b", "c"}, nil, {"d"}}[r.IntN(4)]
	}
	if some() {
		c.Links = map[records.Relation][]records.ID{records.RelatesTo: {[]records.ID{"hyp-aaaaaaaaaa", "ev-bbbbbbbbbb"}[r.IntN(2)]}}
	}
	if some() {
		c.Paths = []string{[]string{"cmd/**", "internal/**"}[r.IntN(2)]}
	}
	if r.IntN(2) == 0 {
		states := c.Kind.Schema().States
		verdict := *c.Verdict
		verdict.State = states[r.IntN(len(states))]
		verdict.N = fmt.Sprintf("%06d", r.IntN(1000000))
		if verdict.State == records.Superseded {
			verdict.SupersededBy = "hyp-cccccccccc"
		}
		c.Verdict = &verdict
	}
	slices.Sort(c.Tags)
	return c
}

func writeRecord(t *testing.T, dir string, r *records.Record) {
	t.Helper()
	if r == nil {
		return
	}
	data, err := records.Format(r)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, filepath.FromSlash(records.IDPath(r.ID)))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
