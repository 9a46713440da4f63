package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

const (
	conformBranch = "trunk" // not the usual one, so that init has to write configuration
	conformRef    = "refs/ctx/heads/" + conformBranch
	conformLeft   = "left" // a branch to merge where none can be made

	// foreignLines are appended to the repository's configuration and must stay.
	foreignLines = "# Ada's own words\n[alias]\n\t; and her own layout\n\tst   =   status\n"
)

// A conformRow is one kind of place in which all operations run.
type conformRow struct {
	name  string
	shape gittest.Shape
	since string // the first git that can make it, where the oldest supported cannot
	// prepare brings the repository from its shape to the row's; it returns the
	// report of a run that made records there, if one did.
	prepare func(t *testing.T, p *conformPlace)
	// perform runs the program conform; without it, it runs where the shape stands.
	perform func(t *testing.T, p *conformPlace)
	refuses map[string]string // operation to the part of the line that refuses it, for the table
	// variables are those that make the row what it is.
	variables []string
	// untouched says that no file at all may change.
	untouched bool
}

// A conformPlace is where one row is run.
type conformPlace struct {
	*gittest.Repo
	home, report, earlier string
}

// conform runs the program in a directory.
func (p *conformPlace) conform(t *testing.T, dir, tag, report string) {
	t.Helper()
	args := []string{tag, report}
	if p.earlier != "" {
		args = append(args, p.earlier)
	}
	if o := runIn(p.Repo, dir, nil, "conform", args...); o.status != 0 {
		t.Fatalf("conform: %s%s", o.out, o.talk)
	}
}

// seed makes records in a directory before the row's own run.
func (p *conformPlace) seed(t *testing.T, dir string) {
	t.Helper()
	report := filepath.Join(p.home, "earlier.json")
	p.conform(t, dir, "first", report)
	p.earlier = report
}

// leave makes a branch that is not merged yet.
func (p *conformPlace) leave(t *testing.T, dir string) {
	t.Helper()
	p.GitIn(dir, "ctx", "switch", "-c", conformLeft)
	p.GitIn(dir, "ctx", "goal", "add", "Keep p99 under 50 ms")
	p.GitIn(dir, "ctx", "switch", conformBranch)
}

// hook installs a hook that runs the program conform as its last act.
func (p *conformPlace) hook(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(p.GitIn(p.Main, "rev-parse", "--path-format=absolute", "--git-path", "hooks"), name)
	script := "#!/bin/sh\nexec conform second '" + p.report + "' " + p.earlier + " >'" + p.report + ".log' 2>&1\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestConformance runs the program's main commands in every kind of place a
// repository can be, looks after each that nothing else changed, and holds the
// table of the outcomes against docs/design/storage.md. Rows that the git at
// hand cannot make are taken from there.
func TestConformance(t *testing.T) {
	able := gittest.Shapes(t)
	var mu sync.Mutex
	results := make(map[string]conformed)
	t.Run("rows", func(t *testing.T) {
		for _, row := range conformRows() {
			if !slices.Contains(able, row.shape) {
				continue
			}
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				did := runRow(t, row)
				mu.Lock()
				defer mu.Unlock()
				results[row.name] = did
			})
		}
	})
	if t.Failed() {
		return
	}
	checkTable(t, results)
}

func runRow(t *testing.T, row conformRow) conformed {
	p := &conformPlace{Repo: gittest.New(t, row.shape)}
	p.home = filepath.Dir(p.Main)
	if row.shape == gittest.Submodule {
		p.home = filepath.Dir(p.Other)
	}
	p.report = filepath.Join(p.home, "report.json")
	config := filepath.Join(p.GitIn(p.Main, "rev-parse", "--path-format=absolute", "--git-common-dir"), "config")
	appendFile(t, config, foreignLines)
	if row.prepare != nil {
		row.prepare(t, p)
	}
	files := listing(t, p.Main)
	if row.perform != nil {
		row.perform(t, p)
	} else {
		p.conform(t, p.Dir, "second", p.report)
	}
	data, err := os.ReadFile(p.report)
	if err != nil {
		log, _ := os.ReadFile(p.report + ".log")
		t.Fatalf("no report: %v\n%s", err, log)
	}
	var did conformed
	if err := json.Unmarshal(data, &did); err != nil {
		t.Fatal(err)
	}
	for _, problem := range did.Problems {
		t.Error(problem)
	}
	for _, name := range row.variables {
		if !slices.Contains(did.Variables, name) {
			t.Errorf("positive control: %s is not among %q", name, did.Variables)
		}
	}
	checkRefusals(t, row, did)
	if row.untouched {
		if now := listing(t, p.Main); now != files {
			t.Errorf("refused, but files changed:\n%s\nnow\n%s", files, now)
		}
	} else {
		checkSurroundings(t, did)
		p.Fsck()
		p.Untouched()
	}
	return did
}

func checkRefusals(t *testing.T, row conformRow, did conformed) {
	t.Helper()
	for _, op := range conformOps {
		line, ran := did.Ops[op]
		want := row.refuses[op]
		switch {
		case !ran:
			t.Errorf("%s was not run", op)
		case want == "" && line != "":
			t.Errorf("%s: %s", op, line)
		case want != "" && !strings.Contains(line, want):
			t.Errorf("%s: refused with %q, want %q", op, line, want)
		}
	}
}

func checkSurroundings(t *testing.T, did conformed) {
	t.Helper()
	if did.Before != did.After {
		t.Errorf("something else changed:\n%+v\nnow\n%+v", did.Before, did.After)
	}
	if !strings.Contains(did.Before.Config, foreignLines) {
		t.Errorf("the configuration that must stay was not seen:\n%s", did.Before.Config)
	}
}

// listing names every file below a directory with its size and time.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			b.WriteString(path + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func appendFile(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
