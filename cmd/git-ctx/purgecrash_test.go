//go:build faultpoints && unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestCrashPurge kills a purge at its steps. The store reads after each, and the
// same command again leaves no word of the record.
func TestCrashPurge(t *testing.T) {
	for _, point := range []string{"rewritten", "before-purge", "before-ref", "after-ref", "purge-traces", "dropped-loose", "repacked"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t, gittest.Plain)
			ctx(t, repo, "init", "--review", "any")
			kept := ctx(t, repo, "goal", "add", "Keep p99 under 50 ms")
			id := ctx(t, repo, "evidence", "add", "Zebra invoices cost five euro")
			ctx(t, repo, "edit", id, "--body", "the quagga is in the body")
			repo.Git("gc", "-q")
			ctx(t, repo, "edit", id, "--body", "the quagga is in a loose object")
			for i := range 120 { // so many that the rewrite is a pack
				ctx(t, repo, "task", "add", fmt.Sprintf("Task %d", i))
			}
			if n := wordsIn(t, repo); n == 0 {
				t.Fatal("there is nothing to purge")
			}

			purge := []string{"purge", id, "--reason", "private", "--yes"}
			cmd := exec.Command("git-ctx", purge...)
			cmd.Dir, cmd.Env = repo.Dir, append(repo.Env, "GIT_CTX_FAULT="+point)
			if out, err := cmd.CombinedOutput(); !killed(cmd) {
				t.Fatalf("it did not die at %s: %v\n%s", point, err, out)
			}
			if out := ctx(t, repo, "list", "--all", "--format=json", "-n", "0"); !strings.Contains(out, kept) || !strings.Contains(out, id) {
				t.Error("the store lost a record")
			}
			ctx(t, repo, purge...)
			if n := wordsIn(t, repo); n != 0 {
				t.Errorf("%d lines of objects hold it still", n)
			}
			if out := ctx(t, repo, "list", "--all", "--format=json", "-n", "0"); strings.Count(out, "\"Task ") != 120 {
				t.Errorf("%d of 120 tasks are there", strings.Count(out, "\"Task "))
			}
			ctx(t, repo, "fsck", "--strict")
			repo.Fsck()
		})
	}
}

// wordsIn counts the lines of all objects that hold a word of the record.
func wordsIn(t *testing.T, repo *gittest.Repo) int {
	t.Helper()
	out := repo.Git("cat-file", "--batch-all-objects", "--batch", "--buffer")
	n := 0
	for line := range bytes.Lines([]byte(out)) {
		low := bytes.ToLower(line)
		if bytes.Contains(low, []byte("zebra")) || bytes.Contains(low, []byte("quagga")) {
			n++
		}
	}
	return n
}
