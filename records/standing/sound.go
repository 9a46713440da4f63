package standing

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// rank returns how much the word of a verdict weighs under the policy.
func (e *Evaluator) rank(r *records.Record, m *records.Verdict) records.Rank {
	switch {
	case e.ctx.ByState || e.ctx.Review == records.ReviewAny:
		return records.PersonRank
	case e.ctx.Review == records.ReviewHuman && m.Actor == records.Human && e.provenance(r, m).Named,
		e.ctx.Review != records.ReviewHuman && e.ctx.Signed != nil && e.ctx.Signed(r, m):
		return records.PersonRank
	}
	return records.AgentRank
}

func (e *Evaluator) provenance(r *records.Record, m *records.Verdict) records.Provenance {
	switch {
	case e.ctx.ByState:
		return records.Provenance{Named: true}
	case e.ctx.Provenance == nil:
		return records.Provenance{Named: m.Actor == records.Human}
	}
	return e.ctx.Provenance(r, m)
}

// A fault is why a member of the verdict is not sound.
type fault struct {
	why    records.Why
	rule   string // of the cause, where the fault is one
	commit string
}

// soundness returns what is wrong with a verdict of the record, nil when it is
// sound. Whether its basis stands is not asked here.
func (e *Evaluator) soundness(r *records.Record, m *records.Verdict) *fault {
	if e.ctx.ByState {
		return nil
	}
	p := e.provenance(r, m)
	switch {
	case p.Displaced != "":
		return &fault{why: records.WhyDoubt, rule: records.RuleDisplaced, commit: p.Displaced}
	case p.Over != "" && e.ctx.Review != records.ReviewAny && e.rank(r, m) < records.PersonRank:
		return &fault{why: records.WhyDoubt, rule: records.RuleOverruled, commit: p.Over}
	case e.needsReview(r.Kind, m.State) && e.rank(r, m) < records.PersonRank:
		return &fault{why: records.WhyUnreviewed}
	case r.CoversContent() && m.Of != r.Digest():
		return &fault{why: records.WhyChanged}
	case r.Kind == records.Hypothesis && m.State == records.Supported && e.rank(r, m) < records.PersonRank && !sourced(e.view, r, m):
		return &fault{why: records.WhyUnsourced}
	}
	return nil
}

// RankOf returns how much the verdict of a record weighs: the most of what its sound
// verdicts do.
func RankOf(v records.View, r *records.Record, c records.EvalContext) records.Rank {
	e := NewEvaluator(v, c)
	var most records.Rank
	for m := range records.Verdicts(r) {
		if e.soundness(r, m) == nil {
			most = max(most, e.rank(r, m))
		}
	}
	return most
}

func (e *Evaluator) needsReview(k records.Kind, s records.State) bool {
	return e.ctx.Review != records.ReviewAny && k.Schema().Reviewed == s
}

// sourced reports whether a verdict cites evidence that anyone can check.
func sourced(v records.View, r *records.Record, m *records.Verdict) bool {
	return slices.ContainsFunc(m.Cites, func(id records.ID) bool {
		ev, ok := v.Record(id)
		if !ok || ev.Kind != records.Evidence || !ev.Citable() || slices.Contains(ev.Links[records.Refutes], r.ID) {
			return false
		}
		_, vetoed := v.Veto(id)
		return !vetoed
	})
}

// liftedBy reports whether any verdict of r that agrees with its state lifts what o says.
func liftedBy(r, o *records.Record) bool {
	for m := range records.Verdicts(r) {
		if m.Knew(o) {
			return true
		}
	}
	return false
}
