package workspace

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

var kinds = map[string]records.Kind{
	"goals": records.Goal, "epics": records.Goal, "tasks": records.Task, "hypotheses": records.Hypothesis, "evidence": records.Evidence,
	"decisions": records.Decision, "conclusions": records.Conclusion, "runbooks": records.Runbook, "triggers": records.Trigger,
}

// A mapping makes records of one state of a workspace.
type mapping struct {
	*importer.Batch
	byID   map[string]*entity
	ids    map[string]records.ID
	edges  []importer.Edge
	counts map[string]int // notes that are told once
}

// recordsOf maps a state. A second mapping of the same state gives the same records.
func recordsOf(st *state) (*mapping, *importer.Result, error) {
	m := &mapping{Batch: importer.NewBatch(System), byID: make(map[string]*entity), ids: make(map[string]records.ID), counts: make(map[string]int)}
	for _, e := range st.all {
		m.byID[e.id] = e
		m.ids[e.id] = records.ImportID(kinds[e.kind], System, e.id)
	}
	for _, e := range st.all {
		m.entity(e)
	}
	for _, e := range st.all {
		m.linksOf(e)
	}
	m.backLists(st)
	m.Link(m.edges)
	m.hypothesisVerdicts(st)
	m.knowOpenBasis(st)
	for _, reason := range slices.Sorted(maps.Keys(m.counts)) {
		m.Note(text.Plural(m.counts[reason], "item"), "%s", reason)
	}
	res, err := m.Result()
	return m, res, err
}

func (m *mapping) once(reason string) { m.counts[reason]++ }

func (m *mapping) warn(e *entity, format string, args ...any) {
	m.Note(string(kinds[e.kind])+" "+e.id[:8], format, args...)
}

// entity maps an entity without its links.
func (m *mapping) entity(e *entity) {
	title, body := e.texted()
	tr := e.trace()
	by, at := cmp.Or(importer.CutLine(importer.OneLine(tr.text("createdBy")), 100), System), tr.when("createdAtUtc")
	if at.IsZero() {
		at = importer.Undated()
		m.warn(e, "no time of creation: recorded as %s", at.Format(time.DateOnly))
	}
	m.Seen(at)
	kind := kinds[e.kind]
	st, reason := m.stateOf(e)
	v := &records.Verdict{State: st, Reason: reason, By: by, Actor: importer.Actor, At: at}
	if u := tr.when("updatedAtUtc"); !u.IsZero() && tr.text("updatedBy") != "" && st != kind.Schema().Birth() {
		v.By, v.At = importer.CutLine(importer.OneLine(tr.text("updatedBy")), 100), u
		m.Seen(u)
		m.once("a verdict's time is that of the last change of any kind")
	}
	r := &records.Record{
		ID: m.ids[e.id], Kind: kind, Title: title, Body: m.Fit(e.id, body), Verdict: v,
		Origin:  &records.Origin{System: System, Key: e.id, Digest: e.digest()},
		Created: records.Created{By: by, Actor: importer.Actor, At: at},
	}
	var tags []string
	for _, t := range tr.texts("tags") {
		if t == "bootstrap" || t == "provisional" {
			tags = append(tags, t)
		}
	}
	if e.kind == "epics" {
		tags = append(tags, "epic")
	}
	if model := importer.OneLine(tr.text("modelName")); model != "" {
		r.Extra = append(r.Extra, records.Field{Name: "x-ctx-model", Value: records.NewText(model)})
	}
	m.fields(e, r, &tags)
	r.Tags = m.Tags(e.id, tags)
	if records.Blank(r.Title) {
		m.Skip(e.id, "has no text for a title")
		delete(m.ids, e.id)
		return
	}
	for key := range e.m {
		if !slices.Contains(known[""], key) && !slices.Contains(known[e.kind], key) {
			m.Field(e.kind + "." + key)
		}
	}
	m.Add(r)
}

