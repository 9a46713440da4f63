package workspace

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/importertest"
	"github.com/git-ctx/git-ctx/records"
)

// key is an id of one character, as CTX writes ids.
func key(c string) string { return strings.Repeat(c, 32/len(c)) }

func id(c string) string { return fmt.Sprintf(`{"value":%q}`, key(c)) }

const trace = `"trace":{"createdBy":"ada","createdAtUtc":"2026-01-02T03:04:05.9999999+00:00","updatedBy":"ada","updatedAtUtc":"2026-01-03T03:04:05.1234+00:00","tags":[]}`

// item is an entity with its id, trace and further keys.
func item(c, more string) string { return `{"id":` + id(c) + `,` + trace + `,` + more + `}` }

func contextOf(arrays ...string) string {
	return `{"project":{"id":` + id("f") + `,"name":"Larder"},"dirty":false,"headCommitId":null,` + strings.Join(arrays, ",") + `}`
}

func array(name string, items ...string) string {
	return `"` + name + `":[` + strings.Join(items, ",") + `]`
}

// larder is a workspace: goal 1, task 2, hypotheses 3 to 6, evidence 7 and 8, decisions 9, conclusion a.
func larder() string {
	return contextOf(
		array("goals", item("1", `"title":"Be quick","description":"","state":1,"priority":100,"taskIds":[]`)),
		array("tasks", item("2", `"title":"Find the spikes","state":4,"goalId":`+id("1")+`,"hypothesisIds":[]`)),
		array("hypotheses",
			item("3", `"statement":"Stampedes cause the spikes","rationale":"Each deploy empties it.","state":2,"confidence":0.7,"taskIds":[`+id("2")+`],"relations":[{"relationType":0,"targetHypothesisId":`+id("4")+`}]`),
			item("4", `"statement":"The disk causes the spikes","rationale":"It is idle.","state":3,"taskIds":[`+id("2")+`]`),
			item("5", `"statement":"The old guess","state":0,"taskIds":[],"relations":[{"relationType":2,"targetHypothesisId":`+id("3")+`}]`),
			item("6", `"statement":"Put away","state":4,"taskIds":[]`)),
		array("evidence",
			item("7", `"title":"Trace","summary":"Spikes follow deploys.","state":2,"kind":3,"source":"file:trace.txt","confidence":0.825,"supports":[{"entityType":"Hypothesis","entityId":"`+key("3")+`"},{"entityType":"Task","entityId":"`+key("2")+`"}]`),
			item("8", `"title":"Disk graph","state":2,"kind":0,"source":"unspecified","supports":[{"entityType":"Hypothesis","entityId":"`+key("4")+`"}]`)),
		array("decisions",
			item("9", `"title":"Warm the cache","rationale":"It removes the spikes.","state":1,"hypothesisIds":[`+id("3")+`],"evidenceIds":[`+id("7")+`]`),
			item("b", `"title":"Buy a disk","rationale":"It is idle.","state":2,"hypothesisIds":[],"evidenceIds":[]`)),
		array("conclusions", item("a", `"summary":"Warming works.","state":1,"decisionIds":[`+id("9")+`,`+id("b")+`],"evidenceIds":[],"goalIds":[`+id("1")+`],"taskIds":[`+id("2")+`]`)),
	)
}

func successor(ctx string) string {
	return strings.Replace(ctx, `"rationale":"Each deploy empties it."`, `"rationale":"Each deploy empties it.","supersedesHypothesisIds":[`+id("5")+`]`, 1)
}

