package merge

import (
	"github.com/git-ctx/git-ctx/records"
)

// The fields with rules of their own.
const (
	fieldVerdict   = "verdict"
	fieldAlso      = "also"
	fieldConflicts = "conflicts"
	fieldCreated   = "created"
	fieldOrigin    = "origin"
	fieldTombstone = "tombstone"
	fieldLinks     = "links"
)

// fields is a record as one sum a field. The verdict holds also, and conflicts
// stand in the field they are about.
type fields map[string]sum

func newFields(fs []records.Field, conflicts []records.Conflict) fields {
	out := make(fields, len(fs))
	var bundles []term
	for _, f := range fs {
		switch f.Name {
		case fieldConflicts:
		case fieldVerdict:
			bundles = append(bundles, newTerm(f.Value))
		case fieldAlso:
			for _, n := range f.Value.Items {
				bundles = append(bundles, newTerm(n))
			}
		default:
			out[f.Name] = settledSum(writtenTerm(f.Value))
		}
	}
	if len(bundles) > 0 {
		out[fieldVerdict] = sum{sides: newValues(bundles...)}
	}
	for _, c := range conflicts {
		s := sum{bases: termsOf(c.Bases), sides: termsOf(c.Sides)}
		if v, ok := out[c.Field]; ok { // only bad data holds a field and its conflict
			s.sides = s.sides.union(v.sides)
		}
		out[c.Field] = s
	}
	return out
}

func (fs fields) get(name string) sum {
	if s, ok := fs[name]; ok {
		return s
	}
	return absentSum()
}

// settled reports whether s holds one value: a verdict, bundles that agree.
func settled(field string, s sum) bool {
	if len(s.bases) > 0 {
		return false
	}
	if records.FormOf(field) == records.FormVerdict {
		return agree(s.sides)
	}
	return len(s.sides) == 1
}

// list returns the record's fields, conflicts among them.
func (fs fields) list(names []string) []records.Field {
	var out []records.Field
	var conflicts []*records.Value
	for _, name := range names {
		s := fs.get(name)
		switch {
		case !settled(name, s):
			conflicts = append(conflicts, conflictValue(name, s))
		case s.sides[0].absent():
		default:
			out = append(out, records.Field{Name: name, Value: s.sides[0].value})
			if len(s.sides) > 1 {
				out = append(out, records.Field{Name: fieldAlso, Value: listOf(s.sides[1:].list())})
			}
		}
	}
	if len(conflicts) > 0 {
		out = append(out, records.Field{Name: fieldConflicts, Value: listOf(conflicts)})
	}
	return out
}

func conflictValue(field string, s sum) *records.Value {
	pairs := []*records.Value{records.NewText("field"), records.NewText(field)}
	if len(s.bases) > 0 {
		pairs = append(pairs, records.NewText("bases"), listOf(s.bases.list()))
	}
	return mapOf(append(pairs, records.NewText("sides"), listOf(s.sides.list()))...)
}

// members splits a value into the parts that merge one by one; a value that
// merges whole is its own only part. Absent is not part.
func members(field string, t term) values {
	if t.absent() {
		return nil
	}
	switch records.FormOf(field) {
	case records.FormText:
		return textValues(lines(t))
	case records.FormLinks:
		return links(t)
	case records.FormSet, records.FormSequence, records.FormSteps:
		return termsOf(t.value.Items)
	}
	return values{t}
}

func textValues(ss []string) values {
	ts := make([]term, len(ss))
	for i, s := range ss {
		ts[i] = term{key: s, value: records.NewText(s)}
	}
	return newValues(ts...)
}
