package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// badCalls are calls that are refused, with the exit status of each: words that
// stand in braces are ids of the store that [newBadStore] makes.
var badCalls = []struct {
	status int
	line   []string
}{
	// Arguments and options.
	{129, []string{"task", "add"}},
	{129, []string{"task", "add", "Fix", "the", "cache"}},
	{128, []string{"task", "add", ""}},
	{128, []string{"task", "add", "\u200b\ufeff"}},
	{128, []string{"task", "add", "x", "--priority", "5"}},
	{129, []string{"task", "add", "x", "--priority", "urgent"}},
	{129, []string{"task", "add", "x", "--tag", ""}},
	{129, []string{"task", "add", "x", "--path", ""}},
	{128, []string{"task", "add", "x", "--path", "../elsewhere"}},
	{128, []string{"task", "add", "x", "--path", "a[b"}},
	{128, []string{"task", "add", "x", "--anchor", "nowhere.go:1"}},
	{128, []string{"task", "add", "x", "--valid-from", "soon"}},
	{129, []string{"task", "add", "x", "--link", "about"}},
	{128, []string{"task", "add", "x", "--link", "abuot={goal}"}},
	{128, []string{"task", "add", "x", "--goal", "{hyp}"}},
	{128, []string{"task", "add", "x", "--goal", "goal-zzzzzzzzzz"}},
	{128, []string{"task", "add", "x", "-F", "nowhere"}},
	{128, []string{"task", "add", "x", "-F", "folder"}},
	{128, []string{"task", "add", "x", "-F", "/dev/zero"}},
	{129, []string{"task", "add", "x", "-F", "batch", "-b", "text"}},
	{128, []string{"hyp", "add", "x", "--confidence", "1.5"}},
	{128, []string{"evidence", "add", "x", "--type", "benchmrk"}},
	{129, []string{"task", "add", "x", "--nope"}},
	{129, []string{"nosuch"}},
	{129, []string{"task", "nosuch"}},
	// Records.
	{129, []string{"show"}},
	{128, []string{"show", "@foo"}},
	{128, []string{"show", "nosuch"}},
	{128, []string{"show", "hyp"}},
	{128, []string{"show", "hyp-zzzzzzzzzz"}},
	{128, []string{"show", strings.Repeat("long ", 20_000)}},
	{129, []string{"show", "{hyp}", "--yaml", "--format=json"}},
	{128, []string{"refute", "{hyp}"}},
	{128, []string{"start", "{hyp}"}},
	{128, []string{"reopen", "{hyp}", "--reason", "again"}},
	{129, []string{"edit", "{hyp}"}},
	{129, []string{"edit", "{hyp}", "--title", ""}},
	{128, []string{"edit", "{hyp}", "--clear", "nosuch"}},
	{129, []string{"link", "{hyp}"}},
	{128, []string{"link", "{hyp}", "about={hyp}"}},
	{129, []string{"supersede", "{hyp}"}},
	{128, []string{"supersede", "{hyp}", "--by", "{goal}", "--reason", "x"}},
	{129, []string{"resolve", "{hyp}"}},
	{128, []string{"resolve", "{hyp}", "--pick", "1", "--reason", "x"}},
	{128, []string{"claim", "{hyp}"}},
	// Reading.
	{129, []string{"list", "--state", "nosuch"}},
	{129, []string{"list", "--format", "xml"}},
	{129, []string{"list", "-n", "-1"}},
	{129, []string{"list", "--valid-at", "x"}},
	{128, []string{"list", "--as-of", "nosuch"}},
	{128, []string{"log", "nosuch"}},
	{129, []string{"log", "-n", "-1"}},
	{129, []string{"log", "--since", "nosuch"}},
	{129, []string{"next", "-n", "-1"}},
	{129, []string{"audit", "-n", "-1"}},
	{129, []string{"audit", "--rule", "nosuch"}},
	{128, []string{"diff", "main..nosuch"}},
	{129, []string{"diff", "a", "b", "c"}},
	{129, []string{"packet", "--budget", "0"}},
	{128, []string{"packet", "--task", "nosuch"}},
	{128, []string{"packet", "--goal", "{hyp}"}},
	// The store.
	{129, []string{"commit"}},
	{129, []string{"commit", "-m", "a", "-F", "batch"}},
	{128, []string{"switch", "nosuch"}},
	{128, []string{"branch", "bad..name"}},
	{128, []string{"merge", "nosuch"}},
	{128, []string{"revert", "nosuch"}},
	{129, []string{"init", "--review", "humna"}},
	{128, []string{"fetch", "nosuch"}},
	{128, []string{"fetch", "dead"}},
	{128, []string{"worktree", "remove", "nosuch"}},
	{128, []string{"apply", "batch"}},
	{128, []string{"apply", "nowhere"}},
	{128, []string{"import", "beads", "folder"}},
	{128, []string{"import", "adr", "nowhere"}},
	{129, []string{"import", "jira", "x"}},
	{129, []string{"export", "nosuch"}},
	{129, []string{"-C", "", "list"}},
	{128, []string{"-C", "nowhere", "list"}},
}

