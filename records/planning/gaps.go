package planning

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// What work can lack, in the order in which it is usually filled.
const (
	LacksGoal       = "goal"
	LacksWork       = "work"
	LacksHypothesis = "hypothesis"
	LacksEvidence   = "evidence"
	LacksVerdict    = "verdict"
	LacksDecision   = "decision"
	LacksConclusion = "conclusion"
)

// A Gap is something that a record still lacks.
type Gap struct {
	Lacks  string
	Record *records.Record
	// Related are other records that it hangs on.
	Related []records.ID
	// Message says what is missing of the record, which it calls "it".
	Message string
	// Command is a call of git ctx that fills the gap once its capitals are replaced.
	Command string
}

// Gaps returns what a work lacks. The root was asked about: it lacks every step
// from hypothesis to conclusion that nobody took, also where it has just begun. Of
// a work that was cut nobody can tell.
func (w *Work) Gaps() []Gap {
	gaps := GapsOf(w.view, w.All())
	root := func(lacks, message, command string) {
		if !slices.ContainsFunc(gaps, func(g Gap) bool { return g.Record == w.Root && g.Lacks == lacks }) {
			gaps = append(gaps, Gap{Lacks: lacks, Record: w.Root, Message: message, Command: command})
		}
	}
	if !w.Cut && !w.Root.State().OutOfUse() {
		if !slices.ContainsFunc(w.Hypotheses, (*records.Record).MayHold) {
			root(LacksHypothesis, "no hypothesis that stands is about it", add(records.Hypothesis, "--about", w.Root.ID))
		}
		if !slices.ContainsFunc(w.Evidence, (*records.Record).MayHold) && !slices.ContainsFunc(gaps, func(g Gap) bool { return g.Lacks == LacksEvidence }) {
			root(LacksEvidence, "no evidence bears on it", w.addEvidence())
		}
		if !slices.ContainsFunc(w.Decisions, (*records.Record).MayHold) {
			root(LacksDecision, "no decision came of it", w.addDecision())
		}
		if !concluded(w.view, w.Root) {
			root(LacksConclusion, "no conclusion says what it taught", add(records.Conclusion, "--closes", w.Root.ID))
		}
	}
	sortGaps(gaps, w.Root)
	return gaps
}

// AllGaps returns what the records of a view lack that somebody began and nobody
// finished: tasks without a goal, goals without work, hypotheses without
// evidence or verdict, closed work without conclusion.
func AllGaps(v records.View) []Gap {
	var gaps []Gap
	for r := range v.All() {
		gaps = append(gaps, gapsOf(v, r)...)
	}
	sortGaps(gaps, nil)
	return gaps
}

// GapsOf returns what some records lack, as [AllGaps] does.
func GapsOf(v records.View, rs []*records.Record) []Gap {
	var gaps []Gap
	for _, r := range rs {
		gaps = append(gaps, gapsOf(v, r)...)
	}
	sortGaps(gaps, nil)
	return gaps
}

// sortGaps orders gaps by kind and record, the root first, then as they are filled.
func sortGaps(gaps []Gap, root *records.Record) {
	rank := func(g Gap) int {
		switch {
		case g.Record == root:
			return 0
		case g.Record.Kind == records.Goal:
			return 1
		case g.Record.Kind == records.Task:
			return 2
		}
		return 3
	}
	steps := []string{LacksGoal, LacksWork, LacksHypothesis, LacksEvidence, LacksVerdict, LacksDecision, LacksConclusion}
	slices.SortStableFunc(gaps, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Record.ID, b.Record.ID),
			cmp.Compare(slices.Index(steps, a.Lacks), slices.Index(steps, b.Lacks)))
	})
}

// gapsOf returns what one record lacks, whoever asks.
func gapsOf(v records.View, r *records.Record) []Gap {
	if r.Forgotten() || r.Verdict == nil {
		return nil // forgotten, or in conflict: that comes first
	}
	switch r.Kind {
	case records.Goal:
		return goalGaps(v, r)
	case records.Task:
		return taskGaps(v, r)
	case records.Hypothesis:
		return hypothesisGaps(v, r)
	}
	return nil
}

func goalGaps(v records.View, g *records.Record) []Gap {
	switch g.State() {
	case records.Active:
		for _, rel := range []records.Relation{records.Serves, records.Parent} {
			if slices.ContainsFunc(v.Backlinks(g.ID, rel), func(id records.ID) bool { r := get(v, id); return r != nil && r.MayBeOpen() }) {
				return nil
			}
		}
		return []Gap{{Lacks: LacksWork, Record: g, Message: "it is active, and no open task or goal serves it", Command: add(records.Task, "--goal", g.ID)}}
	case records.Achieved:
		if !concluded(v, g) {
			return []Gap{{Lacks: LacksConclusion, Record: g, Message: "it is achieved, and no conclusion says what that taught", Command: add(records.Conclusion, "--closes", g.ID)}}
		}
	}
	return nil
}

