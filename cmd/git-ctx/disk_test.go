//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// smallDisk makes a repository on a device of 2 MiB of its own, and returns
// where that is mounted. It skips the test where nothing may be mounted.
func smallDisk(t *testing.T) (repo *gittest.Repo, dir string) {
	t.Helper()
	repo = gittest.New(t, gittest.Plain)
	dir = filepath.Join(filepath.Dir(repo.Main), "small")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no small disk to fill: mount needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	repo.GitIn(dir, "init", "--quiet", "repo")
	repo.Dir = filepath.Join(dir, "repo")
	repo.Main = repo.Dir
	return repo, dir
}

// TestFullDisk fills the device that holds the repository: a write says so and
// moves nothing, reads go on, and with room again the next write works.
func TestFullDisk(t *testing.T) {
	repo, small := smallDisk(t)
	ctx(t, repo, "init", "--review", "any")
	kept := ctx(t, repo, "goal", "add", "Keep p99 under 50 ms")
	tip := repo.Git("rev-parse", "refs/ctx/heads/main")

	// A body that does not compress needs more room than a small file's slack.
	repo.WriteFile("body", incompressible(200_000))
	ballast := filepath.Join(small, "ballast")
	fill(t, ballast)
	o := ctxIn(repo, repo.Dir, nil, "task", "add", "No room for this", "-F", "body")
	if o.status != 128 || !strings.Contains(o.talk, "no space is left on the device that holds") || !strings.Contains(o.talk, small) {
		t.Errorf("on a full disk: %+v", o)
	}
	if now := repo.Git("rev-parse", "refs/ctx/heads/main"); now != tip {
		t.Errorf("the ref moved from %s to %s", tip, now)
	}
	if out := ctx(t, repo, "list"); !strings.Contains(out, "Keep p99") {
		t.Errorf("the list on a full disk: %s", out)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	ctx(t, repo, "task", "add", "Room for this", "-F", "body")
	if out := ctx(t, repo, "list", "--format=json"); !strings.Contains(out, kept) || !strings.Contains(out, "Room for this") || strings.Contains(out, "No room") {
		t.Errorf("after room was made: %s", out)
	}
	ctx(t, repo, "fsck", "--strict")
	repo.Fsck()
}

// fill writes until the device takes nothing more.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
}

// incompressible is n characters of text without pattern.
func incompressible(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"[x>>26]
		if i%80 == 79 {
			b[i] = '\n'
		}
	}
	return string(b)
}

// TestStaleLockOfGits: a lock file that a dead git left on our ref stops writes
// with its name and age, and the way to check; reads go on, the doctor reports it.
func TestStaleLockOfGits(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	ctx(t, repo, "init", "--review", "any")
	ctx(t, repo, "goal", "add", "Keep p99 under 50 ms")
	lock := filepath.Join(repo.Main, ".git", "refs", "ctx", "heads", "main.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-3 * time.Hour)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	o := ctxIn(repo, repo.Dir, nil, "task", "add", "Find the spikes")
	for _, want := range []string{"'refs/ctx/heads/main' is locked by '" + lock + "'", "3h0m", "hint: git ctx doctor", "which git processes run"} {
		if o.status != 128 || !strings.Contains(o.talk, want) {
			t.Errorf("write: status %d, no %q in %s", o.status, want, o.talk)
		}
	}
	if o := ctxIn(repo, repo.Dir, nil, "doctor"); o.status != 1 || !strings.Contains(o.out, "fail locks") || !strings.Contains(o.out, lock) {
		t.Errorf("doctor: %+v", o)
	}
	ctx(t, repo, "list")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	ctx(t, repo, "task", "add", "Find the spikes")
	repo.Fsck()
}
