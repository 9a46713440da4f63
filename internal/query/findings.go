package query

import (
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// gapRules are the audit rules that report gaps, and those that look at the
// whole store: who asks about one work is told the gaps as such, and at once.
var gapRules = []string{
	"task-without-goal", "goal-without-open-work", "hypothesis-without-evidence", "open-hypothesis-on-closed-work",
	"done-without-conclusion", "near-duplicate",
}

// findingsAbout returns the audit's errors and warnings about some records, gaps aside.
func findingsAbout(rd *Reading, rs []*records.Record) []audit.Finding {
	policy := *rd.Policy
	policy.Audit = maps.Clone(policy.Audit)
	if policy.Audit == nil {
		policy.Audit = make(map[string]records.Severity)
	}
	for _, rule := range gapRules {
		policy.Audit[rule] = records.Off
	}
	ids := make([]records.ID, len(rs))
	for i, r := range rs {
		ids[i] = r.ID
	}
	found := audit.Check(audit.Input{View: rd.View, Judge: rd.Judge, Policy: &policy}, ids)
	return slices.DeleteFunc(found, func(f audit.Finding) bool {
		return f.Record == "" || f.Severity != records.Error && f.Severity != records.Warning
	})
}
