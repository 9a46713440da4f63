package packet

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

// genElsewhere draws what another branch rules out: some of the store's own
// records and some that it has not.
func genElsewhere(t *rapid.T, rs []*records.Record) []Elsewhere {
	var es []Elsewhere
	for _, r := range rs {
		if (r.Kind == records.Hypothesis || r.Kind == records.Decision) && rapid.IntRange(0, 3).Draw(t, "ruled out elsewhere") == 0 {
			es = append(es, Elsewhere{Record: rec(r.ID, ruledOutState(r.Kind), r.Title), Branch: "idea"})
		}
	}
	for _, id := range []records.ID{"hyp-yzzzzzzzz0", "dec-yzzzzzzzz1", "con-yzzzzzzzz2"} {
		if rapid.Bool().Draw(t, "only elsewhere") {
			es = append(es, Elsewhere{Record: rec(id, ruledOutState(id.Kind()), "the cache of the other branch"), Branch: "idea/two"})
		}
	}
	return es
}

func ruledOutState(k records.Kind) records.State {
	if k == records.Hypothesis {
		return records.Refuted
	}
	return records.Rejected
}

func TestElsewhereWarnsAndVetoesNothing(t *testing.T) {
	live := rec("hyp-aaaaaaaaaa", records.Proposed, "The cache is cold")
	dead := rec("hyp-bbbbbbbbbb", records.Refuted, "The cache is slow", reason("Measured"))
	foreign := rec("hyp-cccccccccc", records.Refuted, "The cache is small", reason("Doubled it"), body("Long story."))
	remote := rec("hyp-dddddddddd", records.Refuted, "The parser is slow")
	rs := []*records.Record{live, dead}
	if p := build(t, request("cache"), rs...); strings.Contains(p.Markdown(), "idea") || where(t, p, foreign.ID) != "" {
		t.Fatalf("control: nothing of other branches without any\n%s", p.Markdown())
	}
	req := request("cache")
	for _, r := range []*records.Record{rec(live.ID, records.Refuted, "The cache is cold"), dead, foreign, remote} {
		req.Elsewhere = append(req.Elsewhere, Elsewhere{Record: r, Branch: "idea"})
	}
	p := build(t, req, rs...)
	for id, want := range map[records.ID]string{live.ID: "open", dead.ID: "ruled-out", foreign.ID: "ruled-out", remote.ID: ""} {
		if got := where(t, p, id); got != want {
			t.Errorf("%s stands in %q, want %q\n%s", id, got, want, p.Markdown())
		}
	}
	for _, want := range []string{
		"- hyp-aaaa (proposed; refuted on branch idea): The cache is cold\n",
		"- hyp-bbbb (refuted): The cache is slow; because: Measured\n",
		"- hyp-cccc (refuted; on branch idea): The cache is small; because: Doubled it\n",
	} {
		if !strings.Contains(p.Markdown(), want) {
			t.Errorf("no %q in\n%s", want, p.Markdown())
		}
	}
	if it := item(t, p, foreign.ID); it.Branch != "idea" || it.Warning != "" {
		t.Errorf("item %+v", it)
	}
	if it := item(t, p, live.ID); it.Branch != "" || it.Warning != "refuted on branch idea" {
		t.Errorf("item %+v", it)
	}
	other := req
	other.Elsewhere = req.Elsewhere[:3]
	if q := build(t, other, rs...); q.Digest == p.Digest {
		t.Error("what other branches rule out does not enter the digest")
	}
}

// TestElsewhereBearsByItsLinks: a record of another branch is near the focus
// by what it links to, which no record here answers for.
func TestElsewhereBearsByItsLinks(t *testing.T) {
	req := request("")
	req.Focus.Task = taskID
	loose := rec("hyp-cccccccccc", records.Refuted, "Nothing in common")
	req.Elsewhere = []Elsewhere{{Record: loose, Branch: "idea"}}
	if p := build(t, req, story()...); where(t, p, loose.ID) != "" {
		t.Fatalf("control: it is shown without a link\n%s", p.Markdown())
	}
	link(records.About, taskID)(loose)
	if p := build(t, req, story()...); where(t, p, loose.ID) != "ruled-out" {
		t.Errorf("it is not shown\n%s", p.Markdown())
	}
}
