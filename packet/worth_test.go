package packet

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

// leastBudget is the least that the request's frame needs.
func leastBudget(t testing.TB, req Request, rs []*records.Record) int {
	t.Helper()
	req.Budget = 1
	_, err := Build(records.NewSet(rs, nil), req)
	var be *BudgetError
	if !errors.As(err, &be) {
		t.Fatalf("got %v, want a BudgetError", err)
	}
	return be.NeedTokens
}

func sure(n records.Fraction) func(*records.Record) {
	return func(r *records.Record) { r.Confidence = &n }
}

func asks(s records.State) func(*records.Record) {
	return func(r *records.Record) { r.Verdict.Asks = s }
}

// old makes a verdict that recency counts for nothing.
func old(r *records.Record) { r.Verdict.At = now.AddDate(-5, 0, 0) }

// settled is one old decision and one old refuted hypothesis beside six young
// and sure questions of agents.
func settled(text string) (decided, open []*records.Record) {
	decided = []*records.Record{
		rec(decID, records.Accepted, "Keep the queue in memory for the workers of the shop"+text, old, sure(0), body("It is small."), link(records.RestsOn, "hyp-1aaaaaaaaa")),
		rec("hyp-9k3m9q2x4w", records.Refuted, "The garbage collector is what holds the workers up"+text, old, sure(0), reason("pauses stay under 1 ms")),
	}
	for _, c := range "123456" {
		open = append(open, rec(records.ID("hyp-"+string(c)+"aaaaaaaaa"), records.Proposed, "Workers wait"+text, by("agent/claude-code"), sure(100), body("Perhaps.")))
	}
	basis := open[0] // which was open when the decision was accepted, and is
	decided[0].Verdict.Despite = []records.Despite{{ID: basis.ID, State: basis.State(), Of: basis.Digest()}}
	return decided, append(open, rec(conID, records.Draft, "Wait"+text, sure(100)))
}

func TestNoQuestionTakesThePlaceOfWhatIsDecided(t *testing.T) {
	for name, tt := range map[string]struct{ purpose, text string }{
		"no focus": {"", ""}, "no tie to the focus": {"zebra", ""}, "equal tie": {"pangolin", " pangolin"},
	} {
		t.Run(name, func(t *testing.T) {
			decided, open := settled(tt.text)
			rs := append(slices.Clone(decided), open...)
			req := request(tt.purpose)
			least, questions := leastBudget(t, req, rs), 0
			for req.Budget = least; req.Budget < least+400; req.Budget += 7 {
				p := build(t, req, rs...)
				for _, r := range open {
					if where(t, p, r.ID) == "" {
						continue
					}
					questions++
					for _, d := range decided {
						if where(t, p, d.ID) == "" {
							t.Fatalf("budget %d: %s is shown and not %s\n%s", req.Budget, r.ID, d.ID, p.Markdown())
						}
					}
				}
			}
			if questions == 0 {
				t.Fatal("control: no budget shows a question")
			}
		})
	}
}

func TestEqualRelevanceGoesByWorth(t *testing.T) {
	// The shorter a line, the less it costs: worth must outweigh that.
	long := strings.Repeat(" and what belongs to it", 4)
	rs := []*records.Record{
		rec(decID, records.Accepted, "Decided"+long, old, sure(0)),
		rec(conID, records.Accepted, "Concluded"+long[:70], old, sure(10)),
		rec(hypID, records.Supported, "Supported"+long[:60], old, sure(20)),
		rec("hyp-9k3m9q2x4w", records.Refuted, "Refuted"+long[:40], old, sure(30)),
		rec(dec2ID, records.Proposed, "Asked"+long[:20], asks(records.Accepted), sure(40)),
		rec(rbID, records.Active, "Guard", typ("guardrail"), sure(100)),
		rec("hyp-8k3m9q2x4w", records.Proposed, "Open", sure(100)),
	}
	req := request("")
	least := leastBudget(t, req, rs)
	for req.Budget = least; req.Budget < least+400; req.Budget += 3 {
		p, missing := build(t, req, rs...), records.ID("")
		for _, r := range rs {
			switch at := where(t, p, r.ID); {
			case at == "":
				missing = r.ID
			case missing != "":
				t.Fatalf("budget %d: %s is shown and not %s\n%s", req.Budget, r.ID, missing, p.Markdown())
			}
		}
		if missing == "" {
			return
		}
	}
	t.Error("no budget shows them all")
}

