package packet

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// importer is the actor of records that were taken over from another system.
const importer records.Actor = "agent/import"

// A pool is every record considered, as the packet sees it.
type pool struct {
	view       records.View
	eval       *standing.Evaluator
	candidates []*candidate // in id order
	suppressed map[string]int
	// inFocus counts the focus's records by the section they would stand in.
	inFocus map[sectionID]int
	// tied is set when a word, link or path ties any candidate to the focus.
	tied bool
	// changed is set when there is anything to tell in a packet of changes.
	changed bool
	// passed are the records that stand nowhere, where an explanation is asked for.
	passed []*candidate
}

// collect evaluates each record once and sorts it into its section: all of the
// view, or the request's candidates, the focus and what these rest on; or what changed.
func collect(v records.View, req Request, f *focus) *pool {
	p := &pool{view: v, eval: standing.NewEvaluator(v, req.Eval), suppressed: map[string]int{}, inFocus: map[sectionID]int{}}
	switch {
	case req.Since != nil:
		p.collectChanges(v, req, f)
	case req.Candidates != nil:
		p.collectCandidates(v, req.Candidates, req, f)
	default:
		for r := range v.All() {
			p.add(r, req, f)
		}
	}
	p.addElsewhere(v, req)
	return p
}

// collectCandidates evaluates the records named, the focus's, and what these rest on.
func (p *pool) collectCandidates(v records.View, ids []records.ID, req Request, f *focus) {
	queue := slices.Clone(ids)
	for _, r := range f.records() {
		queue = append(queue, r.ID)
	}
	seen := make(map[records.ID]bool, len(queue))
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		r, ok := v.Record(id)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		if sec := p.add(r, req, f); sec != secNone {
			named, supporting := bases(v, r, sec)
			queue = append(append(queue, named...), supporting...)
		}
	}
	p.sort()
}

// add evaluates a record and returns the section it is shown in, if any.
func (p *pool) add(r *records.Record, req Request, f *focus) sectionID {
	st := p.eval.Standing(r.ID)
	if suppressed(r, st) {
		p.suppressed[string(st.Why)]++
	}
	sec := sectionOf(r, st)
	if req.Since != nil && retracted(req.Since.Was[r.ID], st) {
		sec = secFallen
		r = redacted(r, req.Since)
	}
	switch {
	case f.has(r.ID):
		p.inFocus[sec]++
		return secFocus
	case req.Kinds != nil && !slices.Contains(req.Kinds, r.Kind):
		return secNone
	case sec == secNone:
		if req.explain && !r.Forgotten() {
			p.passed = append(p.passed, &candidate{r: r, st: st, section: secNone})
		}
		return secNone
	}
	p.candidates = append(p.candidates, &candidate{
		r: r, st: st, section: sec, worth: layouts[sec].worth, tier: tierOf(r, st), onlyCited: sec == secEvidence,
	})
	return sec
}

// tierOf sets drafts of conclusions behind the questions that someone asks, and
// what an import left to be asked or reviewed behind that: nobody waits for an answer.
func tierOf(r *records.Record, st records.Standing) int {
	switch open := st.Class == records.OpenQuestion; {
	case imported(r) && (open || st.Class == records.AwaitingReview):
		return leftByImport
	case open && r.Kind == records.Conclusion && st.State == records.Draft:
		return 1
	}
	return 0
}

// leftByImport is the tier of what an import left open.
const leftByImport = 2

// imported reports whether the record is as an import made it, or last gave its verdict.
func imported(r *records.Record) bool {
	return r.Created.Actor == importer || r.Verdict != nil && r.Verdict.Actor == importer
}

// SectionName returns the name of the section in which a record of that
// standing may be shown, "" when there is none. [Request.Totals] counts by it.
func SectionName(r *records.Record, st records.Standing) string {
	if sec := sectionOf(r, st); sec != secNone {
		return layouts[sec].name
	}
	return ""
}
