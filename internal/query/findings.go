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
	about := make(map[records.ID]bool, len(rs))
	var ids []records.ID
	for _, r := range rs {
		about[r.ID] = true
		ids = append(ids, r.ID)
		for _, c := range rd.Standing(r.ID).Causes { // each is reported of one record only
			ids = append(ids, c.Records...)
		}
	}
	found := audit.Check(audit.Input{View: rd.View, Eval: rd.Eval, Policy: &policy}, ids)
	return slices.DeleteFunc(found, func(f audit.Finding) bool {
		near := about[f.Record] || slices.ContainsFunc(f.Related, func(id records.ID) bool { return about[id] })
		return f.Record == "" || !near || f.Severity != records.Error && f.Severity != records.Warning
	})
}
