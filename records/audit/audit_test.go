package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
	"pgregory.net/rapid"
)

// sound is a store in which every kind is in order.
func sound() *store {
	s := newStore()
	goal := s.add(records.Goal, "a", "Be fast", records.Active)
	ongoing := s.add(records.Task, "a", "Make starts fast", records.InProgress)
	done := s.add(records.Task, "b", "Find the slow part", records.Done)
	link(ongoing, records.Serves, goal)
	link(done, records.Serves, goal)
	hyp, ev := supported(s)
	hyp.Verdict.Cites = []records.ID{ev.ID}
	link(hyp, records.About, done)
	dec := s.add(records.Decision, "a", "Use a cache", records.Accepted)
	link(dec, records.RestsOn, hyp)
	link(s.add(records.Conclusion, "a", "Starts read too much", records.Accepted), records.Closes, done)
	s.add(records.Runbook, "a", "Empty the cache", records.Active)
	s.add(records.Trigger, "a", "Starts are slow", records.Active)
	return s
}

func TestSoundStoreHasNoFindings(t *testing.T) {
	s := sound()
	if fs := Run(s.input()); len(fs) != 0 {
		t.Errorf("sound store has findings: %v", fs)
	}
	s.records[4].Verdict.State = records.Retracted // the evidence
	if Worst(Run(s.input())) != records.Error {
		t.Error("store with retracted evidence has no error")
	}
}

func TestForgottenRecordHasNoFindings(t *testing.T) {
	s := newStore()
	r := s.add(records.Task, "a", "Fix it", records.Done)
	if len(Run(s.input())) == 0 {
		t.Fatal("the record has no finding before it is forgotten")
	}
	r.Tombstone = &records.Tombstone{}
	if fs := Run(s.input()); len(fs) != 0 {
		t.Errorf("forgotten record has findings: %v", fs)
	}
}

func TestPolicySetsSeverity(t *testing.T) {
	s := newStore()
	s.add(records.Task, "a", "Fix it", records.Todo)
	for _, c := range []struct {
		level, want records.Severity
	}{{"", records.Info}, {records.Error, records.Error}, {records.Warning, records.Warning}, {records.Off, ""}, {"bogus", records.Info}} {
		s.in.Policy = &records.Policy{Audit: map[string]records.Severity{"task-without-goal": c.level}}
		if got := Worst(Run(s.input())); got != c.want {
			t.Errorf("level %q gives severity %q, want %q", c.level, got, c.want)
		}
	}
}

func TestOnlyRunsTheRulesAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawStore(t).input()
		want := Run(in)
		in.Only = []string{rapid.SampledFrom(Rules()).Draw(t, "rule").ID, "task-without-goal"}
		want = slices.DeleteFunc(want, func(f Finding) bool { return !slices.Contains(in.Only, f.Rule) })
		if got := fmt.Sprintf("%+v", Run(in)); got != fmt.Sprintf("%+v", want) {
			t.Fatalf("only %v: got %s\nwant %+v", in.Only, got, want)
		}
	})
}

func TestUnknownRuleSuggestsTheClosest(t *testing.T) {
	s := newStore()
	s.in.Policy = &records.Policy{Audit: map[string]records.Severity{"rest-on-dead": records.Info}}
	fs := Run(s.input())
	if len(fs) != 1 || fs[0].Hint != "git ctx audit --explain rests-on-dead" || fs[0].Path != "ctx.yaml" {
		t.Errorf("got %+v", fs)
	}
}

func TestTitlesInMessagesAreEscaped(t *testing.T) {
	s := newStore()
	s.add(records.Task, "a", "Fix\x1b[31m \u202e"+strings.Repeat("long ", 50), records.Todo)
	got := Run(s.input())[0].Message
	if strings.ContainsAny(got, "\x1b\u202e") || len(got) > 250 {
		t.Errorf("message %q holds raw or endless text", got)
	}
}

