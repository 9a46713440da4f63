package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
	"github.com/git-ctx/git-ctx/records/standing"
)

const verdictField = "verdict"

// A DisputedError says that a record must be resolved before anything else is done to it.
type DisputedError struct{ ID records.ID }

func (e *DisputedError) Error() string {
	return fmt.Sprintf("'%s' is disputed: a merge left both sides' values, and they must be resolved first", e.ID)
}

// A Side is one value of a conflict, and who gave it.
type Side struct {
	Value   *records.Value   // nil when the side leaves the field out
	Verdict *records.Verdict // the value decoded, of the field verdict
	// By, Actor and At are the verdict's own; of another field, those of the
	// commit that brought the value, zero when none in reach did.
	By     string
	Actor  records.Actor
	At     time.Time
	Commit gitstore.OID // of another field than the verdict
}

// A FieldConflict is one field in conflict. Its sides stand in the order in
// which [Settlement].Pick counts them.
type FieldConflict struct {
	Field string
	Bases []*records.Value
	Sides []Side
}

// A Dispute is a record that a merge left in conflict.
type Dispute struct {
	Record *records.Record
	Fields []FieldConflict // the verdict last: it is a judgement of the rest
	// Path is the file that git left unmerged in the work tree; "" for a dispute of the store.
	Path string
}

// Dispute takes a record's conflicts apart, and looks up in the history before
// a commit who gave each value.
func (l *Ledger) Dispute(ctx context.Context, at gitstore.OID, r *records.Record) (*Dispute, error) {
	return l.dispute(ctx, []gitstore.OID{at}, r)
}

