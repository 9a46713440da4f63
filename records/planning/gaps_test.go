package planning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// said is what a gap says in a word each: the record's last digit and kind, and what it lacks.
func said(gaps []Gap) string {
	var out []string
	for _, g := range gaps {
		out = append(out, fmt.Sprintf("%s%s:%s", g.Record.Kind, strings.TrimLeft(strings.SplitAfter(string(g.Record.ID), "-")[1], "0"), g.Lacks))
	}
	return strings.Join(out, " ")
}

const (
	goal1, goal2         = "goal-0000000001", "goal-0000000002"
	task1, task2         = "task-0000000001", "task-0000000002"
	hyp1, hyp2           = "hyp-0000000001", "hyp-0000000002"
	ev1, ev2, dec1, con1 = "ev-0000000001", "ev-0000000002", "dec-0000000001", "con-0000000001"
)

func TestAllGaps(t *testing.T) {
	for name, c := range map[string]struct {
		rs   []*records.Record
		want string
	}{
		"a task without a goal":              {[]*records.Record{record(task1, records.Todo)}, "task1:goal"},
		"a part of a task needs none":        {[]*records.Record{record(task1, records.Done), record(con1, records.Draft, "closes", task1), record(task2, records.Todo, "part-of", task1)}, ""},
		"a closed task needs none":           {[]*records.Record{record(task1, records.Dropped)}, ""},
		"a goal without work":                {[]*records.Record{record(goal1, records.Active)}, "goal1:work"},
		"a goal all of whose work is closed": {[]*records.Record{record(goal1, records.Active), record(task1, records.Dropped, "serves", goal1)}, "goal1:work"},
		"a goal with work":                   {[]*records.Record{record(goal1, records.Active), record(task1, records.Todo, "serves", goal1)}, ""},
		"a goal with a goal below":           {[]*records.Record{record(goal1, records.Active), record(goal2, records.Parked, "parent", goal1)}, ""},
		"a parked goal":                      {[]*records.Record{record(goal1, records.Parked)}, ""},
		"an achieved goal":                   {[]*records.Record{record(goal1, records.Achieved)}, "goal1:conclusion"},
		"a done task":                        {[]*records.Record{record(task1, records.Done)}, "task1:conclusion"},
		"a done task with a conclusion":      {[]*records.Record{record(task1, records.Done), record(con1, records.Accepted, "closes", task1)}, ""},
		"a conclusion that was rejected":     {[]*records.Record{record(task1, records.Done), record(con1, records.Rejected, "closes", task1)}, "task1:conclusion"},
		"a hypothesis without evidence":      {[]*records.Record{record(hyp1, records.Proposed)}, "hypothesis1:evidence"},
		"a verdict without evidence":         {[]*records.Record{record(hyp1, records.Refuted)}, "hypothesis1:evidence"},
		"a superseded one needs none":        {[]*records.Record{record(hyp1, records.Superseded)}, ""},
		"evidence without a verdict":         {[]*records.Record{record(hyp1, records.UnderEvaluation), record(ev1, records.Recorded, "refutes", hyp1)}, "hypothesis1:verdict"},
		"evidence that was retracted":        {[]*records.Record{record(hyp1, records.Proposed), record(ev1, records.Retracted, "supports", hyp1)}, "hypothesis1:evidence"},
		"judged on evidence":                 {[]*records.Record{record(hyp1, records.Supported), record(ev1, records.Recorded, "supports", hyp1)}, ""},
		"what was forgotten needs nothing":   {[]*records.Record{{ID: hyp1, Kind: records.Hypothesis, Tombstone: &records.Tombstone{}, Verdict: &records.Verdict{State: records.Proposed}}}, ""},
	} {
		if got := said(AllGaps(records.NewSet(c.rs, nil))); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestGapCommands(t *testing.T) {
	v := records.NewSet([]*records.Record{
		record(task1, records.Dropped), record(hyp1, records.Proposed, "about", task1),
		record(hyp2, records.Proposed, "about", task1), record(ev1, records.Recorded, "refutes", hyp2), record(ev2, records.Recorded, "refutes", hyp2),
	}, nil)
	gaps := AllGaps(v)
	if got := said(gaps); got != "hypothesis1:evidence hypothesis2:verdict" {
		t.Fatal(got)
	}
	if g := gaps[0]; g.Command != "git ctx evidence add 'TITLE' --supports "+hyp1+" --source WHERE" || !strings.HasSuffix(g.Message, "the work it is about is closed") || !slices.Equal(g.Related, []records.ID{task1}) {
		t.Errorf("got %+v", g)
	}
	if g := gaps[1]; g.Command != "git ctx refute "+hyp2+" --cite "+ev1+" --cite "+ev2+" --reason WHY" || !strings.HasSuffix(g.Message, "the work it is about is closed") {
		t.Errorf("got %+v", g)
	}
	// Work that goes on is not called closed.
	v = records.NewSet([]*records.Record{record(task1, records.Todo, "serves", goal1), record(hyp1, records.Proposed, "about", task1)}, nil)
	if g := AllGaps(v)[0]; strings.Contains(g.Message, "closed") {
		t.Errorf("got %+v", g)
	}
}

// Whoever asks about a task is told every step that nobody took.
func TestGapsOfWork(t *testing.T) {
	step := []*records.Record{
		record(task1, records.InProgress, "serves", goal1),
		record(hyp1, records.Supported, "about", task1),
		record(ev1, records.Recorded, "supports", hyp1),
		record(dec1, records.Proposed, "rests-on", ev1),
		record(con1, records.Draft, "closes", task1),
	}
	others := []*records.Record{record(goal1, records.Active), record(task2, records.Todo), record(hyp2, records.Proposed, "about", task2)}
	for n, want := range []string{
		1: "task1:hypothesis task1:evidence task1:decision task1:conclusion",
		2: "task1:decision task1:conclusion hypothesis1:evidence",
		3: "task1:decision task1:conclusion",
		4: "task1:conclusion",
		5: "",
	} {
		if n == 0 {
			continue
		}
		v := records.NewSet(append(slices.Clone(step[:n]), others...), nil)
		w := Around(v, step[0], 0)
		if got := said(w.Gaps()); got != want {
			t.Errorf("%d steps: got %q, want %q", n, got, want)
		}
		if len(w.All()) != n || w.Cut {
			t.Errorf("%d steps: the work has %d records", n, len(w.All()))
		}
	}
	// What was dropped lacks nothing.
	dropped := record(task1, records.Dropped)
	if got := said(Around(records.NewSet([]*records.Record{dropped}, nil), dropped, 0).Gaps()); got != "" {
		t.Errorf("dropped: %q", got)
	}
}

func TestAroundGoal(t *testing.T) {
	root := record(goal1, records.Active)
	rs := []*records.Record{
		root, record(goal2, records.Active, "parent", goal1, "relates-to", goal1),
		record(task1, records.Todo, "serves", goal2), record(task2, records.Todo, "part-of", task1),
		record("task-0000000003", records.Todo, "relates-to", goal1), // is other work
		record(hyp1, records.Proposed, "about", task2), record(hyp2, records.Proposed, "about", goal1),
		record(ev1, records.Recorded, "refutes", hyp1), record(dec1, records.Accepted, "relates-to", task1),
	}
	rs[0].Links[records.Parent] = []records.ID{goal2} // a circle, as a merge can make one
	v := records.NewSet(rs, nil)
	w := Around(v, root, 0)
	if got := len(w.All()); got != 8 || w.Cut {
		t.Errorf("got %d records, cut %v", got, w.Cut)
	}
	if w.All()[0] != root {
		t.Error("the root does not come first")
	}
	if w = Around(v, root, 3); len(w.All()) != 3 || !w.Cut {
		t.Errorf("limited: got %d records, cut %v", len(w.All()), w.Cut)
	}
	if w = Around(v, root, 8); w.Cut {
		t.Error("a limit that suffices is said to cut")
	}
}