// newBadStore makes a store with one record of two kinds, and files beside it
// that are not good input.
func newBadStore(t *testing.T) (repo *gittest.Repo, ids *strings.Replacer) {
	repo = gittest.New(t, gittest.Plain)
	repo.Git("remote", "add", "dead", filepath.Join(repo.Dir, "nowhere.git"))
	for _, err := range []error{
		os.Mkdir(filepath.Join(repo.Dir, "folder"), 0o755),
		os.WriteFile(filepath.Join(repo.Dir, "batch"), []byte("[null]\n"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func(kind string) string {
		got := callIn(t, repo.Dir, repo.Env, kind, "add", "One "+kind)
		if got.status != 0 {
			t.Fatalf("positive control: %s add: %+v", kind, got)
		}
		return strings.TrimSpace(got.out)
	}
	if got := callIn(t, repo.Dir, repo.Env, "init", "--review", "any"); got.status != 0 {
		t.Fatalf("init: %+v", got)
	}
	return repo, strings.NewReplacer("{goal}", add("goal"), "{hyp}", add("hypothesis"))
}

var (
	errorForm   = regexp.MustCompile(`(?m)^error: .*'`)
	hintForm    = regexp.MustCompile(`(?m)^hint: \S`)
	destructive = regexp.MustCompile(`(?m)^hint: .*(--force|reset --hard|\brm -|--delete|branch -[dD]|purge|gc --prune)`)
)

// complaint checks that what a refused call said names its subject and a way out.
func complaint(t *testing.T, got called, status int) {
	t.Helper()
	if len(got.talk) > 10_000 {
		t.Errorf("%d bytes of error", len(got.talk))
	}
	switch {
	case got.status != status:
		t.Errorf("status %d, want %d: %s", got.status, status, got.talk)
	case !errorForm.MatchString(got.talk) || strings.Count(got.talk, "error: ") != 1:
		t.Errorf("no one error that names its subject in quotes:\n%s", got.talk)
	case !hintForm.MatchString(got.talk):
		t.Errorf("no hint:\n%s", got.talk)
	case destructive.MatchString(got.talk):
		t.Errorf("a hint that destroys:\n%s", got.talk)
	case got.out != "":
		t.Errorf("an answer beside the error: %s", got.out)
	}
}

func TestBadCallsNameTheirSubjectAndAWayOut(t *testing.T) {
	repo, ids := newBadStore(t)
	before := repo.Git("for-each-ref")
	for _, c := range badCalls {
		line := slices.Clone(c.line)
		for i := range line {
			line[i] = ids.Replace(line[i])
		}
		t.Run(strings.Join(c.line, " "), func(t *testing.T) {
			var got called
			if line[0] == "-C" {
				got = callIn(t, repo.Dir, repo.Env, append([]string{"--git-dir", repo.Dir + "/.git"}, line...)...)
			} else {
				got = callIn(t, repo.Dir, repo.Env, line...)
			}
			complaint(t, got, c.status)
		})
	}
	if after := repo.Git("for-each-ref"); after != before {
		t.Errorf("a refused call moved a ref:\n%s\n---\n%s", before, after)
	}
}

// Surroundings in which git ctx cannot work are told from bad calls, and named.
func TestBadSurroundings(t *testing.T) {
	repo, ids := newBadStore(t)
	noIdentity := slices.DeleteFunc(slices.Clone(repo.Env), func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_GLOBAL=") })
	noIdentity = append(noIdentity, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.useConfigOnly", "GIT_CONFIG_VALUE_0=true")
	config := func(key, value string) []string {
		return append(slices.Clone(repo.Env), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0="+key, "GIT_CONFIG_VALUE_0="+value)
	}
	for _, tt := range []struct {
		name  string
		env   []string
		line  string
		wants string
	}{
		{"another user's repository", append(slices.Clone(repo.Env), "GIT_TEST_ASSUME_DIFFERENT_OWNER=1"), "list", "hint: git config --global --add safe.directory "},
		{"no identity", noIdentity, "task add x", "hint: git config user.email "},
		{"unknown local policy, reading", config("ctx.review", "bogus"), "list", "config 'ctx.review' 'bogus'"},
		{"unknown local policy, writing", config("ctx.review", "bogus"), "support {hyp} --evidence x", "config 'ctx.review' 'bogus'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := callIn(t, repo.Dir, tt.env, strings.Fields(ids.Replace(tt.line))...)
			complaint(t, got, 128)
			if !strings.Contains(got.talk, tt.wants) {
				t.Errorf("no %q in:\n%s", tt.wants, got.talk)
			}
		})
	}
	if got := callIn(t, repo.Dir, config("ctx.review", "signed"), "list"); got.status != 0 {
		t.Errorf("positive control: %+v", got)
	}
}

// A batch is refused whole where one item says nothing or says it twice.
func TestBadBatches(t *testing.T) {
	repo, _ := newBadStore(t)
	before := repo.Git("for-each-ref")
	for batch, why := range map[string]string{
		"":               "the batch is empty",
		"null":           "neither a list of ops nor a mapping",
		"'text'":         "neither a list of ops nor a mapping",
		"[null]":         "op 1 is empty",
		"{ops: [null]}":  "op 1 is empty",
		"{ops: null}":    "'ops' has no value",
		"{format: -1}":   "there is no format '-1'",
		"{format: null}": "'format' has no value",
		"{format: 2}":    "format 2",
		"{records: [~]}": "record 1 is empty",
		"[{verb: add, kind: task, title: a, as: x}, {verb: add, kind: task, title: b, as: x}]": "op 2 (add): 'as: x' is the name of op 1 already",
		"[{verb: add, kind: task, title: a, tags: ['']}]":                                      "tag '': it is empty",
		"[{verb: add, kind: task, title: a, paths: [' ']}]":                                    "path ' ': it is empty",
		"[{verb: add, kind: task, title: \"\\u200b\"}]":                                        "it is empty: say in one line what it is",
		"[{verb: nope}]": "op 1 (nope): 'nope' is not a verb that 'apply' takes",
	} {
		if err := os.WriteFile(filepath.Join(repo.Dir, "batch"), []byte(batch), 0o644); err != nil {
			t.Fatal(err)
		}
		got := callIn(t, repo.Dir, repo.Env, "apply", "batch")
		complaint(t, got, 128)
		if !strings.Contains(got.talk, "batch 'batch': ") || !strings.Contains(got.talk, why) {
			t.Errorf("%s: no %q in:\n%s", batch, why, got.talk)
		}
	}
	if after := repo.Git("for-each-ref"); after != before {
		t.Errorf("a refused batch moved a ref:\n%s\n---\n%s", before, after)
	}
}

func TestBoundedInput(t *testing.T) {
	env := &Env{Stdin: bytes.NewReader(make([]byte, 11))}
	if _, err := env.readInput("-", 10, "a test holds"); err == nil || !strings.Contains(err.Error(), "read 'standard input': it has more than 10 bytes") {
		t.Errorf("11 of 10 bytes: %v", err)
	}
	env.Stdin = bytes.NewReader(make([]byte, 10))
	if data, err := env.readInput("-", 10, "a test holds"); err != nil || len(data) != 10 {
		t.Errorf("10 of 10 bytes: %d, %v", len(data), err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 11), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := env.readInput(file, 10, "a test holds"); err == nil || err.Error() != fmt.Sprintf("read '%s': it has 11 bytes, and a test holds at most 10", file) {
		t.Errorf("a file of 11 bytes: %v", err)
	}
}
