package sync_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/sync"
	"github.com/git-ctx/git-ctx/records"
)

const mainRef = "refs/ctx/heads/main"

// A fleet is a bare hub and clones of it, each with a ledger.
type fleet struct {
	t    *testing.T
	hub  string
	repo *gittest.Repo // the first clone, and the way to run git
	dirs []string
	leds []*ledger.Ledger
}

func newFleet(t *testing.T, n int) *fleet {
	t.Helper()
	f := &fleet{t: t, repo: gittest.New(t, gittest.Plain)}
	f.hub = filepath.Join(filepath.Dir(f.repo.Main), "hub.git")
	f.repo.Git("init", "--quiet", "--bare", f.hub)
	f.repo.Git("remote", "add", "origin", f.hub)
	f.repo.Git("push", "--quiet", "origin", "main")
	for i := range n {
		dir := f.repo.Main
		if i > 0 {
			dir = filepath.Join(filepath.Dir(f.repo.Main), fmt.Sprintf("clone%d", i))
			f.repo.Git("clone", "--quiet", f.hub, dir)
		}
		f.dirs = append(f.dirs, dir)
		f.leds = append(f.leds, f.open(dir))
		if i == 0 {
			if _, err := setup.Init(t.Context(), f.leds[0], setup.InitOptions{Review: records.ReviewAny}); err != nil {
				t.Fatal(err)
			}
		}
		f.sync(i)
	}
	return f
}

// open returns a new ledger on a clone; one that is kept may read configuration a second old.
func (f *fleet) open(dir string) *ledger.Ledger {
	clone := *f.repo
	clone.Dir = dir
	return open(f.t, &clone, "agent/test")
}

func (f *fleet) sync(i int) *sync.Result {
	f.t.Helper()
	res, err := sync.Sync(f.t.Context(), f.leds[i], sync.Options{})
	if err != nil {
		f.t.Fatalf("sync of clone %d: %v", i, err)
	}
	return res
}

func (f *fleet) add(i int, title string) records.ID {
	f.t.Helper()
	return do(f.t, f.leds[i], grammar.Op{Verb: "add", Kind: "hypothesis", Title: title})
}

func (f *fleet) git(i int, args ...string) string {
	f.t.Helper()
	return f.repo.GitIn(f.dirs[i], args...)
}

// merges counts the merge commits at the hub.
func (f *fleet) merges() int {
	return len(strings.Fields(f.repo.GitIn(f.hub, "rev-list", "--merges", mainRef)))
}

// Replicas that write and sync in any order lose nothing, come to one tree, and
// then stop making commits.
func TestReplicasConverge(t *testing.T) {
	t.Parallel()
	const clones, verbs = 4, 24
	f := newFleet(t, clones)
	rnd := rand.New(rand.NewPCG(1, 2))
	added := make(map[records.ID]bool)
	var known [clones][]records.ID
	written := 0
	for n := range verbs {
		i := rnd.IntN(clones)
		switch ids := known[i]; {
		case len(ids) > 0 && rnd.IntN(3) == 0:
			id := ids[rnd.IntN(len(ids))]
			verb := []string{"evaluate", "support", "refute"}[rnd.IntN(3)]
			if _, err := try(t.Context(), f.leds[i], grammar.Op{Verb: verb, ID: string(id), Reason: "measured"}); err == nil {
				written++ // the others are illegal there, or disputed
			}
		default:
			id := f.add(i, fmt.Sprintf("hypothesis %d of clone %d", n, i))
			added[id], known[i] = true, append(known[i], id)
			written++
		}
		if rnd.IntN(2) == 0 {
			j := rnd.IntN(clones)
			f.sync(j)
			known[j] = idsOf(view(t, f.leds[j]))
		}
	}
	for range 2 {
		for i := range clones {
			f.sync(i)
		}
	}
	tips := make(map[string]bool)
	for i := range clones {
		tips[f.git(i, "rev-parse", mainRef)] = true
		if res := f.sync(i); len(res.Branches)+len(res.Pushed) > 0 {
			t.Errorf("clone %d has not settled: %+v", i, res)
		}
	}
	if len(tips) != 1 {
		t.Errorf("the clones stand at %d commits", len(tips))
	}
	v := view(t, f.leds[0])
	for id := range added {
		if _, ok := v.Record(id); !ok {
			t.Errorf("%s is lost", id)
		}
	}
	if m := f.merges(); float64(m) > 1.5*float64(written) {
		t.Errorf("%d merge commits for %d verbs", m, written)
	}
	f.repo.Fsck()
}