func TestDisputesComeBeforeWhatIsAsRelevant(t *testing.T) {
	asking := func(q string) func(*records.Record) { return func(r *records.Record) { r.Question = q } }
	rs := []*records.Record{
		rec("dec-1aaaaaaaaa", records.Accepted, "Evict the oldest from the cache", old, asking("Which eviction?")),
		rec("dec-2aaaaaaaaa", records.Accepted, "Evict the largest from the cache", old, asking("Which eviction?")),
		rec("dec-3aaaaaaaaa", records.Accepted, "Fill the cache by night", old, asking("When to fill?")),
		rec("dec-4aaaaaaaaa", records.Accepted, "Fill the cache at start", old, asking("When to fill?")),
		rec(decID, records.Accepted, "Keep the cache in memory", sure(100)),
		rec(dec2ID, records.Accepted, "Write the cache through", sure(100)),
		rec(hypID, records.Refuted, "A cold cache", sure(100)),
		rec(evID, records.Recorded, "It speaks for one side"),
	}
	link(records.RestsOn, evID)(rs[0])
	rs[0].Verdict.Of = rs[0].Digest()
	req := request("cache")
	least, got := leastBudget(t, req, rs), []string(nil)
	told := func(p *Packet) int {
		n := 0
		for _, pair := range [][]records.ID{{"dec-1aaaaaaaaa", "dec-2aaaaaaaaa"}, {"dec-3aaaaaaaaa", "dec-4aaaaaaaaa"}} {
			if where(t, p, pair[0]) == "in-doubt" || where(t, p, pair[1]) == "in-doubt" {
				n++
			}
		}
		return n
	}
	for req.Budget = least; req.Budget < least+400; req.Budget++ {
		p := build(t, req, rs...)
		at := fmt.Sprintf("%d of 2 disputes", told(p))
		for _, s := range p.Sections {
			at += fmt.Sprintf(", %d %s", len(s.Items), s.Name)
		}
		if len(got) == 0 || got[len(got)-1] != at {
			got = append(got, at)
		}
	}
	want := []string{
		"0 of 2 disputes, 0 focus", "1 of 2 disputes, 0 focus, 1 in-doubt", "2 of 2 disputes, 0 focus, 2 in-doubt",
	}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("the packet grows by %q, want it to begin with %q", got, want)
	}
	if last := got[len(got)-1]; last != "2 of 2 disputes, 0 focus, 2 decisions, 1 ruled-out, 4 in-doubt" {
		t.Errorf("control: the largest packet has %s", last)
	}
}

func TestTextWaitsForLinesElsewhere(t *testing.T) {
	rs := []*records.Record{
		rec(decID, records.Accepted, "Decided", body("Yes.")),
		rec(hypID, records.Refuted, "Refuted by all that was seen in the traces of the last week, and by the bench", old, sure(0)),
	}
	req := request("")
	least := leastBudget(t, req, rs)
	for req.Budget = least; req.Budget < least+200; req.Budget++ {
		p := build(t, req, rs...)
		lone := where(t, p, hypID) == ""
		text := where(t, p, decID) != "" && item(t, p, decID).Text != ""
		if text && lone {
			t.Fatalf("budget %d: a text is shown and not the line\n%s", req.Budget, p.Markdown())
		}
		if text {
			return
		}
	}
	t.Error("control: no budget shows the text")
}

func TestUntiedGoByWorthWhateverIsTied(t *testing.T) {
	var rs []*records.Record
	for i := range 24 {
		rs = append(rs, rec(records.ID("dec-"+string(alphabet[i])+"000000000"), records.Accepted, "Rule of the cache"))
	}
	other, con := rec(dec2ID, records.Accepted, "Another matter, and not a short one at all", old, sure(0)), rec(conID, records.Accepted, "Learned", sure(100))
	rs = append(rs, other, con)
	req := request("cache")
	least := leastBudget(t, req, rs)
	for req.Budget = least + 200; req.Budget < least+400; req.Budget += 3 {
		p := build(t, req, rs...)
		if where(t, p, conID) != "" {
			if where(t, p, dec2ID) == "" {
				t.Fatalf("budget %d: the conclusion is shown and not the decision\n%s", req.Budget, p.Markdown())
			}
			return
		}
	}
	t.Error("control: no budget shows the conclusion")
}

func TestWorthLeavesEverySectionItsShare(t *testing.T) {
	var rs []*records.Record
	for i := range 200 {
		id := string(alphabet[i%32]) + string(alphabet[i/32]) + "00000000"
		rs = append(rs, rec(records.ID("dec-"+id), records.Accepted, "A rule that all of the parts keep", old),
			rec(records.ID("hyp-"+id), records.Refuted, "A cause that was not one"))
	}
	p := build(t, request(""), rs...)
	count := map[string]int{}
	for _, s := range p.Sections {
		count[s.Name] = len(s.Items)
	}
	if count["decisions"] < 20 || count["ruled-out"] < 5 {
		t.Errorf("of 200 each the packet shows %v", count)
	}
}

