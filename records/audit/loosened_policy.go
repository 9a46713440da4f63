package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var loosenedPolicy = &Rule{
	ID:       "loosened-policy",
	Severity: records.Error,
	Summary:  "The review policy was loosened, and nobody who may decided so",
	firm:     true,
	Explanation: `ctx.yaml asks for less review than was last decided, and the commit that made it so
was not made by a person's 'git ctx init --review': somebody edited the file, or
merged without git ctx. What was decided holds until a person decides anew.

To keep what was decided, or to loosen the policy:

    git ctx init --review human
    git ctx init --review any`,
	store: func(p *pass) {
		if w := p.in.Loosened; w != nil {
			p.report(Finding{
				Path:    records.PolicyFile,
				Message: fmt.Sprintf("commit %.12s made the policy review: %s, which nobody who may decided; review: %s holds", w.Commit, w.Review, w.Held),
				Hint:    "git ctx init --review " + string(w.Held),
			})
		}
	},
}
