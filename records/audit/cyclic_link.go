package audit

import (
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

var cyclicLink = &Rule{
	ID:       "cyclic-link",
	Severity: records.Warning,
	Summary:  "Links that must not lead back to their start do",
	Explanation: `Goals have parents, tasks are parts of and depend on tasks, hypotheses derive from
others. Where such links lead in a circle, nothing on it can come first: the
tasks can never start and no order of reasoning exists. One side of a merge each
may have added half of the circle.

Decide which link is wrong and take it away:

    git ctx show ID
    git ctx unlink ID RELATION=TARGET`,
	check: func(p *pass, r *records.Record) {
		for _, rel := range records.Relations(r.Kind) {
			if !rel.Acyclic() || len(r.Links[rel]) == 0 {
				continue
			}
			c := p.circlesOf(rel)
			component := c.through(r.ID)
			if component == nil || component[0] != r.ID {
				continue // on none, or reported with the first record on it
			}
			path := c.shortest(r.ID)
			steps := make([]string, len(path))
			for i, id := range path {
				steps[i] = string(id)
			}
			steps[0] = name(r)
			p.report(Finding{
				Record:  r.ID,
				Related: append([]records.ID(nil), component[1:]...),
				Message: fmt.Sprintf("%s leads in a circle: %s", rel, strings.Join(steps, " -> ")),
				Hint:    show(r.ID),
				key:     string(rel),
			})
		}
	},
}

func (p *pass) circlesOf(rel records.Relation) *circles {
	c := p.circles[rel]
	if c == nil {
		c = newCircles(func(id records.ID) []records.ID {
			if r := p.get(id); r != nil {
				return r.Links[rel]
			}
			return nil
		})
		p.circles[rel] = c
	}
	return c
}
