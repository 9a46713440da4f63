package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var disputedRecord = &Rule{
	ID:       "disputed-record",
	Severity: records.Error,
	Summary:  "A merge left a conflict in a record",
	Explanation: `Both sides of a merge changed a field and no rule says which value stands. The
record keeps all values and is not asserted until someone settles it.

See the values, then pick one or write another:

    git ctx conflicts
    git ctx resolve ID --pick N
    git ctx resolve ID --set FIELD=VALUE
    git ctx resolve ID --edit`,
	check: func(p *pass, r *records.Record) {
		if !r.Disputed() {
			return
		}
		fields := make([]string, len(r.Conflicts))
		for i, c := range r.Conflicts {
			fields[i] = c.Field
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s is disputed: a merge left conflicting values of %s", name(r), list(fields)),
			Hint:    command("conflicts", r.ID),
		})
	},
}
