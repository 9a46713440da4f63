package query

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// A verdictWalk goes over a history from its end to its beginning and keeps, for
// each record, what became of it later: memory grows with the records that were
// judged and not with the commits.
type verdictWalk struct {
	since     time.Time
	later     map[records.ID]judged
	granted   map[records.ID]*granted
	reversals map[records.Kind]int
	latencies []time.Duration
}

// A judged is a verdict that stands later in history.
type judged struct {
	state records.State
	at    time.Time
}

// A granted is an acceptance, and when it was first asked for; zero for one that
// nobody asked for.
type granted struct{ at, asked time.Time }

func newVerdictWalk(since time.Time) *verdictWalk {
	return &verdictWalk{since: since, later: make(map[records.ID]judged), granted: make(map[records.ID]*granted), reversals: make(map[records.Kind]int)}
}

// opposite is the verdict that a later one turns round, "" for none. To supersede
// is to go on, and to retire to be done.
func opposite(later records.State) records.State {
	switch later {
	case records.Refuted:
		return records.Supported
	case records.Supported:
		return records.Refuted
	case records.Rejected:
		return records.Accepted
	case records.Accepted:
		return records.Rejected
	case records.Retracted:
		return records.Verified
	}
	return ""
}

// verdict is met when a record was judged.
func (w *verdictWalk) verdict(id records.ID, state records.State, at time.Time) {
	if was, ok := w.later[id]; ok && opposite(was.state) == state {
		w.reversed(id, was.at)
	}
	w.later[id] = judged{state, at}
	w.settle(id)
	if id.Kind().Schema().Reviewed == state {
		w.granted[id] = &granted{at: at}
	}
}

// back is met when a verdict was taken back outright.
func (w *verdictWalk) back(id records.ID, at time.Time) {
	w.reversed(id, at)
	delete(w.later, id)
	w.settle(id)
}

// ask is met when somebody asked for an acceptance.
func (w *verdictWalk) ask(id records.ID, at time.Time) {
	if g := w.granted[id]; g != nil {
		g.asked = at
	}
}

func (w *verdictWalk) reversed(id records.ID, at time.Time) {
	if !at.Before(w.since) {
		w.reversals[id.Kind()]++
	}
}

// settle ends the wait for the beginning of a record's last acceptance met.
func (w *verdictWalk) settle(id records.ID) {
	if g := w.granted[id]; g != nil && !g.asked.IsZero() && !g.at.Before(w.since) {
		w.latencies = append(w.latencies, max(g.at.Sub(g.asked), 0))
	}
	delete(w.granted, id)
}

// finish is called at the history's beginning.
func (w *verdictWalk) finish() {
	for id := range w.granted {
		w.settle(id)
	}
	slices.Sort(w.latencies)
}

// commit takes one commit in.
func (w *verdictWalk) commit(ctx context.Context, l *ledger.Ledger, e *commitmsg.LogEntry) error {
	at := e.Committer.When
	switch verb := records.Verb(e.Message.Verb); {
	case e.IsCheckpoint() || e.IsMerge() || len(e.Parents) == 0:
	case verb == records.VerbReopen || verb == "revert":
		for _, id := range e.Message.Records {
			if id.Kind() != "" {
				w.back(id, at)
			}
		}
	case verb.Transition() != nil:
		for _, id := range e.Message.Records {
			if to := verb.Transition().To[id.Kind()]; to != "" {
				if err := w.moved(ctx, l, e, id, to); err != nil {
					return err
				}
			}
		}
	case verb == "apply" || verb == "review":
		return w.batch(ctx, l, e)
	}
	return nil
}

// moved takes one judgement in. What a policy keeps for a reviewer, others only
// ask for; the record of that commit tells.
func (w *verdictWalk) moved(ctx context.Context, l *ledger.Ledger, e *commitmsg.LogEntry, id records.ID, to records.State) error {
	at := e.Committer.When
	if id.Kind().Schema().Reviewed == to && e.Message.Actor != records.Human {
		r, err := l.RecordAt(ctx, e.OID, id)
		var unreadable *records.SyntaxError
		switch {
		case errors.As(err, &unreadable) || err == nil && r == nil:
			return nil // nothing can be said of it
		case err != nil:
			return err
		case r.State() != to:
			w.ask(id, at)
			return nil
		}
	}
	w.verdict(id, to, at)
	return nil
}

// batch takes in a commit of many verbs, by what it changed.
func (w *verdictWalk) batch(ctx context.Context, l *ledger.Ledger, e *commitmsg.LogEntry) error {
	for d, err := range l.Changes(ctx, e.Parents[0], e.OID) {
		switch {
		case err != nil:
			return err
		case d.New == nil || d.New.Verdict == nil:
		case d.Old != nil && d.Old.Verdict != nil && d.Old.Verdict.N == d.New.Verdict.N: // judged before
		case d.New.Verdict.Asks != "":
			w.ask(d.ID, e.Committer.When)
		case d.New.CoversContent():
			w.verdict(d.ID, d.New.State(), e.Committer.When)
		case d.Old != nil && d.Old.CoversContent():
			w.back(d.ID, e.Committer.When)
		}
	}
	return nil
}
