package tracker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/importertest"
	"github.com/git-ctx/git-ctx/records"
)

func readSource(t *testing.T, s importer.Source, text string) *importer.Result {
	t.Helper()
	res, err := s.File(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	importertest.Sound(t, res)
	return res
}

func wantStates(t *testing.T, res *importer.Result, want map[string]records.State) {
	t.Helper()
	for key, state := range want {
		if r := importertest.ByKey(t, res, key); r.State() != state || r.Title == "" {
			t.Errorf("%s is %s, want %s", key, r.State(), state)
		}
	}
	if len(res.Records) != len(want) {
		t.Errorf("%d records, want %d", len(res.Records), len(want))
	}
}

func TestGitHub(t *testing.T) {
	res := readSource(t, GitHub(), `[
		{"number":1,"title":"Open one","body":"Text","state":"OPEN","labels":[{"name":"bug"}],"author":{"login":"ada"},"createdAt":"2026-01-02T03:04:05Z","closedAt":null},
		{"number":2,"title":"Done one","state":"CLOSED","stateReason":"COMPLETED","author":{"login":"ada"},"createdAt":"2026-01-02T03:04:05Z","closedAt":"2026-01-03T03:04:05Z"},
		{"number":3,"url":"https://x.example/i/3","title":"Not planned","state":"CLOSED","stateReason":"NOT_PLANNED","createdAt":"2026-01-02T03:04:05Z","closedAt":"2026-01-03T03:04:05Z"},
		{"number":4,"title":"Odd","state":"LOCKED","createdAt":"2026-01-02T03:04:05Z"}, 7, {"number":"five"}]`)
	wantStates(t, res, map[string]records.State{"#1": records.Todo, "#2": records.Done, "https://x.example/i/3": records.Dropped})
	if r := importertest.ByKey(t, res, "#1"); r.Created.By != "ada" || r.Body != "Text" || fmt.Sprint(r.Tags) != "[bug]" {
		t.Errorf("the open one: %+v", r)
	}
	if len(res.Skipped) != 3 {
		t.Errorf("listed %v", res.Skipped)
	}
}

func TestGitBug(t *testing.T) {
	const one = `{"id":"abc1","title":"Crash","status":"open","labels":["x"],"author":{"name":"Ada Example"},"create_time":{"timestamp":1,"time":"2026-01-02T03:04:05+01:00"},"edit_time":{"time":"2026-01-03T03:04:05+01:00"},"comments":[{"author":{"name":"Ada Example"},"message":"It crashes."}]}`
	two := strings.NewReplacer("abc1", "abc2", `"open"`, `"closed"`).Replace(one)
	want := map[string]records.State{"abc1": records.Todo, "abc2": records.Done}
	wantStates(t, readSource(t, GitBug(), one+"\n"+two+"\n"), want)
	res := readSource(t, GitBug(), "["+one+","+two+"]")
	wantStates(t, res, want)
	if r := importertest.ByKey(t, res, "abc1"); r.Body != "It crashes." || r.Created.By != "Ada Example" {
		t.Errorf("the open one: %+v", r)
	}
}

// The form of the program itself: a list of excerpts, where comments are a count, and what
// bug show prints, where they are texts.
func TestGitBugAsPrinted(t *testing.T) {
	const who = `{"id":"5f1e","human_id":"5f1e","name":"Ada Example","login":"ada"}`
	excerpt := `{"id":"e1f2","human_id":"e1f2","create_time":{"timestamp":1767319445,"time":"2026-01-02T03:04:05+01:00","lamport":2},"edit_time":{"timestamp":1767319446,"time":"2026-01-02T03:04:06+01:00","lamport":3},` +
		`"status":"open","labels":null,"title":"Crash","actors":[` + who + `],"participants":[` + who + `],"author":` + who + `,"comments":1,"metadata":{}}`
	shown := strings.NewReplacer(`"comments":1,"metadata":{}`, `"comments":[{"id":"c1","human_id":"c1","author":`+who+`,"message":"It crashes."}]`, "e1f2", "a1b2").Replace(excerpt)
	res := readSource(t, GitBug(), "["+excerpt+"]")
	wantStates(t, res, map[string]records.State{"e1f2": records.Todo})
	if r := importertest.ByKey(t, res, "e1f2"); r.Body != "" || r.Created.By != "Ada Example" || r.Created.At.Hour() != 2 {
		t.Errorf("the excerpt: %+v", r)
	}
	if listed := fmt.Sprint(res.Skipped); !strings.Contains(listed, "comments") {
		t.Errorf("listed %s", listed)
	}
	if r := importertest.ByKey(t, readSource(t, GitBug(), shown), "a1b2"); r.Body != "It crashes." {
		t.Errorf("what is shown: %+v", r)
	}
}

func TestTaskmaster(t *testing.T) {
	const tasks = `{"tasks":[
		{"id":1,"title":"Set up","description":"The frame","status":"done","priority":"high","dependencies":[],"subtasks":[
			{"id":1,"title":"First part","status":"done"},{"id":2,"title":"Second part","status":"pending","dependencies":[1]}]},
		{"id":2,"title":"Build","status":"in-progress","dependencies":[1,9]},
		{"id":3,"title":"Later","status":"deferred","dependencies":["1.2"]},
		{"id":4,"title":"Odd","status":"lost"}]}`
	want := map[string]records.State{"1": records.Done, "1.1": records.Done, "1.2": records.Todo, "2": records.InProgress, "3": records.Todo}
	res := readSource(t, Taskmaster(), tasks)
	wantStates(t, res, want)
	id := func(key string) records.ID { return importertest.ByKey(t, res, key).ID }
	for key, dep := range map[string]string{"2": "1", "1.2": "1.1", "3": "1.2"} {
		if got := importertest.ByKey(t, res, key).Links[records.DependsOn]; len(got) != 1 || got[0] != id(dep) {
			t.Errorf("%s depends on %v, want %s", key, got, dep)
		}
	}
	if got := importertest.ByKey(t, res, "1.2").Links[records.PartOf]; len(got) != 1 || got[0] != id("1") {
		t.Errorf("the part is part of %v", got)
	}
	listed := fmt.Sprint(res.Skipped)
	if !strings.Contains(listed, "2: depends on 9") || !strings.Contains(listed, "status 'lost'") {
		t.Errorf("listed %s", listed)
	}
	tagged := readSource(t, Taskmaster(), `{"master":`+tasks+`}`)
	if len(tagged.Records) != len(want) || importertest.ByKey(t, tagged, "master/1.2").State() != records.Todo {
		t.Errorf("with tags: %d records", len(tagged.Records))
	}
}

// What is no such file at all is refused.
func TestOtherFilesAreRefused(t *testing.T) {
	for _, s := range []importer.Source{GitHub(), GitBug(), Taskmaster()} {
		for _, text := range []string{"not json", `["x"]`} {
			if res, err := s.File(strings.NewReader(text)); err == nil {
				t.Errorf("%s takes %s: %d records", s.Name, text, len(res.Records))
			}
		}
	}
}
