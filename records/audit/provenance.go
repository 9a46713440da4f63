package audit

import (
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

var displacedVerdict = &Rule{
	ID:       records.RuleDisplaced,
	Severity: records.Error,
	Summary:  "A verdict that was displaced stands in the record again",
	firm:     true,
	Explanation: `History names a later verdict that took the place of this one. Somebody put the old
one back by hand, and it does not count again: readers do not assert the record.

Read the history, and put back what stood, or give the verdict anew:

    git ctx log ID
    git ctx revert COMMIT
    git ctx accept ID`,
	check: checkCause(records.RuleDisplaced, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s is %s by a verdict that commit %.10s displaced", name(r), r.State(), c.Commit)
	}),
}

var overruledVerdict = &Rule{
	ID:       records.RuleOverruled,
	Severity: records.Error,
	Summary:  "A verdict took the place of one that its author may not displace",
	firm:     true,
	Explanation: `An agent's or unknown author's verdict stands where a person's stood, and no verb would
have put it there. Nobody takes out of force what they could not put in force, so neither counts
until a person decides.

Put the person's verdict back, or agree with the other:

    git ctx log ID
    git ctx revert COMMIT
    git ctx reopen ID --reason WHY`,
	check: checkCause(records.RuleOverruled, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s is %s by %s since commit %.10s, over a verdict of higher rank", name(r), r.State(), r.Verdict.Actor, c.Commit)
	}),
}

var deletedRecord = &Rule{
	ID:       records.RuleDeleted,
	Severity: records.Error,
	Summary:  "A commit made without git ctx deleted a record",
	firm:     true,
	Explanation: `Verbs never delete files: what is out of use has a state that says so, and what is
forgotten leaves a tombstone. A commit made by hand or by another program took this record's file away,
so nobody decided against it.

Find the commit and undo it:

    git ctx log ID
    git ctx revert COMMIT --reason WHY`,
	check: checkCause(records.RuleDeleted, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s was deleted by commit %.10s, which no verb made", name(r), c.Commit)
	}),
}

var forgedTombstone = &Rule{
	ID:       records.RuleTombstone,
	Severity: records.Error,
	Summary:  "A tombstone stands where no verb forgot a record",
	firm:     true,
	Explanation: `The commit that forgets a record names the tombstone that it leaves. No commit names this
one: somebody edited the file. What the record said before still counts: text that it
ruled out is refused.

Undo that commit, or forget the record:

    git ctx log ID
    git ctx revert COMMIT --reason WHY
    git ctx forget ID --reason WHY`,
	check: checkCause(records.RuleTombstone, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s is forgotten since commit %.10s, and no verb forgot it", name(r), c.Commit)
	}),
}

var unreadableVeto = &Rule{
	ID:       records.RuleUnreadableVeto,
	Severity: records.Error,
	Summary:  "What the default branch says of a record cannot be read",
	Explanation: `The record's file on the default branch does not decode. It may rule the record out, so
no other branch asserts it.

See what is wrong with the file, and mend it there:

    git ctx switch main
    git ctx audit --rule unreadable-record`,
	check: checkCause(records.RuleUnreadableVeto, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("what the default branch says of %s cannot be read", name(r))
	}),
}

var circularBasis = &Rule{
	ID:       records.RuleCircularBasis,
	Severity: records.Error,
	Summary:  "Records hold each other up in a circle",
	Explanation: `Each of them rests on another, and none on anything else, so nothing speaks for any of
them. Verbs refuse such links; a commit made by hand can bring them.

Take a link out of the circle:

    git ctx lineage ID
    git ctx unlink ID rests-on=BASIS`,
	check: checkCause(records.RuleCircularBasis, func(p *pass, r *records.Record, c records.Cause) string {
		return fmt.Sprintf("%s rests on %s in a circle", name(r), p.names(c.Records))
	}),
}
