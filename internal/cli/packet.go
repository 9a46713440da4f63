package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/packet"
)

type packetOptions struct {
	readFlags
	purpose             string
	goal, task, trigger string
	paths               []string
	budget, maxChars    int
	since               string
	session, explain    bool
	limit               int
}

func newPacketCmd(env *Env) *cobra.Command {
	o := &packetOptions{}
	cmd := &cobra.Command{
		Use: "packet", Aliases: []string{"context"}, Short: "print what holds and bears on the work at hand", Args: noArgs,
		Long: "Print what holds and bears on the work at hand, within a budget of tokens.\n\n" +
			"The focus is what --task, --goal, --trigger and --path name. What they leave open is\n" +
			"taken from the session's @task or @goal and from the files that differ from HEAD, and\n" +
			"the packet says so. Only what may be asserted is; refuted and rejected records are\n" +
			"listed as ruled out, those of other context branches with the branch's name.\n\n" +
			"--since COMMIT tells only what changed since a store commit, first of all what does not\n" +
			"hold any more; where nothing changed it prints nothing. --session counts from this\n" +
			"session's last packet --session, and prints a whole packet where there was none or it\n" +
			"was about another task.\n\n" +
			"--explain lists the records that were weighed instead: score by part, and which rule\n" +
			"left a record out.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return runPacket(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	o.bindFocus(f)
	f.StringVar(&o.since, "since", "", "only what changed since `COMMIT` of the store, a context branch or a date")
	f.BoolVar(&o.session, "session", false, "only what changed since this session's last packet")
	f.BoolVar(&o.explain, "explain", false, "list what was weighed, and why it is in or out")
	f.IntVarP(&o.limit, "max-count", "n", usualExplained, "with --explain, at most `N` records; 0 lists all")
	o.bind(f)
	return cmd
}

// bindFocus binds what a packet is of, and its limits.
func (o *packetOptions) bindFocus(f *pflag.FlagSet) {
	f.StringVar(&o.purpose, "purpose", "", "`TEXT`: what the reader is about to do")
	f.StringVar(&o.goal, "goal", "", "`ID` of the goal in focus")
	f.StringVar(&o.task, "task", "", "`ID` of the task in focus (default @task)")
	f.StringVar(&o.trigger, "trigger", "", "`ID` of the trigger in focus")
	f.StringArrayVar(&o.paths, "path", nil, "`PATH` in play, repeatable (default: files that differ from HEAD)")
	f.IntVar(&o.budget, "budget", 0, fmt.Sprintf("at most `N` tokens (default %d, or the policy's)", packet.DefaultBudget))
	f.IntVar(&o.maxChars, "max-chars", 0, fmt.Sprintf("at most `N` characters (default %d, or the policy's)", packet.DefaultMaxChars))
}

// check refuses limits that leave no room, which is not what leaving them out
// means, and options that say two things.
func (o *packetOptions) check(flags *pflag.FlagSet) error {
	for _, limit := range []struct {
		flag     string
		n, usual int
	}{{"budget", o.budget, packet.DefaultBudget}, {"max-chars", o.maxChars, packet.DefaultMaxChars}} {
		if flags.Changed(limit.flag) && limit.n < 1 {
			return usagef(fmt.Sprintf("git ctx packet --%s %d", limit.flag, limit.usual), "option '--%s' '%d': it counts from 1", limit.flag, limit.n)
		}
	}
	switch {
	case o.session && o.since != "":
		return usagef("git ctx packet --session", "options '--since' and '--session' exclude each other")
	case o.session && o.asOf != "":
		return usagef("git ctx packet --since COMMIT --as-of REV", "options '--session' and '--as-of' exclude each other")
	case o.session && o.explain:
		return usagef("git ctx packet --since COMMIT --explain", "options '--session' and '--explain' exclude each other")
	case flags.Changed("max-count") && !o.explain:
		return usagef("git ctx packet --explain -n 20", "option '-n' goes with '--explain'")
	case o.limit < 0:
		return usagef("git ctx packet --explain -n 20", "option '-n' '%d': give a number of records, or 0 for all", o.limit)
	}
	return nil
}

func runPacket(ctx context.Context, env *Env, o *packetOptions) error {
	forms := []string{"markdown", "yaml"}
	if o.explain {
		forms = nil
	}
	if err := env.formats(forms...); err != nil {
		return err
	}
	rd, err := env.read(ctx, o.readFlags)
	if err != nil {
		return err
	}
	ask := query.PacketOptions{
		Purpose: o.purpose, Goal: o.goal, Task: o.task, Trigger: o.trigger, Paths: o.paths,
		Budget: o.budget, MaxChars: o.maxChars, Since: o.since, Session: o.session, Version: Version,
	}
	if o.explain {
		return explainPacket(ctx, env, rd, ask, o.limit)
	}
	p, err := query.Packet(ctx, rd.Reading, ask)
	if err != nil {
		return packetError(err)
	}
	if err := env.writePacket(ctx, p); err != nil || !o.session {
		return err
	}
	_ = query.MarkDelivered(ctx, rd.Reading, p) // best effort: the next packet then tells more
	return nil
}

func packetError(err error) error {
	var small *packet.BudgetError
	var option *query.OptionError
	switch {
	case errors.As(err, &small):
		return &hintedError{err, fmt.Sprintf("git ctx packet --budget %d --max-chars %d", max(small.Tokens, small.NeedTokens), max(small.Chars, small.NeedChars))}
	case errors.As(err, &option):
		return fmt.Errorf("--%w", option)
	}
	return err
}

func (e *Env) writePacket(ctx context.Context, p *packet.Packet) error {
	switch e.format {
	case "json":
		return e.writeJSON(p)
	case "yaml":
		enc := yaml.NewEncoder(e.Stdout)
		enc.SetIndent(2)
		return errors.Join(enc.Encode(p), enc.Close())
	}
	return e.page(ctx, nil, func(out *page) { out.Printf("%s", p.Markdown()) })
}
