package audit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// policyPath is where the policy stands in the store's tree.
const policyPath = "ctx.yaml"

var unknownRule = &Rule{
	ID:       "unknown-rule",
	Severity: records.Warning,
	Summary:  "The policy sets the severity of a rule that does not exist",
	Explanation: `ctx.yaml names an audit rule that this version does not have: a misspelling, or a rule
of a newer version. The severity it sets has no effect.

Look the rule up and correct its name in ctx.yaml:

    git ctx audit --explain RULE`,
	store: func(p *pass) {
		if p.in.Policy == nil {
			return
		}
		for _, id := range slices.Sorted(maps.Keys(p.in.Policy.Audit)) {
			if slices.Contains(p.known, id) {
				continue
			}
			p.report(Finding{
				Path:    policyPath,
				Message: fmt.Sprintf("audit rule %q does not exist", id),
				Hint:    command("audit --explain", closest(id, p.known)),
				key:     id,
			})
		}
	},
}

// closest returns the word that takes the fewest single-character edits to get from s.
func closest(s string, words []string) string {
	return slices.MinFunc(words, func(a, b string) int { return edits(s, a) - edits(s, b) })
}

// edits is the Levenshtein distance of a and b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
