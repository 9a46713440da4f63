package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var wrongKindLink = &Rule{
	ID:       "wrong-kind-link",
	Severity: records.Warning,
	Summary:  "A link leads to a record of a kind its relation does not allow",
	Explanation: `Each relation joins certain kinds: a task serves a goal, evidence supports a
hypothesis. A link between others means nothing to readers, who may follow it to
the wrong conclusion.

Put the link under the relation that says what is meant, and take the other away:

    git ctx link ID relates-to=TARGET
    git ctx unlink ID RELATION=TARGET`,
	check: func(p *pass, r *records.Record) {
		for _, rel := range records.Relations(r.Kind) {
			for _, id := range r.Links[rel] {
				target := p.get(id)
				if target == nil {
					continue
				}
				if err := records.CheckLink(r.Kind, rel, target.Kind); err != nil {
					p.report(Finding{
						Record:  r.ID,
						Related: []records.ID{id},
						Message: fmt.Sprintf("%s is linked to %s, but %v", name(r), name(target), err),
						Hint:    unlink(r.ID, rel, id),
						key:     string(rel),
					})
				}
			}
		}
	},
}
