package packet

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

const earlier = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"

func TestChangesTellFirstWhatFell(t *testing.T) {
	kept := rec("dec-aaaaaaaaaa", records.Accepted, "Kept")
	lost := rec("dec-bbbbbbbbbb", records.Superseded, "Lost", func(r *records.Record) { r.Verdict.SupersededBy = "dec-cccccccccc" })
	next := rec("dec-cccccccccc", records.Accepted, "Next", link(records.RestsOn, "dec-aaaaaaaaaa"))
	old := rec("dec-dddddddddd", records.Superseded, "Never told")
	rs := []*records.Record{kept, lost, next, old}
	if p := build(t, request(""), rs...); where(t, p, kept.ID) != "decisions" || where(t, p, lost.ID) != "" {
		t.Fatalf("control: a whole packet shows what holds alone\n%s", p.Markdown())
	}
	req := request("")
	req.Since = &Delta{Commit: earlier, Was: map[records.ID]records.Standing{
		lost.ID: {Class: records.Asserted, State: records.Accepted},
		next.ID: {},
		old.ID:  {Class: records.OpenQuestion, State: records.Proposed},
	}}
	gone := rec("dec-eeeeeeeeee", records.Accepted, "Secret", reason("Secret too"), body("And this."))
	rs = append(rs, gone)
	v := records.NewSet(rs, map[records.ID]records.State{gone.ID: records.Accepted})
	req.Since.Was[gone.ID] = records.Standing{Class: records.Asserted, State: records.Accepted}
	if p := buildView(t, req, v); !strings.Contains(p.Markdown(), "Secret") {
		t.Fatalf("control: a vetoed decision is named\n%s", p.Markdown())
	}
	req.Since.Forgotten = map[records.ID]bool{gone.ID: true}
	p := buildView(t, req, v)
	if where(t, p, gone.ID) != "no-longer-holds" || strings.Contains(p.Markdown(), "Secret") || !strings.Contains(p.Markdown(), "now forgotten") {
		t.Errorf("what is forgotten above:\n%s", p.Markdown())
	}
	for id, want := range map[records.ID]string{kept.ID: "", lost.ID: "no-longer-holds", next.ID: "decisions", old.ID: ""} {
		if got := where(t, p, id); got != want {
			t.Errorf("%s stands in %q, want %q\n%s", id, got, want, p.Markdown())
		}
	}
	for _, want := range []string{
		"- note: only what changed since store commit 0f1e2d3c4b5a\n",
		"- dec-bbbb (was accepted, now superseded by dec-cccc): Lost\n",
		"- dec-cccc (rests on dec-aaaa; new): Next\n",
	} {
		if !strings.Contains(p.Markdown(), want) {
			t.Errorf("no %q in\n%s", want, p.Markdown())
		}
	}
	if it := item(t, p, lost.ID); it.Was != records.Accepted || p.Since != earlier {
		t.Errorf("since %q, item %+v", p.Since, it)
	}
}

func TestNoChangesNoPacket(t *testing.T) {
	req := request("cache")
	req.Since = &Delta{Commit: earlier}
	p := build(t, req, story()...)
	if p.Markdown() != "" || len(p.Sections) != 0 || p.Sections == nil || p.Tokens != 0 {
		t.Errorf("%d tokens, sections %v\n%s", p.Tokens, p.Sections, p.Markdown())
	}
	req.Focus.Task = taskID
	req.Since.Was = map[records.ID]records.Standing{taskID: {Class: records.Asserted, State: records.Todo}}
	if p := build(t, req, story()...); p.Markdown() == "" {
		t.Error("control: a change of the focus itself is none")
	}
}

// TestChangesKeepTheLaws: limits are hard and nothing stands twice in packets of
// changes too, and more room only adds.
func TestChangesKeepTheLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		req.Since = &Delta{Commit: earlier, Was: map[records.ID]records.Standing{}}
		for _, r := range rs {
			switch rapid.IntRange(0, 3).Draw(t, "moved") {
			case 0:
				req.Since.Was[r.ID] = records.Standing{}
			case 1:
				req.Since.Was[r.ID] = records.Standing{Class: records.Asserted, State: "accepted"}
			}
		}
		req.Budget = rapid.IntRange(300, 2500).Draw(t, "budget")
		req.MaxChars = rapid.IntRange(1200, 9000).Draw(t, "max chars")
		small := tryBuild(t, rs, req)
		if small == nil {
			return
		}
		if small.Tokens > req.Budget || small.Chars > req.MaxChars {
			t.Fatalf("%d tokens of %d, %d characters of %d", small.Tokens, req.Budget, small.Chars, req.MaxChars)
		}
		req.Budget += rapid.IntRange(0, 500).Draw(t, "more")
		have := shownIDs(t, tryBuild(t, rs, req))
		v := records.NewSet(rs, nil)
		for id := range shownIDs(t, small) {
			if _, ok := have[id]; !ok {
				t.Fatalf("%s lost with the larger budget", id)
			}
			_, here := v.Record(id)
			if _, moved := req.Since.Was[id]; here && !moved && id != small.Focus.Task && id != small.Focus.Goal && id != small.Focus.Trigger {
				t.Fatalf("%s did not change\n%s", id, small.Markdown())
			}
		}
		for _, s := range small.Sections {
			for _, it := range s.Items {
				if now := standing.Of(v, it.ID, req.Eval); s.Name == "no-longer-holds" && now.Class == records.Asserted {
					t.Fatalf("%s still holds", it.ID)
				}
			}
		}
	})
}
