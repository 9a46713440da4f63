package cli

import (
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

// choices are the hints for a record with several fields in conflict: the sides
// of each by number, and the command that settles the first of them.
func choices(r *records.Record) string {
	var lines []string
	fields := query.ConflictFields(r)
	for _, field := range fields {
		sides, err := merge.Sides(r, field)
		if err != nil {
			continue // it is not a conflict of r
		}
		words := make([]string, len(sides))
		for i, n := range sides {
			words[i] = fmt.Sprintf("%d '%s'", i+1, shorten(sideWords(field, ledger.Side{Value: n})))
		}
		lines = append(lines, fmt.Sprintf("%s: %s", field, strings.Join(words, ", ")))
	}
	return strings.Join(append(lines, settleNext(r)), "\n")
}

// settleNext is the command that settles the first field in conflict.
func settleNext(r *records.Record) string {
	return fmt.Sprintf("git ctx resolve %s --field %s --pick N --reason 'WHY'", r.ID, query.ConflictFields(r)[0])
}
