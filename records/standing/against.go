package standing

import (
	"iter"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// contradicting yields the claims linked with r as contradicting it, either way.
func (e *Evaluator) contradicting(r *records.Record) iter.Seq[*records.Record] {
	ids := append(slices.Clone(r.Links[records.Contradicts]), e.view.Backlinks(r.ID, records.Contradicts)...)
	return e.others(r, sorted(ids, r.ID), func(o *records.Record) bool { return claims(r.Kind) && claims(o.Kind) })
}

// rivals yields the accepted decisions on r's question whose paths overlap its.
func (e *Evaluator) rivals(r *records.Record) iter.Seq[*records.Record] {
	key := records.QuestionKey(r.Question)
	if r.Kind != records.Decision || key == "" {
		return func(func(*records.Record) bool) {}
	}
	return e.others(r, e.view.OnQuestion(key), func(o *records.Record) bool {
		return o.State() == records.Accepted && overlap(r.Paths, o.Paths)
	})
}

// refuting yields the evidence against r.
func (e *Evaluator) refuting(r *records.Record) iter.Seq[*records.Record] {
	return e.others(r, e.view.Backlinks(r.ID, records.Refutes), func(o *records.Record) bool { return o.Kind == records.Evidence })
}

// ruledOutText yields the records of r's text that were ruled out, unless r says
// why it comes again.
func (e *Evaluator) ruledOutText(r *records.Record) iter.Seq[*records.Record] {
	key := ""
	if r.Kind.Claims() {
		key = records.Normalize(r.Title)
	}
	if key == "" {
		return func(func(*records.Record) bool) {}
	}
	var ids []records.ID
	for _, k := range r.Kind.SameTextKinds() {
		ids = append(ids, e.view.Titled(k, key)...)
	}
	return e.others(r, ids, func(o *records.Record) bool {
		return e.node(o.ID).class.Class == records.RuledOut && !slices.Contains(r.Links[records.Reopens], o.ID) && !importedApart(r, o)
	})
}

// importedApart reports whether two records of one text are two items of one source.
func importedApart(a, b *records.Record) bool {
	return a.Origin != nil && b.Origin != nil && a.Origin.System == b.Origin.System && a.Origin.Key != b.Origin.Key
}

// others yields those of the records but r that are wanted.
func (e *Evaluator) others(r *records.Record, ids []records.ID, want func(*records.Record) bool) iter.Seq[*records.Record] {
	return func(yield func(*records.Record) bool) {
		for _, id := range ids {
			if o, ok := e.view.Record(id); ok && id != r.ID && want(o) && !yield(o) {
				return
			}
		}
	}
}

// overlap reports whether a file may exist that two sets of globs both match; an
// empty set is all files. It errs to yes.
func overlap(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for _, x := range a {
		for _, y := range b {
			if globsMeet(strings.Split(x, "/"), strings.Split(y, "/")) {
				return true
			}
		}
	}
	return false
}

func globsMeet(a, b []string) bool {
	switch {
	case len(a) > 0 && a[0] == "**":
		return globsMeet(a[1:], b) || len(b) > 0 && globsMeet(a, b[1:])
	case len(b) > 0 && b[0] == "**":
		return globsMeet(b, a)
	case len(a) == 0 || len(b) == 0:
		return len(a) == len(b)
	}
	return segmentsMeet(a[0], b[0]) && globsMeet(a[1:], b[1:])
}

// segmentsMeet compares what stands before the first special character of two
// parts of a path, and whole parts that have none.
func segmentsMeet(a, b string) bool {
	const special = `*?[{\`
	i, j := strings.IndexAny(a, special), strings.IndexAny(b, special)
	switch {
	case i < 0 && j < 0:
		return a == b
	case i < 0:
		return strings.HasPrefix(a, b[:j])
	case j < 0:
		return strings.HasPrefix(b, a[:i])
	}
	return strings.HasPrefix(a[:i], b[:j]) || strings.HasPrefix(b[:j], a[:i])
}
