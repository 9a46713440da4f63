package query

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// A StatsAnswer counts what a context branch holds and what became of it: the
// JSON answer of stats.
type StatsAnswer struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"`
	Branch string       `json:"branch,omitempty"`
	// Since bounds History, Reversals, Review and Again.Refused; "" is no bound.
	Since     string        `json:"since,omitempty"`
	Records   int           `json:"records"`
	Kinds     []KindStats   `json:"kinds"`
	History   HistoryStats  `json:"history"`
	Reversals ReversalStats `json:"reversals"`
	Review    ReviewStats   `json:"review"`
	Again     AgainStats    `json:"again"`
}

// KindStats counts the records of one kind, forgotten ones aside.
type KindStats struct {
	Kind    records.Kind `json:"kind"`
	Records int          `json:"records"`
	// Words are those of the records' texts, between white space.
	Words  int            `json:"words"`
	States map[string]int `json:"states"`
}

// HistoryStats counts the commits, and who made them through which channel.
type HistoryStats struct {
	Commits     int `json:"commits"`
	Checkpoints int `json:"checkpoints"`
	Merges      int `json:"merges"`
	Human       int `json:"human"`
	Agent       int `json:"agent"`
	Unknown     int `json:"unknown"`
}

// ReversalStats counts the verdicts that were taken back or turned round.
type ReversalStats struct {
	Total int                  `json:"total"`
	Kinds map[records.Kind]int `json:"kinds"`
}

// ReviewStats says how long proposals waited for their acceptance, and what waits now.
type ReviewStats struct {
	Accepted      int   `json:"accepted"`
	MedianSeconds int64 `json:"median_seconds"`
	P90Seconds    int64 `json:"p90_seconds"`
	Waiting       int   `json:"waiting"`
	// OldestSeconds is 0 when nothing waits of which it is known since when.
	OldestSeconds int64 `json:"oldest_seconds"`
}

// AgainStats says how often what was ruled out was proposed again.
type AgainStats struct {
	// Refused counts the refusals in this repository; other clones keep their own.
	Refused int `json:"refused"`
	// Recorded counts the records that were added again with a reason.
	Recorded int `json:"recorded"`
}

// Stats counts what the branch holds, and from since on what became of it. It
// reads the records and the history once.
func Stats(ctx context.Context, rd *Reading, since time.Time) (*StatsAnswer, error) {
	a := &StatsAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch}
	if !since.IsZero() {
		a.Since = records.FormatInstant(since)
	}
	a.contents(rd)
	if err := a.history(ctx, rd, since); err != nil {
		return nil, err
	}
	if err := a.waiting(rd); err != nil {
		return nil, err
	}
	for _, r := range rd.Ledger.Refusals() {
		if !r.At.Before(since) {
			a.Again.Refused++
		}
	}
	return a, rd.Err()
}

func (a *StatsAnswer) contents(rd *Reading) {
	kinds := make(map[records.Kind]*KindStats)
	for _, s := range records.Schemas() {
		kinds[s.Kind] = &KindStats{Kind: s.Kind, States: make(map[string]int)}
	}
	for r := range rd.All() {
		k := kinds[r.Kind]
		if r.Forgotten() || k == nil {
			continue
		}
		a.Records++
		k.Records++
		k.Words += words(r)
		k.States[StateWord(r.State())]++
		if len(r.Links[records.Reopens]) > 0 {
			a.Again.Recorded++
		}
	}
	for _, s := range records.Schemas() {
		a.Kinds = append(a.Kinds, *kinds[s.Kind])
	}
}

// words counts those of everything that somebody wrote in a record.
func words(r *records.Record) int {
	n := 0
	for _, text := range r.Prose() {
		n += len(strings.Fields(text))
	}
	if r.Verdict != nil {
		n += len(strings.Fields(r.Verdict.Reason))
	}
	return n
}

func (a *StatsAnswer) history(ctx context.Context, rd *Reading, since time.Time) error {
	w := newVerdictWalk(since)
	for e, err := range rd.Ledger.History(ctx, ledger.HistoryQuery{From: []gitstore.OID{rd.Commit}}) {
		if err != nil {
			return err
		}
		if len(e.Parents) > 0 && !e.Committer.When.Before(since) { // the constant root says nothing
			a.History.count(e)
		}
		if err := w.commit(ctx, rd.Ledger, e); err != nil {
			return err
		}
	}
	w.finish()
	a.Reversals.Kinds = w.reversals
	for n := range maps.Values(w.reversals) {
		a.Reversals.Total += n
	}
	a.Review.Accepted = len(w.latencies)
	a.Review.MedianSeconds, a.Review.P90Seconds = rank(w.latencies, 50), rank(w.latencies, 90)
	return nil
}

func (h *HistoryStats) count(e *commitmsg.LogEntry) {
	h.Commits++
	if e.IsCheckpoint() {
		h.Checkpoints++
	}
	if e.IsMerge() {
		h.Merges++
	}
	switch {
	case e.By(string(records.Human)):
		h.Human++
	case e.By("agent"):
		h.Agent++
	default:
		h.Unknown++
	}
}

// rank is the least of sorted durations that percent of them do not exceed, in seconds.
func rank(ds []time.Duration, percent int) int64 {
	if len(ds) == 0 {
		return 0
	}
	return int64(ds[(len(ds)*percent+99)/100-1] / time.Second)
}

// waiting counts what awaits review now.
func (a *StatsAnswer) waiting(rd *Reading) error {
	var oldest time.Time
	for row, err := range rd.Rows(rd.Eval, index.Query{Classes: []records.Class{records.AwaitingReview}}) {
		if err != nil {
			return err
		}
		if row.Class != records.AwaitingReview {
			continue
		}
		a.Review.Waiting++
		// An import whose source gives no day says 1970: how long that waits is not known.
		if row.At.Unix() > 0 && (oldest.IsZero() || row.At.Before(oldest)) {
			oldest = row.At
		}
	}
	if !oldest.IsZero() {
		a.Review.OldestSeconds = max(int64(rd.Ledger.Now().Sub(oldest)/time.Second), 1) // one that began just now
	}
	return nil
}

// StatesOf lists the states of a kind that have records, in the schema's order.
func (k *KindStats) StatesOf() []string {
	var out []string
	for _, s := range k.Kind.Schema().States {
		if k.States[string(s)] > 0 {
			out = append(out, string(s))
		}
	}
	for _, s := range slices.Sorted(maps.Keys(k.States)) {
		if !slices.Contains(out, s) {
			out = append(out, s) // disputed
		}
	}
	return out
}
