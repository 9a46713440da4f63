package records

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
)

func byFieldName(a, b Field) int { return cmp.Compare(a.Name, b.Name) }

// putExtra writes unknown keys in their order by name.
func putExtra(e sink, extra []Field) {
	if !slices.IsSortedFunc(extra, byFieldName) {
		extra = slices.SortedStableFunc(slices.Values(extra), byFieldName)
	}
	for _, f := range extra {
		e.key(f.Name)
		putValue(e, f.Value)
	}
}

func (r *Record) putLinks(e sink) {
	open := false
	put := func(rel Relation, ids []ID) {
		if !open {
			e.key("links")
			e.openMap()
			open = true
		}
		putSet(e, string(rel), ids)
	}
	left := 0
	for _, ids := range r.Links {
		if len(ids) > 0 {
			left++
		}
	}
	if left == 0 {
		return
	}
	for i := 0; i < len(relationRules) && left > 0; i++ {
		rule := &relationRules[i]
		if !rule.carriedBy(r.Kind) {
			continue
		}
		if ids := r.Links[rule.rel]; len(ids) > 0 {
			put(rule.rel, ids)
			left--
		}
	}
	if left > 0 { // relations the kind does not carry: kept, for the decoder to refuse
		legal := Relations(r.Kind)
		for _, rel := range slices.Sorted(maps.Keys(r.Links)) {
			if ids := r.Links[rel]; len(ids) > 0 && !slices.Contains(legal, rel) {
				put(rel, ids)
			}
		}
	}
	e.closeMap()
}

func putFraction(e sink, name string, f *Fraction) {
	if f != nil {
		e.key(name)
		e.plain(FloatValue, f.String())
	}
}

func putTruth(e sink, name string, b bool) {
	if b {
		e.key(name)
		e.plain(BooleanValue, "true")
	}
}

func putInstant(e sink, name string, t time.Time) {
	if !t.IsZero() {
		e.key(name)
		e.plain(InstantValue, FormatInstant(t))
	}
}

// putNodes writes a multiset of values in canonical order.
func putValues(e sink, name string, ns []*Value) {
	if len(ns) == 0 {
		return
	}
	e.key(name)
	e.openSeq()
	for _, n := range sortedValues(ns) {
		putValue(e, n)
	}
	e.closeSeq()
}

// putConflicts writes the conflicts by field.
func putConflicts(e sink, name string, cs []Conflict) {
	if len(cs) == 0 {
		return
	}
	e.key(name)
	e.openSeq()
	for _, c := range slices.SortedStableFunc(slices.Values(cs), func(a, b Conflict) int {
		return cmp.Compare(a.Field, b.Field)
	}) {
		e.openMap()
		putText(e, "field", c.Field)
		putValues(e, "bases", c.Bases)
		putValues(e, "sides", c.Sides)
		e.closeMap()
	}
	e.closeSeq()
}

func putPriority(e sink, name string, p *int) {
	if p != nil {
		putInteger(e, name, int64(*p))
	}
}

func putInteger(e sink, name string, n int64) {
	e.key(name)
	e.plain(IntegerValue, strconv.FormatInt(n, 10))
}

// putPointer makes what writes a mapping, unless it is absent.
func putPointer[T any](parts []part[T]) func(sink, string, *T) {
	return func(e sink, name string, v *T) {
		if v != nil {
			e.key(name)
			putParts(e, v, parts)
		}
	}
}

// putSet writes a set of texts, unless it is empty.
func putSet[S ~string](e sink, name string, ss []S) { putTexts(e, name, sortedSet(ss)) }

// putList makes what writes a list in its order.
func putList[T any](put func(sink, *T)) func(sink, string, []T) {
	return func(e sink, name string, vs []T) { putEach(e, name, vs, put) }
}

// putSorted makes what writes a set.
func putSorted[T any](put func(sink, *T)) func(sink, string, []T) {
	return func(e sink, name string, vs []T) { putEach(e, name, sortedBy(vs, put), put) }
}

func putEach[T any](e sink, name string, vs []T, put func(sink, *T)) {
	if len(vs) == 0 {
		return
	}
	e.key(name)
	e.openSeq()
	for i := range vs {
		put(e, &vs[i])
	}
	e.closeSeq()
}

// sortedSet returns the set in Unicode form C, sorted and without repetition:
// ss itself when it is so already.
func sortedSet[S ~string](ss []S) []S {
	canonical := true
	for i, s := range ss {
		if string(s) != nfc(string(s)) || i > 0 && ss[i-1] >= s {
			canonical = false
			break
		}
	}
	if canonical {
		return ss
	}
	out := make([]S, len(ss))
	for i, s := range ss {
		out[i] = S(nfc(string(s)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sortedBy returns the set sorted by the canonical form of its members and
// without repetition: vs itself when it has fewer than two.
func sortedBy[T any](vs []T, put func(sink, *T)) []T {
	if len(vs) < 2 {
		return vs
	}
	type keyed struct {
		key string
		v   T
	}
	ks := make([]keyed, len(vs))
	for i := range vs {
		ks[i] = keyed{formatted(func(e sink) { put(e, &vs[i]) }), vs[i]}
	}
	slices.SortStableFunc(ks, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	ks = slices.CompactFunc(ks, func(a, b keyed) bool { return a.key == b.key })
	out := make([]T, len(ks))
	for i, k := range ks {
		out[i] = k.v
	}
	return out
}

// sortedNodes returns the values in the order of their canonical texts, which
// keeps repetitions.
func sortedValues(ns []*Value) []*Value {
	return slices.SortedStableFunc(slices.Values(ns), func(a, b *Value) int {
		return cmp.Compare(FormatValue(a), FormatValue(b))
	})
}
