package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// conformRows are the rows of the conformance table, in order: the shapes as
// they are, then what is made of them.
func conformRows() []conformRow {
	rows := []conformRow{
		{name: "plain", shape: gittest.Plain},
		{name: "sub-directory", shape: gittest.Subdir},
		{name: "linked worktree", shape: gittest.Worktree},
		{name: "linked worktree, `extensions.worktreeConfig`", shape: gittest.WorktreeConfig},
		{name: "linked worktree, relative paths", shape: gittest.RelativeTree, since: "2.48"},
		{name: "bare", shape: gittest.Bare},
		{name: "linked worktree of a bare repository", shape: gittest.BareWorktree},
		{name: "submodule", shape: gittest.Submodule},
		{name: "`--separate-git-dir`", shape: gittest.SeparateGitDir},
		{name: "`GIT_DIR`, `GIT_WORK_TREE`", shape: gittest.GitDirEnv},
		{name: "`GIT_OBJECT_DIRECTORY`", shape: gittest.ObjectDirEnv},
		{name: "`clone --shared`", shape: gittest.Shared},
		{name: "relative alternates", shape: gittest.RelativeShared},
		{name: "shallow", shape: gittest.Shallow},
		{name: "partial, `--filter=blob:none`", shape: gittest.Partial},
		{name: "sparse checkout", shape: gittest.Sparse},
		{name: "split index", shape: gittest.SplitIndex},
		{name: "everything packed", shape: gittest.Packed},
		{name: "detached `HEAD`", shape: gittest.Detached},
		{name: "unborn `HEAD`", shape: gittest.Unborn},
		{name: "identity by `includeIf`", shape: gittest.IncludeIf, perform: performIncludeIf},
		{name: "SHA-256", shape: gittest.SHA256},
		{name: "reftable", shape: gittest.Reftable, since: "2.45"},
	}
	return append(append(rows, remoteRows()...), hookRows()...)
}

