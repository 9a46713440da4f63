package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// conformOps are the columns of the conformance table.
var conformOps = []string{"init", "add", "refute", "accept", "commit", "branch", "merge", "packet", "list", "show", "log", "audit", "fsck", "export"}

// conformed is what the program conform reports.
type conformed struct {
	Ops           map[string]string // "" when the operation worked, else why not
	Made          conformIDs
	Before, After surroundings
	Problems      []string
	Variables     []string // of git's, by name, that the run was started with
}

// conformIDs are the records that reads and refused writes go by.
type conformIDs struct{ Hyp, Open, Decision, Proposed string }

// surroundings are what no command may change.
type surroundings struct{ Head, Refs, Index, Config, Status string }

// conform is a program: `conform TAG OUT [EARLIER]` runs every operation in
// the current directory, with the environment it was started in (a hook's, say),
// and writes to OUT what came of them. EARLIER is the report of a run that made
// records here before, for the operations after a refused one.
func conform() {
	c := &conformRun{tag: os.Args[1], did: conformed{Ops: make(map[string]string)}}
	if len(os.Args) > 3 {
		var earlier conformed
		data, err := os.ReadFile(os.Args[3])
		if err == nil {
			err = json.Unmarshal(data, &earlier)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "conform:", err)
			os.Exit(3)
		}
		c.did.Made = earlier.Made
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			c.did.Variables = append(c.did.Variables, name)
		}
	}
	c.did.Before = lookAround()
	c.writes()
	c.reads()
	c.did.After = lookAround()
	data, err := json.Marshal(c.did)
	if err == nil {
		err = os.WriteFile(os.Args[2], data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conform:", err)
		os.Exit(3)
	}
}

type conformRun struct {
	tag string
	did conformed
}

// said runs git and returns its output, or nothing.
func said(args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, _ := cmd.Output()
	return strings.TrimSpace(string(out))
}

func lookAround() surroundings {
	s := surroundings{
		Head:   said("symbolic-ref", "--quiet", "HEAD") + " " + said("rev-parse", "--verify", "--quiet", "HEAD"),
		Refs:   said("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/remotes", "refs/stash"),
		Status: said("status", "--porcelain"),
	}
	if data, err := os.ReadFile(said("rev-parse", "--git-path", "index")); err == nil {
		sum := sha256.Sum256(data)
		s.Index = hex.EncodeToString(sum[:])
	}
	common := said("rev-parse", "--git-common-dir")
	for _, path := range []string{common + "/config", said("rev-parse", "--git-path", "config.worktree")} {
		if data, err := os.ReadFile(path); err == nil {
			s.Config += foreignConfig(string(data))
		}
	}
	return s
}

// foreignConfig is a configuration file without the sections of ours.
func foreignConfig(text string) string {
	var b strings.Builder
	ours := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			ours = strings.HasPrefix(line, "[ctx]") || strings.HasPrefix(line, `[merge "ctx"]`) ||
				strings.HasPrefix(line, "[transfer]") // where init hides scopes; no shape has one of its own
		}
		if !ours && !strings.Contains(line, "refs/ctx/") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// run runs git ctx as a part of an operation; the operation's first failure
// is kept. A refusal must be one line, and must have moved nothing.
func (c *conformRun) run(op string, want int, args ...string) string {
	if c.did.Ops[op] != "" {
		return ""
	}
	if _, seen := c.did.Ops[op]; !seen {
		c.did.Ops[op] = ""
	}
	before := said("for-each-ref", "refs/ctx")
	cmd := exec.Command("git", append([]string{"ctx"}, args...)...)
	var out, talk strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &talk
	status := 0
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		status = 127
		talk.WriteString(err.Error())
	}
	if status == want {
		return strings.TrimSpace(out.String())
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(talk.String()), "\n"), func(l string) bool {
		return strings.HasPrefix(l, "hint: ")
	})
	c.did.Ops[op] = lines[0]
	if op == "fsck" && status == 1 { // it answered, and what is wrong is the answer
		c.did.Ops[op], _, _ = strings.Cut(out.String(), "\n")
		return ""
	}
	if status != 128 || len(lines) != 1 || !strings.HasPrefix(lines[0], "error: ") {
		c.problem("git ctx %s: status %d, not refused with one line: %s%s", strings.Join(args, " "), status, out.String(), talk.String())
	}
	if after := said("for-each-ref", "refs/ctx"); before != after {
		c.problem("git ctx %s: refused, but it moved a ref:\n%s\n%s", strings.Join(args, " "), before, after)
	}
	return ""
}

