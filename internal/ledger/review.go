package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/git-ctx/git-ctx/records"
)

// A Ruling is what a reviewer decides about one record.
type Ruling struct {
	ID    records.ID
	Verb  records.Verb
	Cites []string // names of records
	// Seen is the [Stamp] of the record that the reviewer saw, or Of its content
	// digest. A record that is another one by now is not ruled on. "" asks for nothing.
	Seen, Of string
}

// A ReviewerError says that the actor is none who may review.
type ReviewerError struct{ Actor records.Actor }

func (e *ReviewerError) Error() string {
	return fmt.Sprintf("only a person at a terminal reviews, and this is %s", e.Actor)
}

// A ChangedError says that a record is not what its reviewer saw.
type ChangedError struct{ ID records.ID }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("'%s' changed since it was shown: nothing was decided", e.ID)
}

// Stamp names everything a record says now, its verdict included.
func Stamp(r *records.Record) (string, error) {
	data, err := records.Format(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

const verbReview = "review"

// Rule commits a reviewer's rulings with one reason: all of them, or none. The
// last one names the commit. The error is a *[ReviewerError] for everyone but a
// person and a *[ChangedError] when a record is not what was seen.
func (l *Ledger) Rule(ctx context.Context, rulings []Ruling, reason string) (*Result, error) {
	if actor := l.opts.Author.Actor; actor != records.Human {
		return nil, &ReviewerError{actor}
	}
	var o editOptions
	if len(rulings) > 1 {
		o = editOptions{verb: verbReview, body: reason, head: rulings[len(rulings)-1].ID}
	}
	return l.edit(ctx, o, func(tx *Tx) error {
		for _, r := range rulings {
			if err := tx.unchanged(r); err != nil {
				return err
			}
		}
		for _, r := range rulings {
			if _, err := tx.Move(r.Verb, string(r.ID), Judgement{Reason: reason, Cites: r.Cites}); err != nil {
				return err
			}
		}
		return nil
	})
}

// unchanged refuses a ruling on what its reviewer has not seen.
func (tx *Tx) unchanged(r Ruling) error {
	now, err := tx.Find(string(r.ID))
	if err != nil {
		return err
	}
	if r.Of != "" && r.Of != now.Digest() {
		return &ChangedError{r.ID}
	}
	if r.Seen == "" {
		return nil
	}
	stamp, err := Stamp(now)
	if err == nil && stamp != r.Seen {
		err = &ChangedError{r.ID}
	}
	return err
}
