package merge_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

func conflictOn(t *testing.T, r *records.Record, field string) records.Conflict {
	t.Helper()
	for _, c := range r.Conflicts {
		if c.Field == field {
			return c
		}
	}
	t.Fatalf("no conflict on %s:\n%s", field, bytesOf(t, r))
	return records.Conflict{}
}

func noConflict(t *testing.T, r *records.Record, rep merge.Report) {
	t.Helper()
	if r.Disputed() || len(rep.Conflicts) > 0 {
		t.Fatalf("conflict %v:\n%s", rep.Conflicts, bytesOf(t, r))
	}
}

func sidesContain(t *testing.T, c records.Conflict, words ...string) {
	t.Helper()
	if len(c.Sides) != len(words) {
		t.Fatalf("%d sides, want %d", len(c.Sides), len(words))
	}
	for _, w := range words {
		if !slices.ContainsFunc(nodesText(c), func(s string) bool { return strings.Contains(s, w) }) {
			t.Fatalf("no side has %q: %q", w, nodesText(c))
		}
	}
}

func nodesText(c records.Conflict) []string {
	var out []string
	for _, n := range c.Sides {
		out = append(out, records.FormatValue(n))
	}
	return out
}

func verdictConflict(t *testing.T, b, ours, theirs *records.Record, words ...string) {
	t.Helper()
	r, rep := mergeOf(t, one(b), ours, theirs)
	sidesContain(t, conflictOn(t, r, "verdict"), words...)
	if r.Verdict != nil || r.Also != nil || !slices.Equal(rep.Conflicts, []string{"verdict"}) {
		t.Fatalf("report %+v, record\n%s", rep, bytesOf(t, r))
	}
}

func TestSupportedRefutedClash(t *testing.T) {
	b := record(records.Hypothesis)
	supported, refuted := judged(b, bundle("supported", digestA, "111111")), judged(b, bundle("refuted", digestA, "222222"))
	verdictConflict(t, b, supported, refuted, "111111", "222222")
	r, rep := mergeOf(t, one(b), b, refuted) // control: alone, the refutation is taken
	noConflict(t, r, rep)
	mustEqual(t, r, refuted, "one-sided")
}

func TestReaffirmedAgainstRefuted(t *testing.T) {
	b := judged(record(records.Hypothesis), bundle("supported", digestA, "111111"))
	verdictConflict(t, b, judged(b, bundle("supported", digestA, "222222")), judged(b, bundle("refuted", digestA, "333333")), "222222", "333333")
}

func TestRefutedAgainstSuperseded(t *testing.T) {
	b := record(records.Hypothesis)
	superseded := bundle("superseded", digestA, "111111")
	superseded.SupersededBy = "hyp-2222222222"
	verdictConflict(t, b, judged(b, superseded), judged(b, bundle("refuted", digestA, "222222")), "hyp-2222222222", "222222")
}

func TestBothSidesSupport(t *testing.T) {
	b := record(records.Hypothesis)
	first, second := bundle("supported", digestA, "111111"), bundle("supported", digestA, "222222")
	r, rep := mergeOf(t, one(b), judged(b, second), judged(b, first))
	noConflict(t, r, rep)
	mustEqual(t, r, judged(b, first, second), "agreement")
	// of different contents they do not agree
	verdictConflict(t, b, judged(b, first), judged(b, bundle("supported", digestB, "222222")), digestA, digestB)
}

func TestJudgementReplacesAgreement(t *testing.T) {
	b := judged(record(records.Hypothesis), bundle("supported", digestA, "111111"), bundle("supported", digestA, "222222"))
	refuted := judged(b, bundle("refuted", digestA, "333333"))
	r, rep := mergeOf(t, one(b), with(b, func(r *records.Record) { r.Tags = []string{"api"} }), refuted)
	noConflict(t, r, rep)
	if r.State() != "refuted" || r.Also != nil {
		t.Errorf("the replaced agreement is still there:\n%s", bytesOf(t, r))
	}
}

