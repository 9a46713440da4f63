package packet

import (
	"cmp"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// ruleRunbooks excludes runbooks that do not apply: a guardrail whose paths are
// not touched and a troubleshooting runbook none of whose signals is seen.
// Those that do apply go before the others.
func (p *pool) ruleRunbooks(q *query, paths *pathMatcher, f *focus) {
	seen := newQuery(f.paths...)
	if f.trigger != nil {
		seen = newQuery(append(slices.Clone(f.paths), f.trigger.Text)...)
	}
	for stem := range q.terms {
		seen.add(stem)
	}
	for _, c := range p.candidates {
		if c.section != secRunbooks {
			continue
		}
		everywhere, applies := false, false
		switch c.r.Type {
		case "guardrail":
			everywhere, applies = len(c.r.Paths) == 0, paths.overlap(c.r) > 0
			c.excluded = !everywhere && !applies
		case "troubleshooting":
			applies = slices.ContainsFunc(c.r.Signals, seen.has)
			c.excluded, c.unsignalled = !applies, !applies
		}
		if everywhere || applies {
			c.relevant = true
			c.score = quantise(0.5 + c.score/2)
		} else if c.level == 0 {
			c.worth = leastWorth
		}
		if applies {
			c.level = levels/2 + c.level/2
		}
	}
}

// ruleFocus excludes goals and triggers that are not the focus: only where no
// goal is known do the active goals stand in for one.
func (p *pool) ruleFocus(f *focus) {
	for _, c := range p.candidates {
		if c.section == secFocus && (c.r.Kind == records.Trigger || f.goal != nil) {
			c.excluded = true
		}
	}
}

// ruleDisputed sets behind the others the records of a contradiction that a
// better one tells of: its line names them.
func (p *pool) ruleDisputed() {
	told := make(map[string]bool)
	for _, c := range p.sorted(secDoubt) {
		again := len(c.st.Causes) > 0
		for _, x := range c.st.Causes {
			key := x.Key(c.r.ID)
			again = again && told[key]
			told[key] = true
		}
		if again {
			c.tier = 1
		}
	}
}

// sorted returns a section's candidates, the best first.
func (p *pool) sorted(s sectionID) []*candidate {
	var cs []*candidate
	for _, c := range p.candidates {
		if c.section == s {
			cs = append(cs, c)
		}
	}
	slices.SortStableFunc(cs, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return cs
}

// ruleDuplicates excludes, of what imports brought under one title, all but the best: a
// tracker's recurring issues say the same many times.
func (p *pool) ruleDuplicates() {
	type title struct {
		section sectionID
		text    string
	}
	best := make(map[title]*candidate)
	for _, c := range p.candidates {
		switch c.section {
		case secReview, secOpen, secNext:
		default:
			continue
		}
		if c.excluded || c.known || !imported(c.r) {
			continue
		}
		at := title{c.section, records.Normalize(c.r.Title)}
		first := best[at]
		if first == nil || first.score < c.score {
			best[at], first = c, best[at]
		} else {
			first = c
		}
		if first != nil {
			first.excluded, first.duplicate = true, true
		}
	}
}

// ruleNext orders the tasks that can be begun: parts of the focus task, then
// those that serve the focus goal, then by relevance, priority and score. All
// but the first few are left out.
func (p *pool) ruleNext(f *focus) {
	type open struct {
		c        *candidate
		tie      int // how the task is tied to the focus, 0 closest
		level    int // where only its words and paths tie it
		priority int
	}
	var tasks []open
	for _, c := range p.candidates {
		if c.section != secNext || c.known {
			continue
		}
		if c.excluded = c.excluded || p.waits(c, f); c.excluded {
			continue
		}
		t := open{c: c, tie: 3, priority: 2}
		switch {
		case f.task != nil && slices.Contains(c.r.Links[records.PartOf], f.task.ID):
			t.tie = 0
		case f.goal != nil && slices.Contains(c.r.Links[records.Serves], f.goal.ID):
			t.tie = 1
		case c.relevant:
			t.tie, t.level = 2, c.level
		case imported(c.r):
			c.excluded = true
			continue
		}
		if c.r.Priority != nil {
			t.priority = *c.r.Priority
		}
		tasks = append(tasks, t)
	}
	slices.SortFunc(tasks, func(a, b open) int {
		return cmp.Or(cmp.Compare(a.tie, b.tie), cmp.Compare(b.level, a.level), cmp.Compare(a.priority, b.priority),
			cmp.Compare(b.c.score, a.c.score), cmp.Compare(a.c.r.ID, b.c.r.ID))
	})
	for i, t := range tasks {
		t.c.onlyCited = i >= maxNext
		t.c.score = quantise(0.5 / float64(i+1))
		t.c.relevant = t.tie < 3
	}
}
