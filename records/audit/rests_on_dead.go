package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var restsOnDead = &Rule{
	ID:       records.RuleRestsOnDead,
	Severity: records.Error,
	Summary:  "A record in force rests on one that does not stand",
	Explanation: `A hypothesis, decision or conclusion that it rests on was refuted, rejected or reopened, has
expired, is itself in doubt, or cannot be read. So what it was accepted for is not known to
hold, and readers do not assert it until someone looks again. The message names where
a longer chain begins.

Find out why its basis fell, then put another in its place:

    git ctx log BASIS
    git ctx decision add TITLE --rests-on OTHER
    git ctx supersede ID --by NEW --reason WHY

Or rule it out:

    git ctx reject ID --reason WHY

Where it holds all the same, accept it anew in knowledge of the fallen basis:

    git ctx accept ID --despite BASIS --reason WHY`,
	check: checkCause(records.RuleRestsOnDead, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s is %s but rests on %s, which is %s%s", name(r), r.State(), p.names(c.Records), p.whatItIs(c.Records[0]), p.from(c))
	}),
}