func files(m map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range m {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func read(t *testing.T, m map[string]string) *importer.Result {
	t.Helper()
	res, err := ReadDir(files(m), "")
	if err != nil {
		t.Fatal(err)
	}
	importertest.Sound(t, res)
	return res
}

func commitFile(c, parents, snapshot string) string {
	return `{"id":` + id(c) + `,"parentIds":[` + parents + `],"message":"commit ` + c + `","createdAtUtc":"2026-01-04T00:00:00+00:00",` + trace + `,"diff":{"summary":"wrong"},"snapshot":` + snapshot + `}`
}

func TestWorkspace(t *testing.T) {
	res := read(t, map[string]string{
		".ctx/HEAD": "\ufeffmain:null\n", ".ctx/working/working-context.json": "\ufeff" + successor(larder()),
		".ctx/runbooks/c.json": item("c", `"title":"Warm it","kind":0,"state":1,"do":["warm"],"verify":["look","measure"],"whenToUse":"after a deploy","triggers":["spikes"],"references":["docs/warm.md"],"goalIds":[`+id("1")+`]`),
		".ctx/triggers/d.json": item("d", `"summary":"Open goal line: Be quick","text":"Be quick","kind":1,"state":1,"goalIds":[`+id("1")+`]`),
	})
	for c, want := range map[string]records.State{
		"1": records.Active, "2": records.Done, "3": records.Supported, "4": records.Refuted, "5": records.Superseded, "6": records.Proposed,
		"7": records.Recorded, "9": records.Accepted, "b": records.Rejected, "a": records.Accepted, "c": records.Active, "d": records.Draft,
	} {
		if r := importertest.ByKey(t, res, key(c)); r.State() != want {
			t.Errorf("%s %s is %s, want %s", r.Kind, c, r.State(), want)
		}
	}
	by := func(c string) *records.Record { return importertest.ByKey(t, res, key(c)) }
	if h := by("3"); len(h.Verdict.Cites) != 1 || h.Verdict.Cites[0] != by("7").ID || len(h.Links[records.CompetesWith]) != 1 || h.Verdict.At.Second() != 5 {
		t.Errorf("the supported one: %+v, links %v", h.Verdict, h.Links)
	}
	if h := by("5"); h.Verdict.SupersededBy != by("3").ID || len(h.Links) > 0 {
		t.Errorf("the old one: %+v, links %v", h.Verdict, h.Links)
	}
	if h := by("4"); h.Verdict.Reason != "It is idle." || len(h.Verdict.Cites) != 1 {
		t.Errorf("the refuted one: %+v", h.Verdict)
	}
	if e := by("8"); len(e.Links[records.Supports]) > 0 || len(e.Links[records.RelatesTo]) != 1 || e.Source != "" {
		t.Errorf("evidence at a refuted one: %v", e.Links)
	}
	if e := by("7"); *e.Strength != 82 || len(e.Links[records.Supports]) != 2 {
		t.Errorf("evidence: strength %d, links %v", *e.Strength, e.Links)
	}
	if c := by("a"); len(c.Links[records.RestsOn]) != 1 || len(c.Links[records.RelatesTo]) != 1 || len(c.Links[records.Closes]) != 2 {
		t.Errorf("the conclusion: %v", c.Links)
	}
	if r := by("c"); len(r.Steps) != 2 || r.Steps[0].Verify != "look" || len(r.References) != 1 {
		t.Errorf("the runbook: %+v", r)
	}
	if g := by("1"); g.Priority != nil || g.Created.Actor != importer.Actor || g.Created.By != "ada" {
		t.Errorf("the goal: %+v", g)
	}
	var told []string
	for _, s := range res.Skipped {
		told = append(told, s.Item+": "+s.Reason)
	}
	for _, want := range []string{
		"hypothesis 66666666: archived without a successor: left open", "direction unknown", "names decision bbbbbbbb, which is dead in the source: a relation",
		"goal 11111111: lacks task 22222222, which serves it", "1 item: triggers that CTX wrote itself are drafts", "2 items: 'Validated' is stamped on all evidence: recorded",
	} {
		if !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("'%s' is not told in %q", want, told)
		}
	}
	if res.Source != "ctx/ffffffff/main" || len(res.History) != 1 {
		t.Errorf("source %s, %d steps", res.Source, len(res.History))
	}
}

// A flat snapshot, a nested one, and the present that differs.
func TestHistoryOfBothShapes(t *testing.T) {
	m := map[string]string{
		"HEAD":                         "main:" + key("e2"),
		"branches/main.json":           `{"name":"main","commitId":` + id("e2") + `}`,
		"branches/other.json":          `{"name":"feature/x","commitId":` + id("e1") + `}`,
		"branches/gone.json":           `{"name":"gone","commitId":` + id("e9") + `}`,
		"commits/a.json":               commitFile("e1", "", larder()),
		"commits/b.json":               commitFile("e2", id("e1"), `{"workingContext":`+successor(larder())+`,"runbooks":[],"triggers":[]}`),
		"working/working-context.json": strings.Replace(successor(larder()), "Find the spikes", "Find all spikes", 1),
	}
	res := read(t, m)
	if len(res.History) != 3 || res.History[0].Message != "commit e1" || res.History[1].Parents[0] != 0 || !strings.HasPrefix(res.History[2].Message, "uncommitted in the source\n\nLarder") {
		t.Fatalf("history %+v", res.History)
	}
	if len(res.Others) != 1 || res.Others[0].Source != "ctx/ffffffff/feature/x" {
		t.Errorf("others %+v", res.Others)
	}
	if !strings.Contains(fmt.Sprint(res.Skipped), "branch gone") {
		t.Errorf("the missing tip is not told: %v", res.Skipped)
	}
	delete(m, "working/working-context.json")
	if res := read(t, m); len(res.History) != 2 {
		t.Errorf("without changes: %d steps", len(res.History))
	}
	export := `{"productVersion":"1","head":{"branch":"main","commitId":` + id("e2") + `},"snapshot":{"workingContext":` + successor(larder()) + `,"runbooks":[],"triggers":[]},"branches":[{"name":"main","commitId":` + id("e2") + `}],"commits":[` + m["commits/a.json"] + `,` + m["commits/b.json"] + `]}`
	file, err := ReadExport(strings.NewReader(export))
	if err != nil || len(file.History) != 2 || len(file.Records) != len(res.Records) {
		t.Errorf("the export: %v", err)
	}
}

// What is not a workspace, or says what none can, is refused whole.
func TestWorkspaceRefused(t *testing.T) {
	good := map[string]string{"HEAD": "main:null", "working/working-context.json": larder()}
	read(t, good) // the control
	for name, tt := range map[string]struct{ file, text, want string }{
		"enum":      {"working/working-context.json", strings.Replace(larder(), `"state":4,"goalId"`, `"state":9,"goalId"`, 1), "state 9 is not one of 0 to 4"},
		"twice":     {"working/working-context.json", strings.Replace(larder(), `"id":`+id("7"), `"id":`+id("2"), 1), "is that of two"},
		"truncated": {"working/working-context.json", larder()[:200], "not JSON"},
		"path":      {"HEAD", "main:../../x", "want 32 hexadecimal digits"},
		"shape":     {"commits/a.json", commitFile("e1", "", `{"things":[]}`), "neither shape"},
		"nothing":   {"working/working-context.json", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := map[string]string{"HEAD": good["HEAD"], "working/working-context.json": good["working/working-context.json"]}
			m[tt.file] = tt.text
			if tt.text == "" {
				delete(m, tt.file)
				tt.want = "no records here"
			}
			if _, err := ReadDir(files(m), ""); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A cycle of successors and two successors: each keeps a state that holds.
func TestSuccessors(t *testing.T) {
	cycle := strings.Replace(successor(larder()), `"statement":"The old guess"`, `"supersedesHypothesisIds":[`+id("3")+`],"statement":"The old guess"`, 1)
	res := read(t, map[string]string{"HEAD": "main:null", "working/working-context.json": cycle})
	dead := 0
	for _, c := range []string{"3", "5"} {
		if importertest.ByKey(t, res, key(c)).State() == records.Superseded {
			dead++
		}
	}
	if dead != 1 {
		t.Errorf("of a cycle %d are superseded", dead)
	}
	two := strings.Replace(successor(larder()), `"statement":"The old guess"`, `"mergedIntoHypothesisId":`+id("6")+`,"statement":"The old guess"`, 1)
	res = read(t, map[string]string{"HEAD": "main:null", "working/working-context.json": two})
	if h := importertest.ByKey(t, res, key("5")); h.Verdict.SupersededBy != importertest.ByKey(t, res, key("6")).ID || !strings.Contains(fmt.Sprint(res.Skipped), "has two successors") {
		t.Errorf("of two: %+v", h.Verdict)
	}
}

// A snapshot that was changed after it was made is told, and imported.
func TestSnapshotHash(t *testing.T) {
	raw := "{\n    \"headCommitId\": null,\n    \"goals\": []\n  }"
	c := &commit{raw: []byte(raw)}
	good := snapshotHash(c)
	w := &space{commits: map[string]*commit{key("e"): {id: key("e"), hash: good, raw: []byte(raw)}}}
	if w.checkHashes(); len(w.notes) > 0 {
		t.Errorf("the control: %v", w.notes)
	}
	w.commits[key("e")].raw = []byte(strings.Replace(raw, "[]", "[ ]", 1))
	if w.checkHashes(); len(w.notes) != 1 {
		t.Errorf("one byte: %v", w.notes)
	}
	if want := importer.Digest([]byte("{\r\n  \"headCommitId\": null,\r\n  \"goals\": []\r\n}")); good != want {
		t.Errorf("hash %s, want %s", good, want)
	}
}

// The whole mapping of a workspace, in both shapes of its commits.
func TestGolden(t *testing.T) {
	for name, snapshot := range map[string]string{
		"flat": successor(larder()), "nested": `{"workingContext":` + successor(larder()) + `,"runbooks":[],"triggers":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			res := read(t, map[string]string{
				"HEAD": "\ufeffmain:" + key("e1"), "branches/main.json": `{"name":"main","commitId":` + id("e1") + `}`, "commits/a.json": commitFile("e1", "", snapshot),
			})
			importertest.Golden(t, "testdata/larder.golden.yaml", res)
		})
	}
}

// Lines that end in CR and LF say the same.
func TestLineEnds(t *testing.T) {
	text := "{\n" + strings.ReplaceAll(successor(larder())[1:], ",", ",\n")
	want := read(t, map[string]string{"HEAD": "main:null\n", "working/working-context.json": text})
	got := read(t, map[string]string{"HEAD": "main:null\r\n", "working/working-context.json": strings.ReplaceAll(text, "\n", "\r\n")})
	if a, b := importertest.Render(t, want), importertest.Render(t, got); string(a) != string(b) {
		t.Errorf("with CR:\n%s\nwithout:\n%s", b, a)
	}
}

// Evidence from a file beside the workspace is about that file; the history, which does
// not depend on the work tree, does not say so.
func TestPathsOfSources(t *testing.T) {
	m := map[string]string{
		".ctx/HEAD": "main:" + key("e1"), ".ctx/branches/main.json": `{"name":"main","commitId":` + id("e1") + `}`, ".ctx/commits/a.json": commitFile("e1", "", larder()),
	}
	paths := func(folder string) []string {
		t.Helper()
		res, err := ReadDir(files(m), folder)
		if err != nil {
			t.Fatal(err)
		}
		importertest.Sound(t, res)
		for _, r := range res.History[len(res.History)-1].Records {
			if len(r.Paths) > 0 {
				t.Errorf("the history says %v", r.Paths)
			}
		}
		return importertest.ByKey(t, res, key("7")).Paths
	}
	if got := paths("sub"); len(got) > 0 {
		t.Errorf("a file that is not there: %v", got)
	}
	m["trace.txt"] = "x"
	if got := paths("sub"); len(got) != 1 || got[0] != "sub/trace.txt" {
		t.Errorf("the file beside the workspace: %v", got)
	}
	if got := paths(""); len(got) != 1 || got[0] != "trace.txt" {
		t.Errorf("at the top: %v", got)
	}
	if got := paths("../elsewhere"); len(got) > 0 {
		t.Errorf("outside of the worktree: %v", got)
	}
	for _, source := range []string{"file:../trace.txt", "file:/etc/passwd", "file:*.txt"} {
		m[".ctx/commits/a.json"] = commitFile("e1", "", strings.Replace(larder(), "file:trace.txt", source, 1))
		if got := paths("sub"); len(got) > 0 {
			t.Errorf("'%s': %v", source, got)
		}
	}
}

// An acceptance that rests on what is open in the source says so, as accept does.
func TestAcceptedOnWhatIsOpen(t *testing.T) {
	open := strings.Replace(larder(), `"hypothesisIds":[`+id("3")+`]`, `"hypothesisIds":[`+id("3")+`,`+id("6")+`]`, 1)
	res := read(t, map[string]string{"HEAD": "main:null", "working/working-context.json": open, "runs/a.json": "{}"})
	d := importertest.ByKey(t, res, key("9"))
	if len(d.Verdict.Despite) != 1 || d.Verdict.Despite[0].Of != importertest.ByKey(t, res, key("6")).Digest() {
		t.Errorf("despite %+v", d.Verdict.Despite)
	}
	if listed := fmt.Sprint(res.Skipped); !strings.Contains(listed, "rests on hypothesis 66666666, which is proposed") || !strings.Contains(listed, "1 file: not records") {
		t.Errorf("listed %s", listed)
	}
}
