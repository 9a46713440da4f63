//go:build faultpoints && unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestCrash kills a writer at every step of a write, as kill -9 does. After each
// the store reads, the next write works at once, nothing acknowledged is gone,
// and what the dead writer wrote is there as a whole or not at all.
func TestCrash(t *testing.T) {
	if killed(exec.Command("sh", "-c", "exit 1")) {
		t.Fatal("the test takes any failure for a kill")
	}
	single := []string{"task", "add", "The write that dies"}
	for _, c := range []struct {
		point string
		args  []string
		moved bool // the ref was moved before the end
	}{
		{"locked", single, false},
		{"pack-keep", single, false},
		{"pack-file", single, false},
		{"pack-index", single, false},
		{"packed", single, false},
		{"index-removed", single, false},
		{"pack-merged", single, false},
		{"before-ref", single, false},
		{"after-ref", single, true},
		{"session-file", single, true},
		{"packed", []string{"apply", "batch.yaml"}, false},
		{"after-ref", []string{"apply", "batch.yaml"}, true},
	} {
		t.Run(c.point+" "+c.args[0], func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t, gittest.Plain)
			ctx(t, repo, "init", "--review", "any")
			kept := ctx(t, repo, "goal", "add", "Keep p99 under 50 ms")
			repo.WriteFile("batch.yaml", batch(120))
			for i := range 31 - len(packs(t, repo, "keep")) { // the next write makes one pack of them
				ctx(t, repo, "task", "add", fmt.Sprintf("Task %d before", i))
			}

			cmd := exec.Command("git-ctx", c.args...)
			cmd.Dir, cmd.Env = repo.Dir, append(repo.Env, "GIT_CTX_FAULT="+c.point)
			if out, err := cmd.CombinedOutput(); !killed(cmd) {
				t.Fatalf("it did not die at %s: %v\n%s", c.point, err, out)
			}

			before := ctx(t, repo, "list", "--format=json")
			dead := strings.Contains(before, "The write that dies") || strings.Contains(before, "Task 0 of the batch")
			if !strings.Contains(before, kept) || dead != c.moved {
				t.Errorf("the store reads, with the acknowledged goal %v, with the dead write %v", strings.Contains(before, kept), dead)
			}
			start := time.Now()
			next := ctx(t, repo, "task", "add", "The next write")
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("the next write took %s", took)
			}
			if kept, whole := packs(t, repo, "keep"), packs(t, repo, "idx"); !slices.Equal(kept, whole) {
				t.Errorf("the next write left the kept packs %q, of which complete are %q", kept, whole)
			}
			ctx(t, repo, c.args...) // the dead write, again
			after := ctx(t, repo, "list", "--format=json")
			for _, want := range []string{kept, next, "The next write"} {
				if !strings.Contains(after, want) {
					t.Errorf("%s is gone", want)
				}
			}
			if c.args[0] == "apply" && strings.Count(after, "of the batch") != 120 {
				t.Errorf("%d tasks of the batch, want 120", strings.Count(after, "of the batch"))
			}
			ctx(t, repo, "fsck", "--strict")
			repo.Fsck()
			swept(t, repo)
		})
	}
}

// packs lists the packs of which there is a file of some kind.
func packs(t *testing.T, repo *gittest.Repo, suffix string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(repo.Main, ".git", "objects", "pack", "*."+suffix))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(f, "."+suffix)
	}
	return found
}

// swept fails the test when something of a dead write is there after the doctor.
func swept(t *testing.T, repo *gittest.Repo) {
	t.Helper()
	git := filepath.Join(repo.Main, ".git")
	old := time.Now().Add(-2 * time.Hour)
	patterns := []string{"ctx/.tmp-*", "ctx/sessions/.tmp-*"}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(git, pattern))
		for _, f := range found {
			if err := os.Chtimes(f, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx(t, repo, "doctor", "--fix")
	for _, pattern := range append(patterns, "refs/ctx/*/*.lock", "objects/pack/*tmp*") {
		if left, _ := filepath.Glob(filepath.Join(git, pattern)); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

func killed(cmd *exec.Cmd) bool {
	if cmd.ProcessState == nil {
		_ = cmd.Run()
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

func batch(n int) string {
	var b strings.Builder
	b.WriteString("format: 1\nops:\n")
	for i := range n {
		fmt.Fprintf(&b, "- verb: add\n  kind: task\n  title: Task %d of the batch\n", i)
	}
	return b.String()
}
