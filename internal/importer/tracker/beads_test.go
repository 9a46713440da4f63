package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/importertest"
	"github.com/git-ctx/git-ctx/records"
)

const goodIssue = `{"id":"px-1","title":"T","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-02T03:04:05Z"}`

func TestBeadsListsWhatIsNoIssue(t *testing.T) {
	if res := importBeads(t, []byte("\ufeff\n"+goodIssue+"\r\n\n")); len(res.Records) != 1 {
		t.Fatalf("the control gives %d records", len(res.Records))
	}
	field := func(f string) string { return strings.Replace(goodIssue, `"title":"T"`, f, 1) }
	tests := []struct {
		name, line string
		col        int
		msg        string
	}{
		{"no JSON", `{"id": x}`, 8, "not JSON: invalid character 'x'"},
		{"cut off", `{"id":"px-1"`, 12, "unexpected end"},
		{"no object", `["px-1"]`, 1, "want one JSON object a line"},
		{"two objects", goodIssue + " {}", len(goodIssue) + 2, "not JSON"},
		{"no id", `{"title":"T"}`, 1, "want an 'id'"},
		{"id with a line end", `{"id":"a\nb"}`, 1, "want an 'id'"},
		{"key twice", `{"id":"a","id":"b"}`, 16, "field 'id' stands twice"},
		{"title is a number", field(`"title":7`), 22, "field 'title': a JSON number where a string belongs"},
		{"priority is a fraction", `{"id":"a","priority":1.5}`, 22, "field 'priority': a JSON number 1.5 where a whole number belongs"},
		{"labels are text", `{"id":"a","labels":"x"}`, 20, "an array belongs"},
		{"dependency type is a number", `{"id":"a","dependencies":[{"type":1}]}`, 26, "in 'type' where a string belongs"},
		{"no time", `{"id":"a","created_at":"soon"}`, 24, "'soon' is not an RFC 3339 time"},
		{"invalid UTF-8", "{\"id\":\"a\xff\"}", 9, "invalid UTF-8"},
		{"conflict marker", "<<<<<<< ours", 1, "a conflict marker"},
		{"issue twice", goodIssue, 0, "the issue stands on line 1 already"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := importBeads(t, []byte(goodIssue+"\n"+tt.line+"\n"))
			if len(res.Records) != 1 {
				t.Fatalf("the line above gives %d records", len(res.Records))
			}
			want := fmt.Sprintf("column %d: ", tt.col)
			if tt.col == 0 {
				want = ""
			}
			if s := res.Skipped; len(s) != 1 || s[0].Line != 2 || !strings.HasPrefix(s[0].Reason, want) || !strings.Contains(s[0].Reason, tt.msg) {
				t.Errorf("listed %v, want line 2, column %d: ... %s", s, tt.col, tt.msg)
			}
			if tt.col == 0 {
				return
			}
			var se *importer.SyntaxError
			if _, err := ReadBeads(strings.NewReader(tt.line + "\n")); !errors.As(err, &se) || se.Line != 1 || se.Col != tt.col {
				t.Errorf("a file of this line alone: %v", err)
			}
		})
	}
}

func TestBeadsStates(t *testing.T) {
	tests := []struct {
		typ, status string
		kind        records.Kind
		state       records.State
	}{
		{"epic", "open", records.Goal, records.Active},
		{"epic", "in_progress", records.Goal, records.Active},
		{"epic", "blocked", records.Goal, records.Active},
		{"epic", "deferred", records.Goal, records.Parked},
		{"epic", "closed", records.Goal, records.Achieved},
		{"task", "open", records.Task, records.Todo},
		{"bug", "in_progress", records.Task, records.InProgress},
		{"feature", "blocked", records.Task, records.Blocked},
		{"chore", "closed", records.Task, records.Done},
		{"task", "deferred", records.Task, records.Todo},
		{"decision", "open", records.Decision, records.Proposed},
		{"decision", "closed", records.Decision, records.Accepted},
		{"task", "tombstone", "", ""},
		{"epic", "pinned", "", ""},
		{"convoy", "open", "", ""},
		{"", "open", "", ""},
		{"task", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.typ+" "+tt.status, func(t *testing.T) {
			line := strings.NewReplacer(`"status":"open"`, `"status":"`+tt.status+`"`, `"issue_type":"task"`, `"issue_type":"`+tt.typ+`"`).Replace(goodIssue)
			res := importBeads(t, []byte(line))
			if tt.kind == "" {
				if len(res.Records) != 0 || len(res.Skipped) != 1 || res.Skipped[0].Item != "px-1" {
					t.Errorf("got %d records, skipped %v", len(res.Records), res.Skipped)
				}
				return
			}
			importertest.Sound(t, res)
			if len(res.Records) != 1 || res.Records[0].Kind != tt.kind || res.Records[0].State() != tt.state {
				t.Errorf("got %+v, want one %s %s", res.Records, tt.state, tt.kind)
			}
		})
	}
}

