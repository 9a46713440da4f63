package bootstrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/internal/importer/importertest"
	"github.com/git-ctx/git-ctx/records"
)

// mapDir maps every file of a folder.
func mapDir(t *testing.T, dir string) (*Plan, *os.Root) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	var names []string
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return Map(root, names), root
}

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func titles(p *Plan) []string {
	var out []string
	for _, q := range p.Proposals {
		out = append(out, string(q.Kind)+": "+q.Title)
	}
	return out
}

// TestMapGolden holds every proposal of a repository of all the forms, among
// text that only looks like a statement.
func TestMapGolden(t *testing.T) {
	p, root := mapDir(t, "testdata/bootstrap")
	y, err := FormatPlan(p)
	if err != nil {
		t.Fatal(err)
	}
	importertest.GoldenText(t, "testdata/bootstrap.golden.yaml", y)
	j, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range [][]byte{y, j} {
		back, err := ParsePlan(form)
		if err != nil {
			t.Fatal(err)
		}
		again, err := FormatPlan(back)
		if err != nil || !bytes.Equal(again, y) {
			t.Errorf("a plan reads back as another: %v\n%s", err, again)
		}
	}
	res, err := p.Records(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Records) != len(p.Proposals) {
		t.Errorf("%d proposals became %d records", len(p.Proposals), len(res.Records))
	}
	for _, r := range res.Records {
		v := r.Verdict
		if v.State != r.Kind.Schema().Birth() || v.Actor != Actor || r.Created.Actor != Actor && r.Origin.System != adr.System || len(r.Anchors) == 0 ||
			(v.Of != "") != (v.Asks != "") || v.Asks != "" && v.Of != r.Digest() {
			t.Errorf("%s is not a mere proposal: %+v", r.ID, v)
		}
	}
}

// Real decision records: all that are in force are proposed, with their outcome's lines.
func TestMapMADR(t *testing.T) {
	const dir = "../../../../shared/data/madr"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no shared data")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		files["docs/decisions/"+e.Name()] = string(readFile(t, filepath.Join(dir, e.Name())))
	}
	p, root := mapDir(t, writeTree(t, files))
	imported, err := adr.Folder(os.DirFS(dir), "docs/decisions")
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, r := range imported.Records {
		if s := r.State(); s == records.Accepted || s == records.Proposed {
			want++
			at := slices.IndexFunc(p.Proposals, func(q Proposal) bool { return q.Key == r.Origin.Key })
			if at < 0 || p.Proposals[at].Title != r.Title {
				t.Errorf("%s is not proposed", r.Origin.Key)
			}
		}
	}
	if len(p.Proposals) != want || want == 0 {
		t.Errorf("%d proposals, want %d", len(p.Proposals), want)
	}
	if _, err := p.Records(root); err != nil {
		t.Error(err)
	}
}

func TestDocumented(t *testing.T) {
	for name, want := range map[string]bool{
		"README.md": true, "readme": true, "sub/README.rst": true, "docs/a/b.txt": true, "Docs/X.ADOC": true, "ARCHITECTURE.md": true,
		"pkg/adr/1.md": true, "DESIGN-notes.md": true, "rfcs/0001.md": true, "TODO": true,
		"main.go": false, "docs/x.go": false, "LICENSE.md": false, "docs/LICENSE.txt": false, "notes.md": false, "vendor/a/README.md": false,
		"node_modules/a/README.md": false, ".github/docs/x.md": false, "docs/adr/template.md": false, "docs/CODE_OF_CONDUCT.md": false, "readme.exe": false,
	} {
		if got := Documented(name); got != want {
			t.Errorf("Documented(%q) = %t", name, got)
		}
	}
}

// The same text in two places is one proposal on both; what moves in its
// document is the same statement, what changes is not.
func TestStatementsKeepTheirRecord(t *testing.T) {
	const decision = "## Decision\n\nUse one lock a shard. It is simple.\n"
	record := func(text string) *records.Record {
		p, root := mapDir(t, writeTree(t, map[string]string{"DESIGN.md": text}))
		res, err := p.Records(root)
		if err != nil || len(res.Records) != 1 {
			t.Fatalf("%d records, %v", len(res.Records), err)
		}
		return res.Records[0]
	}
	was := record(decision)
	moved := record("# Design\n\nMore text.\n\n" + decision)
	changed := record(strings.Replace(decision, "simple", "simplest", 1))
	if was.ID != moved.ID || was.ID != changed.ID {
		t.Errorf("ids %s, %s, %s", was.ID, moved.ID, changed.ID)
	}
	if Renew(was, moved) != was {
		t.Error("what only moved is another record")
	}
	if next := Renew(was, changed); next.Body != changed.Body || next.Verdict.N != was.Verdict.N {
		t.Errorf("what changed became %+v", next)
	}
	p, _ := mapDir(t, writeTree(t, map[string]string{"DESIGN.md": decision, "docs/b.md": decision}))
	if len(p.Proposals) != 1 || len(p.Proposals[0].Anchors) != 2 {
		t.Errorf("proposals %+v", p.Proposals)
	}
}

