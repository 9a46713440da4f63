package merge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// An IDError says that the records given to one merge are not one record, as
// after git took a removed file and a similar new one for a rename.
type IDError struct {
	IDs []records.ID
}

func (e *IDError) Error() string {
	ids := make([]string, len(e.IDs))
	for i, id := range e.IDs {
		ids[i] = string(id)
	}
	return "merge of different records: " + strings.Join(ids, ", ")
}

// A LostError says that a merge would have dropped values by no rule. It is a
// fault of this package; the caller must keep both sides as they are.
type LostError struct {
	ID   records.ID
	Lost []Drop
}

func (e *LostError) Error() string {
	return fmt.Sprintf("merge of %s would lose a value of %s", e.ID, e.Lost[0].Field)
}

// Records merges two descendants of one record. A nil record is absent on that
// side; bases are the versions in the merge bases, absent ones left out or nil.
// Several bases count each for what it held. A caller that merges the bases
// first, over their own bases, and passes that one record may get fewer
// conflicts; it gets none that loses a value. The result may share memory
// with the arguments, and is nil when both sides, or one side against an unchanged
// other, have no record. Errors: *[IDError], *[LostError], or the records are invalid.
func Records(bases []*records.Record, ours, theirs *records.Record) (*records.Record, Report, error) {
	bases = slices.DeleteFunc(slices.Clone(bases), func(r *records.Record) bool { return r == nil })
	if err := sameID(append(slices.Clone(bases), ours, theirs)); err != nil {
		return nil, Report{}, err
	}
	if ours == nil || theirs == nil {
		r, rep := oneSided(bases, ours, theirs)
		return r, rep, nil
	}
	m := newMerger(bases, ours, theirs)
	r, err := m.record(ours.ID)
	if err != nil { // a merged value that no record may hold
		m = newMerger(bases, ours, theirs)
		m.whole = true
		if r, err = m.record(ours.ID); err != nil {
			return nil, Report{}, fmt.Errorf("merge record %s: %w", ours.ID, err)
		}
	}
	if lost := m.lost(); len(lost) > 0 {
		return nil, Report{}, &LostError{ID: ours.ID, Lost: lost}
	}
	m.report.sort()
	return r, m.report, nil
}

func sameID(rs []*records.Record) error {
	var ids []records.ID
	for _, r := range rs {
		if r != nil {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > 1 {
		return &IDError{IDs: ids}
	}
	return nil
}

// oneSided merges a record with its absence.
func oneSided(bases []*records.Record, ours, theirs *records.Record) (*records.Record, Report) {
	var rep Report
	r := cmp.Or(ours, theirs)
	if r == nil || len(bases) == 0 {
		return r, rep
	}
	fs := recordFields(r)
	for _, b := range bases {
		if equalFields(recordFields(b), fs) {
			rep.drop("", RuleDeleted, "")
			return nil, rep
		}
	}
	rep.Kept = RuleDeleteModify
	return r, rep
}

func recordFields(r *records.Record) fields { return newFields(r.Fields(), r.Conflicts) }

func equalFields(a, b fields) bool { return maps.EqualFunc(a, b, sum.equal) }

// A merger merges the fields of one record.
type merger struct {
	schema       *records.Schema
	bases        []fields
	ours, theirs fields
	whole        bool // merge no field by parts
	result       fields
	report       Report
}

func newMerger(bases []*records.Record, ours, theirs *records.Record) *merger {
	m := &merger{schema: ours.Kind.Schema(), ours: recordFields(ours), theirs: recordFields(theirs)}
	for _, b := range bases {
		m.bases = append(m.bases, recordFields(b))
	}
	return m
}

// record merges and builds the record.
func (m *merger) record(id records.ID) (*records.Record, error) {
	m.fields()
	r, err := records.FromFields("", m.result.list(m.names()))
	if err != nil {
		return nil, err
	}
	size := 0
	for _, s := range m.result {
		for _, t := range s.sides {
			size += len(t.key)
		}
	}
	if size > records.MaxSize/2 { // far from it nothing can fail that FromFields did not see
		if _, err := records.Format(r); err != nil {
			return nil, err
		}
	}
	for _, name := range m.names() {
		s := m.result.get(name)
		if !settled(name, s) && !s.equal(m.ours.get(name)) && !s.equal(m.theirs.get(name)) {
			m.report.Conflicts = append(m.report.Conflicts, name)
		}
	}
	return r, nil
}

// names returns the fields of either side, sorted.
func (m *merger) names() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(m.ours)), maps.Keys(m.theirs))
	slices.Sort(names)
	return slices.Compact(names)
}

func (m *merger) fields() {
	m.result = make(fields)
	if m.forgotten() {
		return
	}
	for _, name := range m.names() {
		m.put(name, m.field(name, m.ours.get(name), m.theirs.get(name)))
	}
}

func (m *merger) put(name string, s sum) {
	if !s.equal(absentSum()) {
		m.result[name] = s
	}
}