func (l *Ledger) dispute(ctx context.Context, from []gitstore.OID, r *records.Record) (*Dispute, error) {
	d := &Dispute{Record: r}
	for _, c := range r.Conflicts {
		nodes, err := merge.Sides(r, c.Field)
		if err != nil {
			return nil, err
		}
		fc := FieldConflict{Field: c.Field, Bases: c.Bases, Sides: make([]Side, len(nodes))}
		for i, n := range nodes {
			fc.Sides[i].Value = n
			if c.Field != verdictField {
				continue
			}
			if v := sideVerdict(r, i+1); v != nil {
				fc.Sides[i] = Side{Value: n, Verdict: v, By: v.By, Actor: v.Actor, At: v.At}
			}
		}
		d.Fields = append(d.Fields, fc)
	}
	slices.SortStableFunc(d.Fields, func(a, b FieldConflict) int {
		return order(a.Field == verdictField) - order(b.Field == verdictField)
	})
	return d, l.attribute(ctx, from, d)
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// attribute fills in who gave the values of the fields that do not say it themselves.
func (l *Ledger) attribute(ctx context.Context, from []gitstore.OID, d *Dispute) error {
	open := make(map[string][]*Side)
	for i := range d.Fields {
		f := &d.Fields[i]
		for j := range f.Sides {
			if f.Field != verdictField {
				open[f.Field] = append(open[f.Field], &f.Sides[j])
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	for e, err := range l.History(ctx, HistoryQuery{From: from, Record: d.Record.ID}) {
		if err != nil {
			return err
		}
		if len(e.Parents) > 1 {
			continue // a merge gives no value
		}
		now, err := l.valuesAt(ctx, e.OID, d.Record.ID)
		if err != nil {
			return err
		}
		var was map[string]string
		if len(e.Parents) == 1 {
			if was, err = l.valuesAt(ctx, e.Parents[0], d.Record.ID); err != nil {
				return err
			}
		}
		for field, sides := range open {
			for _, s := range sides {
				if text := valueText(s.Value); s.Commit == "" && now[field] == text && (was == nil || was[field] != text) {
					s.By, s.Actor, s.At, s.Commit = e.Author.Name, e.Message.Actor, e.Committer.When.UTC(), e.OID
				}
			}
		}
	}
	return nil
}

// valuesAt returns a record's fields as canonical text; nil when a commit has
// no such record, or one that cannot be read.
func (l *Ledger) valuesAt(ctx context.Context, commit gitstore.OID, id records.ID) (map[string]string, error) {
	r, err := l.RecordAt(ctx, commit, id)
	var bad *records.SyntaxError
	if r == nil || errors.As(err, &bad) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	for _, f := range r.Fields() {
		values[f.Name] = valueText(f.Value)
	}
	return values, nil
}

// valueText is the text by which two values compare; "" is an absent one.
func valueText(n *records.Value) string {
	if n == nil {
		return ""
	}
	return records.FormatValue(n)
}

// sideVerdict decodes side n of a conflict on the verdict, counted from 1; nil
// when that side has none, or holds what no record may.
func sideVerdict(r *records.Record, n int) *records.Verdict {
	picked, err := merge.Pick(r, verdictField, n)
	if err != nil {
		return nil
	}
	return picked.Verdict
}

// A Settlement settles one field of a disputed record: with one of its sides,
// or with a value.
type Settlement struct {
	Field string
	Pick  int // counted from 1; 0 takes Value, or State for the verdict
	// Value is the field's value; nil leaves the field out.
	Value *records.Value
	State records.State
}

// Resolve settles conflicts of a record. The verdict becomes a new one, by this
// actor and with this reason, under the policy as any other; so it comes last,
// as a judgement of content that is settled.
func (tx *Tx) Resolve(name string, ss []Settlement, reason string) (*records.Record, error) {
	r, err := tx.Find(name)
	if err != nil {
		return nil, err
	}
	if !r.Disputed() {
		return nil, fmt.Errorf("'%s' is not disputed: there is nothing to resolve", r.ID)
	}
	if strings.TrimSpace(reason) == "" {
		return nil, &grammar.ReasonError{Verb: "resolve"}
	}
	var verdict *Settlement
	for i := range ss {
		s := &ss[i]
		switch {
		case s.Field == verdictField:
			verdict = s
			continue
		case s.Pick > 0:
			r, err = merge.Pick(r, s.Field, s.Pick)
		default:
			r, err = merge.Resolve(r, s.Field, s.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	if verdict != nil {
		if r, err = tx.settleVerdict(r, *verdict, reason); err != nil {
			return nil, fmt.Errorf("resolve '%s': %w", r.ID, err)
		}
	}
	tx.put("resolve", r, reason)
	return r, nil
}

func (tx *Tx) settleVerdict(r *records.Record, s Settlement, reason string) (*records.Record, error) {
	nodes, err := merge.Sides(r, verdictField)
	if err != nil {
		return r, err
	}
	if len(r.Conflicts) > 1 {
		var rest []string
		for _, c := range r.Conflicts {
			if c.Field != verdictField {
				rest = append(rest, c.Field)
			}
		}
		return r, fmt.Errorf("the verdict comes last: %s must be settled first, as a verdict judges the whole", strings.Join(rest, " and "))
	}
	v, err := chosenVerdict(r, len(nodes), s)
	if err != nil {
		return r, err
	}
	if err := tx.maySettle(r, len(nodes), v.State); err != nil {
		return r, err
	}
	r = r.Clone()
	r.Conflicts = nil
	if err := tx.setVerdict(r, v.State, reason, v.Cites); err != nil {
		return r, err
	}
	r.Verdict.SupersededBy, r.Verdict.Despite = v.SupersededBy, v.Despite
	if v.Asks != "" && r.Verdict.Asks == "" {
		r.Verdict.Asks = v.Asks
	}
	return r, nil
}

// maySettle keeps a dispute of which a person's verdict is a side from being settled against it
// by anyone else.
func (tx *Tx) maySettle(r *records.Record, sides int, to records.State) error {
	if tx.Eval.Review == records.ReviewAny || tx.l.opts.Author.Actor == records.Human {
		return nil
	}
	for n := 1; n <= sides; n++ {
		side, err := merge.Pick(r, verdictField, n)
		if err != nil || side.Verdict == nil || standing.RankOf(tx.Overlay, side, tx.provenEval("")) == records.AgentRank {
			continue
		}
		if tx.mustAsk(r.Kind, to) || records.OverHigher(r.Kind, side.State(), to) != records.Acts {
			return &PersonError{"resolve", r.ID}
		}
	}
	return nil
}

// chosenVerdict is the side picked, or the one state asked for with everything
// that the sides in that state cite.
func chosenVerdict(r *records.Record, sides int, s Settlement) (*records.Verdict, error) {
	if s.Pick > 0 {
		if s.Pick > sides {
			return nil, &merge.SideError{Field: verdictField, N: s.Pick, Have: sides}
		}
		if v := sideVerdict(r, s.Pick); v != nil {
			return v, nil
		}
		return nil, fmt.Errorf("side %d has no verdict", s.Pick)
	}
	sch := r.Kind.Schema()
	if !sch.Has(s.State) {
		var legal []string
		for _, st := range sch.States {
			legal = append(legal, string(st))
		}
		return nil, fmt.Errorf("unknown state '%s': a %s is %s", s.State, r.Kind, strings.Join(legal, ", "))
	}
	v := &records.Verdict{State: s.State}
	for n := 1; n <= sides; n++ {
		side := sideVerdict(r, n)
		if side == nil || side.State != s.State {
			continue
		}
		for _, id := range side.Cites {
			v.Cites = insertSorted(v.Cites, id)
		}
		if v.SupersededBy == "" {
			v.SupersededBy = side.SupersededBy
		}
	}
	if s.State == records.Superseded && v.SupersededBy == "" {
		return nil, errors.New("no side says by which record it is superseded; settle it otherwise, then supersede it")
	}
	return v, nil
}
