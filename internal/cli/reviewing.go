package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// A reviewing goes through the inbox with a person at a terminal.
type reviewing struct {
	*keyPrompt
	accepted, rejected, left int
}

// errQuit ends the review.
var errQuit = errors.New("quit")

func (s *reviewing) run(ctx context.Context, inbox []query.Proposal) error {
	led, err := s.env.ledger(ctx)
	if err != nil {
		return err
	}
	if actor := led.Author().Actor; actor != records.Human {
		return &ledger.ReviewerError{Actor: actor}
	}
	for i, q := range inbox {
		err := s.one(ctx, q.ID, fmt.Sprintf("(%d/%d)", i+1, len(inbox)))
		if errors.Is(err, errQuit) {
			s.left += len(inbox) - i
			break
		}
		if err != nil {
			return err
		}
	}
	s.env.note("%d accepted, %d rejected, %d left", s.accepted, s.rejected, s.left)
	return nil
}

// one shows a proposal until it is decided or skipped.
func (s *reviewing) one(ctx context.Context, id records.ID, place string) error {
	for {
		rd, err := s.env.read(ctx, readFlags{})
		if err != nil {
			return err
		}
		r, ok := rd.Record(id)
		var q *query.Proposal
		if ok {
			q = query.ProposalOf(rd.Reading, r)
		}
		if q == nil {
			s.env.note("%s %s does not wait for review any more", place, id)
			return nil
		}
		if err := s.show(ctx, rd, r, q, place); err != nil {
			return err
		}
		again, err := s.decide(ctx, rd, q)
		if err != nil || !again {
			return err
		}
	}
}

func (s *reviewing) show(ctx context.Context, rd *reading, r *records.Record, q *query.Proposal, place string) error {
	p := &page{&ui.Page{Out: s.env.Stdout, IDs: rd.View, Colour: s.env.colour(ctx), Width: s.env.width()}}
	p.Printf("\n%s %s\n", ui.Painted{Text: place, Colour: ui.Dim}, p.work(rd, q.Task))
	p.proposal(ctx, rd, r, q)
	return p.Err()
}

// decide asks until there is an answer. again asks for the record to be shown
// anew, as it changed.
func (s *reviewing) decide(ctx context.Context, rd *reading, q *query.Proposal) (again bool, err error) {
	for {
		key, err := s.ask(rd, q)
		if err != nil {
			return false, err
		}
		o := &decideOptions{}
		switch key {
		case 'a':
			o.accept = true
		case 'c':
			o.accept, o.chain = true, true
			if len(q.Chain) < 2 {
				s.help(q)
				continue
			}
		case 'r':
			if o.reason, err = s.reason(); err != nil {
				return false, err
			}
			if o.reason == "" {
				s.env.note("no reason, and so nothing decided")
				continue
			}
		case 'e':
			if err := s.env.editInEditor(ctx, rd.Ledger, string(q.ID)); err != nil {
				s.tell(err)
			}
			return true, nil
		case 's':
			s.left++
			return false, nil
		case 'q', ui.KeyEnd:
			return false, errQuit
		default:
			s.help(q)
			continue
		}
		res, err := s.env.decide(ctx, rd, q, o)
		if err == nil {
			s.count(o)
			return false, s.env.answerDecided(res, q.ID)
		}
		if ctx.Err() != nil || interruptIn(err) {
			return false, err
		}
		s.tell(err)
		if changedMeanwhile(err) {
			return true, nil
		}
	}
}

func (s *reviewing) count(o *decideOptions) {
	if o.accept {
		s.accepted++
	} else {
		s.rejected++
	}
}

// interruptIn reports whether a person broke off, at a passphrase for one.
func interruptIn(err error) bool {
	var stop *ui.Interrupt
	return errors.As(err, &stop)
}

// tell prints what kept a decision from being made; the review goes on.
func (s *reviewing) tell(err error) { printError(s.env.Stderr, err) }

// ask reads one answer. The end of the input is an answer too: to stop.
func (s *reviewing) ask(rd *reading, q *query.Proposal) (byte, error) {
	keys := "a,r,e,s,q,?"
	if len(q.Chain) > 1 {
		keys = "a,c,r,e,s,q,?"
	}
	prompt := fmt.Sprintf("%s %s %s [%s]: ", q.Accept, q.Kind, rd.Abbreviate(q.ID, query.ShownID), keys)
	return s.key(prompt)
}

// reason reads why a proposal is turned down; "" when the person thought better of it.
func (s *reviewing) reason() (string, error) {
	if _, err := io.WriteString(s.env.Stdout, "reason: "); err != nil {
		return "", err
	}
	line, err := ui.ReadLine(s.env.input())
	if errors.Is(err, io.EOF) {
		return "", nil
	}
	return strings.TrimSpace(line), err
}

func (s *reviewing) help(q *query.Proposal) {
	s.env.note("a - %s it", q.Accept)
	if len(q.Chain) > 1 {
		s.env.note("c - %s it and, in the same commit, what it rests on and is not settled", q.Accept)
	}
	s.env.note("r - %s it, and say why\ne - edit it, then look again\ns - leave it for later\nq - stop here\n? - this help", q.Reject)
}
