package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/git-ctx/git-ctx/internal/secrets"
)

func TestRulesAreThisVersions(t *testing.T) {
	want, err := source()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../rules_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("rules_gen.go is not what this version of gitleaks has: go run .")
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), "gitleaks/v8 "+version+"\n") {
		t.Errorf("go.mod names another gitleaks than %s", version)
	}
}

// against compares what gitleaks and package secrets find.
type against struct {
	theirs *detect.Detector
	ours   *secrets.Detector
	known  map[string]bool // gitleaks' rules
	// found counts what both found, by rule.
	found map[string]int
}

func newAgainst(t *testing.T) *against {
	cfg, err := defaults()
	if err != nil {
		t.Fatal(err)
	}
	for id, r := range cfg.Rules {
		if r.Path != nil {
			delete(cfg.Rules, id)
		}
	}
	known := make(map[string]bool)
	for id := range cfg.Rules {
		known[id] = true
	}
	d := detect.NewDetector(cfg)
	d.IgnoreGitleaksAllow = true // our own way to allow a secret leaves a record of it
	return &against{theirs: d, ours: secrets.New(), known: known, found: make(map[string]int)}
}

func (a *against) compare(t *testing.T, name, text string) {
	t.Helper()
	var want, got []string
	for _, f := range a.theirs.DetectString(text) {
		want = append(want, f.RuleID+" "+f.Secret)
		a.found[f.RuleID]++
	}
	for _, f := range a.ours.Find(text) {
		if !a.known[f.Rule] {
			continue // a rule of our own
		}
		got = append(got, f.Rule+" "+text[f.Start:f.End])
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("%s: gitleaks finds\n\t%s\npackage secrets\n\t%s", name, strings.Join(want, "\n\t"), strings.Join(got, "\n\t"))
	}
}

// TestOnGitleaksOwnSamples compares on the sources of gitleaks' rules, which hold
// what each must find and must not, and on the repositories of its tests: line by
// line, since records are short and what stands beside each other differs.
func TestOnGitleaksOwnSamples(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/zricethezav/gitleaks/v8").Output()
	if err != nil {
		t.Fatal(err)
	}
	a := newAgainst(t)
	lines := 0
	for _, part := range []string{"cmd/generate/config/rules", "testdata/repos", "testdata/expected"} {
		err := filepath.WalkDir(filepath.Join(strings.TrimSpace(string(dir)), part), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(data)) {
				a.compare(t, filepath.Base(path), strings.TrimSuffix(line, "\n"))
				lines++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d lines, secrets by %d rules", lines, len(a.found))
	if lines < 3000 || len(a.found) < 50 {
		t.Errorf("only %d lines and secrets by %d rules were compared", lines, len(a.found))
	}
}

// TestOnMadeSamples compares on text that each rule's expression was made to match,
// alone and within prose.
func TestOnMadeSamples(t *testing.T) {
	cfg, err := defaults()
	if err != nil {
		t.Fatal(err)
	}
	a := newAgainst(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	silent := []string{}
	for _, id := range slices.Sorted(slices.Values(cfg.OrderedRules)) {
		r := cfg.Rules[id]
		if r.Path != nil || r.Regex == nil {
			continue
		}
		re, err := syntax.Parse(r.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			var b strings.Builder
			write(&b, re, rnd)
			a.compare(t, id, b.String())
			a.compare(t, id, "We set "+b.String()+" in the pool's configuration,\nand it held.")
			a.compare(t, id, strings.ToUpper(r.Keywords[0])+" = "+b.String()+"\n")
		}
		if a.found[id] == 0 {
			silent = append(silent, id)
		}
	}
	t.Logf("secrets by %d rules; none by %v", len(a.found), silent)
	if len(a.found) < len(cfg.OrderedRules)*9/10 {
		t.Errorf("samples for only %d rules", len(a.found))
	}
}

// write appends text that an expression matches, but for what looks around.
func write(b *strings.Builder, re *syntax.Regexp, rnd *rand.Rand) {
	repeat := func(least, most int) {
		if most < 0 || most > least+20 {
			most = least + 20
		}
		for range least + rnd.IntN(most-least+1) {
			write(b, re.Sub[0], rnd)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(oneOf(re.Rune, rnd))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcXYZ0189+/"[rnd.IntN(12)])
	case syntax.OpCapture:
		write(b, re.Sub[0], rnd)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, rnd)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[rnd.IntN(len(re.Sub))], rnd)
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	}
}

// oneOf returns a character of a class, an ASCII one where there is one.
func oneOf(class []rune, rnd *rand.Rand) rune {
	var ascii []rune
	for i := 0; i < len(class); i += 2 {
		for c := class[i]; c <= class[i+1] && c < 0x80; c++ {
			if c >= ' ' {
				ascii = append(ascii, c)
			}
		}
	}
	if len(ascii) == 0 {
		return class[0]
	}
	return ascii[rnd.IntN(len(ascii))]
}
