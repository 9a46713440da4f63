package cli

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/git-ctx/git-ctx/internal/importer"
)

func TestNoteSkippedGroups(t *testing.T) {
	var skipped []importer.Skip
	for i := range 5 {
		skipped = append(skipped, importer.Skip{Item: fmt.Sprintf("a-%d: blocks b-%d", i, i), Reason: "leads to no issue of this file"})
	}
	skipped = append(skipped,
		importer.Skip{Item: "a-9: date", Reason: "missing", Note: true}, importer.Skip{Item: "field 'x'", Reason: "on 2 items: not mapped"})
	var talk bytes.Buffer
	env := &Env{Stderr: &talk}
	env.noteSkipped(skipped, false)
	want := "skipped 5 items: blocks: leads to no issue of this file (a-0, a-1, a-2 and 2 more)\n" +
		"note on a-9: date: missing\nskipped field 'x': on 2 items: not mapped\nhint: --verbose lists all of them\n"
	if talk.String() != want {
		t.Errorf("grouped:\n%s\nwant:\n%s", talk.String(), want)
	}
	talk.Reset()
	env.noteSkipped(skipped, true)
	if got := bytes.Count(talk.Bytes(), []byte("\n")); got != len(skipped) {
		t.Errorf("--verbose lists %d of %d:\n%s", got, len(skipped), talk.String())
	}
}
