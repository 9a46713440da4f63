package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// docs/man holds what the commands' own help says.
func TestManPagesAreUpToDate(t *testing.T) {
	const dir, mend = "../../docs/man", "go run ./cmd/git-ctx man --dir docs/man"
	var names []string
	for _, p := range manPages(newManRoot()) {
		names = append(names, p.name)
		if have, err := os.ReadFile(filepath.Join(dir, p.name)); err != nil || string(have) != p.text {
			t.Errorf("%s is missing or out of date; run: %s", p.name, mend)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("docs/man/%s is not a page of any command", f.Name())
		}
	}
}

func TestManPagesAreDeterministicRoff(t *testing.T) {
	one, two := manPages(newManRoot()), manPages(newManRoot())
	if !slices.Equal(one, two) {
		t.Error("two runs give different pages")
	}
	for _, p := range one {
		for i, l := range strings.Split(p.text, "\n") {
			macro, _, _ := strings.Cut(strings.TrimPrefix(l, "."), " ")
			known := []string{"TH", "SH", "SS", "TP", "PP", "nf", "fi", "br"}
			if strings.HasPrefix(l, "'") || strings.HasPrefix(l, ".") && !slices.Contains(known, macro) {
				t.Errorf("%s:%d: text reads as a macro: %s", p.name, i+1, l)
			}
		}
	}
}

func TestRoffEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", ".git is": `\&.git is`, "'tis": `\&'tis`, `a\b`: `a\eb`, "--by": `\-\-by`,
	} {
		if got := line(text); got != want {
			t.Errorf("line(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestManInstall(t *testing.T) {
	home := t.TempDir()
	for _, test := range []struct {
		name    string
		environ []string
		add     bool
	}{
		{"nowhere", []string{"PATH=/usr/bin"}, true},
		{"named", []string{"PATH=/usr/bin", "MANPATH=/usr/share/man:" + home + "/share/man"}, false},
		{"beside a folder of PATH", []string{"PATH=/usr/bin:" + home + "/bin"}, false},
		{"beside PATH, which MANPATH overrides", []string{"PATH=" + home + "/bin", "MANPATH=/usr/share/man"}, true},
		{"beside PATH, which MANPATH includes", []string{"PATH=" + home + "/bin", "MANPATH=/opt/man:"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := callIn(t, home, test.environ, "man", "--install", "share/man")
			if got.status != statusYes {
				t.Fatalf("%+v", got)
			}
			if _, err := os.Stat(filepath.Join(home, "share", "man", "man1", "git-ctx.1")); err != nil {
				t.Error(err)
			}
			line := `export MANPATH="` + home + `/share/man:$MANPATH"`
			if strings.Contains(got.talk, line) != test.add {
				t.Errorf("it says %q; want the line %q: %t", got.talk, line, test.add)
			}
		})
	}
	if got := callIn(t, "", nil, "man", "packet"); !strings.HasPrefix(got.out, ".TH GIT-CTX-PACKET 1") {
		t.Errorf("man packet: %+v", got)
	}
	for _, args := range [][]string{{"man", "bogus"}, {"man", "--dir", "a", "--install", "b"}, {"man", "--dir", "a", "packet"}} {
		if got := callIn(t, "", nil, args...); got.status != statusUsage || got.out != "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// newManRoot is the command tree as Main runs it, with the help command.
func newManRoot() *cobra.Command {
	root := newRoot(&Env{Getenv: func(string) string { return "" }})
	root.InitDefaultHelpCmd()
	return root
}
