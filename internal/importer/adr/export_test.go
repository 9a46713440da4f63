package adr

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

// native returns a decision that was made here, in the given state.
func native(n byte, title string, state records.State) *records.Record {
	at := time.Date(2026, 3, 1, 12, int(n), 0, 0, time.UTC)
	r := &records.Record{
		ID:       records.NewID(records.Decision, []byte{n}),
		Kind:     records.Decision,
		Title:    title,
		Body:     "Because it is so.",
		Question: "Which cache do we use?",
		Options:  []string{"Write-through", "None"},
		Verdict:  &records.Verdict{State: state, Reason: "It never lies.", By: "Ada Example", Actor: records.Human, At: at},
		Created:  records.Created{By: "Ada Example", Actor: records.Human, At: at},
	}
	importer.Seal(r)
	return r
}

func TestFormatADRNative(t *testing.T) {
	files := exported(t, []*records.Record{native(1, "Use a write-through cache: now!", records.Accepted)}, records.ReviewHuman)
	want := `---
status: accepted
date: 2026-03-01
decision-makers: Ada Example
---
# Use a write-through cache: now!

## Context and Problem Statement

Which cache do we use?

Because it is so.

## Considered Options

* Write-through
* None

## Decision Outcome

Chosen: "Use a write-through cache: now!".

It never lies.
`
	if got := files["0001-use-a-write-through-cache-now.md"]; got != want {
		t.Errorf("got %v:\n%s", slices.Sorted(maps.Keys(files)), got)
	}
	back := importFolder(t, folder(files)).Records[0]
	if back.State() != records.Accepted || back.Question != "Which cache do we use?" ||
		!slices.Equal(back.Options, []string{"Write-through", "None"}) || back.Title != "Use a write-through cache: now!" {
		t.Errorf("came back as %+v", back)
	}
}

// The exported status is what may be asserted, not what some record once said.
func TestFormatADRStatus(t *testing.T) {
	const name = "0001-a.md"
	next := native(9, "B", records.Accepted)
	next.Question = ""
	importer.Seal(next)
	tests := []struct {
		name   string
		review records.Review
		change func(r *records.Record)
		want   string
	}{
		{"as accepted", records.ReviewHuman, func(*records.Record) {}, "accepted"},
		{"unreviewed", records.ReviewHuman, func(r *records.Record) { r.Verdict.Actor = importer.Actor }, "proposed"},
		{"an agent's where agents may", records.ReviewAny, func(r *records.Record) { r.Verdict.Actor = importer.Actor }, "accepted"},
		{"changed since", records.ReviewHuman, func(r *records.Record) { r.Body = "Other." }, "proposed"},
		{"expired", records.ReviewHuman, func(r *records.Record) {
			r.Valid.Until = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
			importer.Seal(r)
		}, "deprecated"},
		{"rejected", records.ReviewHuman, func(r *records.Record) { r.Verdict.State = records.Rejected }, "rejected"},
		{"proposed", records.ReviewHuman, func(r *records.Record) { r.Verdict.State = records.Proposed }, "proposed"},
		{"superseded", records.ReviewHuman, func(r *records.Record) {
			r.Verdict.State, r.Verdict.SupersededBy = records.Superseded, next.ID
		}, "superseded by [ADR-0002](0002-b.md)"},
		{"in conflict", records.ReviewHuman, func(r *records.Record) {
			r.Verdict = nil
			r.Conflicts = []records.Conflict{{Field: "verdict"}}
		}, "proposed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := native(1, "A", records.Accepted)
			tt.change(r)
			got := exported(t, []*records.Record{r, next}, tt.review)[name]
			if !strings.HasPrefix(got, "---\nstatus: "+tt.want+"\n") && !strings.HasPrefix(got, "---\nstatus: '"+tt.want+"'\n") {
				t.Errorf("want status %s, got:\n%s", tt.want, got)
			}
		})
	}
	forgotten := native(1, "A", records.Accepted)
	forgotten.Tombstone = &records.Tombstone{}
	if files := exported(t, []*records.Record{forgotten, next}, records.ReviewAny); len(files) != 1 || files["0001-b.md"] == "" {
		t.Errorf("with a forgotten one: %v", slices.Sorted(maps.Keys(files)))
	}
}

func TestADRNames(t *testing.T) {
	imported := func(n byte, key string) *records.Record {
		r := native(n, "Imported", records.Accepted)
		r.Origin = &records.Origin{System: System, Key: key}
		return r
	}
	ds := []*records.Record{
		native(5, "Later", records.Accepted), native(4, "???", records.Accepted),
		imported(6, "0007-kept.md"), imported(7, "../../escape.md"), imported(8, "0007-KEPT.md"), imported(9, ".hidden.md"),
	}
	names := adrNames(ds)
	want := []string{"0009-later.md", "0008-" + string(ds[1].ID) + ".md", "0007-kept.md", "escape.md", "0010-imported.md", "0011-imported.md"}
	for i, r := range ds {
		if names[r.ID] != want[i] {
			t.Errorf("%d: got %s, want %s", i, names[r.ID], want[i])
		}
	}
}

func TestTitleLine(t *testing.T) {
	for title, want := range map[string]string{
		"Use C#":      "# Use C#",
		"Use #":       "# Use # #",
		"7. Heaven":   "# 7. 7. Heaven",
		"7. Heaven #": "# 7. 7. Heaven # #",
		"8. Heaven":   "# 8. Heaven",
	} {
		if got := titleLine(title, 7); got != want {
			t.Errorf("titleLine(%q) = %q, want %q", title, got, want)
		}
	}
}

// A question or options that the text would not give back stand in the front matter.
func TestFormatADRKeepsFields(t *testing.T) {
	for name, change := range map[string]func(r *records.Record){
		"no question mark":   func(r *records.Record) { r.Question = "The cache" },
		"two questions":      func(r *records.Record) { r.Body = "Why? Because." },
		"body with sections": func(r *records.Record) { r.Body = "## Context\n\nWhy?\n\n## Decision\n\nSo.\n" },
		"open code block":    func(r *records.Record) { r.Body = "## Context\n\n```\nno end\n" },
		"options in body":    func(r *records.Record) { r.Options, r.Body = nil, "## Decision\n\nx\n\n## Considered Options\n\n* a\n" },
		"own title":          func(r *records.Record) { r.Body = "# Other\n\n## Decision\n\nx\n" },
		"html":               func(r *records.Record) { r.Body = "<!-- open\n" },
	} {
		t.Run(name, func(t *testing.T) {
			r := native(1, "A", records.Accepted)
			change(r)
			importer.Seal(r)
			back := importFolder(t, folder(exported(t, []*records.Record{r}, records.ReviewAny))).Records
			if len(back) != 1 || back[0].Question != r.Question || !slices.Equal(back[0].Options, r.Options) || back[0].Title != "A" {
				t.Errorf("came back as %+v", back)
			}
		})
	}
}
