//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestFullDiskLeavesNothingHalfDone: verbs that write more than records say the
// same of a full disk, and what they had begun is taken back.
func TestFullDiskLeavesNothingHalfDone(t *testing.T) {
	repo, small := smallDisk(t)
	ctx(t, repo, "init", "--review", "any")
	task := ctx(t, repo, "task", "add", "Find the spikes")
	refs := repo.Git("for-each-ref")
	// With no room at all, and with room for a file or two: the failure comes later.
	for _, spare := range []int{0, 1, 2, 3} {
		ballast := filepath.Join(small, "ballast")
		fill(t, ballast)
		info, err := os.Stat(ballast)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(ballast, info.Size()-int64(spare*os.Getpagesize())); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"switch", "-c", "side"}, {"claim", task}, {"branch", "other"}} {
			o := ctxIn(repo, repo.Dir, nil, args...)
			if o.status == 0 {
				break // there was room enough
			}
			if o.status != 128 || !strings.Contains(o.talk, "error: no space is left on the device that holds") && !strings.Contains(o.talk, ": no space is left on the device that holds") ||
				!strings.Contains(o.talk, "hint: make room on that device") {
				t.Errorf("%s with %d pages: %+v", args[0], spare, o)
			}
			if now := repo.Git("for-each-ref"); now != refs {
				t.Errorf("%s with %d pages left refs:\n%s", args[0], spare, now)
			}
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if now := repo.Git("for-each-ref"); now != refs {
			break
		}
	}
	ctx(t, repo, "fsck", "--strict")
	repo.Fsck()
}

// TestInterrupted asks a batch that waits for its input to end: it says so once,
// ends with the status that git's own end by the signal has, and moves nothing.
func TestInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		repo := gittest.New(t, gittest.Plain)
		ctx(t, repo, "init", "--review", "any")
		before := repo.Git("for-each-ref")
		cmd := exec.Command("git-ctx", "apply")
		cmd.Dir, cmd.Env = repo.Dir, repo.Env
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var talk bytes.Buffer
		cmd.Stderr = &talk
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds: when it is written, the program is reading.
		batch := fmt.Sprintf("- {verb: add, kind: task, title: Never, body: %q}\n", strings.Repeat("x", 100_000))
		if _, err := io.WriteString(in, batch); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		got := exitCode(cmd.Wait())
		_ = in.Close()
		if want := 128 + int(sig); got != want || talk.String() != "error: interrupted\n" {
			t.Errorf("%s: status %d, want %d; it said %q", sig, got, want, talk.String())
		}
		if now := repo.Git("for-each-ref"); now != before {
			t.Errorf("%s moved a ref:\n%s", sig, now)
		}
	}
}