func (c *conformRun) problem(format string, args ...any) {
	c.did.Problems = append(c.did.Problems, fmt.Sprintf(format, args...))
}

// add adds a record and stores its id, where it was added.
func (c *conformRun) add(op string, id *string, args ...string) {
	if got := c.run(op, 0, args...); got != "" {
		*id = got
	}
}

func (c *conformRun) writes() {
	ids, branch := &c.did.Made, "side-"+c.tag
	c.run("init", 0, "init", "--review", "any", "--default-branch", conformBranch)
	refuted := ids.Open
	c.add("add", &ids.Hyp, "hyp", "add", "Stampedes cause the spikes, "+c.tag, "--path", "a/**", "-b", "Each deploy empties the cache.")
	c.add("add", &ids.Open, "hyp", "add", "The disk is full, "+c.tag)
	c.add("add", &refuted, "hyp", "add", "The clock is wrong, "+c.tag)
	c.add("add", &ids.Decision, "decision", "add", "Use a write-through cache, "+c.tag)
	c.add("add", &ids.Proposed, "decision", "add", "Buy a disk, "+c.tag)
	c.identity()
	c.run("refute", 0, "refute", refuted, "--evidence", "The clock agrees with two others, "+c.tag, "--source", "ntpq")
	accepted := ids.Decision
	if c.did.Ops["add"] != "" {
		accepted = ids.Proposed // the other one is accepted already
	}
	c.run("accept", 0, "accept", accepted, "--reason", "It bounds the load.")
	c.run("commit", 0, "commit", "-m", "checkpoint "+c.tag)
	c.run("branch", 0, "branch", branch)
	c.run("branch", 0, "switch", branch)
	if c.did.Ops["branch"] != "" {
		branch = conformLeft
	} else {
		c.run("merge", 0, "support", ids.Hyp, "--evidence", "The load is gone with a warm cache, "+c.tag, "--source", "run 12")
		c.run("branch", 0, "switch", conformBranch)
		c.run("merge", 0, "refute", ids.Hyp, "--evidence", "The load is the same with a warm cache, "+c.tag, "--source", "run 13")
	}
	c.run("merge", c.conflicts(), "merge", branch)
	c.run("merge", 0, "resolve", ids.Hyp, "--pick", "1", "--reason", "Run 13 was of the old build.")
}

// conflicts is the status a merge that is not refused has here.
func (c *conformRun) conflicts() int {
	if c.did.Ops["branch"] != "" {
		return 0
	}
	return 1
}

// identity compares the author of the last write with git's own answer.
func (c *conformRun) identity() {
	if c.did.Ops["add"] != "" {
		return
	}
	want, _, _ := strings.Cut(said("var", "GIT_COMMITTER_IDENT"), ">")
	if got := said("log", "-1", "--format=%an <%ae", conformRef); got != want || !strings.Contains(got, "@") {
		c.problem("author of the write: %q, git says %q", got, want)
	}
}

func (c *conformRun) reads() {
	ids := c.did.Made
	for _, read := range []struct {
		op   string
		args []string
		want []string
	}{
		{"packet", []string{"packet", "--purpose", "cache load"}, []string{"Use a write-through cache", "Ruled out"}},
		{"list", []string{"list", "--all", "--porcelain"}, []string{ids.Hyp, ids.Decision}},
		{"show", []string{"show", ids.Decision}, []string{"Use a write-through cache"}},
		{"log", []string{"log"}, []string{"checkpoint "}},
		{"audit", []string{"audit"}, nil},
		{"fsck", []string{"fsck", "--strict"}, nil},
		{"export", []string{"export"}, []string{ids.Hyp, ids.Open, ids.Decision, ids.Proposed}},
	} {
		out := c.run(read.op, 0, read.args...)
		for _, want := range read.want {
			if c.did.Ops[read.op] == "" && (want == "" || !strings.Contains(out, want)) {
				c.problem("git ctx %s: no %q in:\n%s", strings.Join(read.args, " "), want, out)
			}
		}
	}
}
