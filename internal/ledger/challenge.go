package ledger

import (
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// verbChallenge names the commit of a challenge.
const verbChallenge = "challenge"

// challenge records what an actor of lower rank would make of a record: it is shown beside
// the record and changes nothing until somebody of the rank answers. An actor has one at a time.
func (tx *Tx) challenge(verb records.Verb, r *records.Record, to records.State, j Judgement) error {
	cites, evidence, err := tx.evidence(verb, r.Clone(), j)
	if err != nil {
		return err
	}
	n, err := tx.l.random(4)
	if err != nil {
		return err
	}
	v := records.Verdict{
		State: to, Of: r.Digest(), Reason: strings.TrimSpace(j.Reason), Cites: cites,
		By: tx.by, Actor: tx.l.opts.Author.Actor, At: tx.now, N: records.NewNonce(n),
	}
	r.Challenges = append(slices.DeleteFunc(slices.Clone(r.Challenges), func(c records.Verdict) bool { return c.Actor == v.Actor }), v)
	tx.put(verbChallenge, r, j.Reason)
	for _, ev := range evidence {
		tx.put("", ev, "")
	}
	tx.Note("%s is %s by a person and stays so: that it be %s is recorded as a challenge, which a person answers in git ctx review", r.ID, r.State(), to)
	return nil
}

// Challenged lists the records of a view that bear challenges.
func (v *View) Challenged() ([]records.ID, error) {
	return v.those((*index.Snap).Challenged, func(r *records.Record) bool { return len(r.Challenges) > 0 })
}

// agree records the evidence for what a verdict of higher rank says already.
func (tx *Tx) agree(verb records.Verb, r *records.Record, j Judgement) error {
	_, evidence, err := tx.evidence(verb, r.Clone(), j)
	if err != nil {
		return err
	}
	for _, ev := range evidence {
		tx.put("", ev, "")
	}
	tx.Note("%s is %s by a person already, whose verdict stays", r.ID, r.State())
	return nil
}
