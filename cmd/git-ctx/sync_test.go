package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// serve answers for the repositories below root over HTTP, as a git host does.
func serve(t *testing.T, repo *gittest.Repo, root string) string {
	t.Helper()
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(repo.Git("--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ada"},
	})
	t.Cleanup(server.Close)
	return server.URL
}

// Clones of one hub that write and sync at once, some of them killed on the
// way, lose nothing and come to one tree.
func TestClonesSyncAtOnce(t *testing.T) {
	const clones, rounds = 6, 2
	repo := gittest.New(t, gittest.Plain)
	home := filepath.Dir(repo.Main)
	hub := filepath.Join(home, "hub.git")
	repo.Git("init", "--quiet", "--bare", hub)
	repo.Git("remote", "add", "origin", serve(t, repo, home)+"/hub.git")
	repo.Git("push", "--quiet", "origin", "main")
	ctx(t, repo, "init", "--review", "any")
	ctx(t, repo, "goal", "add", "Keep p99 under 50 ms")
	ctx(t, repo, "sync")
	dirs := []string{repo.Main}
	for i := 1; i < clones; i++ {
		dir := filepath.Join(home, fmt.Sprintf("clone%d", i))
		repo.Git("clone", "--quiet", repo.Git("remote", "get-url", "origin"), dir)
		dirs = append(dirs, dir)
	}

	ids := make([][]string, clones)
	killed := make([]int, clones)
	var wg sync.WaitGroup
	for i, dir := range dirs {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(7, uint64(i)))
			if o := ctxIn(repo, dir, nil, "sync"); o.status > 1 {
				t.Errorf("clone %d: first sync: %s", i, o.talk)
				return
			}
			for n := range rounds {
				o := ctxIn(repo, dir, nil, "hyp", "add", fmt.Sprintf("hypothesis %d of clone %d", n, i))
				if o.status != 0 {
					t.Errorf("clone %d: add: %s", i, o.talk)
					continue
				}
				ids[i] = append(ids[i], strings.TrimSpace(o.out))
				if rnd.IntN(3) == 0 && syncKilled(repo, dir, time.Duration(rnd.IntN(120))*time.Millisecond) {
					killed[i]++
				} else if o := ctxIn(repo, dir, nil, "sync"); o.status > 1 && killed[i] == 0 {
					t.Errorf("clone %d: sync: status %d: %s%s", i, o.status, o.out, o.talk)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("killed: %v", killed)

	trees := make(map[string]bool)
	for pass := range 2 {
		for i, dir := range dirs {
			if o := settledSync(repo, dir); o.status != 0 {
				t.Fatalf("clone %d does not sync in pass %d: status %d: %s", i, pass, o.status, o.talk)
			}
		}
	}
	for _, dir := range dirs {
		trees[repo.GitIn(dir, "rev-parse", "refs/ctx/heads/main^{tree}")] = true
		repo.GitIn(dir, "fsck", "--strict")
	}
	if len(trees) != 1 {
		t.Errorf("the clones hold %d trees", len(trees))
	}
	all := ctxIn(repo, dirs[0], nil, "list", "--all", "--porcelain").out
	for i := range ids {
		for _, id := range ids[i] {
			if !strings.Contains(all, id) {
				t.Errorf("%s of clone %d is lost", id, i)
			}
		}
	}
	merges := strings.Fields(repo.GitIn(hub, "rev-list", "--merges", "refs/ctx/heads/main"))
	if n := clones * rounds; float64(len(merges)) > 1.5*float64(n) {
		t.Errorf("%d merge commits for %d verbs", len(merges), n)
	}
	repo.GitIn(hub, "fsck", "--strict")
}

// syncKilled starts a sync and kills it after a while; false when it was done before.
func syncKilled(repo *gittest.Repo, dir string, after time.Duration) bool {
	c, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	cmd := exec.CommandContext(c, "git-ctx", "sync")
	cmd.Dir, cmd.Env = dir, repo.Env
	return cmd.Run() != nil && c.Err() != nil
}

// settledSync syncs once the git of a killed sync, which nobody waited for, is done.
func settledSync(repo *gittest.Repo, dir string) outcome {
	var o outcome
	for range 10 {
		if o = ctxIn(repo, dir, nil, "sync"); o.status == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return o
}
