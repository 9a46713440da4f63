package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
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

// usualNext is how many tasks next lists unless told.
const usualNext = 5

func newNextCmd(env *Env) *cobra.Command {
	o := &nextOptions{}
	cmd := &cobra.Command{
		Use: "next", Short: "list the open tasks to work on now, most urgent first", Args: noArgs,
		Long: `List the open tasks to work on now. Left out are tasks that are blocked, that depend on a
task which is not closed, that another session has claimed, that are disputed or contradicted, and that do not hold now.

The order: the task that this session has in progress first; then by priority, 0 before 4, where a
task without one counts as 2; then the oldest first. --explain adds the tasks left
out, each with the reason.

--claim takes the first task that no other session has claimed, starts it and prints it
(see git ctx claim); when there is none, the exit status is 1.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runNext(cmd.Context(), env, o) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.limit, "max-count", "n", usualNext, "at most `N` tasks; 0 lists all")
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
	if o.lease != (leaseFlags{lasts: ledger.ClaimUsual}) {
		return usagef("git ctx next --claim --for 4h", "options '--for' and '--remote' go with '--claim'")
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	ready, waiting, more, err := rd.todos(ctx, o)
	if err != nil {
		return err
	}
	switch {
	case env.json():
		return env.writeJSON(nextJSON(rd, ready, waiting, more, o.explain))
	case o.script.wanted():
		return nextRows(env, o.script, ready)
	}
	env.noteNext(len(ready), more, len(waiting), o.explain)
	return env.page(ctx, rd.View, func(p *page) {
		for _, t := range ready {
			p.todo(t, "")
		}
		if o.explain {
			for _, t := range waiting {
				p.todo(t, p.waits(t))
			}
		}
	})
}

// todos lists the open tasks, those that can be worked on now apart, and tells
// whether the limit ended the search.
func (rd *reading) todos(ctx context.Context, o *nextOptions) (ready, waiting []ledger.Todo, more bool, err error) {
	held := map[records.ID]*ledger.Claim{}
	if o.read.asOf == "" { // claims have no past
		if held, err = rd.Ledger.Held(ctx); err != nil {
			return nil, nil, false, err
		}
	}
	now, _ := rd.Current("@task") // without one, none is current
	for t, err := range rd.Todos(rd.Judge, now.ID) {
		if err != nil {
			return nil, nil, false, err
		}
		t.Claimed(held)
		switch {
		case t.Waits != "":
			waiting = append(waiting, t)
		case o.limit == 0 || len(ready) < o.limit:
			ready = append(ready, t)
		case o.explain:
			more = true // those that wait are wanted all
		default:
			return ready, waiting, true, nil
		}
	}
	return ready, waiting, more, nil
}

// noteNext says what the list does not show.
func (e *Env) noteNext(ready int, more bool, waiting int, explained bool) {
	if ready == 0 && waiting == 0 {
		e.note("no open task: git ctx task add TITLE")
	} else if ready == 0 {
		e.note("nothing to do now: %s", awaitsOthers(waiting))
	}
	if more {
		e.note("more can be done now: git ctx next -n 0")
	} else if waiting > 0 && !explained {
		e.note("left out: %s; git ctx next --explain says why", awaitsOthers(waiting))
	}
}

func awaitsOthers(n int) string {
	if n == 1 {
		return "1 open task waits"
	}
	return fmt.Sprintf("%d open tasks wait", n)
}

func (p *page) todo(t ledger.Todo, why string) {
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
	p.printf("%s %s %s  %s%s\n", mark, p.id(t.Task.ID), query.StateWord(t.Task.State()), prio, query.TitleOf(t.Task))
	for _, g := range t.Goals {
		p.printf("    for %s %s: %s\n", p.id(g.ID), query.StateWord(g.State()), query.TitleOf(g))
	}
	if why != "" {
		p.printf("    %s\n", painted{text: why, colour: dim})
	}
}

// waits says why a task is left out.
func (p *page) waits(t ledger.Todo) string {
	switch t.Waits {
	case ledger.WaitsBlocked:
		if t.Task.Verdict.Reason != "" {
			return "blocked: " + oneLine(t.Task.Verdict.Reason)
		}
		return "blocked"
	case ledger.WaitsDepends:
		var names []string
		for _, d := range t.For {
			names = append(names, fmt.Sprintf("%s (%s)", p.short(d.ID), query.StateWord(d.State())))
		}
		return "depends on " + strings.Join(names, ", ")
	case ledger.WaitsClaimed:
		return fmt.Sprintf("claimed by %s (%s, session %s) until %s", t.Held.Actor, t.Held.Holder, t.Held.Session, records.FormatInstant(t.Held.Expires))
	case ledger.WaitsInvalid:
		return "does not hold now"
	}
	return "disputed or contradicted: git ctx show " + p.short(t.Task.ID)
}

func nextRows(env *Env, f scriptFlags, ts []ledger.Todo) error {
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

// nextAnswer is the JSON answer of next; waiting is filled with --explain.
type nextAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Tasks   []todoJSON   `json:"tasks"`
	More    bool         `json:"more"`
	Waiting []todoJSON   `json:"waiting,omitempty"`
}

type todoJSON struct {
	recordLine
	Current  bool         `json:"current"`
	Goals    []goalJSON   `json:"goals"`
	Waits    ledger.Wait  `json:"waits,omitempty"`
	WaitsFor []records.ID `json:"waits_for,omitempty"`
}

type goalJSON struct {
	ID    records.ID    `json:"id"`
	State records.State `json:"state"`
	Title string        `json:"title"`
}

func nextJSON(rd *reading, ready, waiting []ledger.Todo, more, explain bool) nextAnswer {
	out := nextAnswer{Format: jsonFormat, Commit: rd.Commit, Branch: rd.Branch, Tasks: []todoJSON{}, More: more}
	for _, t := range ready {
		out.Tasks = append(out.Tasks, asTodo(rd, t))
	}
	if explain {
		for _, t := range waiting {
			out.Waiting = append(out.Waiting, asTodo(rd, t))
		}
	}
	return out
}

func asTodo(rd *reading, t ledger.Todo) todoJSON {
	out := todoJSON{recordLine: query.LineOf(t.Task, rd.Standing(t.Task.ID)), Current: t.Current, Goals: []goalJSON{}, Waits: t.Waits}
	for _, g := range t.Goals {
		out.Goals = append(out.Goals, goalJSON{g.ID, g.State(), g.Title})
	}
	for _, d := range t.For {
		out.WaitsFor = append(out.WaitsFor, d.ID)
	}
	return out
}
