package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNegativesHaveControls: what a script of trust says must not appear is shown
// to appear elsewhere in the same script, by the same words or more of them. Else
// a misspelt pattern would hold for ever.
func TestNegativesHaveControls(t *testing.T) {
	var scripts []string
	for _, glob := range []string{"trust-*.txtar", "adversary-*.txtar"} {
		found, err := filepath.Glob(filepath.Join("testdata", "script", glob))
		if err != nil || len(found) == 0 {
			t.Fatalf("no scripts %s: %v", glob, err)
		}
		scripts = append(scripts, found...)
	}
	for _, script := range scripts {
		data, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, bare := range uncontrolled(string(data)) {
			t.Errorf("%s: nothing shows that %s can appear", filepath.Base(script), bare)
		}
	}
	// The control of this control.
	if got := uncontrolled("stdout 'abc'\n! stdout 'ab'\n! stderr x\n! stdout .\n"); len(got) != 1 || got[0] != "x" {
		t.Errorf("got %q", got)
	}
}

// uncontrolled lists the patterns that a script refuses and never asks for. That
// nothing at all is printed needs no control.
func uncontrolled(script string) []string {
	var shown, refused []string
	for line := range strings.Lines(script) {
		line, negative := strings.CutPrefix(strings.TrimSpace(line), "! ")
		stream, pattern, _ := strings.Cut(line, " ")
		if stream != "stdout" && stream != "stderr" {
			continue
		}
		pattern = strings.Trim(pattern, "'")
		switch {
		case !negative:
			shown = append(shown, pattern)
		case pattern != ".":
			refused = append(refused, pattern)
		}
	}
	return slices.DeleteFunc(refused, func(r string) bool {
		return slices.ContainsFunc(shown, func(s string) bool { return strings.Contains(s, r) })
	})
}
