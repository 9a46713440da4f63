package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// audited is a reading with a finding of every shape, and those findings.
func audited() (*reading, []audit.Finding) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	dec := &records.Record{
		ID: "dec-0123456789", Kind: records.Decision, Title: "Use a cache", Verdict: &records.Verdict{State: records.Accepted, Actor: records.Human},
		Anchors: []records.Anchor{{Path: "cache/a b,c:d.go", Lines: "4-8"}, {Path: "cache/lru.go"}},
	}
	dec.Verdict.Of = dec.Digest()
	task := &records.Record{ID: "task-0123456789", Kind: records.Task, Title: "100%\nsure", Verdict: &records.Verdict{State: records.Done, Actor: records.Human}}
	policy := &records.Policy{}
	policy.Suppress(records.Suppression{Rule: "done-without-conclusion", Record: task.ID, Reason: "known <here>", By: "Ada Example", Actor: records.Human, At: at})
	view := records.NewSet([]*records.Record{dec, task}, nil)
	judge := records.EvalContext{Review: records.ReviewHuman, ValidAt: at}
	found := audit.Run(audit.Input{
		View: view, Eval: judge, Policy: policy, Now: at,
		LeftBehind: []audit.LeftBehind{{Branch: "fix", Commits: 1, Code: "gone", Command: "git ctx merge fix"}},
		LostSides:  []audit.LostSide{{Merge: "0123456789abcdef", Record: task.ID, Field: "tags", Value: "x"}},
	})
	return &reading{&query.Reading{View: &ledger.View{View: view, Commit: "c0ffee", Branch: "main"}, Eval: judge}}, found
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIFIsValid(t *testing.T) {
	schema := sarifSchema(t)
	rd, found := audited()
	var out bytes.Buffer
	if err := (&Env{Stdout: &out}).writeSARIF(rd, report{audit.Rules(), rulesPage, found, anchorsOf(rd)}); err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(doc)
	}
	if err := validate(out.String()); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if validate(strings.Replace(out.String(), `"level": "error"`, `"level": "info"`, 1)) == nil {
		t.Error("the schema takes a level that SARIF does not have")
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != len(found) {
		t.Fatalf("%d results for %d findings", len(run.Results), len(found))
	}
	for i, r := range run.Results {
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.Rule || !strings.HasSuffix(rule.HelpURI, "docs/rules.md#"+r.Rule) {
			t.Errorf("result %d is of %s and points to %+v", i, r.Rule, rule)
		}
		if (len(r.Suppressions) > 0) != (found[i].Suppressed != nil) {
			t.Errorf("result %d: suppressions %v", i, r.Suppressions)
		}
	}
	i := slices.IndexFunc(found, func(f audit.Finding) bool { return f.Rule == "decision-without-basis" })
	related := run.Results[i].Related
	if len(related) != 2 || related[0].Physical.Artifact.URI != "cache/a%20b%2Cc%3Ad.go" || *related[0].Physical.Region != (sarifRegion{4, 8}) || related[1].Physical.Region != nil {
		t.Errorf("anchors became %+v", related)
	}
	if at := run.Results[i].Locations[0].Physical.Artifact; at.URI != records.IDPath("dec-0123456789") || at.Base != storeBase {
		t.Errorf("the record became %+v", at)
	}
}

func TestAnnotations(t *testing.T) {
	rd, found := audited()
	var out bytes.Buffer
	if err := (&Env{Stdout: &out}).writeAnnotations(report{audit.Rules(), rulesPage, found, anchorsOf(rd)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"::error title=lost-side::merge 0123456789 lost a value of tags of task-0123456789%0A",
		"::warning file=cache/a b%2Cc%3Ad.go,line=4,endLine=8,title=decision-without-basis::dec-0123456789 ",
		"::warning title=task-without-goal::task-0123456789 \"100%25\\nsure\"",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != len(found)-1 || strings.Contains(out.String(), "done-without-conclusion") {
		t.Errorf("%d lines for %d findings, one of them suppressed:\n%s", n, len(found), &out)
	}
}

func TestJUnit(t *testing.T) {
	_, found := audited()
	var out bytes.Buffer
	if err := (&Env{Stdout: &out}).writeJUnit(report{rules: audit.Rules(), found: found}, records.Error); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	suites := make(map[string]junitSuite)
	for _, s := range got.Suites {
		suites[s.Name] = s
	}
	for rule, want := range map[string][3]int{"lost-side": {1, 1, 0}, "done-without-conclusion": {1, 0, 1}, "decision-without-basis": {1, 0, 0}, "rests-on-dead": {1, 0, 0}} {
		if s := suites[rule]; [3]int{s.Tests, s.Failures, s.Skipped} != want || len(s.Cases) != s.Tests {
			t.Errorf("%s: %+v, want %v", rule, s, want)
		}
	}
	if why := suites["done-without-conclusion"].Cases[0].Skipped; why == nil || why.Message != "known <here>" {
		t.Errorf("skipped for %+v", why)
	}
}
