package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

const (
	digestA = "aaaaaaaaaaaa"
	digestB = "bbbbbbbbbbbb"
)

var ids = map[records.Kind]records.ID{
	records.Goal: "goal-7k3m9q2x4w", records.Task: "task-7k3m9q2x4w", records.Hypothesis: "hyp-7k3m9q2x4w",
	records.Evidence: "ev-7k3m9q2x4w", records.Decision: "dec-7k3m9q2x4w", records.Conclusion: "con-7k3m9q2x4w",
	records.Runbook: "rb-7k3m9q2x4w", records.Trigger: "trg-7k3m9q2x4w",
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// bundle makes a verdict whose nonce, like every nonce, belongs to one write.
func bundle(state records.State, of, nonce string) records.Verdict {
	return records.Verdict{State: state, Of: of, Actor: records.Human, By: "Ada Example", At: noon, N: nonce}
}

// record makes a small valid record in its birth state.
func record(kind records.Kind) *records.Record {
	v := bundle(kind.Schema().Birth(), digestA, "aaaaaa")
	return &records.Record{
		ID: ids[kind], Kind: kind, Title: "Cache stampedes cause the spikes", Verdict: &v,
		Created: records.Created{By: "Ada Example", Actor: records.Human, At: noon},
	}
}

// with returns a changed copy.
func with(r *records.Record, change func(*records.Record)) *records.Record {
	c := r.Clone()
	change(c)
	return c
}

func judged(r *records.Record, v records.Verdict, also ...records.Verdict) *records.Record {
	return with(r, func(r *records.Record) { r.Verdict, r.Also = &v, also })
}

func text(s string) *records.Value {
	return records.NewText(s)
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func bytesOf(t fataler, r *records.Record) string {
	t.Helper()
	if r == nil {
		return "absent"
	}
	b, err := records.Format(r)
	if err != nil {
		t.Fatalf("format: %v\n%+v", err, r)
	}
	return string(b)
}

// mergeOf merges and checks what every merge owes: no error, and the same bytes
// and report with the sides exchanged.
func mergeOf(t fataler, bases []*records.Record, ours, theirs *records.Record) (*records.Record, merge.Report) {
	t.Helper()
	r, rep, err := merge.Records(bases, ours, theirs)
	if err != nil {
		t.Fatalf("merge: %v", err)
	}
	back, repBack, err := merge.Records(reversed(bases), theirs, ours)
	if err != nil {
		t.Fatalf("merge exchanged: %v", err)
	}
	if a, b := bytesOf(t, r), bytesOf(t, back); a != b {
		t.Fatalf("the result depends on side order:\n%s\n--- exchanged\n%s", a, b)
	}
	if a, b := fmt.Sprint(rep), fmt.Sprint(repBack); a != b {
		t.Fatalf("the report depends on side order: %s, exchanged %s", a, b)
	}
	return r, rep
}

func reversed[T any](s []T) []T {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

func one(r *records.Record) []*records.Record { return []*records.Record{r} }

func mustEqual(t fataler, got, want *records.Record, law string) {
	t.Helper()
	if g, w := bytesOf(t, got), bytesOf(t, want); g != w {
		t.Fatalf("%s:\n%s\n--- want\n%s", law, g, w)
	}
}

// A maker draws records whose fields come from small pools, so that sides often
// agree, overlap and clash.
type maker struct {
	t      *rapid.T
	kind   records.Kind
	writes []string // from which verdicts are drawn: another pool makes other bundles
}

func newMaker(t *rapid.T) *maker {
	kinds := []records.Kind{
		records.Hypothesis, records.Task, records.Decision, records.Runbook,
		records.Goal, records.Evidence, records.Conclusion, records.Trigger,
	}
	return &maker{t: t, kind: rapid.SampledFrom(kinds).Draw(t, "kind"), writes: []string{"0", "1", "2"}}
}

func draw[T any](m *maker, what string, from ...T) T {
	return rapid.SampledFrom(from).Draw(m.t, what)
}

func (m *maker) verdict(what string) records.Verdict {
	v := bundle(draw(m, what+" state", m.kind.Schema().States...), draw(m, what+" of", digestA, digestA, digestB), "")
	// one write, one bundle: the nonce follows from the rest
	n := draw(m, what+" write", m.writes...)
	if n == m.writes[len(m.writes)-1] && m.kind.Schema().Open(v.State) {
		v.Asks = m.kind.Schema().States[len(m.kind.Schema().States)-1]
	}
	v.N = strings.Repeat(n, 5) + string("0123456789"[slices.Index(m.kind.Schema().States, v.State)])
	return v
}

// join puts beside the verdict another that agrees, as a merge does: it has v's
// write, and what makes the two agree.
func (m *maker) join(r *records.Record, v records.Verdict) {
	v.State, v.Of = r.Verdict.State, r.Verdict.Of
	v.N = v.N[:5] + string("0123456789"[slices.Index(m.kind.Schema().States, v.State)])
	if !m.kind.Schema().Open(v.State) {
		v.Asks = ""
	}
	joined, _ := mergeOf(m.t, nil, r, judged(r, v))
	r.Verdict, r.Also = joined.Verdict, joined.Also
}

func (m *maker) body() string {
	var ls []string
	for range rapid.IntRange(0, 6).Draw(m.t, "lines") {
		ls = append(ls, draw(m, "line", "warm the cache", "measure p99", "compare", ""))
	}
	return strings.Join(ls, "\n")
}

func (m *maker) subset(what string, from ...string) []string {
	var out []string
	for _, s := range from {
		if rapid.Bool().Draw(m.t, what+" "+s) {
			out = append(out, s)
		}
	}
	return out
}

// change draws a new value for one field.
func (m *maker) change(r *records.Record, field string) {
	switch field {
	case "title":
		r.Title = draw(m, field, "One", "Two", "Three")
	case "body":
		r.Body = m.body()
	case "verdict":
		v := m.verdict(field)
		if r.Verdict != nil && rapid.Bool().Draw(m.t, "joins") {
			m.join(r, v)
			break
		}
		r.Verdict, r.Also = &v, nil
		r.Conflicts = slices.DeleteFunc(r.Conflicts, func(c records.Conflict) bool { return c.Field == field })
	case "tags":
		r.Tags = m.subset(field, "api", "cache", "latency", "slow")
	case "paths":
		r.Paths = m.subset(field, "cmd/**", "internal/**")
	case "links":
		r.Links = map[records.Relation][]records.ID{}
		for _, rel := range []records.Relation{records.RelatesTo, records.Duplicates} {
			for _, id := range m.subset(string(rel), "hyp-2222222222", "ev-3333333333", "dec-4444444444") {
				r.Links[rel] = append(r.Links[rel], records.ID(id))
			}
		}
	case "anchors":
		r.Anchors = nil
		for _, p := range m.subset(field, "a.go", "b.go") {
			r.Anchors = append(r.Anchors, records.Anchor{Path: p, Lines: draw(m, "lines", "1-2", "3-4")})
		}
	case "valid":
		r.Valid = draw(m, field, records.Validity{}, records.Validity{From: noon}, records.Validity{Until: noon})
	case "unknown":
		r.Extra = nil
		if v := draw(m, field, "", "one", "two"); v != "" {
			r.Extra = []records.Field{{Name: "x-team", Value: text(v)}}
		}
	default:
		m.changeOfKind(r, field)
	}
}

func (m *maker) changeOfKind(r *records.Record, field string) {
	switch field {
	case "confidence":
		f := draw(m, field, records.Fraction(10), records.Fraction(70))
		r.Confidence = draw(m, "some", nil, &f)
	case "priority":
		p := rapid.IntRange(0, 3).Draw(m.t, field)
		r.Priority = draw(m, "some", nil, &p)
	case "options":
		r.Options = m.subset(field, "memcached", "redis", "none")
	case "preconditions":
		r.Preconditions = m.subset(field, "on call", "vpn")
	case "signals":
		r.Signals = m.subset(field, "p99 high", "5xx")
	case "steps":
		r.Steps = nil
		for _, id := range rapid.Permutation([]string{"a", "b", "c"}).Draw(m.t, "order") {
			if rapid.Bool().Draw(m.t, "step "+id) {
				r.Steps = append(r.Steps, records.Step{ID: id, Do: draw(m, "do", "drain", "restart")})
			}
		}
	case "text":
		r.Text = m.body()
	}
}

func (m *maker) fields() []string {
	fs := []string{"title", "body", "verdict", "tags", "paths", "links", "anchors", "valid", "unknown"}
	for _, f := range m.kind.Schema().Fields {
		switch f {
		case "confidence", "priority", "options", "preconditions", "signals", "steps", "text":
			fs = append(fs, f)
		}
	}
	return fs
}

func (m *maker) canonical(r *records.Record) *records.Record {
	c, err := records.FromFields("", r.Fields())
	if err != nil {
		m.t.Fatalf("generated record: %v", err)
	}
	return c
}

// record draws a record from nothing.
func (m *maker) record() *records.Record {
	r := record(m.kind)
	for _, f := range m.fields() {
		if rapid.Bool().Draw(m.t, "set "+f) {
			m.change(r, f)
		}
	}
	return m.canonical(r)
}

// edit draws a descendant that changed some fields.
func (m *maker) edit(r *records.Record) *records.Record {
	r = r.Clone()
	for _, f := range m.fields() {
		if r.Conflicts != nil && slices.ContainsFunc(r.Conflicts, func(c records.Conflict) bool { return c.Field == fieldName(f) }) {
			continue
		}
		if rapid.IntRange(0, 2).Draw(m.t, "edit "+f) == 0 {
			m.change(r, f)
		}
	}
	return m.canonical(r)
}

func fieldName(f string) string {
	if f == "unknown" {
		return "x-team"
	}
	return f
}

// disputed draws a descendant of r that a merge may have left with conflicts.
func (m *maker) disputed(r *records.Record) *records.Record {
	if rapid.Bool().Draw(m.t, "merged") {
		d, _ := mergeOf(m.t, one(r), m.edit(r), m.edit(r))
		return d
	}
	return m.edit(r)
}

var _ fataler = (*testing.T)(nil)
