package packet

import (
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// rec makes a record of the id's kind, judged by a human, in the given state.
// Edits come before the judgement, so that the verdict's digest fits.
func rec(id records.ID, state records.State, title string, edits ...func(*records.Record)) *records.Record {
	r := &records.Record{
		ID: id, Kind: id.Kind(), Title: title,
		Verdict: &records.Verdict{State: state, By: "Ada Example", Actor: records.Human, At: now.Add(-time.Hour), N: "aaaaaa"},
		Created: records.Created{By: "Ada Example", Actor: records.Human, At: now.Add(-time.Hour)},
	}
	for _, e := range edits {
		e(r)
	}
	if r.Verdict != nil && r.Verdict.Of == "" {
		r.Verdict.Of = r.Digest()
	}
	return r
}

func body(s string) func(*records.Record)   { return func(r *records.Record) { r.Body = s } }
func typ(s string) func(*records.Record)    { return func(r *records.Record) { r.Type = s } }
func reason(s string) func(*records.Record) { return func(r *records.Record) { r.Verdict.Reason = s } }
func paths(p ...string) func(*records.Record) {
	return func(r *records.Record) { r.Paths = p }
}
func signals(s ...string) func(*records.Record) {
	return func(r *records.Record) { r.Signals = s }
}
func priority(n int) func(*records.Record) { return func(r *records.Record) { r.Priority = &n } }

func link(rel records.Relation, to ...records.ID) func(*records.Record) {
	return func(r *records.Record) {
		if r.Links == nil {
			r.Links = map[records.Relation][]records.ID{}
		}
		r.Links[rel] = to
	}
}

func by(a records.Actor) func(*records.Record) {
	return func(r *records.Record) { r.Created.Actor, r.Verdict.Actor = a, a }
}

func request(purpose string) Request {
	return Request{
		Purpose: purpose, Eval: records.EvalContext{Review: records.ReviewHuman, ValidAt: now},
		Commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", Context: "main", Default: "main", StoreTime: now,
	}
}

func build(t testing.TB, req Request, rs ...*records.Record) *Packet {
	t.Helper()
	return buildView(t, req, records.NewSet(rs, nil))
}

func buildView(t testing.TB, req Request, v records.View) *Packet {
	t.Helper()
	p, err := Build(v, req)
	if err != nil {
		t.Fatal(err)
	}
	checkLimits(t, req, p)
	return p
}

// checkLimits measures the text anew.
func checkLimits(t testing.TB, req Request, p *Packet) {
	t.Helper()
	n := measure(p.Markdown())
	budget, chars := req.Budget, req.MaxChars
	if budget == 0 {
		budget = DefaultBudget
	}
	if chars == 0 {
		chars = DefaultMaxChars
	}
	if n != (size{p.Tokens, p.Chars}) || n.tokens > budget || n.chars > chars {
		t.Fatalf("text measures %+v, packet says %d tokens and %d chars, limits are %d and %d", n, p.Tokens, p.Chars, budget, chars)
	}
}

// where returns the section that holds the record, "" when none does.
func where(t testing.TB, p *Packet, id records.ID) string {
	t.Helper()
	found := ""
	for _, s := range p.Sections {
		for _, it := range s.Items {
			if it.ID != id {
				continue
			}
			if found != "" {
				t.Fatalf("%s stands in %s and in %s", id, found, s.Name)
			}
			found = s.Name
		}
	}
	return found
}

func item(t testing.TB, p *Packet, id records.ID) Item {
	t.Helper()
	for _, s := range p.Sections {
		for _, it := range s.Items {
			if it.ID == id {
				return it
			}
		}
	}
	t.Fatalf("no item %s in\n%s", id, p.Markdown())
	return Item{}
}

// section returns the text under a section's heading.
func section(p *Packet, heading string) string {
	_, rest, ok := strings.Cut(p.Markdown(), "\n## "+heading)
	if !ok {
		return ""
	}
	end := strings.Index(rest, "\n## ")
	if e := strings.Index(rest, "\n---\n"); end < 0 || e >= 0 && e < end {
		end = e
	}
	return rest[:end]
}
