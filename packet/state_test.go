package packet

import (
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

const (
	hypID  = records.ID("hyp-7k3m9q2x4w")
	evID   = records.ID("ev-9f2c4d7a1b")
	decID  = records.ID("dec-4k2p9xabcd")
	dec2ID = records.ID("dec-5k2p9xabcd")
	conID  = records.ID("con-3c3c3c3c3c")
	goalID = records.ID("goal-1g1g1g1g1g")
	taskID = records.ID("task-2m8w3k5r7t")
	subID  = records.ID("task-3m8w3k5r7t")
	rbID   = records.ID("rb-6r6r6r6r6r")
	rb2ID  = records.ID("rb-7r6r6r6r6r")
	rb3ID  = records.ID("rb-8r6r6r6r6r")
	trgID  = records.ID("trg-8t8t8t8t8t")
)

// asserting are the sections whose records the packet states as fact.
var asserting = map[string]bool{"decisions": true, "conclusions": true, "supported": true, "evidence": true, "runbooks": true, "next": true, "focus": true}

func TestEveryStateThatMustNotBeAsserted(t *testing.T) {
	state := func(s records.State) func(*records.Record) {
		return func(r *records.Record) { r.Verdict.State = s }
	}
	agent := func(r *records.Record) {
		by("agent/claude-code")(r)
		r.Verdict.Of = r.Digest()
	}
	tests := []struct {
		name string
		id   records.ID
		good records.State
		edit func(*records.Record) // what makes it no longer hold
		with []*records.Record
		veto records.State
		want string // section, "" for nowhere
		why  string // counted under suppressed
	}{
		{name: "hypothesis proposed", id: hypID, good: records.Supported, edit: state(records.Proposed), want: "open"},
		{name: "hypothesis under evaluation", id: hypID, good: records.Supported, edit: state(records.UnderEvaluation), want: "open"},
		{name: "hypothesis refuted", id: hypID, good: records.Supported, edit: state(records.Refuted), want: "ruled-out"},
		{name: "hypothesis superseded", id: hypID, good: records.Supported, edit: state(records.Superseded)},
		{name: "decision proposed", id: decID, good: records.Accepted, edit: state(records.Proposed), want: "open"},
		{name: "decision asked for", id: decID, good: records.Accepted, edit: func(r *records.Record) {
			r.Verdict.State, r.Verdict.Asks = records.Proposed, records.Accepted
		}, want: "awaiting-review"},
		{name: "decision rejected", id: decID, good: records.Accepted, edit: state(records.Rejected), want: "ruled-out"},
		{name: "decision superseded", id: decID, good: records.Accepted, edit: state(records.Superseded)},
		{name: "conclusion draft", id: conID, good: records.Accepted, edit: state(records.Draft), want: "open"},
		{name: "conclusion rejected", id: conID, good: records.Accepted, edit: state(records.Rejected), want: "ruled-out"},
		{name: "conclusion superseded", id: conID, good: records.Accepted, edit: state(records.Superseded)},
		{name: "runbook draft", id: rbID, good: records.Active, edit: state(records.Draft), want: "open"},
		{name: "runbook retired", id: rbID, good: records.Active, edit: state(records.Retired)},
		{name: "goal proposed", id: goalID, good: records.Active, edit: state(records.Proposed), want: "open"},
		{name: "goal parked", id: goalID, good: records.Active, edit: state(records.Parked)},
		{name: "goal achieved", id: goalID, good: records.Active, edit: state(records.Achieved)},
		{name: "goal abandoned", id: goalID, good: records.Active, edit: state(records.Abandoned)},
		{name: "task done", id: taskID, good: records.Todo, edit: state(records.Done)},
		{name: "task dropped", id: taskID, good: records.Todo, edit: state(records.Dropped)},
		{name: "forgotten", id: decID, good: records.Accepted, edit: func(r *records.Record) {
			r.Title, r.Body, r.Tombstone = "", "", &records.Tombstone{Fingerprint: "f", Salt: "s"}
		}},
		{name: "in conflict", id: decID, good: records.Accepted, edit: func(r *records.Record) {
			r.Conflicts = []records.Conflict{{Field: "verdict", Sides: []*records.Value{scalar("accepted"), scalar("rejected")}}}
			r.Verdict = nil
		}, want: "in-doubt", why: "conflict"},
		{name: "changed since review", id: decID, good: records.Accepted, edit: func(r *records.Record) { r.Body += " not" }, want: "open", why: "changed-since-review"},
		{name: "not reviewed", id: decID, good: records.Accepted, edit: agent, want: "awaiting-review", why: "unreviewed"},
		{name: "not sourced", id: hypID, good: records.Supported, edit: agent, want: "open", why: "unsourced"},
		{name: "expired", id: decID, good: records.Accepted, edit: valid(now.Add(-2*time.Hour), now), why: "expired"},
		{name: "not yet valid", id: decID, good: records.Accepted, edit: valid(now.Add(time.Hour), time.Time{}), why: "not-yet-valid"},
		{name: "doubt", id: decID, good: records.Accepted, edit: func(r *records.Record) {
			link(records.RestsOn, hypID)(r)
			r.Verdict.Of = r.Digest()
		}, with: []*records.Record{rec(hypID, records.Refuted, "A dead basis")}, want: "in-doubt", why: "doubt"},
		{name: "rejected on the default branch", id: decID, good: records.Accepted, edit: func(*records.Record) {}, veto: records.Rejected, want: "ruled-out", why: "vetoed"},
		{name: "superseded on the default branch", id: decID, good: records.Accepted, edit: func(*records.Record) {}, veto: records.Superseded, why: "vetoed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const words = "Quokka telemetry"
			control := rec(tt.id, tt.good, words)
			p := build(t, request("quokka"), control)
			if at := where(t, p, tt.id); !asserting[at] || !strings.Contains(p.Markdown(), words) {
				t.Fatalf("control: asserted record stands in %q\n%s", at, p.Markdown())
			}
			r := rec(tt.id, tt.good, words)
			tt.edit(r)
			vetoes := map[records.ID]records.State{}
			if tt.veto != "" {
				vetoes[tt.id] = tt.veto
			}
			p = buildView(t, request("quokka"), records.NewSet(append(tt.with, r), vetoes))
			if at := where(t, p, tt.id); at != tt.want {
				t.Errorf("stands in %q, want %q\n%s", at, tt.want, p.Markdown())
			}
			if shows := strings.Contains(p.Markdown(), words); shows != (tt.want != "") {
				t.Errorf("title shown: %v\n%s", shows, p.Markdown())
			}
			if tt.why != "" && (p.Suppressed[tt.why] != 1 || !strings.Contains(p.Markdown(), "1 "+tt.why)) {
				t.Errorf("suppressed %v, want one %s, told in the footer", p.Suppressed, tt.why)
			}
			if tt.why == "" && len(p.Suppressed) != 0 {
				t.Errorf("suppressed %v, want none", p.Suppressed)
			}
		})
	}
}

