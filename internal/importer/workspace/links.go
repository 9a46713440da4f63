package workspace

import (
	"slices"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

// link adds an edge to an entity, or lists why not.
func (m *mapping) link(e *entity, rel records.Relation, id string) bool {
	from, ok := m.ids[e.id]
	to, there := m.ids[id]
	switch {
	case !ok:
		return false
	case !there:
		m.Skip(e.id, "%s leads to '%s', which is nowhere", rel, importer.Short(id))
		return false
	case from == to:
		m.Skip(e.id, "%s leads to itself", rel)
		return false
	}
	if err := records.CheckLink(kinds[e.kind], rel, kinds[m.byID[id].kind]); err != nil {
		m.Skip(e.id, "%v", err)
		return false
	}
	m.edges = append(m.edges, importer.Edge{Rel: rel, From: from, To: to, At: e.trace().when("createdAtUtc"), Item: e.id + ": " + string(rel) + " " + id})
	return true
}

func (m *mapping) linkAll(e *entity, rel records.Relation, ids []string) {
	for _, id := range ids {
		m.link(e, rel, id)
	}
}

func one(id string) []string {
	if id == "" {
		return nil
	}
	return []string{id}
}

// linksOf maps what an entity names on its own side.
func (m *mapping) linksOf(e *entity) {
	switch e.kind {
	case "goals":
		m.linkAll(e, records.Parent, one(e.ref("parentGoalId")))
	case "epics":
		if ids := e.refs("goalIds"); len(ids) == 1 {
			m.link(e, records.Parent, ids[0])
		} else {
			m.linkAll(e, records.RelatesTo, ids)
		}
		for _, id := range e.refs("promotedTaskIds") {
			if t := m.byID[id]; t != nil {
				m.link(t, records.Serves, e.id)
			}
		}
	case "tasks":
		m.linkAll(e, records.Serves, one(e.ref("goalId")))
		m.linkAll(e, records.DependsOn, e.refs("dependsOnTaskIds"))
		m.linkAll(e, records.PartOf, one(e.ref("parentTaskId")))
	case "hypotheses":
		m.linkAll(e, records.About, e.refs("taskIds"))
		m.linkAll(e, records.DerivedFrom, e.refs("parentHypothesisIds"))
		m.relations(e)
	case "evidence":
		m.supports(e)
	case "decisions":
		m.linkAll(e, records.RestsOn, e.refs("hypothesisIds"))
		m.linkAll(e, records.RestsOn, e.refs("evidenceIds"))
	case "conclusions":
		m.conclusion(e)
	case "runbooks":
		m.linkAll(e, records.AppliesTo, e.refs("goalIds"))
		m.linkAll(e, records.AppliesTo, e.refs("taskIds"))
	case "triggers":
		starts := slices.Concat(e.refs("goalIds"), e.refs("taskIds"))
		m.linkAll(e, records.Starts, starts)
		m.linkAll(e, records.RelatesTo, e.refs("operationalRunbookIds"))
		if len(starts) == 0 {
			m.warn(e, "starts nothing")
		}
	}
	m.linkAll(e, records.RelatesTo, e.trace().refs("relatedIds"))
}

// relations maps what a hypothesis says of others. Which of two supersedes the
// other is not read off the relation, which CTX writes on the old one.
func (m *mapping) relations(e *entity) {
	for _, rel := range e.list("relations") {
		target := idOf(rel["targetHypothesisId"])
		r := &entity{kind: e.kind, m: rel}
		switch r.enum("relationType") {
		case 0:
			m.link(e, records.CompetesWith, target)
		case 1: // merged into: the verdict says so
		case 2:
			if o := m.byID[target]; o == nil || !slices.Contains(o.refs("supersedesHypothesisIds"), e.id) && !slices.Contains(e.refs("supersedesHypothesisIds"), target) {
				m.link(e, records.RelatesTo, target)
				m.warn(e, "a supersession that the other side does not tell is a relation")
			}
		case 3:
			m.link(e, records.DerivedFrom, target)
		default:
			m.link(e, records.RelatesTo, target)
			m.once("evidence that is borrowed is a relation")
		}
	}
}

// supports maps the edges of evidence. CTX cannot say against: what stands at a
// refuted hypothesis may be either.
func (m *mapping) supports(e *entity) {
	for _, s := range e.list("supports") {
		id := idOf(s["entityId"])
		to := m.byID[id]
		switch {
		case to == nil:
			m.link(e, records.Supports, id) // lists it
		case to.kind == "hypotheses" && to.enum("state") == 3:
			m.link(e, records.RelatesTo, id)
			m.warn(e, "direction unknown: hypothesis %s is refuted, and CTX has no way to say against", id[:8])
		case to.kind == "goals" || to.kind == "epics":
			m.link(e, records.RelatesTo, id)
		default:
			m.link(e, records.Supports, id)
		}
	}
}

// conclusion maps what a conclusion rests on and closes.
func (m *mapping) conclusion(e *entity) {
	m.linkAll(e, records.RestsOn, e.refs("evidenceIds"))
	for _, id := range e.refs("decisionIds") {
		if d := m.byID[id]; d != nil && d.kind == "decisions" && d.enum("state") >= 2 {
			m.link(e, records.RelatesTo, id)
			m.warn(e, "names decision %s, which is dead in the source: a relation", id[:8])
			continue
		}
		m.link(e, records.RestsOn, id)
	}
	m.linkAll(e, records.Closes, e.refs("goalIds"))
	m.linkAll(e, records.Closes, e.refs("taskIds"))
	if e.enum("state") != 1 {
		return
	}
	for _, id := range e.refs("taskIds") {
		if t := m.byID[id]; t != nil && t.enum("state") != 4 {
			m.warn(e, "concludes task %s, which is open", id[:8])
		}
	}
	for _, id := range e.refs("goalIds") {
		if g := m.byID[id]; g != nil && g.enum("state") <= 2 {
			m.once("accepted conclusions on goals that are still active")
		}
	}
}

// backLists compares what CTX stores twice. The child's side is the truth; where
// it says nothing, the parent's is taken.
func (m *mapping) backLists(st *state) {
	for _, e := range st.all {
		switch e.kind {
		case "goals":
			m.compare(e, "taskIds", func(t *entity) []string { return one(t.ref("goalId")) }, records.Serves)
		case "tasks":
			m.compare(e, "hypothesisIds", func(h *entity) []string { return h.refs("taskIds") }, records.About)
			if g := m.byID[e.ref("goalId")]; g != nil && g.kind == "goals" && !slices.Contains(g.refs("taskIds"), e.id) {
				m.warn(g, "lacks task %s, which serves it", e.id[:8])
			}
		case "hypotheses":
			m.compare(e, "evidenceIds", supported, records.Supports)
		case "evidence":
			for _, id := range supported(e) {
				if d := m.byID[id]; d != nil && d.kind == "decisions" && !slices.Contains(d.refs("evidenceIds"), e.id) {
					m.warn(d, "does not name evidence %s, which supports it", e.id[:8])
				}
			}
		}
	}
}

func supported(e *entity) []string {
	var out []string
	for _, s := range e.list("supports") {
		out = append(out, idOf(s["entityId"]))
	}
	return out
}

func (m *mapping) compare(parent *entity, list string, of func(child *entity) []string, rel records.Relation) {
	for _, id := range parent.refs(list) {
		child := m.byID[id]
		switch {
		case child == nil:
			m.Skip(parent.id, "%s names '%s', which is nowhere", list, importer.Short(id))
		case len(of(child)) == 0:
			if m.link(child, rel, parent.id) {
				m.warn(parent, "names %s, which does not name it: linked", id[:8])
			}
		case !slices.Contains(of(child), parent.id):
			m.warn(parent, "names %s, which names another: not linked", id[:8])
		}
	}
}

// hypothesisVerdicts gives the hypotheses what CTX tells in several places: a
// successor first, then the state with the evidence that it cites.
func (m *mapping) hypothesisVerdicts(st *state) {
	next := make(map[string]string)
	cites := make(map[string][]records.ID)
	for _, e := range st.all {
		for _, old := range e.refs("supersedesHypothesisIds") {
			next[old] = e.id
		}
		if e.kind == "evidence" {
			for _, id := range supported(e) {
				if h := m.byID[id]; h != nil && (h.enum("state") == 3 || !slices.Contains(e.trace().texts("tags"), "provisional")) {
					cites[id] = append(cites[id], m.ids[e.id])
				}
			}
		}
	}
	var edges []importer.Edge
	for _, e := range st.all {
		r := m.Recs[m.ids[e.id]]
		if e.kind != "hypotheses" || r == nil {
			continue
		}
		to := next[e.id]
		if merged := e.ref("mergedIntoHypothesisId"); merged != "" {
			if to != "" && to != merged {
				m.warn(e, "has two successors: the one it is merged into is kept")
			}
			to = merged
		}
		if m.byID[to] != nil && to != e.id {
			edges = append(edges, importer.Edge{Rel: records.SupersededBy, From: r.ID, To: m.ids[to], At: e.trace().when("createdAtUtc"), Item: e.id})
			if e.enum("state") == 2 {
				m.warn(e, "is supported and has a successor: superseded")
			}
			continue
		}
		m.judged(e, r, cites[e.id])
	}
	kept, dropped := importer.Acyclic(edges)
	for _, d := range kept {
		v := m.Recs[d.From].Verdict
		v.State, v.SupersededBy, v.Reason = records.Superseded, d.To, supersededThere
		if m.byID[d.Item].ref("mergedIntoHypothesisId") != "" {
			v.Reason = "merged in the source"
		}
	}
	for _, d := range dropped {
		e := m.byID[d.Item]
		m.warn(e, "its successor closes a cycle: left as its state says")
		m.judged(e, m.Recs[d.From], cites[e.id])
	}
}

// judged completes the verdict of a hypothesis without a successor.
func (m *mapping) judged(e *entity, r *records.Record, cites []records.ID) {
	v := r.Verdict
	slices.Sort(cites)
	switch e.enum("state") {
	case 2:
		if v.Cites = slices.Compact(cites); len(cites) == 0 {
			m.warn(e, "is supported by nothing but what bootstrap picked")
		}
	case 3:
		v.Cites = slices.Compact(cites)
		v.Reason = claim(e.text("rationale"))
		if v.Reason == "" {
			v.Reason = "refuted in the source"
		}
	case 4:
		r.Tags = append(r.Tags, "archived")
		slices.Sort(r.Tags)
		m.warn(e, "archived without a successor: left open")
	}
	if e.m["branchState"] != nil && e.enum("branchState") == 3 {
		m.warn(e, "deprecated without a successor: left as its state says")
	}
}

// knowOpenBasis puts into acceptances that what they rest on is open in the source,
// as accept does.
func (m *mapping) knowOpenBasis(st *state) {
	for _, e := range st.all {
		r := m.Recs[m.ids[e.id]]
		if r == nil || r.State() != records.Accepted {
			continue
		}
		for _, id := range r.Links[records.RestsOn] {
			if o := m.Recs[id]; o != nil && o.Kind != records.Evidence && o.Kind.Schema().Open(o.State()) {
				r.Verdict.Despite = append(r.Verdict.Despite, records.Despite{ID: id, State: o.State(), Of: o.Digest()})
				m.warn(e, "is accepted, and rests on %s %s, which is %s", o.Kind, o.Origin.Key[:8], o.State())
			}
		}
	}
}