// texted is what an entity says, as title and body.
func (e *entity) texted() (title, body string) {
	short, long := map[string][2]string{
		"hypotheses": {"statement", "rationale"}, "evidence": {"title", "summary"}, "decisions": {"title", "rationale"},
		"conclusions": {"summary", ""}, "runbooks": {"title", ""}, "triggers": {"summary", ""},
	}[e.kind], ""
	if short[0] == "" {
		short = [2]string{"title", "description"}
	}
	if short[1] != "" {
		long = e.text(short[1])
	}
	said := e.text(short[0])
	if whole := importer.Clean(said); len([]rune(whole)) > 300 || strings.Contains(whole, "\n") {
		first := importer.Sentences(whole)[0]
		title, _ = importer.TitleOf(first)
		return title, importer.BodyOf(whole, long)
	}
	return importer.OneLine(said), importer.BodyOf(long)
}

const archived, supersededThere = "archived in the source", "superseded in the source"

// stateOf maps the state, and gives a reason where the state needs one.
func (m *mapping) stateOf(e *entity) (records.State, string) {
	type to struct {
		state        records.State
		reason, note string
	}
	table := map[string][]to{
		"goals": {{records.Proposed, "", ""}, {records.Active, "", ""}, {records.Active, "", "'Validated' goals are active"}, {records.Achieved, "", ""},
			{records.Abandoned, supersededThere, "'Superseded' goals are abandoned"}, {records.Abandoned, archived, "'Archived' goals are abandoned"}},
		"epics": {{records.Parked, "", ""}, {records.Active, "", ""}, {records.Achieved, "", ""}, {records.Abandoned, archived, ""}},
		"tasks": {{records.Todo, "", "'Draft' tasks are todo"}, {records.Todo, "", ""}, {records.InProgress, "", ""}, {records.Blocked, "", ""}, {records.Done, "", ""}},
		"evidence": {{records.Recorded, "", ""}, {records.Recorded, "", ""}, {records.Recorded, "", "'Validated' is stamped on all evidence: recorded"}, {records.Recorded, "", ""},
			{records.Retracted, supersededThere, ""}, {records.Retracted, archived, ""}},
		"decisions": {{records.Proposed, "", ""}, {records.Accepted, claim(e.text("rationale")), ""}, {records.Rejected, cmp.Or(claim(e.text("rationale")), "rejected in the source"), ""},
			{records.Rejected, supersededThere, "'Superseded' decisions name no successor: rejected"}},
		"conclusions": {{records.Draft, "", ""}, {records.Accepted, "", ""}, {records.Rejected, supersededThere, "'Superseded' conclusions name no successor: rejected"}},
		"runbooks":    {{records.Draft, "", ""}, {records.Active, "", ""}, {records.Active, "", ""}, {records.Retired, "", ""}, {records.Retired, "", ""}, {records.Retired, "", ""}},
	}
	switch e.kind {
	case "hypotheses":
		return []records.State{records.Proposed, records.UnderEvaluation, records.Supported, records.Refuted, records.Proposed}[e.enum("state")], ""
	case "triggers":
		if written(e.text("summary")) {
			m.once("triggers that CTX wrote itself are drafts")
			return records.Draft, ""
		}
	}
	row := table[cmp.Or(map[string]string{"triggers": "runbooks"}[e.kind], e.kind)][e.enum("state")]
	if row.note != "" {
		m.once(row.note)
	}
	return row.state, row.reason
}

// written reports whether CTX made a trigger of a goal or task by itself.
func written(summary string) bool {
	for _, p := range []string{"Open goal line:", "Open task line:", "Bootstrap provisional line:"} {
		if strings.HasPrefix(summary, p) {
			return true
		}
	}
	return false
}

// claim is a long text's first sentences on one line.
func claim(s string) string {
	out := ""
	for _, sentence := range importer.Sentences(s) {
		if next := strings.TrimSpace(out + " " + sentence); len([]rune(next)) <= 280 {
			out = next
			continue
		}
		break
	}
	return cmp.Or(out, importer.CutLine(importer.OneLine(s), 280))
}