func TestMessagesNameFewRecords(t *testing.T) {
	s := newStore()
	r, _ := supported(s)
	for _, key := range strings.Split("0123456789", "") {
		link(s.add(records.Evidence, key, "Against "+key, records.Recorded), records.Refutes, r)
	}
	f := of("supported-despite-refutation", Run(s.input()))[0]
	if len(f.Related) != 10 || !strings.HasSuffix(f.Message, " and 4 more") || len(strings.Fields(f.Hint)) != 3+maxNamed {
		t.Errorf("got %+v", f)
	}
}

func TestUnreadableNamesTheFileOnce(t *testing.T) {
	const path = "records/task/a/a/task-aaaaaaaaaa.ctx.yaml"
	for _, err := range []error{
		errors.New("duplicate key"),
		&records.SyntaxError{Path: path, Line: 2, Col: 1, Msg: "duplicate key"},
	} {
		s := newStore()
		s.in.Unreadable = []Unreadable{{Path: path, Err: err}}
		if got := Run(s.input())[0].Message; strings.Count(got, path) != 1 || !strings.HasSuffix(got, "duplicate key") {
			t.Errorf("message %q", got)
		}
	}
}

func TestOrder(t *testing.T) {
	s := newStore()
	for _, key := range []string{"c", "a", "b"} {
		s.add(records.Task, key, "Title "+key, records.Todo)
		s.add(records.Decision, key, "Choice "+key, records.Accepted)
	}
	s.records[0].Links[records.Serves] = []records.ID{"goal-zzzzzzzzzz"}
	var got []string
	for _, f := range Run(s.input()) {
		got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Rule, f.Record))
	}
	want := []string{
		"warning dangling-link task-cccccccccc",
		"warning decision-without-basis dec-aaaaaaaaaa",
		"warning decision-without-basis dec-bbbbbbbbbb",
		"warning decision-without-basis dec-cccccccccc",
		"info task-without-goal task-aaaaaaaaaa",
		"info task-without-goal task-bbbbbbbbbb",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFindingJSON(t *testing.T) {
	s := newStore()
	s.add(records.Task, "a", "Fix it", records.Todo)
	got, err := json.Marshal(Run(s.input()))
	want := `[{"rule":"task-without-goal","severity":"info","record":"task-aaaaaaaaaa",` +
		`"path":"records/task/a/a/task-aaaaaaaaaa.ctx.yaml",` +
		`"message":"task-aaaaaaaaaa \"Fix it\" serves no goal and no hypothesis is about it",` +
		`"hint":"git ctx link task-aaaaaaaaaa serves=@goal","fingerprint":"c80e4e5ef6cce32b4e2b"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// drawStore draws a store full of faults.
func drawStore(t *rapid.T) *store {
	s := newStore()
	s.in.Eval.Review = rapid.SampledFrom([]records.Review{records.ReviewAny, records.ReviewHuman, records.ReviewSigned}).Draw(t, "review")
	words := rapid.SampledFrom([]string{"cache", "leaks", "often", "slow", "start", "v1", "v2"})
	for i := range rapid.IntRange(1, 14).Draw(t, "records") {
		k := rapid.SampledFrom(records.Schemas()).Draw(t, "kind")
		r := s.add(k.Kind, string("0123456789abcdef"[i]), strings.Join(rapid.SliceOfN(words, 1, 6).Draw(t, "title"), " "),
			rapid.SampledFrom(k.States).Draw(t, "state"))
		r.Verdict.Actor = rapid.SampledFrom([]records.Actor{records.Human, agent}).Draw(t, "actor")
		r.Question = rapid.SampledFrom([]string{"", "", "Which?"}).Draw(t, "question")
		if k.Kind != records.Decision {
			r.Question = ""
		}
		r.Created.Actor = rapid.SampledFrom([]records.Actor{records.Human, agent}).Draw(t, "author")
		if rapid.IntRange(0, 2).Draw(t, "rated") == 0 && k.Kind == records.Hypothesis {
			c := records.Fraction(rapid.IntRange(0, 100).Draw(t, "confidence"))
			r.Confidence = &c
		}
		s.changed[r.ID] = rapid.IntRange(0, 5).Draw(t, "changed") == 0
	}
	others := rapid.SampledFrom(s.records)
	for _, r := range s.records {
		for range rapid.IntRange(0, 3).Draw(t, "links") {
			rel := rapid.SampledFrom(records.Relations(r.Kind)).Draw(t, "relation")
			if to := others.Draw(t, "target"); !slices.Contains(r.Links[rel], to.ID) {
				link(r, rel, to)
				slices.Sort(r.Links[rel])
			}
		}
		if r.State() == records.Superseded {
			r.Verdict.SupersededBy = others.Draw(t, "successor").ID
			if rapid.Bool().Draw(t, "fork") {
				r.Also = []records.Verdict{{State: records.Superseded, SupersededBy: others.Draw(t, "other successor").ID}}
			}
		}
		if rapid.Bool().Draw(t, "cites") {
			r.Verdict.Cites = []records.ID{others.Draw(t, "cited").ID}
		}
	}
	return s
}

func TestCheckFindsWhatRunFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawStore(t).input()
		all := Run(in)
		var parts []Finding
		for r := range in.View.All() {
			for _, f := range Check(in, []records.ID{r.ID, r.ID}) {
				if f.Record != r.ID {
					t.Fatalf("check of %s found %+v", r.ID, f)
				}
				parts = append(parts, f)
			}
		}
		slices.SortFunc(parts, compareFindings)
		if got, want := fmt.Sprintf("%+v", parts), fmt.Sprintf("%+v", all); got != want {
			t.Fatalf("one by one:\n%s\nat once:\n%s", got, want)
		}
	})
}

// TestTheLaw holds audit and readers to each other: every cause of doubt is a
// finding, and no error of a rule is about a record that a reader asserts.
func TestTheLaw(t *testing.T) {
	doubts, errors := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawStore(t).input()
		found := Run(in)
		eval := standing.NewEvaluator(in.View, in.Eval)
		for r := range in.View.All() {
			for _, c := range eval.Standing(r.ID).Causes {
				doubts++
				if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == c.Rule && names(f, r.ID) }) {
					t.Fatalf("%s is in doubt for %+v, and no finding says so", r.ID, c)
				}
			}
		}
		for _, f := range found {
			if rule := Lookup(f.Rule); f.Record == "" || f.Severity != records.Error || rule.store != nil {
				continue
			}
			errors++
			if st := eval.Standing(f.Record); st.Class == records.Asserted {
				t.Fatalf("%s is asserted, and an error is about it: %+v", f.Record, f)
			}
		}
	})
	if doubts == 0 || errors == 0 {
		t.Errorf("%d doubts and %d errors: the law was not put to the test", doubts, errors)
	}
}

func names(f Finding, id records.ID) bool { return f.Record == id || slices.Contains(f.Related, id) }

func TestRunIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStore(t)
		want := fmt.Sprintf("%+v", Run(s.input()))
		s.records = rapid.Permutation(s.records).Draw(t, "order")
		if got := fmt.Sprintf("%+v", Run(s.input())); got != want {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	})
}

func TestPolicyDoesNotSilenceWhoReviewed(t *testing.T) {
	s := newStore()
	s.in.Loosened = &Loosened{Commit: "5b1e7a0c93d2", Review: records.ReviewAny, Held: records.ReviewHuman}
	for _, c := range []struct {
		review      records.Review
		level, want records.Severity
	}{
		{records.ReviewHuman, records.Off, records.Error}, {records.ReviewSigned, records.Warning, records.Error},
		{records.ReviewAny, records.Off, ""}, {records.ReviewAny, records.Info, records.Info},
	} {
		s.in.Eval.Review = c.review
		s.in.Policy = &records.Policy{Audit: map[string]records.Severity{"loosened-policy": c.level}}
		if got := Worst(Run(s.input())); got != c.want {
			t.Errorf("under review: %s, level %q gives severity %q, want %q", c.review, c.level, got, c.want)
		}
	}
}
