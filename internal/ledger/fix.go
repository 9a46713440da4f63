package ledger

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// A Repair is one change that cannot alter what a record says.
type Repair struct {
	ID   records.ID `json:"id"`
	What string     `json:"what"`
}

// Fix makes the repairs that cannot alter what any record says, as one commit,
// and returns them; the result's Commit is "" when there was nothing to repair.
// Records that are not in canonical form are written in it. Evidence that a
// verdict cites, and that links to no side of the matter, gets the link that the
// verdict implies, unless the evidence was judged in its present form.
func (l *Ledger) Fix(ctx context.Context) (*Result, []Repair, error) {
	var repairs []Repair
	res, err := l.edit(ctx, editOptions{verb: "fix", subject: "audit: repairs that change no meaning"}, func(tx *Tx) error {
		repairs = nil
		crooked, err := l.notCanonical(ctx, tx.before)
		if err != nil {
			return err
		}
		for _, r := range crooked {
			tx.put("", r, "")
			repairs = append(repairs, Repair{r.ID, "written in canonical form"})
		}
		links := tx.impliedLinks()
		repairs = append(repairs, links...)
		return nil
	})
	return res, repairs, err
}

// notCanonical returns the records whose files are in another than their one form.
func (l *Ledger) notCanonical(ctx context.Context, v *View) ([]*records.Record, error) {
	snap, err := l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return nil, err
	}
	var out []*records.Record
	for c, err := range l.FileChanges(ctx, "", snap.Tree()) {
		if err != nil {
			return nil, fmt.Errorf("read store commit %s: %w", v.Commit, err)
		}
		r, err := ParseFile(c.Path, c.Data)
		if err != nil {
			continue // unreadable: not ours to mend
		}
		if canonical, err := records.Format(r); err == nil && !bytes.Equal(canonical, c.Data) {
			out = append(out, r)
		}
	}
	return out, nil
}

// impliedLinks links evidence to the hypotheses whose verdicts cite it.
func (tx *Tx) impliedLinks() []Repair {
	var repairs []Repair
	for _, side := range []struct {
		state records.State
		rel   records.Relation
	}{{records.Supported, records.Supports}, {records.Refuted, records.Refutes}} {
		for _, id := range tx.InState(records.Hypothesis, side.state) {
			hyp, ok := tx.Overlay.Record(id)
			if !ok || !hyp.Intact() {
				continue
			}
			for _, cited := range hyp.Verdict.Cites {
				if tx.implyLink(cited, side.rel, id) {
					repairs = append(repairs, Repair{cited, fmt.Sprintf("%s %s, whose verdict cites it", side.rel, id)})
				}
			}
		}
	}
	return repairs
}

// implyLink links evidence to a hypothesis that cites it, and reports whether it did.
func (tx *Tx) implyLink(cited records.ID, rel records.Relation, hyp records.ID) bool {
	ev, ok := tx.Overlay.Record(cited)
	if !ok || !ev.Counts() || !ev.Intact() || ev.CoversContent() {
		return false
	}
	if slices.Contains(ev.Links[records.Supports], hyp) || slices.Contains(ev.Links[records.Refutes], hyp) {
		return false
	}
	ev = ev.Clone()
	setLink(ev, rel, hyp)
	tx.put("", ev, "")
	return true
}
