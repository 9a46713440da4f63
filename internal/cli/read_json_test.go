package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestReadJSONNames fixes the names that programs may rely on. A name may be
// added; one that goes or changes needs a new format number.
func TestReadJSONNames(t *testing.T) {
	s := newShell(t)
	s.ok("init", "--review", "any")
	goal := s.ok("goal", "add", "Keep p99 under 50 ms")
	first := s.ok("task", "add", "Find the spikes", "--priority", "1", "--tag", "latency", "--path", "cache/**")
	s.ok("task", "add", "Fix them", "--depends-on", first)
	hyp := s.ok("hyp", "add", "Cache stampedes cause the spikes", "--about", first)
	s.ok("refute", hyp, "--evidence", "p99 unchanged with a warm cache")
	s.ok("commit", "-m", "The cache is not it", "-m", "More about it")
	s.ok("edit", hyp, "--confidence", "0.2")
	a, b := s.ok("dec", "add", "Use LRU", "--question", "Which cache?"), s.ok("dec", "add", "Use LFU", "--question", "Which cache?")
	s.ok("accept", a, "-r", "simple")
	s.ok("accept", b, "-r", "better")
	_ = goal

	line := "id kind state class why causes causes[].rule causes[].records causes[].root title priority tags paths links links.serves links.about links.depends-on created_at"
	change := "op id path old_state new_state title fields fields[].field fields[].old fields[].new"
	graphNames := "format commit branch roots more nodes " + under("nodes[]", "id kind state class title") + " edges " + under("edges[]", "from to relation")
	for _, c := range []struct {
		args string
		want string // every name, in any order
	}{
		{"list --all", "format commit branch records " + under("records[]", line) + " records[].links.refutes"},
		{"show " + hyp + " " + a, "format commit branch records records[].record records[].standing records[].standing.state records[].standing.class records[].standing.why " +
			"records[].standing.causes records[].standing.causes[].rule records[].standing.causes[].records records[].standing.causes[].root records[].backlinks records[].backlinks.refutes records[].linked records[].warnings"},
		{"search the --all", "format commit branch query more records " + under("records[]", "id kind state class why title priority tags paths links links.serves links.about created_at score snippet marks")},
		{"graph " + hyp, graphNames},
		{"lineage " + hyp, graphNames + " came_from rests_on_it"},
		{"status", "format initialised left_behind commit branch default_branch behind follow review actor actor_why current current[].name current[].id current[].state current[].title " +
			"counts counts.records counts.awaiting_review counts.in_doubt counts.unreadable working working.commits working.since working.since[].commit working.since[].subject working.changed working.changes " +
			under("working.changes[]", change)},
		{"log --all", "format branch tip commits " + under("commits[]", "commit parents at by actor verb subject body checkpoint merge records code tool session")},
		{"log " + hyp, "format branch tip record commits " + under("commits[]", "commit parents at by actor verb subject body checkpoint merge records code tool session change") + " " +
			under("commits[].change", change)},
		{"diff", "format from to changes " + under("changes[]", change)},
		{"branch", "format branches branches[].name branches[].commit branches[].current branches[].default"},
		{"next --explain", "format commit branch more tasks " + under("tasks[]", "id kind state class title priority tags paths links links.serves created_at current goals goals[].id goals[].state goals[].title score score.total score.priority score.goal score.focus score.unblocks score.age") + " waiting " +
			under("waiting[]", "id kind state class title links links.serves links.depends-on created_at current goals goals[].id goals[].state goals[].title score score.total score.priority score.goal score.focus score.unblocks score.age waits waits_for")},
		{"gaps " + first, "format commit branch of count gaps " + under("gaps[]", "lacks id kind state title message command")},
		{"packet --explain", "format commit digest focus weighed shown candidates " + under("focus", "purpose goal task trigger branch paths notes") + " " +
			under("candidates[]", "id kind state title section in why score parts level parts.text parts.link parts.path parts.recency parts.confidence")},
		{"packet --since main", "format commit since tokenizer tokens chars digest focus sections omitted suppressed " + under("focus", "purpose goal task trigger branch paths notes")},
		{"closeout", "format commit branch session since since[].commit since[].subject changed others kinds kinds[].kind kinds[].changes " + under("kinds[].changes[]", change+" class reason") + " message message.subject message.body"},
		{"stats --since 2026-01-01", "format commit branch since records kinds " + under("kinds[]", "kind records words states states.active states.todo states.refuted states.accepted states.recorded") + " history " +
			under("history", "commits checkpoints merges human agent unknown") + " reversals reversals.total reversals.kinds review " +
			under("review", "accepted median_seconds p90_seconds waiting oldest_seconds") + " again again.refused again.recorded"},
		{"commit -m more", "format branch commit subject changes " + under("changes[]", change)},
		{"switch -c other", "format name commit current default"},
		{"branch third", "format name commit current default"},
	} {
		want := strings.Fields(c.want)
		slices.Sort(want)
		want = slices.Compact(want)
		got := slices.DeleteFunc(keys(s.answer(strings.Fields(c.args)...)), func(k string) bool {
			return strings.HasPrefix(k, "records[].record.") || strings.HasPrefix(k, "records[].linked.") // named by ids and by the record format
		})
		if !slices.Equal(got, want) {
			t.Errorf("git ctx %s:\n got %s\nwant %s", c.args, got, want)
		}
	}
}

func under(prefix, names string) string {
	var out []string
	for _, n := range strings.Fields(names) {
		out = append(out, prefix+"."+n)
	}
	return strings.Join(out, " ")
}

func TestStatusWithoutContext(t *testing.T) {
	s := newShell(t)
	out, errOut, status := s.run("status")
	if out != "no context yet\n" || errOut != "hint: git ctx init\n" || status != 0 {
		t.Errorf("got %q, %q, %d", out, errOut, status)
	}
	if v := s.answer("status"); v["initialised"] != false {
		t.Errorf("JSON: %v", v)
	}
	s.ok("init")
	if v := s.answer("status"); v["initialised"] != true {
		t.Errorf("JSON after init: %v", v)
	}
}

// The answer "no" of check has the names that programs rely on too.
func TestCheckJSONNames(t *testing.T) {
	s := newShell(t)
	s.ok("init")
	task := s.ok("task", "add", "Find the spikes")
	dec := s.ok("dec", "add", "Use LRU", "--link", "relates-to="+task)
	s.ok("accept", dec)
	out, _, status := s.run("check", "--task", task, "--format=json")
	var v any
	if err := json.Unmarshal([]byte(out), &v); err != nil || status != statusNo {
		t.Fatalf("status %d, %v\n%s", status, err, out)
	}
	got := strings.Join(keys(v), " ")
	if want := "branch commit format missing missing[].check missing[].command missing[].message notes notes[].check notes[].command notes[].message notes[].records ready records task"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