// Line ends and a mark of byte order change neither text nor what holds it.
func TestMapForms(t *testing.T) {
	const text = "# Goals\n\n- Keep every read under 50 ms\n"
	for _, form := range []string{text, "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), strings.TrimSuffix(text, "\n"), "\x1b[31m\n\n" + text} {
		p, root := mapDir(t, writeTree(t, map[string]string{"README.md": form}))
		if got := titles(p); !slices.Equal(got, []string{"goal: Keep every read under 50 ms"}) {
			t.Errorf("%q gives %q, skipped %v", form, got, p.Skipped)
		}
		if _, err := p.Records(root); err != nil {
			t.Errorf("%q: %v", form, err)
		}
	}
}

func TestPlanOfAChangedDocument(t *testing.T) {
	dir := writeTree(t, map[string]string{"README.md": "# Goals\n\n- Keep every read under 50 ms\n"})
	p, root := mapDir(t, dir)
	if _, err := p.Records(root); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# Goals\n\n- Keep every read under 10 ms\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Records(root); !errors.Is(err, ErrMoved) {
		t.Errorf("got %v", err)
	}
}

func TestParsePlanRefuses(t *testing.T) {
	const good = `format: 1
proposals:
  - key: README.md#goals
    kind: goal
    title: Keep every read quick
    asks: active
    why: section 'Goals'
    confidence: 0.9
    anchors:
      - path: README.md
        lines: 3-3
        sha256: "00"
`
	if _, err := ParsePlan([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, want string }{
		{"format: 1", "format: 2", "newer"},
		{"format: 1\n", "", "names no format"},
		{"kind: goal", "kind: evidence", "proposal 1: kind 'evidence'"},
		{"asks: active", "asks: achieved", "asks 'achieved': of a goal it is active"},
		{"asks: active", "state: active", "line 6: unknown key 'state'"},
		{"asks: active", "verdict: {state: active, actor: human}", "unknown key 'verdict'"},
		{"title: Keep every read quick", "title: ''", "no title"},
		{"key: README.md#goals", "key: ''", "no key"},
		{"confidence: 0.9", "confidence: 7", "not from 0 to 1"},
		{"confidence: 0.9", "question: Why?", "question and options"},
		{"path: README.md", "path: ../secret.md", "leaves the repository"},
		{"path: README.md", "path: /etc/passwd", "leaves the repository"},
		{good, "", "the plan is empty"},
		{good, good + "---\na: b\n", "more than one document"},
		{good, `{"format": 1, "proposals": [], "more": 1}`, `unknown field "more"`},
	} {
		text := strings.Replace(good, c.old, c.now, 1)
		if _, err := ParsePlan([]byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: got %v, want %s", c.now, c.old, err, c.want)
		}
	}
	twice := good + strings.TrimPrefix(good, "format: 1\nproposals:\n")
	if _, err := ParsePlan([]byte(twice)); err == nil || !strings.Contains(err.Error(), "proposal 2: key 'README.md#goals' is that of proposal 1 already") {
		t.Errorf("got %v", err)
	}
}

// No text makes a map fail, hang, or differ from itself.
func FuzzMap(f *testing.F) {
	for _, name := range []string{"README.md", "docs/design.md", "docs/plan.rst", "docs/notes.adoc"} {
		src, err := os.ReadFile(filepath.Join("testdata/bootstrap", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte("===\n===\n===\n- \n* [ ] \n#\n----\n.. \n::\n\n "))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, name := range []string{"readme.md", "docs/adr/1.md", "readme.rst", "readme.adoc", "ROADMAP.txt"} {
			found, err := statementsIn(name, src)
			if err != nil {
				continue
			}
			p := &Plan{Format: planFormat, Proposals: found}
			y, err := FormatPlan(p)
			if err != nil {
				t.Fatal(err)
			}
			back, err := ParsePlan(y)
			if err != nil {
				t.Fatalf("%v\n%s", err, y)
			}
			r := importer.NewBatch(System)
			for _, q := range back.Proposals {
				for _, a := range q.Anchors {
					if err := a.stands(nil, map[string][]string{name: linesOf(string(src))}); err != nil {
						t.Fatalf("%v\n%s", err, y)
					}
				}
				rec := q.record()
				r.Recs[rec.ID] = rec
			}
			if _, err := r.Result(); err != nil {
				t.Fatalf("%v\n%s", err, y)
			}
		}
	})
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Rules for agents and the folders of spec-kit are read; pointers and what names
// where it is done are not proposals.
func TestRulesAndPointers(t *testing.T) {
	const rules = "# Larder\n\n## Rules\n\n- Never write to the store without a lock\n- See docs/style.md for the style\n"
	p, root := mapDir(t, writeTree(t, map[string]string{
		"AGENTS.md": rules, "notes/rules.md": rules,
		"specs/001-cache/spec.md": "# Cache\n\n## Non-goals\n\n- Sharing it between hosts\n- Warming it at night (see spec 005)\n\n## Decisions\n\n- Use one cache a process\n",
	}))
	want := []string{"decision: Never write to the store without a lock", "decision: Not a goal: Sharing it between hosts", "decision: Use one cache a process"}
	if got := titles(p); !slices.Equal(got, want) || p.Read != 2 {
		t.Errorf("of %d documents: %q", p.Read, got)
	}
	if _, err := p.Records(root); err != nil {
		t.Error(err)
	}
	if p := MapFiles(root, []string{"notes/rules.md"}); p.Read != 1 {
		t.Errorf("a named file: %+v", p)
	}
}
