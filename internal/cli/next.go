package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

type nextOptions struct {
	read    readFlags
	script  scriptFlags
	limit   int
	explain bool
	claim   bool
	lease   leaseFlags
}

func newNextCmd(env *Env) *cobra.Command {
	o := &nextOptions{}
	cmd := &cobra.Command{
		Use: "next", Short: "list the open tasks to work on now, most urgent first", Args: noArgs,
		Long: `List the open tasks to work on now. Left out are tasks that are blocked, that depend on a
task which is not closed, that serve only goals that are parked or abandoned, that another
session has claimed, that are in doubt, and that do not hold now.

The task that this session has in progress comes first, then the highest score:
    10 for each step of priority, 40 for 0, 20 without one
    up to 4 for the priority of its goal
    6 when it is part of @task or @task waits for it, else 3 when it serves @goal
    2 for each open task that waits for it, 6 at most
    1 for each 30 days since it was recorded, 3 at most
and of equal scores the more urgent, then the oldest. Where many can be worked on, the
32 most urgent are scored, and those tied to @task; the others follow by priority and age.
--explain shows the scores, and adds the tasks left out, each with the reason.

--claim takes the first task that no other session has claimed, starts it and prints it
(see git ctx claim); when there is none, the exit status is 1.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runNext(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.limit, "max-count", "n", query.UsualNext, "at most `N` tasks; 0 lists all")
	f.BoolVar(&o.claim, "claim", false, "claim the first task that nobody else holds, and start it")
	o.lease.bind(f)
	f.BoolVar(&o.explain, "explain", false, "say why the other open tasks are left out")
	o.read.bind(f)
	o.script.bind(f, "id, state, priority, goals (by comma), title")
	return cmd
}

func runNext(ctx context.Context, env *Env, o *nextOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	if o.limit < 0 {
		return usagef("git ctx next -n 5", "option '-n' '%d': give a number of tasks, or 0 for all", o.limit)
	}
	if o.claim {
		return claimNext(ctx, env, o)
	}
	if o.lease != (leaseFlags{lasts: claim.Usual}) {
		return usagef("git ctx next --claim --for 4h", "options '--for' and '--remote' go with '--claim'")
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	n, err := query.Next(ctx, rd.Reading, query.NextOptions{Limit: o.limit, Waiting: o.explain})
	if err != nil {
		return err
	}
	switch {
	case env.json():
		return env.writeJSON(n.Answer(rd.Reading))
	case o.script.wanted():
		return nextRows(env, o.script, n.Ready)
	}
	env.noteNext(n, o.explain)
	return env.page(ctx, rd.View, func(p *page) {
		for _, t := range n.Ready {
			p.todo(t, "")
			if o.explain {
				p.Printf("    %s\n", ui.Painted{Text: scoreLine(t), Colour: ui.Dim})
			}
		}
		if o.explain {
			for _, t := range n.Waiting {
				p.todo(t, p.waits(t))
			}
		}
	})
}

// noteNext says what the list does not show.
func (e *Env) noteNext(n *query.NextTasks, explained bool) {
	ready, waiting := len(n.Ready), len(n.Waiting)
	why := "; git ctx next --explain says why"
	if explained {
		why = ""
	}
	switch {
	case ready == 0 && waiting == 0:
		e.note("no open task: git ctx task add TITLE")
	case ready == 0:
		e.note("nothing to do now: %s%s", awaitsOthers(waiting), why)
	case n.More:
		e.note("more can be done now: git ctx next -n 0")
	case waiting > 0 && !explained:
		e.note("left out: %s%s", awaitsOthers(waiting), why)
	}
}

func awaitsOthers(n int) string {
	if n == 1 {
		return "1 open task waits"
	}
	return fmt.Sprintf("%d open tasks wait", n)
}

func (p *page) todo(t query.Todo, why string) {
	mark := " "
	if t.Current {
		mark = "*"
	}
	if why != "" {
		mark = "-"
	}
	prio := ""
	if t.Task.Priority != nil {
		prio = fmt.Sprintf("P%d ", *t.Task.Priority)
	}
	p.Printf("%s %s %s  %s%s\n", mark, p.ID(t.Task.ID), query.StateWord(t.Task.State()), prio, query.TitleOf(t.Task))
	for _, g := range t.Goals {
		p.Printf("    for %s %s: %s\n", p.ID(g.ID), query.StateWord(g.State()), query.TitleOf(g))
	}
	if why != "" {
		p.Printf("    %s\n", ui.Painted{Text: why, Colour: ui.Dim})
	}
}

// scoreLine says how the task got its place.
func scoreLine(t query.Todo) string {
	var parts []string
	for _, part := range []struct {
		name   string
		points int
	}{{"priority", t.Score.Priority}, {"goal", t.Score.Goal}, {"focus", t.Score.Focus}, {"unblocks", t.Score.Unblocks}, {"age", t.Score.Age}} {
		if part.points > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", part.name, part.points))
		}
	}
	line := fmt.Sprintf("score %d", t.Score.Total())
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	if t.Current {
		line = "this session has it in progress; " + line
	}
	return line
}

// waits says why a task is left out.
func (p *page) waits(t query.Todo) string {
	switch t.Waits {
	case query.WaitsBlocked:
		if t.Task.Verdict.Reason != "" {
			return "blocked: " + oneLine(t.Task.Verdict.Reason)
		}
		return "blocked"
	case query.WaitsDepends:
		var names []string
		for _, d := range t.For {
			names = append(names, fmt.Sprintf("%s (%s)", p.Short(d.ID), query.StateWord(d.State())))
		}
		return "depends on " + strings.Join(names, ", ")
	case query.WaitsGoal:
		var names []string
		for _, g := range t.Goals {
			names = append(names, fmt.Sprintf("%s (%s)", p.Short(g.ID), query.StateWord(g.State())))
		}
		return "serves only " + strings.Join(names, ", ")
	case query.WaitsClaimed:
		return fmt.Sprintf("claimed by %s (%s, session %s) until %s", t.Held.Actor, t.Held.Holder, t.Held.Session, records.FormatInstant(t.Held.Expires))
	case query.WaitsInvalid:
		return "does not hold now"
	}
	return "in doubt: git ctx show " + p.Short(t.Task.ID)
}

func nextRows(env *Env, f scriptFlags, ts []query.Todo) error {
	for _, t := range ts {
		prio := ""
		if t.Task.Priority != nil {
			prio = fmt.Sprint(*t.Task.Priority)
		}
		var goals []string
		for _, g := range t.Goals {
			goals = append(goals, string(g.ID))
		}
		if err := f.row(env, string(t.Task.ID), query.StateWord(t.Task.State()), prio, strings.Join(goals, ","), query.TitleOf(t.Task)); err != nil {
			return err
		}
	}
	return nil
}