// remoteRows are clones that lack a part of the store itself.
func remoteRows() []conformRow {
	const gone = "is missing and could not be fetched"
	return []conformRow{
		{name: "partial, the store's blobs at the origin", shape: gittest.Partial, prepare: prepareClone},
		{name: "the same, and the origin is gone", shape: gittest.Partial, refuses: refuseAll(gone, "branch", "log"), prepare: func(t *testing.T, p *conformPlace) {
			prepareClone(t, p)
			p.Git("fetch", "--quiet", ".", "refs/ctx/remotes/origin/*:refs/ctx/heads/*")
			p.Git("config", "ctx.defaultBranch", conformBranch)
			if err := os.Rename(p.Other, p.Other+".away"); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "shallow, the store too", shape: gittest.Shallow, prepare: prepareShallow, perform: performShallow},
		{name: "wrong owner", shape: gittest.Plain, prepare: func(_ *testing.T, p *conformPlace) {
			p.Env = append(p.Env, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
		}, refuses: refuseAll("belongs to another user"), untouched: true},
	}
}

// refuseAll is the same line for all operations but some.
func refuseAll(line string, but ...string) map[string]string {
	all := make(map[string]string)
	for _, op := range conformOps {
		if !slices.Contains(but, op) {
			all[op] = line
		}
	}
	return all
}

// prepareClone makes records at the origin and fetches them, without blobs.
func prepareClone(t *testing.T, p *conformPlace) {
	t.Helper()
	p.seed(t, p.Other)
	p.Git("fetch", "--quiet", "origin", "+refs/ctx/heads/*:refs/ctx/remotes/origin/*")
	missing := p.Git("rev-list", "--objects", "--missing=print", "refs/ctx/remotes/origin/"+conformBranch)
	if !strings.Contains(missing, "\n?") {
		t.Fatal("positive control: no blob is missing")
	}
}

// prepareShallow fetches two branches of the origin's store, cut before they part.
func prepareShallow(t *testing.T, p *conformPlace) {
	t.Helper()
	p.seed(t, p.Other)
	p.leave(t, p.Other)
	p.Git("fetch", "--quiet", "--depth=1", "origin", "+refs/ctx/heads/*:refs/ctx/remotes/origin/*")
}

// performShallow shows that a merge whose base is cut off is refused with the
// way to get it, and works with that.
func performShallow(t *testing.T, p *conformPlace) {
	p.conform(t, p.Dir, "second", p.report)
	o := ctxIn(p.Repo, p.Dir, nil, "merge", conformLeft)
	if o.status != 128 || !strings.Contains(o.talk, "git fetch --deepen=1000") {
		t.Errorf("merge without its base: status %d: %s%s", o.status, o.out, o.talk)
	}
	p.Git("fetch", "--quiet", "--deepen=1000")
	ctx(t, p.Repo, "merge", conformLeft)
}

// hookRows run in hooks, with the variables that git sets there.
func hookRows() []conformRow {
	commit := func(args ...string) func(*testing.T, *conformPlace) {
		return func(t *testing.T, p *conformPlace) {
			p.WriteFile("top.txt", "third\n")
			p.Git(append([]string{"commit", "--quiet", "-m", "third", "--author=Grace Example <grace@example.com>"}, args...)...)
		}
	}
	hook := func(name string) func(*testing.T, *conformPlace) {
		return func(t *testing.T, p *conformPlace) { p.hook(t, name) }
	}
	push := func(t *testing.T, p *conformPlace) {
		p.GitIn(p.Other, "commit", "--quiet", "--allow-empty", "-m", "third")
		p.GitIn(p.Other, "push", "--quiet", p.Main, "HEAD:refs/heads/pushed")
	}
	return []conformRow{
		{name: "in `pre-commit`", shape: gittest.Plain, variables: []string{"GIT_INDEX_FILE"}, prepare: hook("pre-commit"), perform: func(t *testing.T, p *conformPlace) {
			p.WriteFile("top.txt", "third\n")
			p.Git("add", "top.txt")
			commit()(t, p)
		}},
		{name: "in `pre-commit` of `commit -a`, linked worktree", shape: gittest.Worktree, prepare: hook("pre-commit"), perform: commit("-a"),
			variables: []string{"GIT_DIR", "GIT_INDEX_FILE"}},
		{name: "in `pre-commit` of `commit FILE`, sub-directory", shape: gittest.Subdir, variables: []string{"GIT_INDEX_FILE", "GIT_PREFIX"}, prepare: hook("pre-commit"), perform: func(t *testing.T, p *conformPlace) {
			p.WriteFile("code.txt", "third\n")
			p.Git("commit", "--quiet", "-m", "third", "code.txt")
		}},
		{name: "in `post-commit`", shape: gittest.Plain, prepare: hook("post-commit"), perform: commit("-a")},
		{name: "in `pre-receive`", shape: gittest.Bare, variables: []string{"GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_QUARANTINE_PATH"}, prepare: func(t *testing.T, p *conformPlace) {
			p.seed(t, p.Main)
			p.leave(t, p.Main)
			p.hook(t, "pre-receive")
		}, perform: push, refuses: refuseAll("git holds a push in quarantine here and lets no ref move until it is accepted",
			"packet", "list", "show", "log", "audit", "fsck", "export")},
		{name: "in `post-receive`", shape: gittest.Bare, variables: []string{"GIT_DIR"}, prepare: func(t *testing.T, p *conformPlace) {
			p.seed(t, p.Main)
			p.hook(t, "post-receive")
		}, perform: push},
	}
}

// performIncludeIf shows that the row has the identity it is about.
func performIncludeIf(t *testing.T, p *conformPlace) {
	p.conform(t, p.Dir, "second", p.report)
	if got := p.Git("log", "-1", "--format=%ae", conformRef); got != gittest.WorkIdentity {
		t.Errorf("the tip's author is %s, want %s", got, gittest.WorkIdentity)
	}
	if name := filepath.Base(p.Main); p.GitIn(p.home, "config", "user.email") == gittest.WorkIdentity {
		t.Errorf("positive control: outside %s the identity is another", name)
	}
}
