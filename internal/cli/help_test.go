package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/tiktoken-go/tokenizer"

	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// rootHelpTokens is what a first session may spend on learning the commands.
const rootHelpTokens = 600

func TestRootHelpIsShort(t *testing.T) {
	bare, h := callIn(t, "", nil), callIn(t, "", nil, "-h")
	if bare != h || bare.status != statusYes || bare.talk != "" {
		t.Fatalf("git ctx and git ctx -h differ, or fail: %+v, %+v", bare, h)
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(bare.out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tokens", n)
	if n >= rootHelpTokens {
		t.Errorf("it has %d tokens, want fewer than %d:\n%s", n, rootHelpTokens, bare.out)
	}
	for _, line := range strings.Split(bare.out, "\n") {
		if len(line) > helpWidth {
			t.Errorf("line of %d characters: %s", len(line), line)
		}
	}
}

// A help page fits a terminal of 80 columns, in all that it says.
func TestHelpFits(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, line := range strings.Split(helpOf(cmd), "\n") {
			if text.Width(line) > helpWidth {
				t.Errorf("%s: a line takes %d columns: %s", cmd.CommandPath(), text.Width(line), line)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(newRoot(&Env{Getenv: func(string) string { return "" }}))
	if got := reflow("one\ntwo\n\n    as it is\n" + strings.Repeat("word ", 20)); got != "one two\n\n    as it is\n"+strings.Repeat("word ", 15)+"word\nword word word word" {
		t.Errorf("reflowed: %q", got)
	}
}

// Each kind has a line of its own with its verbs, and every other command is named.
func TestRootHelpNamesEverything(t *testing.T) {
	out := callIn(t, "", nil).out
	for _, s := range records.Schemas() {
		line := lineWith(out, "    "+string(s.Kind)+" ")
		if !strings.Contains(line, s.Purpose) {
			t.Errorf("no line of %s with its purpose in\n%s", s.Kind, out)
		}
		for _, m := range records.Transitions() {
			if _, ok := m.To[s.Kind]; ok && !strings.Contains(line, string(m.Verb)) {
				t.Errorf("line of %s lacks %s: %s", s.Kind, m.Verb, line)
			}
		}
	}
	root := newRoot(&Env{Getenv: func(string) string { return "" }})
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && !strings.Contains(out, cmd.Name()) {
			t.Errorf("it does not name %s", cmd.Name())
		}
	}
}

func lineWith(text, prefix string) string {
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, prefix) {
			return l
		}
	}
	return ""
}

// help X and X -h say the same, for every command, in lines that fit.
func TestHelpOfEveryCommand(t *testing.T) {
	root := newRoot(&Env{Getenv: func(string) string { return "" }})
	for _, cmd := range root.Commands() {
		if !cmd.IsAvailableCommand() {
			continue
		}
		paths := [][]string{{cmd.Name()}}
		for _, sub := range cmd.Commands() {
			paths = append(paths, []string{cmd.Name(), sub.Name()})
		}
		for _, p := range paths {
			h := callIn(t, "", nil, append(p, "-h")...)
			help := callIn(t, "", nil, append([]string{"help"}, p...)...)
			if h != help || h.status != statusYes || h.talk != "" {
				t.Errorf("%v: -h and help differ, or fail:\n%+v\n%+v", p, h, help)
			}
			if !strings.HasPrefix(h.out, "usage: git ctx "+p[0]) || strings.Contains(h.out, "Global Flags") {
				t.Errorf("%v: help is not git's kind:\n%s", p, h.out)
			}
		}
	}
}

func TestHelpOfAKind(t *testing.T) {
	out := callIn(t, "", nil, "hyp", "-h").out
	for _, want := range []string{
		"usage: git ctx hypothesis add TITLE", "   or: git ctx hypothesis list", "(also called hyp, hypo)",
		"proposed          as added", "refuted           git ctx refute ID --reason WHY", "competes-with",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q:\n%s", want, out)
		}
	}
	if got := callIn(t, "", nil, "hyp"); got.out != out {
		t.Errorf("the bare kind says something else:\n%s", got.out)
	}
}

func TestUsageForms(t *testing.T) {
	for use, want := range map[string]string{
		"show ID...":                       "show ID...",
		"switch NAME | -c NAME [START]":    "switch NAME / -c NAME [START]",
		"log [REV | A..B] [ID]":            "log [REV|A..B] [ID]",
		"branch [NAME [START]] | -d NAME":  "branch [NAME [START]] / -d NAME",
		"resolve ID (--pick N) | ID --set": "resolve ID (--pick N) / ID --set",
	} {
		if got := strings.Join(usageForms(use), " / "); got != want {
			t.Errorf("usageForms(%q) = %q, want %q", use, got, want)
		}
	}
}
