package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
)

type packetOptions struct {
	readFlags
	purpose             string
	goal, task, trigger string
	paths               []string
	budget, maxChars    int
}

func newPacketCmd(env *Env) *cobra.Command {
	o := &packetOptions{}
	cmd := &cobra.Command{
		Use: "packet", Aliases: []string{"context"}, Short: "print what holds and bears on the work at hand", Args: noArgs,
		Long: "Print what holds and bears on the work at hand, within a budget of tokens.\n\n" +
			"The focus is what --task, --goal, --trigger and --path name. What they leave open is\n" +
			"taken from the session's @task or @goal and from the files that differ from HEAD, and\n" +
			"the packet says so. Only what may be asserted is; refuted and rejected records are\n" +
			"listed as ruled out.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return runPacket(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.purpose, "purpose", "", "`TEXT`: what the reader is about to do")
	f.StringVar(&o.goal, "goal", "", "`ID` of the goal in focus")
	f.StringVar(&o.task, "task", "", "`ID` of the task in focus (default @task)")
	f.StringVar(&o.trigger, "trigger", "", "`ID` of the trigger in focus")
	f.StringArrayVar(&o.paths, "path", nil, "`PATH` in play, repeatable (default: files that differ from HEAD)")
	f.IntVar(&o.budget, "budget", 0, fmt.Sprintf("at most `N` tokens (default %d, or the policy's)", packet.DefaultBudget))
	f.IntVar(&o.maxChars, "max-chars", 0, fmt.Sprintf("at most `N` characters (default %d, or the policy's)", packet.DefaultMaxChars))
	o.bind(f)
	return cmd
}

// check refuses limits that leave no room, which is not what leaving them out means.
func (o *packetOptions) check(flags *pflag.FlagSet) error {
	for _, limit := range []struct {
		flag     string
		n, usual int
	}{{"budget", o.budget, packet.DefaultBudget}, {"max-chars", o.maxChars, packet.DefaultMaxChars}} {
		if flags.Changed(limit.flag) && limit.n < 1 {
			return usagef(fmt.Sprintf("git ctx packet --%s %d", limit.flag, limit.usual), "option '--%s' '%d': it counts from 1", limit.flag, limit.n)
		}
	}
	return nil
}

func runPacket(ctx context.Context, env *Env, o *packetOptions) error {
	if err := env.formats("markdown", "yaml"); err != nil {
		return err
	}
	rd, err := env.read(ctx, o.readFlags)
	if err != nil {
		return err
	}
	v, led := rd.View, rd.led
	req := packet.Request{
		Purpose: o.purpose, Judge: rd.judge,
		Budget: cmp.Or(o.budget, v.Policy.Budget), MaxChars: cmp.Or(o.maxChars, v.Policy.MaxChars),
		Commit: string(v.Commit), Context: v.Branch, Default: v.Default, Behind: v.Behind,
		StoreTime: v.When, Unreadable: len(v.Unreadable), Version: Version,
	}
	if req.Focus, err = o.focus(ctx, led, v); err != nil {
		return err
	}
	tip, err := led.VetoTip(ctx, v)
	if err != nil {
		return err
	}
	if tip != "" {
		req.Tips = []string{string(tip)}
	}
	if err := narrow(ctx, led, v, &req); err != nil {
		return err
	}
	p, err := packet.Build(v, req)
	if err != nil {
		return packetError(err)
	}
	return env.writePacket(p)
}

// narrow lets the packet of a large store weigh a pool of its records, and
// tells it how many there are of each kind.
func narrow(ctx context.Context, led *ledger.Ledger, v *ledger.View, req *packet.Request) error {
	q := ledger.PoolQuery{Text: req.Purpose, Files: req.Focus.Paths}
	for _, id := range []records.ID{req.Focus.Goal, req.Focus.Task, req.Focus.Trigger} {
		if id != "" {
			q.Focus = append(q.Focus, id)
		}
	}
	ids, err := led.Pool(ctx, v, q)
	if err != nil || ids == nil {
		return err
	}
	tally, err := v.Tally(req.Judge)
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

func packetError(err error) error {
	var small *packet.BudgetError
	if errors.As(err, &small) {
		return &hintedError{err, fmt.Sprintf("git ctx packet --budget %d --max-chars %d", max(small.Tokens, small.NeedTokens), max(small.Chars, small.NeedChars))}
	}
	return err
}

// focus is what the flags name, filled up from what the session works on.
func (o *packetOptions) focus(ctx context.Context, led *ledger.Ledger, v *ledger.View) (packet.Focus, error) {
	var f packet.Focus
	for _, n := range []struct {
		flag, name string
		to         *records.ID
	}{{"goal", o.goal, &f.Goal}, {"task", o.task, &f.Task}, {"trigger", o.trigger, &f.Trigger}} {
		if n.name == "" {
			continue
		}
		r, err := led.Find(v, n.name)
		if err != nil {
			return f, fmt.Errorf("--%s: %w", n.flag, err)
		}
		*n.to = r.ID
	}
	for _, name := range o.paths {
		p, err := led.TopPath(name)
		if err != nil {
			return f, err
		}
		f.Paths = append(f.Paths, p)
	}
	work := &ledger.InPlay{}
	if f.Goal == "" && f.Task == "" && f.Trigger == "" {
		work = led.CurrentWork(v)
	}
	if err := led.CodeInPlay(ctx, work, len(o.paths) == 0); err != nil {
		return f, err
	}
	if work.Task != nil {
		f.Task = work.Task.ID
	}
	if work.Goal != nil {
		f.Goal = work.Goal.ID
	}
	f.Branch, f.Paths, f.Notes = work.Branch, append(f.Paths, work.Paths...), work.Notes
	if o.asOf != "" {
		f.Notes = append(f.Notes, "as recorded at "+o.asOf)
	}
	return f, nil
}

func (e *Env) writePacket(p *packet.Packet) error {
	switch e.format {
	case "json":
		return e.writeJSON(p)
	case "yaml":
		enc := yaml.NewEncoder(e.Stdout)
		enc.SetIndent(2)
		return errors.Join(enc.Encode(p), enc.Close())
	}
	_, err := fmt.Fprint(e.Stdout, p.Markdown())
	return err
}
