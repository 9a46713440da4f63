package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// An outcome is how one run of the program ended.
type outcome struct {
	out, talk string
	status    int
}

// ctxIn runs the program in a directory with more environment.
func ctxIn(repo *gittest.Repo, dir string, env []string, args ...string) outcome {
	return runIn(repo, dir, env, "git-ctx", args...)
}

// runIn runs any program as ctxIn runs ours.
func runIn(repo *gittest.Repo, dir string, env []string, program string, args ...string) outcome {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, append(repo.Env[:len(repo.Env):len(repo.Env)], env...)
	var out, talk strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &talk
	err := cmd.Run()
	o := outcome{out.String(), talk.String(), 0}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		o.status = exit.ExitCode()
	case err != nil:
		o.status, o.talk = 127, err.Error()
	}
	return o
}

// ctx runs the program, which must succeed, and returns its answer.
func ctx(t *testing.T, repo *gittest.Repo, args ...string) string {
	t.Helper()
	o := ctxIn(repo, repo.Dir, nil, args...)
	if o.status != 0 {
		t.Fatalf("git ctx %s: status %d: %s", strings.Join(args, " "), o.status, o.talk)
	}
	return strings.TrimSpace(o.out)
}

// claimed is what the tests read of the answer to a claim.
type claimed struct {
	Claimed bool
	Claim   struct {
		Task, Session string
		Mine          bool
	}
}

// race runs a command in n sessions at once and returns each one's answer.
func race(t *testing.T, n int, run func(i int) outcome) []claimed {
	t.Helper()
	answers := make([]claimed, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			o := run(i)
			if err := json.Unmarshal([]byte(o.out), &answers[i]); err != nil {
				t.Errorf("session %d: status %d, %v: %s%s", i, o.status, err, o.out, o.talk)
			}
			if want := map[bool]int{true: 0, false: 1}[answers[i].Claimed]; o.status != want {
				t.Errorf("session %d: status %d, claimed %v: %s", i, o.status, answers[i].Claimed, o.talk)
			}
		})
	}
	wg.Wait()
	return answers
}

// winner returns the one session that won; the others must name it.
func winner(t *testing.T, answers []claimed) string {
	t.Helper()
	won := ""
	for _, a := range answers {
		if a.Claimed {
			if won != "" {
				t.Errorf("two winners: %s and %s", won, a.Claim.Session)
			}
			won = a.Claim.Session
		}
	}
	for i, a := range answers {
		if a.Claim.Session != won || a.Claim.Mine != a.Claimed {
			t.Errorf("session %d names %+v as holder, the winner is %s", i, a.Claim, won)
		}
	}
	if won == "" {
		t.Error("nobody won")
	}
	return won
}

func sessionEnv(i int) []string {
	return []string{"CTX_AGENT=racer", "CTX_SESSION=" + strconv.Itoa(i)}
}

func TestOneOfManyProcessesClaims(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	ctx(t, repo, "init", "--review", "any")
	task := ctx(t, repo, "task", "add", "Find the spikes")
	tree := repo.Main + "-tree"
	repo.Git("worktree", "add", "--quiet", "-b", "side", tree)
	winner(t, race(t, 8, func(i int) outcome {
		return ctxIn(repo, []string{repo.Dir, tree}[i%2], sessionEnv(i), "claim", task, "--format=json")
	}))
	repo.Fsck()
}

// Eight sessions ask for work, and there are three tasks: each goes to one.
func TestNextClaimDealsOutTasks(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	ctx(t, repo, "init", "--review", "any")
	left := map[string]bool{}
	for _, title := range []string{"Cut the tail", "Warm the cache", "Pool the connections"} {
		left[ctx(t, repo, "task", "add", title)] = true
	}
	for _, a := range race(t, 8, func(i int) outcome {
		return ctxIn(repo, repo.Dir, sessionEnv(i), "next", "--claim", "--format=json")
	}) {
		if a.Claimed && !left[a.Claim.Task] {
			t.Errorf("%s went to two sessions", a.Claim.Task)
		}
		delete(left, a.Claim.Task)
	}
	if len(left) > 0 {
		t.Errorf("nobody took %v", left)
	}
	repo.Fsck()
}

// Clones decide at their remote: whoever comes second there has nothing here.
func TestOneOfManyClonesClaims(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	ctx(t, repo, "init", "--review", "any")
	tasks := []string{ctx(t, repo, "task", "add", "Find the spikes"), ctx(t, repo, "task", "add", "Cut the tail")}
	home := filepath.Dir(repo.Main)
	hub := filepath.Join(home, "hub.git")
	repo.GitIn(home, "clone", "--quiet", "--bare", repo.Main, hub)
	repo.Git("push", "--quiet", hub, "refs/ctx/heads/main")
	const n = 4
	var clones [n]string
	for i := range clones {
		clones[i] = filepath.Join(home, "clone"+strconv.Itoa(i))
		repo.GitIn(home, "clone", "--quiet", hub, clones[i])
		repo.GitIn(clones[i], "fetch", "--quiet", "origin", "refs/ctx/heads/main:refs/ctx/heads/main")
	}
	won := -1
	answers := race(t, n, func(i int) outcome {
		return ctxIn(repo, clones[i], sessionEnv(0), "claim", tasks[0], "--remote", "origin", "--format=json") // all of one session's name
	})
	for i, a := range answers {
		ref := repo.GitIn(clones[i], "for-each-ref", "--format=%(refname)", "refs/ctx/claims")
		if a.Claimed {
			if won >= 0 {
				t.Errorf("clones %d and %d both won", won, i)
			}
			won = i
		}
		if a.Claimed != (ref == "refs/ctx/claims/"+tasks[0]) || a.Claim.Mine != a.Claimed {
			t.Errorf("clone %d: %+v, its claim refs: %q", i, a, ref)
		}
	}
	if won < 0 {
		t.Fatal("nobody won")
	}
	there := repo.GitIn(hub, "rev-parse", "refs/ctx/claims/"+tasks[0])
	if here := repo.GitIn(clones[won], "rev-parse", "refs/ctx/claims/"+tasks[0]); here != there {
		t.Errorf("the hub holds %s, the winner %s", there, here)
	}
	// The task is started in the winner's clone alone.
	for i := range clones {
		o := ctxIn(repo, clones[i], nil, "show", tasks[0], "--format=json")
		if started := strings.Contains(o.out, `"in-progress"`); started != (i == won) {
			t.Errorf("clone %d: started %v", i, started)
		}
	}

	// The next free task goes to another clone; what is given back is free again.
	lost := (won + 1) % n
	if o := ctxIn(repo, clones[lost], sessionEnv(0), "next", "--claim", "--remote", "origin"); o.status != 0 || !strings.HasPrefix(o.out, tasks[1]) {
		t.Errorf("next --claim in another clone: %+v", o)
	}
	if o := ctxIn(repo, clones[won], sessionEnv(0), "claim", "--release", tasks[0], "--remote", "origin"); o.status != 0 {
		t.Errorf("release: %+v", o)
	}
	if o := ctxIn(repo, clones[lost], sessionEnv(0), "claim", tasks[0], "--remote", "origin"); o.status != 0 {
		t.Errorf("claim of what was given back: %+v", o)
	}
	if o := ctxIn(repo, clones[won], sessionEnv(0), "claim", tasks[0], "--remote", "nowhere"); o.status != 128 || repo.GitIn(clones[won], "for-each-ref", "refs/ctx/claims") != "" {
		t.Errorf("claim at no remote: %+v", o)
	}
	repo.GitIn(hub, "fsck", "--strict")
}
