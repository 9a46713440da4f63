package audit

import (
	"iter"
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A pass is one audit in progress. What several rules ask of one record, or
// one rule of the whole view, it works out once and on demand.
type pass struct {
	in     Input
	eval   *standing.Evaluator
	known  []string        // ids of all rules
	grave  map[string]bool // those of which only a reviewer suppresses findings
	active []activeRule
	rule   activeRule // the one that runs
	// unreadable are the records whose files are there but cannot be read.
	unreadable map[records.ID]bool
	stale      map[records.ID][]StaleAnchor
	found      []Finding

	circles map[records.Relation]*circles
	titles  *titleIndex
}

// An activeRule is a rule with the severity the policy sets, "" when it sets none.
type activeRule struct {
	*Rule
	level records.Severity
}

func newPass(in Input) *pass {
	p := &pass{
		in:         in,
		eval:       standing.NewEvaluator(in.View, in.Eval),
		unreadable: unreadableIDs(in.Unreadable),
		circles:    make(map[records.Relation]*circles),
		stale:      make(map[records.ID][]StaleAnchor),
		grave:      make(map[string]bool),
	}
	for _, s := range in.StaleAnchors {
		p.stale[s.Record] = append(p.stale[s.Record], s)
	}
	for _, rule := range registry {
		p.known = append(p.known, rule.ID)
		p.grave[rule.ID] = in.Policy != nil && rule.Grave(in.Policy)
		if len(in.Only) > 0 && !slices.Contains(in.Only, rule.ID) {
			continue
		}
		a := activeRule{Rule: rule}
		if in.Policy != nil {
			switch level := in.Policy.Audit[rule.ID]; {
			case rule.firm && in.Eval.Review != records.ReviewAny && milder(level, rule.Severity):
			case level == records.Off:
				continue
			case level == records.Error, level == records.Warning, level == records.Info:
				a.level = level
			}
		}
		p.active = append(p.active, a)
	}
	return p
}

// milder reports whether a severity is below another.
func milder(a, b records.Severity) bool {
	rank := []records.Severity{records.Off, records.Info, records.Warning, records.Error}
	return slices.Index(rank, a) < slices.Index(rank, b)
}

// record runs the rules on one record.
func (p *pass) record(r *records.Record) { p.run(r, func(activeRule) bool { return true }) }

// near runs the rules on one record that look at it and its neighbours alone.
func (p *pass) near(r *records.Record) { p.run(r, func(a activeRule) bool { return !a.far }) }

// run runs some rules on one record. Of a forgotten record only the tombstone is judged.
func (p *pass) run(r *records.Record, want func(activeRule) bool) {
	for _, rule := range p.active {
		if rule.check != nil && want(rule) && r.Forgotten() == (rule.ID == records.RuleTombstone) {
			p.rule = rule
			rule.check(p, r)
		}
	}
}

// far runs the far rules on every record but those that record has run on already.
func (p *pass) far(done map[records.ID]bool) {
	if !slices.ContainsFunc(p.active, func(a activeRule) bool { return a.far }) {
		return
	}
	for r := range p.in.View.All() {
		if !done[r.ID] {
			p.run(r, func(a activeRule) bool { return a.far })
		}
	}
}

// finish runs the rules about the store and returns everything found.
func (p *pass) finish() []Finding {
	for _, rule := range p.active {
		if rule.store != nil {
			p.rule = rule
			rule.store(p)
		}
	}
	slices.SortFunc(p.found, compareFindings)
	return p.found
}

// report adds a finding of the running rule. Severity, when set, is the rule's
// own choice for this finding; the policy's stands above it.
func (p *pass) report(f Finding) {
	f.Rule = p.rule.ID
	switch {
	case p.rule.level != "":
		f.Severity = p.rule.level
	case f.Severity == "":
		f.Severity = p.rule.Severity
	}
	if f.Path == "" && f.Record != "" {
		f.Path = records.IDPath(f.Record)
	}
	f.Related = unique(f.Related)
	f.Fingerprint = f.fingerprint()
	f.Suppressed = p.suppression(f)
	p.found = append(p.found, f)
}

// suppression returns what of the policy keeps the finding from counting, nil for nothing.
func (p *pass) suppression(f Finding) *records.Suppression {
	if p.in.Policy == nil || f.subject() == "" {
		return nil
	}
	for i := range p.in.Policy.Suppressed {
		s := &p.in.Policy.Suppressed[i]
		if s.Rule == f.Rule && s.Record == f.subject() && s.InForce(p.in.Now) && p.granted(s) {
			return s
		}
	}
	return nil
}

// granted reports whether a suppression is by one who may give it.
func (p *pass) granted(s *records.Suppression) bool {
	return p.in.Decided == nil || p.in.Eval.Review == records.ReviewAny || !p.grave[s.Rule] || p.in.Decided(*s)
}

// unique returns the ids sorted, each once.
func unique(ids []records.ID) []records.ID {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// get returns a record that is there and not forgotten, or nil.
func (p *pass) get(id records.ID) *records.Record {
	if r, ok := p.in.View.Record(id); ok && !r.Forgotten() {
		return r
	}
	return nil
}

// linked yields the records that link to id by rel and are not forgotten.
func (p *pass) linked(id records.ID, rel records.Relation) iter.Seq[*records.Record] {
	return func(yield func(*records.Record) bool) {
		for _, from := range p.in.View.Backlinks(id, rel) {
			if r := p.get(from); r != nil && !yield(r) {
				return
			}
		}
	}
}

// hasLinked reports whether any record links to id by rel and is not forgotten.
func (p *pass) hasLinked(id records.ID, rel records.Relation) bool {
	for _, from := range p.in.View.Backlinks(id, rel) {
		if p.get(from) != nil {
			return true
		}
	}
	return false
}

// standing returns the standing of a record.
func (p *pass) standing(id records.ID) records.Standing { return p.eval.Standing(id) }

// alone returns the standing of a record as if no other record spoke against it,
// so that one fault does not hide another.
func (p *pass) alone(r *records.Record) records.Standing {
	st := p.standing(r.ID)
	if st.Class == records.InDoubt && st.Why == records.WhyDoubt {
		st.Class, st.Why = records.Asserted, ""
	}
	return st
}

// claims reports whether the state of the record under check says that it
// holds, whether or not readers may assert it.
func (p *pass) claims(r *records.Record) bool {
	st := p.alone(r)
	switch st.Why {
	case records.WhyUnreviewed, records.WhyChanged, records.WhyUnsourced, records.WhyNotYet, records.WhyExpired:
		return true
	}
	return st.Class == records.Asserted
}