// A push that loses the race is built anew from our own last commit: one merge
// remains of all tries.
func TestLostPushRebuildsTheMerge(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	const rivals = 3
	// The hub takes a rival's commit just before each of our first pushes.
	var rival []string
	for n := range rivals {
		f.add(1, fmt.Sprintf("rival %d", n))
		rival = append(rival, f.git(1, "rev-parse", mainRef))
	}
	f.git(1, "push", "--quiet", "origin", mainRef+":refs/rival/all")
	hook := "#!/bin/sh\nfor c in " + strings.Join(rival, " ") + "; do\n" +
		"test -e $c.done && continue\n: >$c.done\nunset GIT_QUARANTINE_PATH\n" +
		"exec git update-ref " + mainRef + " $c\ndone\n"
	if err := os.WriteFile(filepath.Join(f.hub, "hooks", "pre-receive"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	f.add(0, "ours")
	before := f.git(0, "rev-parse", mainRef)
	res := f.sync(0)
	if res.Attempts != rivals+1 || len(res.Lacking()) > 0 {
		t.Fatalf("the race was not run: %+v", res)
	}
	if m := f.merges(); m != 1 {
		t.Errorf("%d merges at the hub:\n%s", m, f.repo.GitIn(f.hub, "log", "--graph", "--format=%h %s", mainRef))
	}
	if p := f.git(0, "rev-parse", mainRef+"^1"); p != before {
		t.Errorf("the merge's first parent is %s, want our last commit %s", p, before)
	}
	if l := strings.Count(f.git(0, "reflog", "show", mainRef), "sync with origin"); l != 1 {
		t.Errorf("the local branch moved %d times", l)
	}
	if len(res.Branches) != 1 || len(res.Branches[0].Changed) != rivals {
		t.Errorf("reported: %+v", res.Branches)
	}
}

// A push that keeps losing ends, says so, and has merged what it fetched.
func TestLostPushesEnd(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	// The hub makes a commit of its own at each push, so that ours is always late.
	hook := "#!/bin/sh\nunset GIT_QUARANTINE_PATH\nold=$(git rev-parse " + mainRef + ")\n" +
		"new=$(git -c user.name=x -c user.email=x@example.com commit-tree -m rival -p $old $old^{tree})\nexec git update-ref " + mainRef + " $new\n"
	if err := os.WriteFile(filepath.Join(f.hub, "hooks", "pre-receive"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	id := f.add(0, "ours")
	res := f.sync(0)
	lacking := res.Lacking()
	if len(lacking) != 1 || lacking[0].Status != gitstore.PushLost || res.Attempts < 3 {
		t.Fatalf("got %+v", res)
	}
	if _, ok := view(t, f.leds[0]).Record(id); !ok {
		t.Error("our record is lost")
	}
	if f.git(0, "merge-base", "--is-ancestor", "refs/ctx/remotes/origin/main", mainRef); len(res.Branches) != 1 {
		t.Errorf("what was fetched is not merged: %+v", res.Branches)
	}
}

// Two repositories that pull from each other, without a hub between them, stop.
func TestPeersSettle(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	f.git(0, "remote", "add", "peer", f.dirs[1])
	f.git(1, "remote", "add", "peer", f.dirs[0])
	f.add(0, "of the one")
	f.add(1, "of the other")
	pull := func(i int) {
		t.Helper()
		if _, err := sync.Pull(t.Context(), f.open(f.dirs[i]), sync.Options{Remote: "peer"}); err != nil {
			t.Fatal(err)
		}
	}
	fetch := func(i int) {
		t.Helper()
		if _, err := sync.Fetch(t.Context(), f.open(f.dirs[i]), sync.Options{Remote: "peer"}); err != nil {
			t.Fatal(err)
		}
	}
	// Both see the other's tip before either merges: two merges of the same.
	fetch(0)
	fetch(1)
	for i := range 2 {
		if _, err := f.leds[i].Merge(t.Context(), "peer/main", ledger.MergeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := f.git(0, "rev-parse", mainRef), f.git(1, "rev-parse", mainRef); a == b {
		t.Fatal("there is nothing to settle")
	}
	fetch(0)
	fetch(1)
	for i := range 2 {
		if _, err := f.leds[i].Merge(t.Context(), "peer/main", ledger.MergeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := f.git(0, "rev-parse", mainRef), f.git(1, "rev-parse", mainRef)
	if a != b {
		t.Errorf("they stand at %s and %s", a, b)
	}
	pull(0)
	pull(1)
	if now := f.git(0, "rev-parse", mainRef); now != a {
		t.Errorf("a further pull made %s of %s", now, a)
	}
}

// A verb that writes while a sync is under way is kept: the sync's result is
// merged with it.
func TestSyncBesideAWriter(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2)
	f.add(1, "theirs")
	f.sync(1)
	first := f.add(0, "before the sync")
	// The hub takes its time; meanwhile our own repository gets one more commit.
	parent := f.git(0, "rev-parse", mainRef)
	late := f.git(0, "commit-tree", "-m", "late", "-p", parent, parent+"^{tree}")
	hook := "#!/bin/sh\nunset $(git rev-parse --local-env-vars) GIT_QUARANTINE_PATH\nexec git -C '" + f.dirs[0] + "' update-ref " + mainRef + " " + late + "\n"
	if err := os.WriteFile(filepath.Join(f.hub, "hooks", "pre-receive"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	res := f.sync(0)
	if err := os.Remove(filepath.Join(f.hub, "hooks", "pre-receive")); err != nil {
		t.Fatal(err)
	}
	f.git(0, "merge-base", "--is-ancestor", late, mainRef)
	f.git(0, "merge-base", "--is-ancestor", string(res.Pushed[0].New), mainRef)
	if _, ok := view(t, f.leds[0]).Record(first); !ok {
		t.Error("our record is lost")
	}
	if len(f.sync(0).Pushed) != 1 {
		t.Error("the late commit was not pushed by the next sync")
	}
}

// Adoption asks no remote and takes every branch; a lone other default is found.
func TestInitAdoptsWhatIsTracked(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	if _, err := f.leds[0].CreateBranch(t.Context(), "side", ""); err != nil {
		t.Fatal(err)
	}
	f.sync(0)
	dir := filepath.Join(filepath.Dir(f.repo.Main), "new")
	f.repo.Git("clone", "--quiet", f.hub, dir)
	led := f.open(dir)
	if _, err := sync.Fetch(t.Context(), led, sync.Options{}); err != nil {
		t.Fatal(err)
	}
	f.repo.GitIn(dir, "remote", "set-url", "origin", "/nowhere")
	res, err := setup.Init(t.Context(), led, setup.InitOptions{})
	if err != nil || res.Created || !slices.Equal(res.Adopted, []string{"main", "side"}) || res.Branch != "main" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func idsOf(v *ledger.View) []records.ID {
	var ids []records.ID
	for r := range v.All() {
		if r.Kind == records.Hypothesis {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
