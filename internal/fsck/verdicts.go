package fsck

import (
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

// exemptVerbs are the verbs that bring verdicts of others, or several at once.
func exemptVerbs() []string {
	return []string{commitmsg.VerbApply, commitmsg.VerbPromote, ledger.VerbRestore, "resolve", "import", "revert"}
}

// verdict checks one verdict that a commit has, the record's own or one beside it.
func (w *historyWalk) verdict(c change, now *records.Record, v *records.Verdict, own bool) error {
	digest := records.VerdictDigest(now.ID, v)
	if !w.standing[digest] {
		return nil
	}
	var old *records.Record
	disputed, contained := false, false
	for _, oid := range c.old {
		o := w.sides[oid]
		if o == nil {
			continue
		}
		old, disputed = o, disputed || o.Verdict == nil
		for _, was := range verdictsOf(o) {
			contained = contained || records.VerdictDigest(o.ID, &was) == digest
		}
	}
	if contained {
		return nil
	}
	if v.Actor == records.Human && records.NeedsProvenance(now.Kind, v.State) {
		return w.humanVerdict(c, v, old, disputed)
	}
	e := c.commit.Message
	switch {
	case disputed || slices.Contains(exemptVerbs(), e.Verb):
		return nil
	case v.Actor != e.Actor:
		w.fault(c, records.Warning, CheckVerdict, fmt.Sprintf("%s is %s by %s, it says, and %s made the commit that says so", now.ID, v.State, v.Actor, e.Actor))
		return nil
	case e.Verb != "" && !provenance.SameAuthor(c.commit.Author.Name, v.By):
		w.fault(c, records.Warning, CheckVerdict, fmt.Sprintf("%s is %s by '%s', it says, and the commit's author is '%s'", now.ID, v.State, v.By, c.commit.Author.Name))
		return nil
	case !own:
		return nil
	}
	return w.transition(c, old, disputed)
}

// tombstone checks that a verb put a tombstone there, unless a parent has it.
func (w *historyWalk) tombstone(c change, now *records.Record) error {
	w.forgot[now.ID] = append(w.forgot[now.ID], c.commit.OID)
	digest := records.TombstoneDigest(now)
	for _, oid := range c.old {
		if o := w.sides[oid]; o != nil && o.Forgotten() && records.TombstoneDigest(o) == digest {
			return nil
		}
	}
	if len(c.commit.Parents) > 0 && !w.given.Forgot(now) && w.graves[digest] {
		w.fault(c, records.Error, CheckTombstone, fmt.Sprintf("%s is forgotten, it says, and no verb forgot it", now.ID))
	}
	return nil
}

// dispute checks that a commit which puts a verdict in dispute is a merge, of whose parents
// each side is, or brings back what a merge lost, which somebody gave.
func (w *historyWalk) dispute(c change, now *records.Record) error {
	held := make(map[string]bool)
	for _, oid := range c.old {
		if o := w.sides[oid]; o != nil {
			for _, v := range append(verdictsOf(o), verdictSides(o)...) {
				held[records.VerdictDigest(o.ID, &v)] = true
			}
		}
	}
	for _, v := range verdictSides(now) {
		given := held[records.VerdictDigest(now.ID, &v)]
		if m := c.commit.Message; !given && m != nil && m.Verb == ledger.VerbRestore {
			var err error
			if given, err = w.given.Given(now.ID, &v); err != nil {
				return err
			}
		}
		if !given {
			w.fault(c, records.Error, CheckVerdict, fmt.Sprintf("%s is in dispute, and no parent of this commit has the side '%s' by %s", now.ID, v.State, v.By))
			return nil
		}
	}
	return nil
}

// humanVerdict checks a verdict in a person's name: a person's verb gave it, and
// gave it here. One that stood before, was taken back since and is put there again
// by hand is a person's too, but of another time.
func (w *historyWalk) humanVerdict(c change, v *records.Verdict, old *records.Record, disputed bool) error {
	now := w.sides[c.now]
	own := now.Verdict != nil && now.Verdict.N == v.N
	ok, err := w.given.Given(now.ID, v)
	if err != nil {
		return err
	}
	if !ok {
		w.fault(c, records.Error, CheckUnattested, fmt.Sprintf("%s is %s by a person, it says, and no verb of a person gave that verdict", now.ID, now.State()))
		return nil
	}
	if w.given.GivenBy(c.commit, now.ID, v) {
		if !own {
			return nil
		}
		return w.transition(c, old, disputed)
	}
	if stood, err := w.given.BeforeCut(now.ID, v); err != nil || stood {
		return err
	}
	w.fault(c, records.Error, CheckUnattested, fmt.Sprintf("%s is %s by a verdict that a person gave at another time, and no verb of a person gave it anew", now.ID, now.State()))
	return nil
}

// transition checks that some verb leads from the one state to the other.
func (w *historyWalk) transition(c change, old *records.Record, disputed bool) error {
	now, verb := w.sides[c.now], c.commit.Message.Verb
	if old == nil || old.Verdict == nil || disputed || c.commit.IsMerge() || now.Verdict.Reverts != "" || slices.Contains(exemptVerbs(), verb) {
		return nil
	}
	if verb == string(records.VerbReopen) && records.CheckReopen(old.Kind, old.State()) == nil {
		return nil
	}
	if err := records.CheckTransition(old.Kind, old.State(), now.State()); err != nil {
		w.fault(c, records.Warning, CheckVerdict, fmt.Sprintf("%s: %v", now.ID, err))
	}
	return nil
}

// verdictSides are the sides of a conflict on the record's verdict.
func verdictSides(r *records.Record) []records.Verdict {
	var vs []records.Verdict
	for n := 1; r.InConflict("verdict"); n++ {
		picked, err := merge.Pick(r, "verdict", n)
		if err != nil {
			break
		}
		if picked.Verdict != nil {
			vs = append(vs, *picked.Verdict)
		}
	}
	return vs
}

func verdictsOf(r *records.Record) []records.Verdict {
	vs := slices.Clone(r.Also)
	if r.Verdict != nil {
		vs = append(vs, *r.Verdict)
	}
	return vs
}
