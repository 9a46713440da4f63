package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// offered asks for completions of the last word, as the scripts do.
func offered(t *testing.T, repo *gittest.Repo, words ...string) []string {
	t.Helper()
	dir, environ := "", []string(nil)
	if repo != nil {
		dir, environ = repo.Dir, repo.Env
	}
	got := callIn(t, dir, environ, append([]string{"__complete"}, words...)...)
	if got.status != statusYes {
		t.Fatalf("__complete %q: status %d: %s", words, got.status, got.talk)
	}
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	return lines[:len(lines)-1] // the last is the directive
}

func TestCompletionCandidates(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	add := func(args ...string) string {
		t.Helper()
		got := callIn(t, repo.Dir, repo.Env, args...)
		if got.status != statusYes {
			t.Fatalf("%q: %s", args, got.talk)
		}
		return strings.TrimSpace(got.out)
	}
	add("init", "--review", "any")
	task := add("task", "add", "Find the spikes", "--tag", "latency")
	hyp := add("hyp", "add", "It is\u202e the cache")
	dead := add("hyp", "add", "It is the moon")
	add("refute", dead, "--reason", "it is not")
	dec := add("dec", "add", "Warm it up")

	// A title never hides or turns text in the shell's list.
	open, settled := hyp+"\tproposed: It is\\u{202e} the cache", dead+"\trefuted: It is the moon"
	all := offered(t, repo, "show", "")
	slices.Sort(all)
	if want := []string{dec + "\tproposed: Warm it up", open, settled, task + "\ttodo: Find the spikes"}; !slices.Equal(all, sorted(want)) {
		t.Errorf("show offers %q, want %q", all, want)
	}
	for _, test := range []struct {
		words []string
		want  []string
	}{
		{[]string{"refute", ""}, []string{open}},
		{[]string{"reopen", ""}, []string{settled}},
		{[]string{"accept", ""}, []string{dec + "\tproposed: Warm it up"}},
		{[]string{"accept", dec, ""}, nil},
		{[]string{"hyp", "add", "x", "--about", ""}, []string{task + "\ttodo: Find the spikes"}},
		{[]string{"link", hyp, "ab"}, []string{"about="}},
		{[]string{"link", hyp, "about="}, []string{"about=" + task + "\ttodo: Find the spikes"}},
		{[]string{"show", "@t"}, []string{"@task"}},
		{[]string{"hyp", "list", "--state", "su"}, []string{"superseded", "supported"}},
		{[]string{"task", "list", "--state", "b"}, []string{"blocked"}},
		{[]string{"evidence", "add", "x", "--type", "b"}, []string{"benchmark"}},
		{[]string{"list", "--kind", "h"}, []string{"hypothesis\ta claim that evidence can test"}},
		{[]string{"list", "--tag", ""}, []string{"latency"}},
		{[]string{"--format", "j"}, []string{"json"}},
		{[]string{"init", "--review", "h"}, []string{"human"}},
		{[]string{"switch", ""}, []string{"main"}},
		{[]string{"merge", ""}, []string{"main"}},
		{[]string{"audit", "--explain", "unreadable"}, []string{"unreadable-record", "unreadable-veto"}},
		{[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		{[]string{"help", "refu"}, []string{"refute\tjudge that evidence refutes a hypothesis"}},
		{[]string{"packe"}, []string{"packet\tprint what holds and bears on the work at hand"}},
		{[]string{"task", "add", ""}, nil},
		{[]string{"graph", "--relation", "rests"}, []string{"rests-on"}},
		{[]string{"lineage", hyp, "--format", "d"}, []string{"dot"}},
	} {
		got := offered(t, repo, test.words...)
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%q offers %q, want %q", test.words, got, test.want)
		}
	}
}

func sorted(ss []string) []string {
	slices.Sort(ss)
	return ss
}

// Outside a repository, and before init, Tab is silent.
func TestCompletionWithoutRecords(t *testing.T) {
	bare := gittest.New(t, gittest.Plain)
	for _, repo := range []*gittest.Repo{nil, bare} {
		for _, words := range [][]string{{"show", ""}, {"switch", ""}, {"list", "--tag", ""}, {"hyp", "add", "x", "--about", ""}} {
			if got := offered(t, repo, words...); len(got) != 0 {
				t.Errorf("%q offers %q, want nothing", words, got)
			}
		}
	}
	if refs := bare.Git("for-each-ref", "refs/ctx"); refs != "" {
		t.Errorf("completion made refs:\n%s", refs)
	}
}

// The bash script, run by bash on what readline would hand it.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash is not on this machine: ", err)
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// A git-ctx that answers as __complete does, and shows what it was asked.
	write("git-ctx", `#!/bin/sh
shift
printf '%s\n' "$#:$*" >>"$ASKED"
case "$*" in
*about=) printf 'about=task-4k2p\ttodo: Find $(touch it) * the spikes\n:4\n' ;;
*@t) printf '@task\n:4\n' ;;
link*) printf 'about=\nabandons=\n:6\n' ;;
*--state=su) printf 'supported\nsuperseded\n:4\n' ;;
show*) printf 'hyp-4k2p\tproposed: a\nhyp-5m3q\trefuted: b\n:36\n' ;;
broken*) exit 128 ;;
*) printf 'packet\tprint it\npark\tset aside\n:4\n' ;;
esac
`, 0o755)
	script := write("git-ctx.bash", bashCompletion, 0o644)
	driver := write("driver.bash", `source "$1"
f=$2 COMP_LINE=$3 COMP_TYPE=$4
COMP_POINT=${#COMP_LINE}
shift 4
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
$f
printf '[%s]' "${COMPREPLY[@]}"
`, 0o644)
	for _, test := range []struct {
		line, kind string
		words      []string
		asked      string
		want       string
	}{
		{"git-ctx pa", "9", []string{"git-ctx", "pa"}, "1:pa", "[packet ][park ]"},
		{"git ctx pa", "9", []string{"git", "ctx", "pa"}, "1:pa", "[packet ][park ]"},
		{"git ctx  ", "9", []string{"git", "ctx", ""}, "1:", "[packet ][park ]"},
		{"git ctx pa", "63", []string{"git", "ctx", "pa"}, "1:pa", "[packet  (print it)][park  (set aside)]"},
		{"git ctx pac", "63", []string{"git", "ctx", "pac"}, "1:pac", "[packet ]"},
		{"git-ctx show hyp-4k2p ", "9", []string{"git-ctx", "show", "hyp-4k2p", ""}, "3:show hyp-4k2p ", "[hyp-4k2p ][hyp-5m3q ]"},
		{"git ctx link x ab", "9", []string{"git", "ctx", "link", "x", "ab"}, "3:link x ab", "[about=][abandons=]"},
		{"git ctx link x about=", "9", []string{"git", "ctx", "link", "x", "about", "="}, "3:link x about=", "[task-4k2p ]"},
		{"git ctx list --state=su", "9", []string{"git", "ctx", "list", "--state", "=", "su"}, "2:list --state=su", "[supported ][superseded ]"},
		{"git ctx show @t", "9", []string{"git", "ctx", "show", "@", "t"}, "2:show @t", "[task ]"},
		{"git ctx broken ", "9", []string{"git", "ctx", "broken", ""}, "2:broken ", "[]"},
	} {
		t.Run(test.line+"/"+test.kind, func(t *testing.T) {
			asked := filepath.Join(t.TempDir(), "asked")
			f := "__git_ctx_alone"
			if test.words[0] == "git" {
				f = "_git_ctx"
			}
			cmd := exec.Command(bash, append([]string{"--norc", driver, script, f, test.line, test.kind}, test.words...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(gittest.Env(cmd.Dir), "PATH="+dir+":"+os.Getenv("PATH"), "ASKED="+asked)
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != test.want {
				t.Errorf("COMPREPLY is %s (%v), want %s", out, err, test.want)
			}
			if data, err := os.ReadFile(asked); err != nil || strings.TrimSuffix(string(data), "\n") != test.asked {
				t.Errorf("git ctx was asked %q (%v), want %q", data, err, test.asked)
			}
			if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) != 0 {
				t.Errorf("completing left %v (%v)", left, err)
			}
		})
	}
}

// Git's own completion finds ours, also behind its options and an alias.
func TestBashCompletionWithinGits(t *testing.T) {
	gits := "/usr/share/bash-completion/completions/git"
	if _, err := os.Stat(gits); err != nil {
		return // TestBashCompletion covers our half
	}
	dir := t.TempDir()
	repo := gittest.New(t, gittest.Plain)
	repo.Git("config", "alias.c", "ctx")
	for name, text := range map[string]string{
		"git-ctx": "#!/bin/sh\n[ \"$1\" = __complete ] && shift && printf 'asked-%s\\n:4\\n' \"$#\"\n",
		"driver.bash": `source "$1"; source "$2"; COMP_LINE=$3 COMP_TYPE=9 COMP_POINT=${#3}; shift 3
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); __git_wrap__git_main; printf '[%s]' "${COMPREPLY[@]}"
`,
		"git-ctx.bash": bashCompletion,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range [][]string{
		{"git", "ctx", "show", ""}, {"git", "-C", repo.Dir, "ctx", "show", ""}, {"git", "c", "show", ""},
	} {
		line := strings.Join(words, " ")
		cmd := exec.Command("bash", append([]string{"--norc", filepath.Join(dir, "driver.bash"), gits, filepath.Join(dir, "git-ctx.bash"), line}, words...)...)
		cmd.Dir, cmd.Env = repo.Dir, append(repo.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "[asked-2 ]" {
			t.Errorf("%s: %s (%v)", line, out, err)
		}
	}
}

func TestCompletionCommand(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if got := callIn(t, "", nil, "completion", shell); got.status != statusYes || !strings.Contains(got.out, "__complete") {
			t.Errorf("%s: %+v", shell, got)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		if got := callIn(t, "", nil, args...); got.status != statusUsage || got.out != "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