// The order of lines is not part of the content.
func TestBeadsLineOrder(t *testing.T) {
	src := readFile(t, "testdata/beads.jsonl")
	lines := strings.Split(strings.TrimSpace(string(src)), "\n")
	slices.Reverse(lines)
	a, b := importBeads(t, src), importBeads(t, []byte(strings.Join(lines, "\n")))
	if !reflect.DeepEqual(a.Records, b.Records) {
		t.Error("reversed lines give other records")
	}
}

// A changed item shows in its origin; a moved counter does not.
func TestBeadsOriginDigest(t *testing.T) {
	one := func(line string) string { return importBeads(t, []byte(line)).Records[0].Origin.Digest }
	base := one(goodIssue)
	if got := one(strings.Replace(goodIssue, `"title":"T"`, `"dependent_count":3,"title":"T"`, 1)); got != base {
		t.Error("a count changed the digest")
	}
	if got := one(strings.Replace(goodIssue, `"T"`, `"U"`, 1)); got == base {
		t.Error("another title did not change the digest")
	}
}

func TestBeadsLongTexts(t *testing.T) {
	long := strings.Repeat("word ", 100)
	label := strings.Repeat("l", 101)
	body := strings.Repeat("a line\n", importer.BodyLimit/9+10)
	line := strings.NewReplacer(`"title":"T"`, `"title":"`+long+`","labels":["ok","`+label+`"],"description":"`+
		strings.ReplaceAll(body, "\n", `\n`)+`"`).Replace(goodIssue)
	res := importBeads(t, []byte(line))
	importertest.Sound(t, res)
	r := res.Records[0]
	if !strings.HasSuffix(r.Title, "...") || !strings.HasPrefix(r.Body, strings.TrimSpace(long)+"\n") {
		t.Errorf("title %q, body starts %q", r.Title, r.Body[:40])
	}
	if !strings.Contains(r.Body, "[cut by the import: the first ") {
		t.Error("the body does not say that it was cut")
	}
	if !slices.Equal(r.Tags, []string{"ok"}) {
		t.Errorf("tags %v", r.Tags)
	}
	var items []string
	for _, s := range res.Skipped {
		items = append(items, s.Item)
	}
	if want := []string{"px-1: body", "px-1: tag " + label}; !slices.Equal(items, want) {
		t.Errorf("skipped %v, want %v", items, want)
	}
}

// However a body is quoted, its record fits into a file.
func TestBeadsBodiesFit(t *testing.T) {
	for _, c := range []string{`\u001b`, `\n`, `\u001b\ud83d\ude00`, "\u00e9"} {
		line := strings.Replace(goodIssue, `"title":"T"`, `"title":"T","description":"x`+strings.Repeat(c, 100<<10)+`x"`, 1)
		res := importBeads(t, []byte(line))
		if len(res.Records) != 1 || len(res.Records[0].Body) < 16<<10 || !strings.Contains(res.Records[0].Body, "[cut by") {
			t.Errorf("%s: %d records, skipped %v", c, len(res.Records), res.Skipped)
		}
	}
}