func TestOpenStateYieldsToJudgement(t *testing.T) {
	b := record(records.Task)
	started, done := judged(b, bundle("in-progress", digestA, "111111")), judged(b, bundle("done", digestA, "222222"))
	r, rep := mergeOf(t, one(b), started, done)
	noConflict(t, r, rep)
	if r.State() != records.Done || len(rep.Dropped) != 1 || rep.Dropped[0].Rule != merge.RuleOpenState {
		t.Errorf("state %s, report %+v", r.State(), rep)
	}
	verdictConflict(t, b, judged(b, bundle("blocked", digestA, "333333")), done, "333333", "222222")
	verdictConflict(t, started, judged(b, bundle("blocked", digestA, "333333")), done, "333333", "222222")
	// a start is not given up for an edit that left the task where it was
	verdictConflict(t, b, started, judged(b, bundle("todo", digestB, "444444")), "111111", "444444")
	r, rep = mergeOf(t, nil, started, done) // no base, no telling
	if !slices.Equal(rep.Conflicts, []string{"verdict"}) {
		t.Errorf("no base: %+v\n%s", rep, bytesOf(t, r))
	}
}

// Two clones begin one task, one of them merges and so holds both beginnings;
// then the other, whose own is the merge base, has moved on.
func TestBegunTwiceThenMoved(t *testing.T) {
	ask := func(v records.Verdict) records.Verdict { v.Asks = records.Accepted; return v }
	for _, tt := range []struct {
		name     string
		kind     records.Kind
		mine     records.State // begun on both sides
		change   func(records.Verdict) records.Verdict
		move     records.State
		conflict bool
	}{
		{"task closed", records.Task, records.InProgress, nil, records.Done, false},
		{"task blocked", records.Task, records.InProgress, nil, records.Blocked, false},
		{"both blocked, resumed", records.Task, records.Blocked, nil, records.InProgress, false},
		{"hypothesis refuted", records.Hypothesis, records.UnderEvaluation, nil, records.Refuted, false},
		{"goal parked twice, reached", records.Goal, records.Parked, nil, records.Achieved, false},
		{"judged alike, refuted", records.Hypothesis, records.Supported, nil, records.Refuted, true},
		{"closed twice, reopened", records.Task, records.Done, nil, records.Todo, true},
		{"open, but reviewed", records.Goal, records.Active, nil, records.Achieved, true},
		{"asked for alike", records.Decision, records.Proposed, ask, records.Rejected, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, second := bundle(tt.mine, digestA, "111111"), bundle(tt.mine, digestA, "222222")
			if tt.change != nil {
				first, second = tt.change(first), tt.change(second)
			}
			root := record(tt.kind)
			base := judged(root, first)
			joined, rep := mergeOf(t, one(root), base, judged(root, second))
			noConflict(t, joined, rep)
			mustEqual(t, joined, judged(root, first, second), "they agree")
			moved := judged(base, bundle(tt.move, digestA, "333333"))
			if tt.conflict {
				verdictConflict(t, base, joined, moved, "222222", "333333")
				return
			}
			r, rep := mergeOf(t, one(base), joined, moved)
			noConflict(t, r, rep)
			mustEqual(t, r, moved, "the move")
			if len(rep.Dropped) != 1 || rep.Dropped[0].Rule != merge.RuleOpenState || nonceIn(rep.Dropped[0].Value) != "222222" {
				t.Errorf("report %+v", rep)
			}
			again := judged(base, bundle(tt.mine, digestA, "444444")) // in place of the base's, not beside it
			verdictConflict(t, base, again, moved, "444444", "333333")
			apart := judged(base, first, bundle(tt.mine, digestB, "555555")) // of another content: no agreement
			r, _ = mergeOf(t, one(base), apart, moved)
			conflictOn(t, r, "verdict")
		})
	}
}

// With several bases a side must stand where each of them stood, or have only
// carried it on.
func TestBegunTwiceThenMovedOverSeveralBases(t *testing.T) {
	root := record(records.Task)
	first, second, third := bundle(records.InProgress, "", "111111"), bundle(records.InProgress, "", "222222"), bundle(records.InProgress, "", "333333")
	done, blocked := judged(root, bundle(records.Done, "", "444444")), judged(root, bundle(records.Blocked, "", "555555"))
	for name, bases := range map[string][]*records.Record{
		"begun in both": {judged(root, first), judged(root, third)},
		"begun in one":  {root, judged(root, first)},
	} {
		t.Run(name, func(t *testing.T) {
			r, rep := mergeOf(t, bases, judged(root, first, second, third), done)
			noConflict(t, r, rep)
			mustEqual(t, r, done, "the move")
		})
	}
	r, _ := mergeOf(t, []*records.Record{judged(root, first), blocked}, judged(root, first, second), done)
	sidesContain(t, conflictOn(t, r, "verdict"), "222222", "444444") // the second may have resumed what was blocked
	r, rep := mergeOf(t, []*records.Record{judged(root, first), blocked}, judged(root, first, second), blocked)
	noConflict(t, r, rep)
	mustEqual(t, r, judged(root, second), "who still stands at a base has moved nothing")
}

