package packet

import (
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// The packet says of an imported decision what was decided; of what a person wrote here, all.
func TestStatement(t *testing.T) {
	origin := &records.Origin{System: "adr", Key: "adr/0001.md"}
	for name, c := range map[string]struct {
		r    records.Record
		want string
	}{
		"claim and context": {records.Record{Kind: records.Decision, Origin: origin, Body: "We cache.\n\nReads only.\n\n## Context\n\nIt is slow."}, "We cache.\n\nReads only."},
		"context alone":     {records.Record{Kind: records.Decision, Origin: origin, Body: "## Context\n\nIt is slow."}, ""},
		"claim alone":       {records.Record{Kind: records.Decision, Origin: origin, Body: "We cache."}, "We cache."},
		"written here":      {records.Record{Kind: records.Decision, Body: "We cache.\n\n## Why\n\nIt is slow."}, "We cache.\n\n## Why\n\nIt is slow."},
		"imported task":     {records.Record{Kind: records.Task, Origin: origin, Body: "Do it.\n\n## Notes\n\nSoon."}, "Do it.\n\n## Notes\n\nSoon."},
	} {
		if got := statement(&c.r).Body; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
