package query_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/setup"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
	"github.com/git-ctx/git-ctx/records/graph"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A past is a store with a history, made at known instants.
type past struct {
	repo *gittest.Repo
	led  *ledger.Ledger
	now  time.Time
	// commits are the branch's, oldest first, and when each was made.
	commits []string
	when    []time.Time
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// makePast records, judges, links and edits at random, hours or days apart.
func makePast(t *testing.T, seed int64, review records.Review) *past {
	t.Helper()
	p := &past{repo: gittest.New(t, gittest.Plain), now: began}
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: p.repo.Dir, Env: p.repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	rnd := rand.New(rand.NewSource(seed))
	actors := []records.Actor{records.Human, records.Human, "agent/example"}
	p.led = ledger.Open(r, ledger.Options{Author: ledger.Author{Actor: records.Human}, Random: rnd, Now: func() time.Time { return p.now }})
	if _, err := setup.Init(t.Context(), p.led, setup.InitOptions{Review: review}); err != nil {
		t.Fatal(err)
	}
	var made []*records.Record
	for step := range 48 + len(falls) {
		p.now = p.now.Add(time.Duration(1+rnd.Intn(30)) * time.Hour)
		actor, op := actors[rnd.Intn(3)], grammar.Op{}
		if step < 48 {
			op = p.someOp(rnd, step, made)
		} else {
			actor, op = records.Human, falls[step-48](made)
		}
		writer := ledger.Open(r, ledger.Options{Author: ledger.Author{Actor: actor}, Random: rnd, Now: func() time.Time { return p.now }})
		res, err := writer.Edit(t.Context(), func(tx *ledger.Tx) error {
			_, _, err := tx.Do(op)
			return err
		})
		if err == nil && res.Commit != "" {
			p.commits, p.when = append(p.commits, string(res.Commit)), append(p.when, p.now)
			for _, id := range res.Created {
				r, _ := res.View.Record(id)
				made = append(made, r.Clone())
			}
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.commits) < 12 {
		t.Fatalf("only %d of the steps did anything", len(p.commits))
	}
	return p
}

// falls are the steps after which a decision is in doubt for certain, as what it rests on fell.
var falls = []func(made []*records.Record) grammar.Op{
	func([]*records.Record) grammar.Op {
		return grammar.Op{Verb: "add", Kind: string(records.Hypothesis), Title: "Thing that fell"}
	},
	func(made []*records.Record) grammar.Op {
		return grammar.Op{Verb: "support", ID: string(made[len(made)-1].ID), Reason: "so it was"}
	},
	func(made []*records.Record) grammar.Op {
		return grammar.Op{Verb: "add", Kind: string(records.Decision), Title: "Thing that rests on it", Links: map[string][]string{"rests-on": {string(made[len(made)-1].ID)}}}
	},
	func(made []*records.Record) grammar.Op {
		return grammar.Op{Verb: "accept", ID: string(made[len(made)-1].ID), Reason: "so it was"}
	},
	func(made []*records.Record) grammar.Op {
		return grammar.Op{Verb: "refute", ID: string(made[len(made)-2].ID), Reason: "it was not so"}
	},
}

// someOp is a verb on what was made before, legal or not.
func (p *past) someOp(rnd *rand.Rand, step int, made []*records.Record) grammar.Op {
	kinds := []records.Kind{records.Hypothesis, records.Decision, records.Evidence, records.Decision, records.Runbook, records.Task}
	if len(made) < 4 || rnd.Intn(3) == 0 {
		op := grammar.Op{Verb: "add", Kind: string(kinds[rnd.Intn(len(kinds))]), Title: fmt.Sprintf("Thing %d", step), Source: ""}
		switch rnd.Intn(3) {
		case 0:
			op.ValidFrom = records.FormatInstant(began.AddDate(0, 0, rnd.Intn(60)))
		case 1: // in another zone, and a bare date
			op.ValidUntil = began.AddDate(0, 0, rnd.Intn(60)).In(time.FixedZone("", 5*3600+1800)).Format(time.RFC3339)
			op.ValidFrom = "2026-02-01"
		}
		if op.Kind == string(records.Decision) {
			op.Question = []string{"", "Which cache?"}[rnd.Intn(2)]
		}
		return op
	}
	r := made[rnd.Intn(len(made))]
	verbs := map[records.Kind][]string{
		records.Hypothesis: {"evaluate", "support", "refute"}, records.Decision: {"accept", "accept", "reject"},
		records.Evidence: {"verify", "retract"}, records.Runbook: {"activate", "retire"}, records.Task: {"start", "done"},
	}[r.Kind]
	switch rnd.Intn(5) {
	case 0:
		return grammar.Op{Verb: "edit", ID: string(r.ID), Body: fmt.Sprintf("Changed at step %d.", step)}
	case 1:
		if i := slices.IndexFunc(made, func(o *records.Record) bool { return o.Kind == records.Hypothesis }); i >= 0 && r.Kind == records.Decision {
			return grammar.Op{Verb: "link", ID: string(r.ID), Links: map[string][]string{"rests-on": {string(made[i].ID)}}}
		}
	}
	return grammar.Op{Verb: verbs[rnd.Intn(len(verbs))], ID: string(r.ID), Reason: "so it was"}
}

// reference reads every record of a commit with plain git, and judges it.
func (p *past) reference(t fataler, commit string, j records.EvalContext) *records.Set {
	var rs []*records.Record
	for _, line := range strings.Split(strings.TrimSpace(p.repo.Git("ls-tree", "-r", "--name-only", commit, "records/")), "\n") {
		if line == "" {
			continue
		}
		r, err := records.Parse(line, []byte(p.repo.Git("cat-file", "blob", commit+":"+line)))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rs = append(rs, r)
	}
	return records.NewSet(rs, nil)
}

type fataler interface{ Fatalf(string, ...any) }

// What the clocks ask for is what plain git holds at that commit, judged at that
// instant, whichever way commit and instant are named.
func TestClocksAgreeWithPlainGit(t *testing.T) {
	whys := make(map[records.Why]bool)
	for seed, review := range []records.Review{records.ReviewHuman, records.ReviewAny} {
		p := makePast(t, int64(seed), review)
		views := make(map[string]*records.Set)
		rapid.Check(t, func(t *rapid.T) {
			i := rapid.IntRange(0, len(p.commits)-1).Draw(t, "commit")
			zone := time.FixedZone("", rapid.SampledFrom([]int{0, -8 * 3600, 5*3600 + 1800, 13 * 3600}).Draw(t, "zone"))
			c := query.Clocks{}
			switch rapid.IntRange(0, 3).Draw(t, "as of") {
			case 0:
				i = len(p.commits) - 1 // the tip, through the index
			case 1:
				c.AsOf = p.commits[i]
			case 2: // the very instant of the commit
				c.AsOf = p.when[i].In(zone).Format(time.RFC3339)
			case 3: // until just before the next
				c.AsOf = p.when[i].Add(59 * time.Minute).In(zone).Format(time.RFC3339)
			}
			j := records.EvalContext{Review: review, ValidAt: p.now}
			switch day := began.AddDate(0, 0, rapid.IntRange(-5, 65).Draw(t, "day")); rapid.IntRange(0, 2).Draw(t, "valid at") {
			case 1:
				c.ValidAt, j.ValidAt = day.In(zone).Format(time.RFC3339), day
			case 2:
				c.ValidAt, j.ValidAt = day.Format(time.DateOnly), day.Truncate(24*time.Hour)
			}
			want := views[p.commits[i]]
			if want == nil {
				want = p.reference(t, p.commits[i], j)
				views[p.commits[i]] = want
			}
			for _, why := range p.compare(t, c, want, j) {
				whys[why] = true
			}
		})
	}
	for _, why := range []records.Why{records.WhyNotYet, records.WhyExpired, records.WhyDoubt, records.WhyChanged} {
		if !whys[why] && !testing.Short() { // few draws may meet none
			t.Errorf("no record was ever %s", why)
		}
	}
}

// compare reads with the clocks and fails where the reference says otherwise. It
// returns the reasons that standings had.
func (p *past) compare(t *rapid.T, c query.Clocks, want *records.Set, j records.EvalContext) []records.Why {
	rd, err := query.Read(t.Context(), p.led, c)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	defer func() { _ = rd.Close() }()
	if rd.Len() != want.Len() {
		t.Fatalf("%+v: %d records, want %d", c, rd.Len(), want.Len())
	}
	var whys []records.Why
	class := make(map[records.ID]records.Class)
	for r := range want.All() {
		st := standing.Of(want, r.ID, j)
		whys, class[r.ID] = append(whys, st.Why), st.Class
		got, ok := rd.Record(r.ID)
		if !ok {
			t.Fatalf("%+v: no %s", c, r.ID)
		}
		a, _ := records.Format(r)
		if b, _ := records.Format(got); !bytes.Equal(a, b) {
			t.Fatalf("%+v: %s is\n%s\nwant\n%s", c, r.ID, b, a)
		}
		if got := standing.Of(rd.View, r.ID, rd.Eval); got.Class != st.Class || got.State != st.State || got.Why != st.Why {
			t.Fatalf("%+v: %s is %v, want %v", c, r.ID, got, st)
		}
	}
	listed, _, err := query.List(rd, query.ListOptions{All: true})
	if err != nil || len(listed) != want.Len() {
		t.Fatalf("%+v: listed %d, %v", c, len(listed), err)
	}
	for _, l := range listed {
		if l.Standing.Class != class[l.Record.ID] {
			t.Fatalf("%+v: %s listed as %s, want %s", c, l.Record.ID, l.Standing.Class, class[l.Record.ID])
		}
	}
	agreeOnSearch(t, rd, c, class)
	agreeOnPacket(t, rd, c, class)
	agreeOnGraph(t, rd, c, want, class)
	found, err := query.RunAudit(t.Context(), rd, query.AuditOptions{})
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	if got, want := fmt.Sprint(found.Findings), fmt.Sprint(audit.Run(audit.Input{View: want, Eval: j, Policy: rd.Policy})); got != want {
		t.Fatalf("%+v: audit found\n%s\nwant\n%s", c, got, want)
	}
	return whys
}

// agreeOnSearch looks for the word that every title has.
func agreeOnSearch(t *rapid.T, rd *query.Reading, c query.Clocks, class map[records.ID]records.Class) {
	found, _, err := query.Search(t.Context(), rd, "thing", query.ListOptions{All: true})
	if err != nil || len(found) != len(class) {
		t.Fatalf("%+v: found %d of %d, %v", c, len(found), len(class), err)
	}
	for _, f := range found {
		if f.Standing.Class != class[f.Record.ID] {
			t.Fatalf("%+v: %s found as %s, want %s", c, f.Record.ID, f.Standing.Class, class[f.Record.ID])
		}
	}
}

// agreeOnPacket compares the sections that assert with what is to be asserted.
// Evidence stands there only where something cites it.
func agreeOnPacket(t *rapid.T, rd *query.Reading, c query.Clocks, class map[records.ID]records.Class) {
	p, err := query.Packet(t.Context(), rd, query.PacketOptions{Budget: 1 << 20, MaxChars: 1 << 20})
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	told := make(map[records.ID]string)
	for _, s := range p.Sections {
		for _, it := range s.Items {
			told[it.ID] = s.Name
		}
	}
	for id, cl := range class {
		section := map[records.Kind]string{records.Decision: "decisions", records.Hypothesis: "supported", records.Runbook: "runbooks"}[id.Kind()]
		if section != "" && (told[id] == section) != (cl == records.Asserted) {
			t.Fatalf("%+v: %s, which is %s, is told under %q", c, id, cl, told[id])
		}
	}
	for id := range told {
		if class[id] == "" {
			t.Fatalf("%+v: the packet tells of %s, which is not there", c, id)
		}
	}
}

// agreeOnGraph walks around every record.
func agreeOnGraph(t *rapid.T, rd *query.Reading, c query.Clocks, want *records.Set, class map[records.ID]records.Class) {
	for r := range want.All() {
		g, err := query.Graph(rd, query.GraphOptions{Roots: []records.ID{r.ID}})
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if w := graph.Around(want, []records.ID{r.ID}, graph.Bounds{}); fmt.Sprint(g) != fmt.Sprint(w) {
			t.Fatalf("%+v: around %s is %v, want %v", c, r.ID, g, w)
		}
		for _, n := range query.GraphAnswerOf(rd, g).Nodes {
			if n.Class != class[n.ID] {
				t.Fatalf("%+v: %s is drawn as %s, want %s", c, n.ID, n.Class, class[n.ID])
			}
		}
	}
}
