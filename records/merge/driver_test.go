package merge_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

func TestFileWritesWhatRecordsMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMaker(t)
		base := m.record()
		ours, theirs := m.edit(base), m.edit(base)
		want, _ := mergeOf(t, one(base), ours, theirs)
		path := records.IDPath(base.ID)
		got, _, err := merge.File(path, []byte(bytesOf(t, base)), []byte(bytesOf(t, ours)), []byte(bytesOf(t, theirs)))
		if err != nil || string(got) != bytesOf(t, want) {
			t.Fatalf("%v\n%s\n--- want\n%s", err, got, bytesOf(t, want))
		}
		crlf := func(r *records.Record) []byte { return []byte(strings.ReplaceAll(bytesOf(t, r), "\n", "\r\n")) }
		again, _, err := merge.File(path, crlf(base), crlf(ours), []byte(bytesOf(t, theirs)))
		if err != nil || string(again) != string(got) {
			t.Fatalf("CRLF changes the merge (%v):\n%s\n--- want\n%s", err, again, got)
		}
	})
}

func TestFile(t *testing.T) {
	base := record(records.Hypothesis)
	path := records.IDPath(base.ID)
	ours := []byte(bytesOf(t, with(base, func(r *records.Record) { r.Title = "Ours" })))
	theirs := []byte(bytesOf(t, with(base, func(r *records.Record) { r.Title = "Theirs" })))
	other := []byte(bytesOf(t, with(base, func(r *records.Record) { r.ID = "hyp-0000000000" })))
	broken := []byte("<<<<<<< ours\n" + string(ours))
	const policy = "format: 1\nreview: "
	for _, c := range []struct {
		name, path         string
		base, ours, theirs []byte
		conflicts          int
		want               string // in the result, or in the error
		err, id            bool
	}{
		{name: "clash", path: path, base: []byte(bytesOf(t, base)), ours: ours, theirs: theirs, conflicts: 1, want: "bases:"},
		{name: "added on both sides", path: path, ours: ours, theirs: theirs, conflicts: 1, want: "- Theirs"},
		{name: "broken base", path: path, base: broken, ours: ours, theirs: theirs, conflicts: 1, want: "- Theirs"},
		{name: "base of a renamed record", path: path, base: other, ours: ours, theirs: theirs, conflicts: 1, want: "- Theirs"},
		{name: "our side broken", path: path, ours: broken, theirs: theirs, err: true, want: "our side"},
		{name: "their side broken", path: path, ours: ours, theirs: broken, err: true, want: "their side"},
		{name: "their side empty", path: path, ours: ours, theirs: nil, err: true, want: "their side"},
		{name: "another record", path: path, ours: ours, theirs: other, err: true, id: true, want: "different records"},
		{name: "no record's path", path: "notes.ctx.yaml", ours: ours, theirs: theirs, err: true, want: "not the path"},
		{name: "policy", path: "ctx.yaml", base: []byte(policy + "human\n"), ours: []byte(policy + "any\n"), theirs: []byte(policy + "signed\n"), want: "signed"},
		{name: "broken policy", path: "ctx.yaml", ours: []byte(policy + "any\n"), theirs: []byte("x"), err: true, want: "their side"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, rep, err := merge.File(c.path, c.base, c.ours, c.theirs)
			text := string(got)
			var ids *merge.IDError
			if c.err {
				if err == nil {
					t.Fatalf("merged:\n%s", got)
				}
				text = err.Error()
			} else if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, c.want) || len(rep.Conflicts) != c.conflicts || errors.As(err, &ids) != c.id {
				t.Errorf("conflicts %v, want %q in\n%s", rep.Conflicts, c.want, text)
			}
		})
	}
	if merge.Covers("notes.ctx.yaml") || !merge.Covers(path) || !merge.Covers("ctx.yaml") {
		t.Error("covers the wrong files")
	}
}
