package gitstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

// withHub gives a plain repository an empty bare remote "hub".
func withHub(t *testing.T) (*gittest.Repo, *gitstore.Repo, string) {
	t.Helper()
	repo := gittest.New(t, gittest.Plain)
	hub := filepath.Join(filepath.Dir(repo.Main), "hub.git")
	repo.Git("init", "--quiet", "--bare", hub)
	repo.Git("remote", "add", "hub", hub)
	return repo, open(t, repo), hub
}

func TestPushAnswersForEachRef(t *testing.T) {
	repo, r, hub := withHub(t)
	one := mustCommit(t, r, branch, file("f", "1"))
	two := mustCommit(t, r, branch, file("f", "2"))
	side := gitstore.OID(repo.Git("commit-tree", "-m", "side", "-p", string(one), string(one)+"^{tree}"))
	repo.GitIn(hub, "config", "receive.hideRefs", "refs/hidden")
	const ref, leased = "refs/ctx/heads/x", "refs/ctx/claims/x"
	steps := []struct {
		name string
		push gitstore.RefPush
		want gitstore.PushStatus
		why  string
	}{
		{"create", gitstore.RefPush{Ref: ref, New: one}, gitstore.PushDone, ""},
		{"again", gitstore.RefPush{Ref: ref, New: one}, gitstore.PushSame, ""},
		{"forward", gitstore.RefPush{Ref: ref, New: two}, gitstore.PushDone, ""},
		{"aside", gitstore.RefPush{Ref: ref, New: side}, gitstore.PushLost, "non-fast-forward"},
		{"lease on nothing", gitstore.RefPush{Ref: leased, New: one, Lease: true}, gitstore.PushDone, ""},
		{"lease on nothing, taken", gitstore.RefPush{Ref: leased, New: two, Lease: true}, gitstore.PushLost, "stale info"},
		{"lease moves anywhere", gitstore.RefPush{Ref: leased, New: side, Lease: true, Old: one}, gitstore.PushDone, ""},
		{"lease deletes", gitstore.RefPush{Ref: leased, Lease: true, Old: side}, gitstore.PushDone, ""},
		{"lease deletes what is gone", gitstore.RefPush{Ref: leased, Lease: true, Old: side}, gitstore.PushLost, "stale info"},
		{"hidden", gitstore.RefPush{Ref: "refs/hidden/x", New: one}, gitstore.PushRefused, "deny updating a hidden ref"},
	}
	for _, tt := range steps {
		res, err := r.Push(t.Context(), "hub", []gitstore.RefPush{tt.push}, nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if want := (gitstore.PushResult{Ref: tt.push.Ref, Status: tt.want, Reason: tt.why}); res[0] != want {
			t.Errorf("%s: got %+v, want %+v", tt.name, res[0], want)
		}
	}
	res, err := r.Push(t.Context(), "hub", []gitstore.RefPush{{Ref: "refs/hidden/x", New: one}, {Ref: "refs/ctx/heads/y", New: one}}, nil)
	if err != nil || res[0].Status != gitstore.PushRefused || res[1].Status != gitstore.PushDone {
		t.Errorf("a refused ref held another back: %+v, %v", res, err)
	}
	var ge *gitstore.GitError
	if _, err := r.Push(t.Context(), "nowhere", []gitstore.RefPush{{Ref: ref, New: one}}, nil); !errors.As(err, &ge) || ge.ExitCode != 128 {
		t.Errorf("push to a remote that is not there: %v", err)
	}
}

func TestFetchTakesTheRefspecsAlone(t *testing.T) {
	repo, r, hub := withHub(t)
	one := mustCommit(t, r, branch, file("f", "1"))
	two := mustCommit(t, r, branch, file("f", "2"))
	repo.Git("tag", "-a", "-m", "tag", "v1", string(one))
	repo.Git("push", "--quiet", "hub", "main", string(two)+":refs/ctx/heads/x", string(one)+":refs/ctx/heads/gone", "v1")
	repo.Git("tag", "-d", "v1")
	repo.Git("update-ref", "-d", "refs/remotes/hub/main")
	const spec = "refs/ctx/heads/*:refs/ctx/remotes/hub/*"
	o := gitstore.FetchOptions{Remote: "hub", Refspecs: []string{spec}, Prune: true}
	if err := r.Fetch(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	refs, err := r.Refs(t.Context(), "refs/ctx/remotes/")
	if err != nil || len(refs) != 2 || refs[1].OID != two {
		t.Errorf("tracking refs: %v, %v", refs, err)
	}
	for _, other := range []string{"refs/tags/v1", "refs/remotes/hub/main", "FETCH_HEAD"} {
		if _, err := repo.TryGit("rev-parse", "--verify", "--quiet", other); err == nil {
			t.Errorf("the fetch made %s", other)
		}
	}

	repo.GitIn(hub, "update-ref", "-d", "refs/ctx/heads/gone")
	repo.GitIn(hub, "update-ref", "refs/ctx/heads/x", string(one))
	var ge *gitstore.GitError
	if err := r.Fetch(t.Context(), o); !errors.As(err, &ge) || ge.ExitCode != 1 {
		t.Errorf("a ref that went back: %v", err)
	}
	if refs, _ := r.Refs(t.Context(), "refs/ctx/remotes/"); len(refs) != 1 || refs[0].OID != two {
		t.Errorf("after the refusal: %v", refs)
	}
	there, err := r.RemoteRefs(t.Context(), "hub", "refs/ctx/*")
	if err != nil || len(there) != 1 || there[0] != (gitstore.Ref{Name: "refs/ctx/heads/x", OID: one}) {
		t.Errorf("RemoteRefs: %v, %v", there, err)
	}
	o.Refspecs = []string{"+" + spec}
	var lines bytes.Buffer
	o.Progress = &lines
	if err := r.Fetch(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got, _ := r.Ref(t.Context(), "refs/ctx/remotes/hub/x"); got != one {
		t.Errorf("forced fetch left %s", got)
	}
	if !strings.Contains(lines.String(), "forced update") {
		t.Errorf("no progress lines: %q", lines.String())
	}
	repo.Fsck()
}

// A partial clone's filter would leave the records' content at the remote.
func TestFetchInAPartialCloneIsWhole(t *testing.T) {
	repo := gittest.New(t, gittest.Partial)
	r := open(t, repo)
	blob := repo.GitIn(repo.Other, "rev-parse", "HEAD~1:top.txt")
	repo.GitIn(repo.Other, "update-ref", "refs/ctx/heads/x", "HEAD~1")
	missing := func() bool {
		return strings.Contains(repo.Git("rev-list", "--objects", "--missing=print", "--no-object-names", "refs/ctx/remotes/origin/x"), "?"+blob)
	}
	repo.Git("fetch", "--quiet", "origin", "refs/ctx/heads/x:refs/ctx/remotes/origin/x")
	if !missing() {
		t.Fatal("git itself fetched the content: this test shows nothing")
	}
	repo.GitIn(repo.Other, "commit", "--quiet", "--allow-empty", "-m", "x")
	writeInOrigin(t, repo, "fresh.txt", "fresh\n")
	repo.GitIn(repo.Other, "update-ref", "refs/ctx/heads/y", "HEAD")
	if err := r.Fetch(t.Context(), gitstore.FetchOptions{Remote: "origin", Refspecs: []string{"refs/ctx/heads/y:refs/ctx/remotes/origin/y"}}); err != nil {
		t.Fatal(err)
	}
	fresh := repo.GitIn(repo.Other, "rev-parse", "HEAD:fresh.txt")
	if strings.Contains(repo.Git("rev-list", "--objects", "--missing=print", "--no-object-names", "refs/ctx/remotes/origin/y"), "?"+fresh) {
		t.Error("the content of what was fetched is missing")
	}
}

func writeInOrigin(t *testing.T, repo *gittest.Repo, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repo.Other, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	repo.GitIn(repo.Other, "add", name)
	repo.GitIn(repo.Other, "commit", "--quiet", "-m", name)
}

func TestRemotes(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	for _, kv := range [][2]string{
		{"remote.a.b/c.url", "x"}, {"remote.a.b/c.fetch", "+refs/heads/*:refs/remotes/c/*"}, {"remote.a.b/c.fetch", "^refs/heads/x"},
		{"remote.m.url", "x"}, {"remote.m.mirror", "yes"}, {"remote.none.skipFetchAll", "true"}, {"remote.pushDefault", "m"},
	} {
		repo.Git("config", "--add", kv[0], kv[1])
	}
	rs, err := open(t, repo).Remotes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != 2 || rs[0].Name != "a.b/c" || len(rs[0].Fetch) != 2 || rs[0].Mirror || rs[1].Name != "m" || !rs[1].Mirror {
		t.Errorf("got %+v", rs)
	}
}

func TestWritesRef(t *testing.T) {
	tests := []struct {
		want  bool
		fetch []string
	}{
		{false, nil},
		{false, []string{"+refs/heads/*:refs/remotes/origin/*"}},
		{false, []string{"+refs/ctx/heads/*:refs/ctx/remotes/origin/*"}},
		{false, []string{"refs/ctx/heads/main"}},
		{false, []string{"+refs/*:refs/mirror/*"}},
		{true, []string{"+refs/*:refs/*"}},
		{true, []string{"refs/*:refs/*"}},
		{true, []string{"+refs/ctx/*:refs/ctx/*"}},
		{true, []string{"+refs/heads/*:refs/remotes/origin/*", "+refs/ctx/heads/*:refs/ctx/heads/*"}},
		{true, []string{"+refs/ctx/heads/main:refs/ctx/heads/main"}},
		{false, []string{"+refs/*:refs/*", "^refs/ctx/*"}},
		{false, []string{"^refs/ctx/*", "+refs/*:refs/*"}},
		{true, []string{"+refs/*:refs/*", "^refs/ctx/heads/main"}},
		{true, []string{"+refs/*:refs/*", "^refs/heads/*"}},
	}
	for _, tt := range tests {
		if got := (gitstore.Remote{Fetch: tt.fetch}).WritesRef("refs/ctx/heads/"); got != tt.want {
			t.Errorf("%q: got %v, want %v", tt.fetch, got, tt.want)
		}
	}
}