func TestProposalYieldsToJudgement(t *testing.T) {
	b := record(records.Decision)
	asked := bundle("proposed", digestA, "111111")
	asked.Asks = records.Accepted
	for _, s := range []records.State{"accepted", "rejected"} {
		r, rep := mergeOf(t, one(b), judged(b, asked), judged(b, bundle(s, digestA, "222222")))
		noConflict(t, r, rep)
		if r.State() != s || len(rep.Dropped) != 1 || rep.Dropped[0].Rule != merge.RuleOpenState {
			t.Errorf("state %s, report %+v", r.State(), rep)
		}
	}
	r, rep := mergeOf(t, one(b), judged(b, asked), judged(b, bundle("proposed", digestA, "333333")))
	noConflict(t, r, rep)
	if r.Verdict.Asks != records.Accepted {
		t.Errorf("the proposal is not the verdict:\n%s", bytesOf(t, r))
	}
}

func TestAcceptAgainstBodyEdit(t *testing.T) {
	b := with(record(records.Decision), func(r *records.Record) { r.Body = "write-through" })
	v := bundle("accepted", b.Digest(), "111111")
	r, rep := mergeOf(t, one(b), judged(b, v), with(b, func(r *records.Record) { r.Body = "write-back" }))
	noConflict(t, r, rep)
	if r.State() != records.Accepted || r.Verdict.Of == r.Digest() {
		t.Errorf("the accepted text and the edited one are not told apart:\n%s", bytesOf(t, r))
	}
}

func TestSupersessionFork(t *testing.T) {
	b := judged(record(records.Decision), bundle("accepted", digestA, "000000"))
	left, right := bundle("superseded", digestA, "111111"), bundle("superseded", digestA, "222222")
	left.SupersededBy, right.SupersededBy = "dec-1111111111", "dec-2222222222"
	r, rep := mergeOf(t, one(b), judged(b, left), judged(b, right))
	noConflict(t, r, rep)
	if got := r.Successors(); len(got) != 2 {
		t.Errorf("successors %v, want both", got)
	}
}

func TestUnknownKeyChangedOnBothSides(t *testing.T) {
	extra := func(v string) func(*records.Record) {
		return func(r *records.Record) { r.Extra = []records.Field{{Name: "x-team", Value: text(v)}} }
	}
	b := with(record(records.Goal), extra("core"))
	r, _ := mergeOf(t, one(b), with(b, extra("web")), with(b, extra("infra")))
	c := conflictOn(t, r, "x-team")
	sidesContain(t, c, "web", "infra")
	if len(c.Bases) != 1 || c.Bases[0].Text != "core" {
		t.Errorf("bases %v", c.Bases)
	}
	r, rep := mergeOf(t, one(b), with(b, extra("web")), with(b, func(r *records.Record) { r.Title = "Other" }))
	noConflict(t, r, rep)
	if r.Title != "Other" || r.Extra[0].Value.Text != "web" {
		t.Errorf("an unknown key was lost:\n%s", bytesOf(t, r))
	}
}

