package gitstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

// TestWritersLoseNothing races goroutines and processes on one ref while git
// packs refs and objects under them.
func TestWritersLoseNothing(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	const each = 8
	var wg sync.WaitGroup
	fail := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	for g := range 4 {
		wg.Go(func() {
			for i := range each {
				fail(lockedWrite(ctx, r, fmt.Sprintf("w/go%d/%d", g, i)))
			}
		})
	}
	for p := range 4 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Dir = repo.Dir
			cmd.Env = append(repo.Env[:len(repo.Env):len(repo.Env)],
				fmt.Sprintf("GITSTORE_TEST_WRITER=proc%d", p), fmt.Sprintf("GITSTORE_TEST_WRITES=%d", each))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("writer: %v\n%s", err, out)
			}
		})
	}
	done := make(chan struct{})
	var bg sync.WaitGroup
	bg.Go(func() { // git's own housekeeping
		for {
			select {
			case <-done:
				return
			default:
				repo.Git("pack-refs", "--all")
				repo.Git("repack", "-adq")
			}
		}
	})
	bg.Go(func() { // a reader never sees less than a whole commit
		for seen := false; ; {
			select {
			case <-done:
				return
			default:
			}
			snap, err := r.Snapshot(ctx, branch)
			if errors.Is(err, gitstore.ErrUnknownRevision) && !seen {
				continue
			}
			if err == nil {
				seen = true
				_, err = snap.ReadDir("w")
			}
			if err != nil {
				t.Errorf("reader: %v", err)
				return
			}
		}
	})
	wg.Wait()
	close(done)
	bg.Wait()
	files := strings.Split(repo.Git("ls-tree", "-r", "--name-only", branch), "\n")
	if len(files) != 8*each {
		t.Errorf("%d files survived, want %d", len(files), 8*each)
	}
	if n := repo.Git("rev-list", "--count", branch); n != fmt.Sprint(8*each) {
		t.Errorf("%s commits, want %d", n, 8*each)
	}
	repo.Fsck()
}

// TestUnlockedWritersSeeTheRace shows that the ref transaction alone keeps
// every acknowledged write; the lock only saves retries.
func TestUnlockedWritersSeeTheRace(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 4 {
				for {
					_, err := commitFiles(ctx, r, branch, file(fmt.Sprintf("w/%d/%d", g, i), "x"))
					var changed *gitstore.RefChangedError
					if errors.As(err, &changed) {
						continue
					}
					if err != nil {
						t.Error(err)
					}
					break
				}
			}
		})
	}
	wg.Wait()
	if n := len(strings.Split(repo.Git("ls-tree", "-r", "--name-only", branch), "\n")); n != 16 {
		t.Errorf("%d files survived, want 16", n)
	}
	repo.Fsck()
}

func TestLock(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Worktree)
	main, err := gitstore.Open(ctx, gitstore.Options{Dir: repo.Main, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer main.Close()
	linked := open(t, repo)
	unlock, err := main.Lock(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = linked.Lock(ctx, 20*time.Millisecond)
	var locked *gitstore.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Waited < 20*time.Millisecond {
		t.Errorf("second lock: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := linked.Lock(canceled, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled lock: %v", err)
	}
	unlock()
	unlock()
	again, err := linked.Lock(ctx, 0)
	if err != nil {
		t.Fatalf("lock after unlock: %v", err)
	}
	again()
}

// TestRepackUnderOpenRepo keeps one Repo while every pack it knows is replaced.
func TestRepackUnderOpenRepo(t *testing.T) {
	ctx := context.Background()
	repo := gittest.New(t, gittest.Plain)
	r := open(t, repo)
	for i := range 4 {
		oid := mustCommit(t, r, branch, file(fmt.Sprintf("f%d", i), fmt.Sprintf("%d\n", i)))
		switch i % 2 {
		case 0:
			repo.Git("repack", "-adq")
		case 1:
			repo.Git("gc", "--quiet", "--prune=now")
		}
		if left := repo.Git("count-objects"); !strings.HasPrefix(left, "0 ") {
			t.Fatalf("positive control: objects should be packed, %s", left)
		}
		snap, err := r.Snapshot(ctx, string(oid))
		if err != nil {
			t.Fatal(err)
		}
		for j := range i + 1 {
			if b, err := snap.ReadFile(fmt.Sprintf("f%d", j)); string(b) != fmt.Sprintf("%d\n", j) || err != nil {
				t.Errorf("round %d: f%d = %q, %v", i, j, b, err)
			}
		}
	}
}
