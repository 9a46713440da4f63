package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// Policy merges two descendants of ctx.yaml by key; bases are as in [Records]. A
// change of one side is taken, unless it lowers the format; where both sides
// changed a key the stricter value stands. A merge never removes the file. An
// unknown key that both changed goes, as in a record, into the list under the
// key conflicts. The result may share memory with the arguments.
func Policy(bases []*records.Policy, ours, theirs *records.Policy) (*records.Policy, Report) {
	bases = slices.DeleteFunc(slices.Clone(bases), func(p *records.Policy) bool { return p == nil })
	switch {
	case ours == nil:
		return theirs, Report{}
	case theirs == nil:
		return ours, Report{}
	}
	m := newPolicyMerger(bases, ours, theirs)
	p := &records.Policy{
		Format:   max(ours.Format, theirs.Format),
		Review:   pick(m, "review", func(p *records.Policy) records.Review { return p.Review }, stricterReview),
		Budget:   pick(m, "budget", func(p *records.Policy) int { return p.Budget }, smaller),
		MaxChars: pick(m, "max-chars", func(p *records.Policy) int { return p.MaxChars }, smaller),
	}
	for _, rule := range auditRules(ours, theirs) {
		level := func(p *records.Policy) records.Severity { return p.Audit[rule] }
		if s := pick(m, rule, level, louder); s != "" {
			if p.Audit == nil {
				p.Audit = make(map[string]records.Severity)
			}
			p.Audit[rule] = s
		}
	}
	for _, key := range suppressedIn(ours, theirs) {
		held := func(p *records.Policy) records.Suppression { return suppression(p, key) }
		if s := pick(m, "suppress "+key.Rule+" "+string(key.Record), held, sooner); s != (records.Suppression{}) {
			p.Suppress(s)
		}
	}
	m.fields()
	p.Extra = m.policyExtra()
	m.report.sort()
	return p, m.report
}

// pick takes the one side's change, or the stricter of two.
func pick[T comparable](m *policyMerger, name string, key func(*records.Policy) T, stricter func(a, b T) T) T {
	o, t := key(m.ourPolicy), key(m.theirPolicy)
	known := func(v T) bool {
		return slices.ContainsFunc(m.policies, func(p *records.Policy) bool { return key(p) == v })
	}
	switch {
	case o == t, known(t) && !known(o):
		return o
	case known(o) && !known(t):
		return t
	}
	stands, gone := stricter(o, t), t
	if stands == t {
		gone = o
	}
	m.report.drop(name, RuleStricter, fmt.Sprint(gone))
	return stands
}

func stricterReview(a, b records.Review) records.Review {
	if s := records.Stricter(a, b); s == records.Stricter(b, a) {
		return s
	}
	return min(a, b) // two that this version does not know
}

// smaller returns the smaller limit; zero sets none.
func smaller(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// louder returns the stricter severity; an empty one sets none.
func louder(a, b records.Severity) records.Severity {
	order := []records.Severity{"", records.Off, records.Info, records.Warning, records.Error}
	rank := func(s records.Severity) int {
		if i := slices.Index(order, s); i >= 0 {
			return i
		}
		return len(order)
	}
	switch ra, rb := rank(a), rank(b); {
	case ra != rb && ra > rb, ra == rb && a < b:
		return a
	}
	return b
}

func auditRules(ours, theirs *records.Policy) []string {
	rules := slices.AppendSeq(slices.Collect(maps.Keys(ours.Audit)), maps.Keys(theirs.Audit))
	slices.Sort(rules)
	return slices.Compact(rules)
}

// suppressedIn lists what either side suppresses, by rule and record alone.
func suppressedIn(ours, theirs *records.Policy) []records.Suppression {
	var keys records.Policy
	for _, s := range slices.Concat(ours.Suppressed, theirs.Suppressed) {
		keys.Suppress(records.Suppression{Rule: s.Rule, Record: s.Record})
	}
	return keys.Suppressed
}

// suppression returns what p suppresses of a rule and record, the zero value for nothing.
func suppression(p *records.Policy, key records.Suppression) records.Suppression {
	for _, s := range p.Suppressed {
		if s.Rule == key.Rule && s.Record == key.Record {
			return s
		}
	}
	return records.Suppression{}
}

// sooner returns the stricter suppression: none, else the one that ends first.
func sooner(a, b records.Suppression) records.Suppression {
	none := records.Suppression{}
	switch {
	case a == none || b == none:
		return none
	case !a.Until.Equal(b.Until):
		if b.Until.IsZero() || !a.Until.IsZero() && a.Until.Before(b.Until) {
			return a
		}
		return b
	case fmt.Sprint(b) < fmt.Sprint(a): // alike in what counts: any choice will do that both sides make
		return b
	}
	return a
}

// A policyMerger merges two policies; the merger in it, the keys that this
// version does not know.
type policyMerger struct {
	merger
	policies               []*records.Policy
	ourPolicy, theirPolicy *records.Policy
}

func newPolicyMerger(bases []*records.Policy, ours, theirs *records.Policy) *policyMerger {
	m := &policyMerger{policies: bases, ourPolicy: ours, theirPolicy: theirs}
	m.ours, m.theirs = policyFields(ours), policyFields(theirs)
	for _, b := range bases {
		m.bases = append(m.bases, policyFields(b))
	}
	return m
}

// policyPrefix keeps the keys of a policy apart from a record's, which have
// forms of their own: unknown keys merge whole.
const policyPrefix = "ctx.yaml "

func policyFields(p *records.Policy) fields {
	out := make(fields)
	for _, f := range p.Extra {
		if cs := policyConflicts(f); cs != nil {
			maps.Copy(out, cs)
			continue
		}
		out[policyPrefix+f.Name] = settledSum(writtenTerm(f.Value))
	}
	return out
}

// policyConflicts reads the key conflicts when it has the form that merges
// write; nil when not.
func policyConflicts(f records.Field) fields {
	if f.Name != fieldConflicts || f.Value.Type != records.ListValue {
		return nil
	}
	out := make(fields)
	for _, n := range f.Value.Items {
		name, sides := n.TextOf("field"), n.Get("sides")
		if name == "" || sides == nil || len(sides.Items) == 0 {
			return nil
		}
		s := sum{sides: termsOf(sides.Items)}
		if bases := n.Get("bases"); bases != nil {
			s.bases = termsOf(bases.Items)
		}
		out[policyPrefix+name] = s
	}
	return out
}

// policyExtra returns the merged unknown keys, conflicts among them.
func (m *policyMerger) policyExtra() []records.Field {
	var out []records.Field
	var conflicts []*records.Value
	for _, name := range m.names() {
		s, key := m.result.get(name), strings.TrimPrefix(name, policyPrefix)
		switch {
		case !settled(name, s):
			conflicts = append(conflicts, conflictValue(key, s))
			if !s.equal(m.ours.get(name)) && !s.equal(m.theirs.get(name)) {
				m.report.Conflicts = append(m.report.Conflicts, key)
			}
		case !s.sides[0].absent():
			out = append(out, records.Field{Name: key, Value: s.sides[0].value})
		}
	}
	if len(conflicts) > 0 {
		out = append(out, records.Field{Name: fieldConflicts, Value: listOf(conflicts)})
	}
	slices.SortFunc(out, func(a, b records.Field) int { return strings.Compare(a.Name, b.Name) })
	return out
}