// field merges one field.
func (m *merger) field(name string, ours, theirs sum) sum {
	if ours.equal(theirs) {
		return ours
	}
	bases := m.basesOf(name)
	if s, ok := m.byMembers(name, bases, ours, theirs); ok {
		return s
	}
	// A bundle is written once, so that several bases tell exactly which of the
	// bundles were replaced; any other value may have been written again.
	if len(bases) == 1 || records.FormOf(name) != records.FormVerdict {
		switch o, t := known(bases, ours), known(bases, theirs); {
		case o && !t:
			return theirs
		case t && !o:
			return ours
		}
	}
	if s, ok := m.byParts(name, bases, ours, theirs); ok {
		return s
	}
	if name == fieldCreated && len(bases) == 0 && m.sameOrigin() {
		both := ours.join(theirs).sides
		m.report.drop(name, RuleSameOrigin, both[1].key)
		return settledSum(both[0])
	}
	if name == fieldOrigin && m.sameOrigin() {
		both := ours.join(theirs).sides
		m.report.drop(name, RuleSameOrigin, both[1].key)
		return settledSum(newTerm(withKeysOf(both[0].value, both[1].value)))
	}
	if records.FormOf(name) == records.FormVerdict {
		return m.verdict(bases, ours, theirs)
	}
	return flatten(name, bases, ours, theirs)
}

// basesOf returns what the bases held, each value once.
func (m *merger) basesOf(name string) []sum {
	var out []sum
	for _, b := range m.bases {
		if s := b.get(name); !known(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// known reports whether some base held exactly s: that side changed nothing.
func known(bases []sum, s sum) bool { return slices.ContainsFunc(bases, s.equal) }

// divisible reports whether all are settled, and may be merged by their parts.
func (m *merger) divisible(name string, bases []sum, sides ...sum) bool {
	return !m.whole && !slices.ContainsFunc(slices.Concat(bases, sides), func(s sum) bool { return !settled(name, s) })
}

// byMembers merges sets, which never conflict.
func (m *merger) byMembers(name string, bases []sum, ours, theirs sum) (sum, bool) {
	if f := records.FormOf(name); f != records.FormSet && f != records.FormLinks || !m.divisible(name, bases, ours, theirs) {
		return sum{}, false
	}
	var held values
	for _, b := range bases {
		held = held.union(parts(name, b))
	}
	return settledSum(mergeMembers(name, held, ours.sides[0], theirs.sides[0])), true
}

// byParts merges texts, sequences and steps that both sides changed in
// different places. Without a base there is no telling what either changed;
// several bases must all lead to one result.
func (m *merger) byParts(name string, bases []sum, ours, theirs sum) (sum, bool) {
	if len(bases) == 0 || !m.divisible(name, bases, ours, theirs) {
		return sum{}, false
	}
	var merged term
	var dropped []term
	for i, b := range bases {
		one, gone, ok := mergeParts(records.FormOf(name), b.sides[0], ours.sides[0], theirs.sides[0])
		if !ok || i > 0 && one.key != merged.key {
			return sum{}, false
		}
		merged, dropped = one, append(dropped, gone...)
	}
	for _, d := range dropped {
		m.report.drop(name, RuleStep, d.key)
	}
	return settledSum(merged), true
}

func mergeParts(f records.Form, base, ours, theirs term) (merged term, dropped []term, ok bool) {
	switch f {
	case records.FormText:
		merged, ok = mergeText(base, ours, theirs)
	case records.FormSequence:
		merged, ok = mergeSequence(base, ours, theirs)
	case records.FormSteps:
		merged, dropped, ok = mergeSteps(base, ours, theirs)
	}
	return merged, dropped, ok
}

// sameOrigin reports whether both sides were imported from one source record.
func (m *merger) sameOrigin() bool {
	o, t := m.ours.get(fieldOrigin), m.theirs.get(fieldOrigin)
	if !settled(fieldOrigin, o) || !settled(fieldOrigin, t) || o.sides[0].absent() {
		return false
	}
	a, b := o.sides[0].value, t.sides[0].value
	return a.TextOf("system") == b.TextOf("system") && firstKey(a) == firstKey(b)
}

// firstKey is the key of an origin that made the record's id.
func firstKey(origin *records.Value) string {
	if keys := origin.Get("keys"); keys != nil && len(keys.Items) > 0 {
		return keys.Items[0].Text
	}
	return ""
}

// withKeysOf is an origin with the keys of another one of the same item too: the
// first stays the first, the others are a set. Of two digests the first is kept.
func withKeysOf(origin, other *records.Value) *records.Value {
	keys := values{}
	for _, o := range []*records.Value{origin, other} {
		keys = keys.union(termsOf(o.Get("keys").Items[1:]))
	}
	out := mapOf()
	for i := 0; i+1 < len(origin.Items); i += 2 {
		key, value := origin.Items[i], origin.Items[i+1]
		if key.Text == "keys" {
			value = listOf(append([]*records.Value{value.Items[0]}, keys.list()...))
		}
		out.Items = append(out.Items, key, value)
	}
	return out
}
