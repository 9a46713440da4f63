package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var changedSinceReview = &Rule{
	ID:       "changed-since-review",
	Severity: records.Warning,
	Summary:  "A record's content is not what its verdict was given on",
	Explanation: `The verdict carries a digest of the content that was judged, and the content has
changed since. Readers treat the record as an open question until someone
judges it again.

See what changed, then give the verdict again, or another:

    git ctx log ID
    git ctx accept ID
    git ctx support ID --cite EVIDENCE`,
	check: func(p *pass, r *records.Record) {
		if p.alone(r).Why != records.WhyChanged {
			return
		}
		p.report(Finding{
			Record:  r.ID,
			Message: fmt.Sprintf("%s changed after it was judged %s", name(r), r.State()),
			Hint:    verdictCommand(r, r.State()),
		})
	},
}
