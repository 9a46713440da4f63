package audit

import (
	"fmt"
	"iter"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// causesOf yields the causes of one rule for which the record under check is in
// doubt. One that another record has in common is reported with the first of the two.
func (p *pass) causesOf(r *records.Record, rule string) iter.Seq[records.Cause] {
	return func(yield func(records.Cause) bool) {
		for _, c := range p.standing(r.ID).Causes {
			if c.Rule == rule && !p.reportedWithAnother(r, c) && !yield(c) {
				return
			}
		}
	}
}

func (p *pass) reportedWithAnother(r *records.Record, c records.Cause) bool {
	for _, id := range c.Records {
		if id >= r.ID {
			continue
		}
		for _, other := range p.standing(id).Causes {
			if other.Key(id) == c.Key(r.ID) {
				return true
			}
		}
	}
	return false
}

// checkCause reports the causes of a rule, each with a message of its own.
func checkCause(rule string, message func(*pass, *records.Record, records.Cause) string) func(*pass, *records.Record) {
	return func(p *pass, r *records.Record) {
		for c := range p.causesOf(r, rule) {
			p.report(Finding{Record: r.ID, Related: c.Records, Message: message(p, r, c), Hint: p.causeHint(r, c), key: c.Commit})
		}
	}
}

func (p *pass) causeHint(r *records.Record, c records.Cause) string {
	if len(c.Records) == 0 {
		return command("log", r.ID)
	}
	return show(append([]records.ID{r.ID}, c.Records...)...)
}

// from says where a chain of causes begins, when that is further away than the
// records it names.
func (p *pass) from(c records.Cause) string {
	var roots []records.ID
	for _, id := range c.Root {
		if !slices.Contains(c.Records, id) {
			roots = append(roots, id)
		}
	}
	if len(roots) == 0 {
		return ""
	}
	return fmt.Sprintf("; it begins with %s", p.names(roots))
}

// whatItIs says in a word or two what a record's standing is, for a basis.
func (p *pass) whatItIs(id records.ID) string {
	r, ok := p.in.View.Record(id)
	st := p.standing(id)
	switch {
	case p.unreadable[id]:
		return "unreadable"
	case !ok:
		return "missing"
	case st.Why == records.WhyVetoed:
		return string(st.State) + " on the default branch"
	case st.Class == records.InDoubt:
		return "in doubt"
	case st.Why == records.WhyExpired:
		return "past its validity"
	case st.Why == records.WhyNotYet:
		return "not yet valid"
	case st.Why != "":
		return string(st.Why)
	}
	return string(r.State())
}