func TestUnknownNullKeyIsKept(t *testing.T) {
	b := record(records.Goal)
	data := bytesOf(t, b) + "x-team: null\n"
	x, err := records.Parse("", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	r, _ := mergeOf(t, one(b), b, x)
	if bytesOf(t, r) != data {
		t.Errorf("got\n%s", bytesOf(t, r))
	}
}

// A key that is there and null, against its absence: no conflict is left to
// write, as in a conflict the two are one.
func TestUnknownNullKeyAgainstAbsence(t *testing.T) {
	for _, base := range []string{"", "x-team: core\n"} {
		plain := record(records.Goal)
		read := func(extra string) *records.Record {
			r, err := records.Parse("", []byte(bytesOf(t, plain)+extra))
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		var bases []*records.Record
		if base != "" {
			bases = one(read(base))
		}
		null := read("x-team: null\n")
		r, rep := mergeOf(t, bases, plain, null)
		noConflict(t, r, rep)
		mustEqual(t, r, null, "the written one stands")
	}
}

func TestTombstoneAgainstEdit(t *testing.T) {
	b := record(records.Evidence)
	edited := with(b, func(r *records.Record) { r.Body = "the secret, again" })
	forgotten := forget(b, "one")
	r, rep := mergeOf(t, one(b), forgotten, edited)
	mustEqual(t, r, forgotten, "tombstone")
	if want := (merge.Drop{Field: "body", Rule: merge.RuleTombstone}); !slices.Contains(rep.Dropped, want) {
		t.Errorf("report %+v, want %+v", rep, want)
	}
	for _, d := range rep.Dropped {
		if strings.Contains(d.Value, "secret") {
			t.Errorf("the report repeats forgotten text: %+v", d)
		}
	}
	if r, _ = mergeOf(t, one(b), b, edited); r.Body == "" { // control
		t.Error("without the tombstone the edit is gone too")
	}
}

func TestForeignDelete(t *testing.T) {
	b := record(records.Task)
	edited := with(b, func(r *records.Record) { r.Title = "Other" })
	r, rep := mergeOf(t, one(b), nil, edited)
	mustEqual(t, r, edited, "delete against modify keeps the record")
	if rep.Kept != merge.RuleDeleteModify {
		t.Errorf("report %+v", rep)
	}
	r, rep = mergeOf(t, one(b), b, nil)
	if r != nil || len(rep.Dropped) != 1 || rep.Dropped[0].Rule != merge.RuleDeleted {
		t.Errorf("delete against unchanged: %v, %+v", r, rep)
	}
	r, _ = mergeOf(t, nil, nil, edited)
	mustEqual(t, r, edited, "an added record")
	if r, _ = mergeOf(t, one(b), nil, nil); r != nil {
		t.Error("both deleted it")
	}
}

func TestFalseRename(t *testing.T) {
	b := record(records.Task)
	other := with(b, func(r *records.Record) { r.ID = "task-2222222222" })
	_, _, err := merge.Records(one(b), other, b)
	var ids *merge.IDError
	if !errors.As(err, &ids) || len(ids.IDs) != 2 {
		t.Errorf("error %v", err)
	}
}

func TestBodyByLines(t *testing.T) {
	body := func(s string) func(*records.Record) { return func(r *records.Record) { r.Body = s } }
	b := with(record(records.Goal), body("one\ntwo\nthree\nfour\n"))
	r, rep := mergeOf(t, one(b), with(b, body("ONE\ntwo\nthree\nfour\n")), with(b, body("one\ntwo\nthree\nfour\nfive\n")))
	noConflict(t, r, rep)
	if r.Body != "ONE\ntwo\nthree\nfour\nfive\n" {
		t.Errorf("body %q", r.Body)
	}
	r, _ = mergeOf(t, one(b), with(b, body("ours\ntwo\nthree\nfour\n")), with(b, body("theirs\ntwo\nthree\nfour\n")))
	sidesContain(t, conflictOn(t, r, "body"), "ours", "theirs")
	if out := bytesOf(t, r); strings.Contains(out, "<<<<") {
		t.Errorf("markers:\n%s", out)
	}
	b = with(b, body("same\none\ntwo\nsame"))
	r, rep = mergeOf(t, one(b), with(b, body("one\ntwo\nsame")), with(b, body("same\none\ntwo")))
	noConflict(t, r, rep)
	if r.Body != "one\ntwo" {
		t.Errorf("each side removed another one of two equal lines: body %q", r.Body)
	}
	b = with(b, body("one\ntwo\nthree\nfour\n"))
	r, _ = mergeOf(t, one(b), with(b, body("")), with(b, body("one\ntwo\nthree\nfive\n")))
	sidesContain(t, conflictOn(t, r, "body"), "null", "five")
}

func TestSteps(t *testing.T) {
	steps := func(spec ...string) *records.Record {
		return with(record(records.Runbook), func(r *records.Record) {
			for _, s := range spec {
				id, do, _ := strings.Cut(s, ":")
				r.Steps = append(r.Steps, records.Step{ID: id, Do: do})
			}
		})
	}
	tests := []struct {
		name               string
		base, ours, theirs []string
		want               string // "!" is a conflict
	}{
		{"edits of two steps", []string{"a:1", "b:2"}, []string{"a:9", "b:2"}, []string{"a:1", "b:8"}, "a:9 b:8"},
		{"edits of one step", []string{"a:1"}, []string{"a:2"}, []string{"a:3"}, "!"},
		{"edit and move", []string{"a:1", "b:2", "c:3"}, []string{"b:2", "c:3", "a:1"}, []string{"a:9", "b:2", "c:3"}, "b:2 c:3 a:9"},
		{"edit and delete", []string{"a:1", "b:2"}, []string{"b:2"}, []string{"a:9", "b:2"}, "!"},
		{"delete and delete", []string{"a:1", "b:2", "c:3"}, []string{"b:2", "c:3"}, []string{"a:1", "b:2"}, "b:2"},
		{"both append", []string{"a:1"}, []string{"a:1", "z:2"}, []string{"a:1", "c:3"}, "a:1 c:3 z:2"},
		{"both add one id", []string{"a:1"}, []string{"a:1", "b:2"}, []string{"a:1", "b:3"}, "!"},
		{"moved to two places", []string{"a:1", "b:2", "c:3", "d:4"}, []string{"b:2", "a:1", "c:3", "d:4"}, []string{"b:2", "c:3", "d:4", "a:1"}, "!"},
		{"move and delete", []string{"a:1", "b:2", "c:3"}, []string{"b:2", "c:3", "a:1"}, []string{"b:2", "c:3"}, "b:2 c:3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := mergeOf(t, one(steps(tt.base...)), steps(tt.ours...), steps(tt.theirs...))
			var got []string
			for _, s := range r.Steps {
				got = append(got, s.ID+":"+s.Do)
			}
			if r.Disputed() {
				got = []string{"!"}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

// A step in two places is a conflict of the steps alone.
func TestStepMovedTwiceConflictsAlone(t *testing.T) {
	runbook := func(tag string, ids ...string) *records.Record {
		return with(record(records.Runbook), func(r *records.Record) {
			r.Tags = []string{tag}
			for _, id := range ids {
				r.Steps = append(r.Steps, records.Step{ID: id, Do: id})
			}
		})
	}
	r, rep := mergeOf(t, one(runbook("base", "a", "b", "c", "d")), runbook("x", "b", "a", "c", "d"), runbook("y", "b", "c", "d", "a"))
	if !slices.Equal(rep.Conflicts, []string{"steps"}) || !slices.Equal(r.Tags, []string{"x", "y"}) {
		t.Errorf("conflicts %v, tags %v", rep.Conflicts, r.Tags)
	}
}

func TestNestedConflictsFlatten(t *testing.T) {
	title := func(r *records.Record, s string) *records.Record {
		return with(r, func(r *records.Record) { r.Title = s })
	}
	b := title(record(records.Task), "base")
	xy, _ := mergeOf(t, one(b), title(b, "x"), title(b, "y"))
	xyz, rep := mergeOf(t, one(b), xy, title(b, "z"))
	sidesContain(t, conflictOn(t, xyz, "title"), "x", "y", "z")
	if !slices.Equal(rep.Conflicts, []string{"title"}) {
		t.Errorf("the grown conflict is not new: %v", rep.Conflicts)
	}
	r, rep := mergeOf(t, one(b), xy, title(b, "x")) // the same change once more
	mustEqual(t, r, xy, "equal terms count once")
	if len(rep.Conflicts) > 0 {
		t.Errorf("an old conflict is called new: %v", rep.Conflicts)
	}
	r, _ = mergeOf(t, one(title(b, "x")), xy, title(b, "w")) // x went on to w
	sidesContain(t, conflictOn(t, r, "title"), "w", "y")

	settle := func(s string) *records.Record {
		r, err := merge.Resolve(xy, "title", text(s))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r, _ = mergeOf(t, one(xy), settle("v"), xyz) // z was not there to be settled
	sidesContain(t, conflictOn(t, r, "title"), "v", "z")
	r, _ = mergeOf(t, one(xy), settle("x"), settle("w")) // an old value, but a new decision
	sidesContain(t, conflictOn(t, r, "title"), "x", "w")
	xz, _ := mergeOf(t, one(b), title(b, "x"), title(b, "z"))
	r, _ = mergeOf(t, one(title(b, "x")), xy, xz) // x is a side, so it is not a base
	c := conflictOn(t, r, "title")
	sidesContain(t, c, "x", "y", "z")
	if len(c.Bases) != 1 || c.Bases[0].Text != "base" {
		t.Errorf("bases %v", c.Bases)
	}
	r, _ = mergeOf(t, one(xy), settle("v"), settle("w"))
	if c := conflictOn(t, r, "title"); len(c.Bases) != 0 {
		t.Errorf("two resolutions have the base %v", c.Bases)
	} else {
		sidesContain(t, c, "v", "w")
	}
}

func TestSequencesByMember(t *testing.T) {
	options := func(o ...string) *records.Record {
		return with(record(records.Decision), func(r *records.Record) { r.Options = o })
	}
	b := options("a", "b", "c")
	r, rep := mergeOf(t, one(b), options("a", "b", "c", "d"), options("A", "b", "c"))
	noConflict(t, r, rep)
	if !slices.Equal(r.Options, []string{"A", "b", "c", "d"}) {
		t.Errorf("options %v", r.Options)
	}
	r, _ = mergeOf(t, one(b), options("a", "b", "c", "d"), options("a", "b", "c", "e"))
	conflictOn(t, r, "options")
}

func TestImportsOfOneSource(t *testing.T) {
	imported := func(by, key string) *records.Record {
		return with(record(records.Task), func(r *records.Record) {
			r.Created.By, r.Created.Actor = by, "agent/import"
			r.Origin = &records.Origin{System: "beads", Key: key}
		})
	}
	r, rep := mergeOf(t, nil, imported("Ada Example", "b-1"), imported("Bea Example", "b-1"))
	noConflict(t, r, rep)
	if r.Created.By != "Ada Example" || len(rep.Dropped) != 1 || rep.Dropped[0].Rule != merge.RuleSameOrigin {
		t.Errorf("created by %s, %+v", r.Created.By, rep)
	}
	_, rep = mergeOf(t, nil, imported("Ada Example", "b-1"), imported("Bea Example", "b-2"))
	if !slices.Equal(rep.Conflicts, []string{"created", "origin"}) {
		t.Errorf("conflicts %v", rep.Conflicts)
	}
}

func TestFormattingIsNoChange(t *testing.T) {
	b := with(record(records.Task), func(r *records.Record) { r.Tags, r.Body = []string{"a", "b"}, "one\ntwo\n" })
	data := bytesOf(t, b)
	lines := strings.SplitAfter(data, "\n")
	reordered := strings.Join(append(slices.Clone(lines[2:3]), append(slices.Clone(lines[:2]), lines[3:]...)...), "")
	for name, d := range map[string]string{
		"CRLF":      strings.ReplaceAll(data, "\n", "\r\n"),
		"key order": reordered,
		"tags":      strings.Replace(data, "  - a\n  - b\n", "  - b\n  - a\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if d == data {
				t.Fatal("the two forms are the same")
			}
			x, err := records.Parse("", []byte(d))
			if err != nil {
				t.Fatal(err)
			}
			edited := with(b, func(r *records.Record) { r.Body, r.Tags = "ONE\ntwo\n", []string{"a"} })
			r, rep := mergeOf(t, one(b), x, edited)
			noConflict(t, r, rep)
			mustEqual(t, r, edited, "formatting")
		})
	}
}

func TestMergedTextTooLargeConflicts(t *testing.T) {
	block := func(c string) string { return strings.Repeat(strings.Repeat(c, 99)+"\n", 1000) }
	body := func(s string) func(*records.Record) { return func(r *records.Record) { r.Body = s } }
	b := with(record(records.Goal), body(block("m")))
	r, _ := mergeOf(t, one(b), with(b, body(block("a")+block("m"))), with(b, body(block("m")+block("z"))))
	sidesContain(t, conflictOn(t, r, "body"), "aaa", "zzz")
}
