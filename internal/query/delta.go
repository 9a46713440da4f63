package query

import (
	"context"
	"errors"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
)

// restrict makes the request one for what changed, where the options ask for
// that and there is something to count from.
func restrict(ctx context.Context, rd *Reading, o PacketOptions, req *packet.Request) error {
	var then ledger.Snapshot
	told := func(e packet.Elsewhere) bool { return e.Record.Verdict.At.Before(then.ValidAt) }
	switch mark, marked := LoadLastPacket(rd.Ledger); {
	case o.Since != "":
		commit, err := rd.Ledger.Resolve(ctx, o.Since)
		if err == nil {
			then, err = rd.Ledger.SnapshotAt(ctx, rd.View, commit)
		}
		if err != nil {
			return &OptionError{Option: "since", Err: err}
		}
	case o.Session && marked && sameReader(mark, rd, req.Focus):
		then = mark.Snapshot
		told = func(e packet.Elsewhere) bool { return slices.Contains(mark.Elsewhere, e.Record.ID) }
	default:
		return nil
	}
	was, err := rd.Ledger.MovedSince(ctx, rd.View, then, rd.Eval)
	var gone *gitstore.MissingObjectError
	switch {
	case errors.Is(err, ledger.ErrPolicyMoved):
		req.Focus.Notes = append(req.Focus.Notes, "the whole packet: the review policy changed since")
		return nil
	case o.Since == "" && (errors.As(err, &gone) || errors.Is(err, gitstore.ErrUnknownRevision)):
		return nil // the session's last packet is of a commit that is gone
	case err != nil:
		return err
	}
	forgotten := make(map[records.ID]bool)
	for id := range was {
		if rd.ForgottenAbove(id) {
			forgotten[id] = true
		}
	}
	req.Since = &packet.Delta{
		Commit: string(then.Commit), Was: was, Forgotten: forgotten,
		Tips: []string{string(then.Vetoes), records.FormatInstant(then.ValidAt)},
	}
	req.Elsewhere = slices.DeleteFunc(slices.Clone(req.Elsewhere), told)
	return nil
}

// sameReader reports whether the session's last packet was about the same work
// and judged in the same way: only then do its readers know the rest.
func sameReader(m LastPacket, rd *Reading, f packet.Focus) bool {
	inferred := func(asked, used records.ID) bool { return asked == used || asked == "" && f.Task != "" }
	return m.Branch == rd.Branch && m.Review == rd.Eval.Review &&
		m.Task == f.Task && inferred(f.Goal, m.Goal) && inferred(f.Trigger, m.Trigger)
}

// MarkDelivered remembers that the session was handed the packet of this reading, for
// [PacketOptions.Session]. It is best effort: after an error the next packet
// tells more than it needs to.
func MarkDelivered(ctx context.Context, rd *Reading, p *packet.Packet) error {
	others, err := rd.elsewhere(ctx)
	if err != nil {
		return err
	}
	m := LastPacket{
		Snapshot: ledger.Snapshot{Commit: rd.Commit, Vetoes: rd.VetoTip, ValidAt: rd.Eval.ValidAt},
		Branch:   rd.Branch, Review: rd.Eval.Review,
		Goal: p.Focus.Goal, Task: p.Focus.Task, Trigger: p.Focus.Trigger,
	}
	for _, e := range others {
		m.Elsewhere = append(m.Elsewhere, e.Record.ID)
	}
	return SaveLastPacket(rd.Ledger, m)
}