func TestBeadsRealExport(t *testing.T) {
	src, err := os.ReadFile("../../../../shared/data/beads-issues.jsonl")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no shared data")
	}
	if err != nil {
		t.Fatal(err)
	}
	issues, err := readIssues(bytes.NewReader(src), importer.NewBatch(beads))
	if err != nil {
		t.Fatal(err)
	}
	res := importBeads(t, src)
	importertest.Sound(t, res)
	fate := make(map[string]int)
	kinds := make(map[records.Kind]int)
	for _, r := range res.Records {
		fate[r.Origin.Key]++
		kinds[r.Kind]++
	}
	for _, s := range res.Skipped {
		fate[s.Item]++
	}
	closed := 0
	for _, is := range issues {
		if fate[is.ID] != 1 {
			t.Errorf("%s was mapped or skipped %d times", is.ID, fate[is.ID])
		}
		if is.CloseReason != "" && !emptyReasons[records.Normalize(is.CloseReason)] {
			closed++
		}
	}
	if len(issues) != 704 || kinds[records.Goal]+kinds[records.Task] != 685 || kinds[records.Conclusion] != closed {
		t.Errorf("%d issues gave %v, %d were closed with a reason", len(issues), kinds, closed)
	}
	if !bytes.Equal(importertest.Render(t, res), importertest.Render(t, importBeads(t, src))) {
		t.Error("a second import gives other bytes")
	}
}

func FuzzBeads(f *testing.F) {
	f.Add([]byte(goodIssue))
	if b, err := os.ReadFile("testdata/beads.jsonl"); err == nil {
		f.Add(b)
		for line := range bytes.Lines(b) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		res, err := ReadBeads(bytes.NewReader(src))
		if err != nil {
			return
		}
		importertest.Sound(t, res)
	})
}

func importBeads(t *testing.T, src []byte) *importer.Result {
	t.Helper()
	res, err := ReadBeads(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestGolden(t *testing.T) {
	importertest.Golden(t, "testdata/beads.golden.yaml", importBeads(t, readFile(t, "testdata/beads.jsonl")))
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Memories, types that mean nothing here, a dotted child and a dependency
// without its other end are told, and hold nothing up.
func TestBeadsOddLines(t *testing.T) {
	issue := func(id, more string) string {
		return `{"id":"` + id + `","title":"T ` + id + `","status":"open","issue_type":"task","created_at":"2026-01-02T03:04:05Z"` + more + `}`
	}
	res := importBeads(t, []byte(strings.Join([]string{
		`{"_type":"memory","key":"k","value":"v"}`, `{"_type":"memory","key":"l","value":"w"}`,
		issue("px-1", ""), issue("px-1.1", ""), issue("px-2.1", ""), issue("px-3", `,"dependencies":[{"issue_id":"px-3","depends_on_id":"px-9","type":"blocks"}]`),
		strings.Replace(issue("px-4", `,"close_reason":"Use a queue, it survives restarts."`), `"open","issue_type":"task"`, `"closed","issue_type":"decision"`, 1),
		strings.Replace(issue("px-5", `,"description":"Reads time out.","close_reason":"A pool fixed it."`), `"open"`, `"closed"`, 1),
	}, "\n")))
	importertest.Sound(t, res)
	if got := importertest.ByKey(t, res, "px-1.1").Links[records.PartOf]; len(got) != 1 || got[0] != importertest.ByKey(t, res, "px-1").ID {
		t.Errorf("the dotted child is part of %v", got)
	}
	if d := importertest.ByKey(t, res, "px-4"); d.State() != records.Accepted || d.Verdict.Reason != "Use a queue, it survives restarts." {
		t.Errorf("the decision is %+v", d.Verdict)
	}
	if c := importertest.ByKey(t, res, "px-5#close"); !strings.Contains(c.Body, "Reads time out.") {
		t.Errorf("the conclusion says %q", c.Body)
	}
	var got []string
	for _, s := range res.Skipped {
		got = append(got, s.Item+": "+s.Reason)
	}
	want := []string{
		"lines of type 'memory': 2 lines: not issues",
		"px-2.1: parent-child px-2: leads to no issue of this file",
		"px-3: blocks px-9: leads to no issue of this file",
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %q", got)
	}
}
