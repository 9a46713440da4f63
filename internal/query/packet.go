package query

import (
	"cmp"
	"context"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
)

// PacketOptions say what a packet is asked for. The zero value asks for what the
// session works on.
type PacketOptions struct {
	Purpose string
	// Goal, Task and Trigger name records as users do: ids, their beginnings, @task, @goal.
	Goal, Task, Trigger string
	// Paths are the files in play as named where the program runs; without any,
	// they are the files that differ from HEAD.
	Paths []string
	// Budget is in tokens, MaxChars in UTF-16 code units; 0 is the policy's, else the usual limit.
	Budget, MaxChars int
	Kinds            []records.Kind // nil is all
	// Since names a store commit, as [ledger.Ledger.Resolve] takes it: the packet
	// tells only what changed since.
	Since string
	// Session asks for what changed since this session's last packet, which [MarkDelivered]
	// marks; for all, where there was none or it was about other work.
	Session bool
	// Version is the program's, which the digest covers.
	Version string
}

// Packet makes the packet that the options ask of a reading. The error is an
// *[OptionError], a *[packet.FocusError], a *[packet.BudgetError], or that of a read.
func Packet(ctx context.Context, rd *Reading, o PacketOptions) (*packet.Packet, error) {
	req, err := packetRequest(ctx, rd, o)
	if err != nil {
		return nil, err
	}
	return packet.Build(rd.View, req)
}

// contextName is the branch of a reading, and the scope it is of.
func contextName(rd *Reading) string {
	if scope := rd.Ledger.Scope(); scope != "" && rd.Branch != "" {
		return "scopes/" + scope + "/" + rd.Branch
	}
	return rd.Branch
}

// packetRequest is everything that determines the packet.
func packetRequest(ctx context.Context, rd *Reading, o PacketOptions) (packet.Request, error) {
	v := rd.View
	req := packet.Request{
		Purpose: o.Purpose, Kinds: o.Kinds, Eval: rd.Eval,
		Budget: cmp.Or(o.Budget, v.Policy.Budget), MaxChars: cmp.Or(o.MaxChars, v.Policy.MaxChars),
		Commit: string(v.Commit), Context: contextName(rd), Default: v.Default, Behind: v.Behind,
		StoreTime: v.When, Unreadable: len(v.Unreadable), Version: o.Version,
	}
	var err error
	if req.Focus, err = packetFocus(ctx, rd, o); err != nil {
		return req, err
	}
	if v.VetoTip != "" {
		req.Tips = []string{string(v.VetoTip)}
	}
	if req.Elsewhere, err = rd.elsewhere(ctx); err != nil {
		return req, err
	}
	for _, branch := range rd.dead {
		req.Focus.Notes = append(req.Focus.Notes, "branch "+branch+" is not read: objects are missing (git ctx doctor)")
	}
	if err := restrict(ctx, rd, o, &req); err != nil || req.Since != nil {
		return req, err
	}
	return req, narrow(ctx, rd, &req)
}

// elsewhere is what other context branches rule out.
func (rd *Reading) elsewhere(ctx context.Context) ([]packet.Elsewhere, error) {
	if rd.others != nil {
		return rd.others, nil
	}
	others, dead, err := RuledOutElsewhere(ctx, rd.Ledger, rd.View)
	if err != nil {
		return nil, err
	}
	rd.dead = dead
	rd.others = make([]packet.Elsewhere, len(others))
	for i, e := range others {
		rd.others[i] = packet.Elsewhere{Record: e.Record, Branch: e.Branch}
	}
	return rd.others, nil
}

// ExplainPacket makes the packet that the options ask for and tells how it was
// chosen, of at most limit records, 0 being all. Errors are those of [Packet].
func ExplainPacket(ctx context.Context, rd *Reading, o PacketOptions, limit int) (*packet.Explanation, error) {
	req, err := packetRequest(ctx, rd, o)
	if err != nil {
		return nil, err
	}
	return packet.Explain(rd.View, req, limit)
}

// narrow lets the packet of a large store weigh a pool of its records, and
// tells it how many there are of each kind.
func narrow(ctx context.Context, rd *Reading, req *packet.Request) error {
	q := ledger.PoolQuery{Text: req.Purpose, Files: req.Focus.Paths}
	for _, id := range []records.ID{req.Focus.Goal, req.Focus.Task, req.Focus.Trigger} {
		if id != "" {
			q.Focus = append(q.Focus, id)
		}
	}
	ids, err := rd.Ledger.Pool(ctx, rd.View, q)
	if err != nil || ids == nil {
		return err
	}
	tally, err := rd.Tally(req.Eval)
	if err != nil {
		return err
	}
	req.Candidates, req.Totals, req.Suppressed = ids, make(map[string]int), make(map[string]int)
	for t, n := range tally {
		r := &records.Record{Kind: t.Kind, Verdict: &records.Verdict{State: t.State, Asks: t.Asks}}
		if name := packet.SectionName(r, records.Standing{Class: t.Class, State: t.State, Why: t.Why}); name != "" {
			req.Totals[name] += n
		}
		if t.Why != "" && t.Why != records.WhyForgotten && t.Class != records.Asserted {
			req.Suppressed[string(t.Why)] += n
		}
	}
	return nil
}

// packetFocus is what the options name, filled up from what the session works on.
func packetFocus(ctx context.Context, rd *Reading, o PacketOptions) (packet.Focus, error) {
	var f packet.Focus
	for _, n := range []struct {
		option, name string
		to           *records.ID
	}{{"goal", o.Goal, &f.Goal}, {"task", o.Task, &f.Task}, {"trigger", o.Trigger, &f.Trigger}} {
		if n.name == "" {
			continue
		}
		r, err := rd.Ledger.Find(rd.View, n.name)
		if err != nil {
			return f, &OptionError{Option: n.option, Err: err}
		}
		*n.to = r.ID
	}
	for _, name := range o.Paths {
		p, err := rd.Ledger.TopPath(name)
		if err != nil {
			return f, err
		}
		f.Paths = append(f.Paths, p)
	}
	work := &InPlay{}
	if f.Goal == "" && f.Task == "" && f.Trigger == "" {
		work = CurrentWork(rd.Ledger, rd.View)
	}
	if err := CodeInPlay(ctx, rd.Ledger, work, len(o.Paths) == 0); err != nil {
		return f, err
	}
	if work.Task != nil {
		f.Task = work.Task.ID
	}
	if work.Goal != nil {
		f.Goal = work.Goal.ID
	}
	f.Branch, f.Paths, f.Notes = work.Branch, append(f.Paths, work.Paths...), work.Notes
	if rd.AsOf != "" {
		f.Notes = append(f.Notes, "as recorded at "+rd.AsOf)
	}
	return f, nil
}
