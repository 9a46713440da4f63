package mcpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// TestStoreChangesBeside does to the repository what other programs may, between
// the calls of one server: each next call sees what is there then.
func TestStoreChangesBeside(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	count := 0
	check := func(what string) {
		t.Helper()
		p.add("goal", fmt.Sprintf("Goal after %s", what))
		count++
		if n := len(p.ok("list", args{"limit": 100})["records"].([]any)); n != count {
			t.Errorf("after %s: %d records, want %d", what, n, count)
		}
		p.ok("packet", args{"purpose": "goal"})
		p.ok("search", args{"query": "after"})
	}
	check("nothing")
	repo.Git("gc", "--prune=now", "-q")
	check("gc")
	repo.Git("repack", "-adfq")
	repo.Git("pack-refs", "--all", "--prune")
	check("repack")
	index := filepath.Join(repo.Main, ".git", "ctx", "index")
	if _, err := os.Stat(index); err != nil {
		t.Fatal("there is no index to lose:", err)
	}
	if err := os.RemoveAll(index); err != nil {
		t.Fatal(err)
	}
	check("the index was deleted")
	files, err := filepath.Glob(filepath.Join(index, "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no index was made anew:", err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			if err := os.WriteFile(f, []byte(strings.Repeat("damage", int(info.Size())/6+1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("the index was damaged")
	if _, err := person(t, repo).Edit(t.Context(), func(tx *ledger.Tx) error {
		_, _, err := tx.Do(grammar.Op{Verb: "add", Kind: "goal", Title: "Another writer's"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	count++
	check("another wrote")
	repo.Git("update-ref", "refs/ctx/heads/main", "refs/ctx/heads/main~2") // as after a purge, history is another
	count = len(p.ok("list", args{"limit": 100})["records"].([]any))
	check("the branch was rewritten")
	repo.Git("reflog", "expire", "--expire=now", "--all")
	repo.Git("gc", "--prune=now", "-q")
	check("what it held is gone")
	repo.Git("fsck", "--strict")
}

// TestRepositoryReplaced puts another repository in the place of the server's: a new
// store at the same place is served, and one elsewhere is refused.
func TestRepositoryReplaced(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	p.add("goal", "Of the first")
	gitDir := filepath.Join(repo.Main, ".git")
	if err := os.Rename(gitDir, gitDir+".old"); err != nil {
		t.Fatal(err)
	}
	mustContain(t, "without a repository", p.fails("status", nil), "not a git repository")
	repo.Git("init", "-q", "--object-format=sha256", repo.Main)
	if p.ok("status", nil)["initialised"] != false {
		t.Error("the new repository has the old one's store")
	}
	p.add("goal", "Of the second")
	if err := os.RemoveAll(gitDir); err != nil {
		t.Fatal(err)
	}
	other := store(t, records.ReviewAny)
	if err := os.WriteFile(gitDir, []byte("gitdir: "+filepath.Join(other.Main, ".git")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustContain(t, "a link elsewhere", p.fails("add", args{"kind": "goal", "title": "Elsewhere"}), "this server was started for")
	if n := commits(other); n != "2" {
		t.Errorf("%s commits elsewhere", n)
	}
}

// calls is how many calls TestNothingLeaks makes; make mcp-leak makes 10,000.
func calls(t *testing.T) int {
	n := 300
	if s := os.Getenv("MCP_CALLS"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestNothingLeaks makes many calls of all sorts, and looks at what is left of them.
func TestNothingLeaks(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	goal := p.add("goal", "Keep it fast")
	round := func(i int) {
		switch i % 8 {
		case 0:
			p.ok("update", args{"verb": "edit", "ids": []string{goal}, "body": fmt.Sprint(i)})
		case 1:
			p.ok("packet", args{"purpose": "fast"})
		case 2:
			p.ok("search", args{"query": "fast"})
		case 3:
			p.ok("show", args{"ids": []string{goal}})
		case 4:
			p.fails("show", args{"ids": []string{"goal-zzzzzz"}})
		case 5:
			p.ok("next", nil)
		case 6:
			p.resource("ctx://record/" + goal)
		case 7:
			p.complete(map[string]any{"type": "ref/resource", "uri": "ctx://record/{id}"}, "id", "g")
		}
	}
	const warm = 64
	for i := range warm {
		round(i)
	}
	before := left()
	n := calls(t)
	for i := range n {
		round(i)
	}
	after := left()
	t.Logf("%d calls: goroutines %d to %d, files %d to %d, heap %d to %d KiB", n, before.goroutines, after.goroutines, before.files, after.files, before.heap>>10, after.heap>>10)
	if after.goroutines > before.goroutines+5 || after.files > before.files+3 || after.heap > before.heap+8<<20 {
		t.Errorf("left after %d calls: %+v, before them: %+v", n, after, before)
	}
}

type leftover struct {
	goroutines, files int
	heap              uint64
}

func left() leftover {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fds, _ := os.ReadDir("/proc/self/fd") // none where there is no such folder
	return leftover{runtime.NumGoroutine(), len(fds), m.HeapAlloc}
}

// TestShapes serves every shape of repository that people have.
func TestShapes(t *testing.T) {
	for _, shape := range gittest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			repo := gittest.New(t, shape)
			p := connect(t, options(repo, true), "test", nil, nil)
			id := p.add("goal", "Keep it fast")
			if got := p.ok("show", args{"ids": []string{id}}); got["commit"] == nil {
				t.Error("no commit")
			}
		})
	}
}
