package cli

import (
	"slices"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// A findingGroup is what one rule found at one severity, as far as it is shown.
type findingGroup struct {
	severity   records.Severity
	suppressed bool // these do not count
	rule       string
	shown      []audit.Finding
	more       int // found beyond those shown
}

// groupFindings puts the findings together by severity, worst first, and rule,
// those that do not count last. It keeps limit of them, 0 for all: as many of
// each rule as of any other, so that a rule with many does not hide the rest.
func groupFindings(found []audit.Finding, limit int) []findingGroup {
	var groups []findingGroup
	for _, suppressed := range []bool{false, true} {
		for _, s := range query.Severities() {
			first := len(groups)
			for _, f := range found {
				if f.Severity != s || suppressed != (f.Suppressed != nil) {
					continue
				}
				i := slices.IndexFunc(groups[first:], func(g findingGroup) bool { return g.rule == f.Rule })
				if i < 0 {
					i = len(groups) - first
					groups = append(groups, findingGroup{severity: s, suppressed: suppressed, rule: f.Rule})
				}
				groups[first+i].shown = append(groups[first+i].shown, f)
			}
		}
	}
	if limit <= 0 || len(found) <= limit {
		return groups
	}
	share := make([]int, len(groups))
	for left := limit; left > 0; {
		for i := range groups {
			if left > 0 && share[i] < len(groups[i].shown) {
				share[i]++
				left--
			}
		}
	}
	for i := range groups {
		g := &groups[i]
		g.more = len(g.shown) - share[i]
		g.shown = g.shown[:share[i]]
	}
	return groups
}
