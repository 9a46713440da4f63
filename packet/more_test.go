package packet

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

func when(s string) func(*records.Record) { return func(r *records.Record) { r.When = s } }

func TestRunbooksSayWhenWhereRoomIsLeft(t *testing.T) {
	signalled := rec("rb-5aaaaaaaaa", records.Active, "Warm the cache", typ("troubleshooting"), signals("cold cache"), when("the cache is cold"), body("Run it."))
	silent := rec("rb-6aaaaaaaaa", records.Active, "Recover the pool", typ("troubleshooting"), signals("connection refused"), when("connections are refused"), body("Restart."))
	procedure := rec("rb-7aaaaaaaaa", records.Active, "Release the server", typ("procedure"), when("a release is due"), body("Tag."))
	rs := []*records.Record{
		signalled, silent, procedure,
		rec("rb-8aaaaaaaaa", records.Active, "Guard the parser", typ("guardrail"), paths("parser/**"), when("the parser changes")),
		rec("rb-9aaaaaaaaa", records.Retired, "Old way", typ("procedure"), when("never")),
		rec(rb2ID, records.Active, "No word on when", typ("troubleshooting"), signals("smoke")),
	}
	req := request("why the cold cache")
	p := build(t, req, rs...)
	got := section(p, "Runbooks")
	for _, want := range []string{
		"Warm the cache\n  > when: the cache is cold\n  > Run it.\n",
		"Recover the pool\n  > when: connections are refused\n  - rest: git ctx show rb-6aaa\n",
		"Release the server\n  > when: a release is due\n  - rest: git ctx show rb-7aaa\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, r := range rs[3:] {
		if at := where(t, p, r.ID); at != "" {
			t.Errorf("%s stands in %s", r.Title, at)
		}
	}
	if it := item(t, p, silent.ID); it.Text != "when: connections are refused" || !it.More {
		t.Errorf("item %+v, want the when alone, with more", it)
	}
	if it := item(t, p, signalled.ID); it.More {
		t.Errorf("item %+v is whole and says more", it)
	}
	req.Budget = p.Tokens + 16 // enough for all of it, and little left
	p = build(t, req, rs...)
	if where(t, p, silent.ID) != "" || item(t, p, procedure.ID).Text != "" || !item(t, p, procedure.ID).More {
		t.Errorf("little room is left and used up\n%s", p.Markdown())
	}
	if got := section(p, "Runbooks"); !strings.Contains(got, "Release the server"+moreMark+"\n") {
		t.Errorf("no mark in\n%s", got)
	}
}

func TestWhatIsCutIsMarked(t *testing.T) {
	const mark = moreMark + "\n"
	long := strings.Repeat("A sentence of some length. ", 40)
	tests := []struct {
		name       string
		r          *records.Record
		purpose    string
		line, rest bool
	}{
		{"title alone", rec(decID, records.Accepted, "Title"), "", false, false},
		{"text in full", rec(decID, records.Accepted, "Title", body("Short.")), "", false, false},
		{"blank text", rec(decID, records.Accepted, "Title", body(" \n")), "", false, false},
		{"text cut", rec(decID, records.Accepted, "Title", body(long)), "", false, true},
		{"text left out", rec(decID, records.Accepted, "Title", body("Short.")), "zebra", true, false},
		{"title cut", rec(decID, records.Accepted, long), "", true, false},
		{"title and text cut", rec(decID, records.Accepted, long, body(long)), "", false, true},
		{"reason cut", rec(decID, records.Accepted, "Title", reason(long)), "", true, false},
		{"reason whole", rec(decID, records.Accepted, "Title", reason("It is so.")), "", false, false},
		{"section without text", rec(hypID, records.Refuted, "Title", body("Short.")), "", true, false},
		{"too many tokens", rec(decID, records.Accepted, strings.Repeat("\u202e", 60)), "", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := build(t, request(tt.purpose), tt.r)
			if got := strings.Contains(p.Markdown(), mark); got != tt.line {
				t.Errorf("line marked: %v\n%s", got, p.Markdown())
			}
			if got := strings.Contains(p.Markdown(), "  - rest: git ctx show "); got != tt.rest {
				t.Errorf("text marked: %v\n%s", got, p.Markdown())
			}
			if got := item(t, p, tt.r.ID).More; got != (tt.line || tt.rest) {
				t.Errorf("more is %v", got)
			}
		})
	}
}

func TestItemsLeaveOutWhatIsEmpty(t *testing.T) {
	keys := func(p *Packet, id records.ID) string {
		text, err := json.Marshal(item(t, p, id))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	bare := rec(conID, records.Accepted, "")
	bare.Conflicts = nil
	if got, want := keys(build(t, request(""), bare), conID), `{"id":"con-3c3c3c3c3c","kind":"conclusion","state":"accepted","title":""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	full := rec(decID, records.Accepted, "Title", body(strings.Repeat("All of it. ", 80)), reason("so"), link(records.RestsOn, hypID))
	got := keys(build(t, request(""), full, rec(hypID, records.Supported, "Basis")), decID)
	for _, want := range []string{`"text":"All`, `"reason":"so"`, `"cites":["hyp-7k3m9q2x4w"]`, `"more":true`} {
		if !strings.Contains(got, want) {
			t.Errorf("control: no %s in %s", want, got)
		}
	}
}

func TestTriggerInFocusShowsItsTextFirst(t *testing.T) {
	says := "Requests of the shop take 400 ms since the deploy. Find out why."
	rs := []*records.Record{rec(trgID, records.Draft, "Alert", typ("issue"), func(r *records.Record) { r.Text = says })}
	for i := range 20 {
		rs = append(rs, rec(records.ID("dec-"+string(alphabet[i])+"000000000"), records.Accepted, "Requests of the shop are short"))
	}
	req := request("requests of the shop")
	req.Focus.Trigger = trgID
	least := leastBudget(t, req, rs)
	req.Budget = least + 30
	p := build(t, req, rs...)
	if !strings.Contains(section(p, "Focus"), "Alert\n  > "+says+"\n") || item(t, p, trgID).Text != says {
		t.Errorf("the trigger's text is not shown\n%s", p.Markdown())
	}
	req.Budget = least
	if p = build(t, req, rs...); !strings.Contains(section(p, "Focus"), "Alert"+moreMark+"\n") || !item(t, p, trgID).More {
		t.Errorf("no room, and no mark\n%s", p.Markdown())
	}
}