func taskGaps(v records.View, t *records.Record) []Gap {
	switch {
	case t.State() == records.Done && !concluded(v, t):
		return []Gap{{Lacks: LacksConclusion, Record: t, Message: "it is done, and no conclusion says what it taught", Command: add(records.Conclusion, "--closes", t.ID)}}
	case t.MayBeOpen() && len(t.Links[records.Serves]) == 0 && len(t.Links[records.PartOf]) == 0:
		return []Gap{{Lacks: LacksGoal, Record: t, Message: "it serves no goal", Command: fmt.Sprintf("git ctx link %s serves=GOAL", t.ID)}}
	}
	return nil
}

func hypothesisGaps(v records.View, h *records.Record) []Gap {
	if h.State() == records.Superseded {
		return nil
	}
	pro, contra := evidence(v, h)
	if len(pro)+len(contra) == 0 {
		rel := "--supports"
		if h.State() == records.Refuted {
			rel = "--refutes"
		}
		gap := Gap{Lacks: LacksEvidence, Record: h, Message: fmt.Sprintf("it is %s without evidence", h.State()),
			Command: add(records.Evidence, rel, h.ID) + " --source WHERE"}
		if work := closedWork(v, h); h.MayBeOpen() && len(work) > 0 {
			gap.Related, gap.Message = work, gap.Message+", and the work it is about is closed"
		}
		return []Gap{gap}
	}
	if !h.MayBeOpen() {
		return nil
	}
	gap := Gap{Lacks: LacksVerdict, Record: h, Related: slices.Concat(pro, contra), Message: "there is evidence, and it is not judged"}
	if work := closedWork(v, h); len(work) > 0 {
		gap.Related = append(gap.Related, work...)
		gap.Message += "; the work it is about is closed"
	}
	if gap.Command = fmt.Sprintf("git ctx support %s%s", h.ID, citing(pro)); len(pro) == 0 {
		gap.Command = fmt.Sprintf("git ctx refute %s%s --reason WHY", h.ID, citing(contra))
	}
	return []Gap{gap}
}

// evidence lists what stands for and against a hypothesis, each once.
func evidence(v records.View, h *records.Record) (pro, contra []records.ID) {
	standing := func(ids []records.ID) (out []records.ID) {
		for _, id := range ids {
			if e := get(v, id); e != nil && e.Counts() {
				out = append(out, id)
			}
		}
		return out
	}
	contra = standing(v.Backlinks(h.ID, records.Refutes))
	pro = standing(v.Backlinks(h.ID, records.Supports))
	for _, id := range standing(cites(h)) {
		if !slices.Contains(pro, id) && !slices.Contains(contra, id) {
			pro = append(pro, id)
		}
	}
	return pro, contra
}

// closedWork lists the tasks and goals that a hypothesis is about, where all of
// them are closed.
func closedWork(v records.View, h *records.Record) []records.ID {
	var ids []records.ID
	for _, id := range h.Links[records.About] {
		if w := get(v, id); w != nil {
			if w.MayBeOpen() {
				return nil
			}
			ids = append(ids, id)
		}
	}
	return ids
}

// concluded reports whether a conclusion that stands or may come to closes the work.
func concluded(v records.View, work *records.Record) bool {
	return slices.ContainsFunc(v.Backlinks(work.ID, records.Closes), func(id records.ID) bool {
		c := get(v, id)
		return c != nil && c.MayHold()
	})
}

// addEvidence is the call that adds evidence to the work: for its first
// hypothesis, else merely related to it.
func (w *Work) addEvidence() string {
	if i := slices.IndexFunc(w.Hypotheses, (*records.Record).MayHold); i >= 0 {
		return add(records.Evidence, "--supports", w.Hypotheses[i].ID) + " --source WHERE"
	}
	return add(records.Evidence, "--link", "relates-to="+w.Root.ID) + " --source WHERE"
}

func (w *Work) addDecision() string {
	if i := slices.IndexFunc(w.Hypotheses, (*records.Record).MayHold); i >= 0 {
		return add(records.Decision, "--rests-on", w.Hypotheses[i].ID)
	}
	return add(records.Decision, "--link", "relates-to="+w.Root.ID)
}

// add is the call that adds a record tied to another.
func add(k records.Kind, flag string, id records.ID) string {
	return fmt.Sprintf("git ctx %s add 'TITLE' %s %s", k, flag, id)
}

func citing(ids []records.ID) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(" --cite " + string(id))
	}
	return b.String()
}