// fields maps what only some kinds have.
func (m *mapping) fields(e *entity, r *records.Record, tags *[]string) {
	switch e.kind {
	case "goals":
		r.Priority = m.priority(e)
	case "hypotheses":
		r.Confidence, r.Impact, r.Cost = m.fraction(e, "confidence"), m.fraction(e, "impact"), m.fraction(e, "costToValidate")
		if f := m.fraction(e, "evidenceStrength"); f != nil {
			r.Extra = append(r.Extra, records.Field{Name: "x-ctx-evidence-strength", Value: records.NewText(fmt.Sprintf("%.2f", float64(*f)/100))})
		}
		if id := e.ref("lineageGroupId"); id != "" {
			*tags = append(*tags, "lineage:"+id)
		}
		if e.m["branchState"] != nil && e.enum("branchState") == 1 {
			*tags = append(*tags, "weakening")
		}
		if e.m["branchState"] != nil && e.enum("branchState") == 4 {
			*tags = append(*tags, "promoted")
		}
		if e.m["branchRole"] != nil {
			*tags = append(*tags, []string{"competing", "integrative", "dominant"}[e.enum("branchRole")])
		}
		for _, rel := range e.list("relations") {
			if note, _ := rel["note"].(string); strings.TrimSpace(note) != "" {
				r.Body = importer.BodyOf(r.Body, fmt.Sprintf("relation to %s: %s", idOf(rel["targetHypothesisId"]), note))
			}
		}
	case "evidence":
		r.Type = []string{"observation", "benchmark", "document", "experiment", "model-output"}[e.enum("kind")]
		r.Strength = m.fraction(e, "confidence")
		if s := importer.OneLine(e.text("source")); s != "" && s != "unspecified" {
			r.Source = s
			if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') {
				m.once("sources are paths of another machine")
			}
		}
	case "runbooks":
		m.runbook(e, r)
	case "triggers":
		r.Type = []string{"user-prompt", "agent-prompt", "continuation", "runbook", "issue"}[e.enum("kind")]
		r.Text = importer.Clean(e.text("text"))
	}
}

func (m *mapping) runbook(e *entity, r *records.Record) {
	r.Type = []string{"procedure", "troubleshooting", "policy", "guardrail"}[e.enum("kind")]
	r.When = importer.Clean(e.text("whenToUse"))
	r.Signals = lines(slices.Concat(e.texts("triggers"), e.texts("failureSignals")))
	slices.Sort(r.Signals)
	r.Signals = slices.Compact(r.Signals)
	r.Preconditions = lines(e.texts("preconditions"))
	r.References = lines(e.texts("references"))
	slices.Sort(r.References)
	r.References = slices.Compact(r.References)
	r.Escalation = strings.Join(lines(e.texts("escalationBoundary")), "\n")
	verify := lines(e.texts("verify"))
	for i, do := range lines(e.texts("do")) {
		s := records.Step{ID: fmt.Sprintf("s%d", i+1), Do: do}
		if i < len(verify) {
			s.Verify = verify[i]
		}
		r.Steps = append(r.Steps, s)
	}
	for i := len(r.Steps); i < len(verify); i++ {
		r.Steps = append(r.Steps, records.Step{ID: fmt.Sprintf("s%d", i+1), Do: verify[i]})
		m.warn(e, "a check without a step is a step of its own")
	}
}

func lines(ss []string) []string {
	var out []string
	for _, s := range ss {
		if s = importer.OneLine(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// priority maps any integer, lower more urgent; 100 is what CTX writes for none.
func (m *mapping) priority(e *entity) *int {
	f, ok := e.number("priority")
	if !ok || f == 100 {
		return nil
	}
	p := int(min(max(f, 0), 4))
	if float64(p) != f {
		m.warn(e, "priority %v is %d", e.m["priority"], p)
	}
	return &p
}

// fraction rounds a number from 0 to 1 to hundredths, half to even.
func (m *mapping) fraction(e *entity, key string) *records.Fraction {
	f, ok := e.number(key)
	if !ok {
		return nil
	}
	if f < 0 || f > 1 {
		m.warn(e, "%s %v is not from 0 to 1: left out", key, e.m[key])
		return nil
	}
	n := records.Fraction(math.RoundToEven(math.Round(f*1e8) / 1e6))
	if math.Abs(float64(n)/100-f) > 1e-9 {
		m.once("numbers are rounded to hundredths")
	}
	return &n
}