func TestOpenQuestionsWaitForWhatIsAsRelevant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		req.Budget = rapid.IntRange(200, 1500).Draw(t, "budget")
		b, err := newBuilder(records.NewSet(rs, nil), req)
		if err != nil {
			t.Fatal(err)
		}
		own := map[records.ID]int{} // a citation can raise the level
		for _, c := range b.pool.candidates {
			own[c.r.ID] = c.level
		}
		if b.frame() != nil {
			return
		}
		b.fill()
		for _, o := range b.pool.candidates {
			if o.section != secOpen || !o.shown {
				continue
			}
			for _, c := range b.pool.candidates {
				if c.shown || c.excluded || c.section != secDecisions && c.section != secRuledOut {
					continue
				}
				if c.level >= max(o.level, own[o.r.ID]) && (c.relevant || !o.relevant && o.level == own[o.r.ID]) {
					t.Fatalf("%s (level %d) is shown and not %s (level %d)", o.r.ID, o.level, c.r.ID, c.level)
				}
			}
		}
	})
}

func TestDraftConclusionsAreTheLastQuestions(t *testing.T) {
	imported := by("agent/import")
	rs := []*records.Record{
		rec("con-1aaaaaaaaa", records.Draft, "Imported", imported, sure(100)),
		rec("con-2aaaaaaaaa", records.Draft, "Draft", sure(90)),
		rec("con-3aaaaaaaaa", records.Draft, "Waits for someone", sure(90), asks(records.Accepted)),
		rec("hyp-1aaaaaaaaa", records.Proposed, "Question", old, sure(0)),
		rec("hyp-2aaaaaaaaa", records.Proposed, "Imported question", old, sure(0), imported),
	}
	p := build(t, request(""), rs...)
	var got []string
	for _, s := range p.Sections {
		for _, it := range s.Items {
			got = append(got, s.Name+": "+it.Title)
		}
	}
	want := []string{"awaiting-review: Waits for someone", "open: Question", "open: Draft", "open: Imported question"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p := build(t, request("imported"), rs...); where(t, p, rs[0].ID) != "open" {
		t.Errorf("an import's draft that bears on the purpose is not shown\n%s", p.Markdown())
	}
	req, shown := request(""), 0
	for req.Budget = leastBudget(t, req, rs); shown < len(rs)-1; req.Budget++ {
		p := build(t, req, rs...)
		shown = 0
		for i, id := range []records.ID{rs[2].ID, rs[3].ID, rs[1].ID, rs[4].ID} {
			if where(t, p, id) != "" {
				if shown++; shown <= i {
					t.Fatalf("budget %d: %s is shown before others\n%s", req.Budget, id, p.Markdown())
				}
			}
		}
	}
}

func TestOneCommonWordTiesNoImportedDraft(t *testing.T) {
	rs := []*records.Record{rec(decID, records.Accepted, "Worktrees share one queue")}
	for _, c := range "23456789" { // git is in all of them, as in a tracker's chores
		rs = append(rs, rec(records.ID("con-"+string(c)+"aaaaaaaaa"), records.Draft, "Chore git "+string(c), by("agent/import")))
	}
	mine := rec("con-baaaaaaaaa", records.Draft, "Note on git", by("agent/claude-code"))
	near := rec("con-caaaaaaaaa", records.Draft, "Worktree locks", by("agent/import"))
	p := build(t, request("a worktree locks git up"), append(rs, mine, near)...)
	for _, r := range rs[1:] {
		if where(t, p, r.ID) != "" {
			t.Errorf("%s is shown for a word that all have", r.Title)
		}
	}
	for _, r := range []*records.Record{mine, near} {
		if where(t, p, r.ID) != "open" {
			t.Errorf("%s is not shown\n%s", r.Title, p.Markdown())
		}
	}
}

func TestFooterNamesWhatWasCut(t *testing.T) {
	decided, open := settled("")
	rs := append(slices.Clone(decided), open...)
	req := request("")
	least := leastBudget(t, req, rs)
	req.Budget = least
	p := build(t, req, rs...)
	if want := "\nOmitted: 9 (1 decision, 1 ruled out, 7 open) that did not fit"; !strings.Contains(p.Markdown(), want) {
		t.Errorf("no %q in\n%s", want, p.Markdown())
	}
	for req.Budget < least+120 && where(t, p, decided[1].ID) == "" {
		req.Budget++
		p = build(t, req, rs...)
	}
	if want := regexp.MustCompile(`\nOmitted: \d that did not fit`); !want.MatchString(p.Markdown()) {
		t.Errorf("only questions are cut; no %s in\n%s", want, p.Markdown())
	}
	for counts, want := range map[[3]int]string{
		{0, 0, 0}: "", {0, 0, 5}: "5", {2, 1, 7}: "10 (2 decisions, 1 ruled out, 7 other)", {1, 0, 0}: "1 (1 decision)",
	} {
		got := omittedText(map[string]int{"decisions": counts[0], "ruled-out": counts[1], "supported": counts[2]})
		if got != want {
			t.Errorf("omitted %v: %q, want %q", counts, got, want)
		}
	}
}