func TestRetractedEvidenceIsNowhere(t *testing.T) {
	for _, state := range []records.State{records.Recorded, records.Verified, records.Retracted} {
		p := build(t, request("cache"),
			rec(hypID, records.Supported, "Cache stampedes cause spikes", func(r *records.Record) { r.Verdict.Cites = []records.ID{evID} }),
			rec(evID, state, "p99 falls with a warm cache"))
		want := "evidence"
		if state == records.Retracted {
			want = ""
		}
		if at := where(t, p, evID); at != want {
			t.Errorf("%s evidence stands in %q, want %q", state, at, want)
		}
		if cites := item(t, p, hypID).Cites; (len(cites) == 1) != (want != "") {
			t.Errorf("%s evidence: cites %v", state, cites)
		}
	}
}

func TestRuledOutIsOneLineWithReason(t *testing.T) {
	p := build(t, request("cache"), rec(hypID, records.Refuted, "Cache stampedes cause spikes", body("Long story."), reason("p99 unchanged with a warm cache")))
	got := section(p, "Ruled out")
	want := "- hyp-7k3m (refuted): Cache stampedes cause spikes; because: p99 unchanged with a warm cache" + moreMark + "\n"
	if !strings.HasSuffix(got, ")\n\n"+want) {
		t.Errorf("got %q, want it to end with %q", got, want)
	}
}

func TestDisputedShowsBothValues(t *testing.T) {
	r := rec(decID, records.Accepted, "", func(r *records.Record) {
		r.Conflicts = []records.Conflict{{Field: "title", Sides: []*records.Value{scalar("Use a cache"), scalar("Use no cache")}}}
	})
	p := build(t, request(""), r)
	for _, want := range []string{"merge conflict", `title: "Use a cache" or "Use no cache"`} {
		if got := section(p, "In doubt"); !strings.Contains(got, want) {
			t.Errorf("want %q in %q", want, got)
		}
	}
	p = build(t, request(""), rec(hypID, records.Refuted, "Basis"), rec(decID, records.Accepted, "Rests on it", link(records.RestsOn, hypID)))
	if got, want := section(p, "In doubt"), "rests on what does not stand: hyp-7k3m"; !strings.Contains(got, want) {
		t.Errorf("want %q in %q", want, got)
	}
}

func scalar(s string) *records.Value { return records.NewText(s) }

func valid(from, until time.Time) func(*records.Record) {
	return func(r *records.Record) {
		r.Valid = records.Validity{From: from, Until: until}
		r.Verdict.Of = r.Digest()
	}
}

// Every text that a record has beside its title is shown where its text is.
func TestFullTextHasEveryText(t *testing.T) {
	n := 0
	for _, field := range records.Clearable() {
		var r records.Record
		if field == "type" || !r.SetText(field, "the text of it") {
			continue
		}
		n++
		if !strings.Contains(fullText(&r), "the text of it") || !hasText(&r) {
			t.Errorf("%s is not shown: %q", field, fullText(&r))
		}
	}
	if n < 5 || hasText(&records.Record{Title: "the title"}) {
		t.Errorf("%d fields are texts", n)
	}
}
