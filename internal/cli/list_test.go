package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestListShowsWhatStands makes a record of every sort stand first, and dead after.
func TestListShowsWhatStands(t *testing.T) {
	s := newShell(t)
	s.ok("init", "--review", "any")
	s.ok("goal", "add", "A goal")
	for _, c := range []struct{ kind, title, settle string }{
		{"goal", "To abandon", "abandon"},
		{"task", "To drop", "drop"},
		{"hyp", "To refute", "refute"},
		{"ev", "To retract", "retract"},
		{"dec", "To reject", "reject"},
		{"con", "To reject too", "reject"},
		{"runbook", "To retire", "retire"},
	} {
		id := s.ok(c.kind, "add", c.title)
		if out := s.ok("list", "--porcelain"); !strings.Contains(out, id) {
			t.Fatalf("%s is not listed while it stands:\n%s", id, out)
		}
		s.ok(c.settle, id, "-r", "it does not hold")
		if out := s.ok("list", "--porcelain"); strings.Contains(out, id) {
			t.Errorf("%s is listed though it is dead:\n%s", id, out)
		}
		state := s.answer("show", id)["records"].([]any)[0].(map[string]any)["standing"].(map[string]any)["state"].(string)
		for _, args := range [][]string{{"list", "--all", "--porcelain"}, {"list", "--state", state, "--porcelain"}, {c.kind, "list", "--all", "--porcelain"}} {
			if out := s.ok(args...); !strings.Contains(out, id) {
				t.Errorf("git ctx %s does not list %s:\n%s", strings.Join(args, " "), id, out)
			}
		}
	}
}

func TestListForScripts(t *testing.T) {
	s := newShell(t)
	s.ok("init", "--review", "any")
	goal := s.ok("goal", "add", "Keep p99 under 50 ms")
	task := s.ok("task", "add", "Find the spikes")
	want := goal + "\tgoal\tactive\tasserted\t\tKeep p99 under 50 ms\n" + task + "\ttask\ttodo\tasserted\t\tFind the spikes\n"
	if got := s.ok("list", "--porcelain") + "\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := s.ok("list", "-z"); got != strings.ReplaceAll(want, "\n", "\x00") {
		t.Errorf("-z: got %q", got)
	}
}

func TestListRefusesUnknownStates(t *testing.T) {
	s := newShell(t)
	s.ok("init")
	for _, c := range []struct{ args, want string }{
		{"list --state validated", "unknown --state 'validated': it is one of proposed, active"},
		{"task list --state accepted", "unknown --state 'accepted' of kind task: it is one of todo, in-progress, blocked, done, dropped; or a standing: asserted"},
		{"list --kind tsk", "unknown kind 'tsk'"},
		{"list tasks", "git ctx task list"},
	} {
		_, errOut, status := s.run(strings.Fields(c.args)...)
		if status != 129 || !strings.Contains(errOut, c.want) {
			t.Errorf("git ctx %s: status %d, %s", c.args, status, errOut)
		}
	}
}

func TestDifferingLines(t *testing.T) {
	gone, come := differingLines("a\nb\nc", "a\nx\ny\nc")
	if !slices.Equal(gone, []string{"b"}) || !slices.Equal(come, []string{"x", "y"}) {
		t.Errorf("got %q, %q", gone, come)
	}
	gone, come = differingLines("", "a\nb")
	if len(gone) != 0 || !slices.Equal(come, []string{"a", "b"}) {
		t.Errorf("from nothing: %q, %q", gone, come)
	}
}
