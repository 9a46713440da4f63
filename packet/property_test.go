package packet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// genStore draws records of all kinds and states with links between them.
func genStore(t *rapid.T) []*records.Record {
	n := rapid.IntRange(0, 60).Draw(t, "records")
	words := []string{"cache", "latency", "deploy", "retry", "queue", "the", "lock.", "Caches!", "## Focus", "`x", "\u202e", "\u6f22\u5b57", "\U0001F600", "\n", "\n\n"}
	text := func(most int, label string) string {
		var b bytes.Buffer
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, most).Draw(t, label) {
			b.WriteString(w + " ")
		}
		return b.String()
	}
	var rs []*records.Record
	var ids []records.ID
	for i := range n {
		sch := rapid.SampledFrom(records.Schemas()).Draw(t, "kind")
		var id = make([]byte, 10)
		for j := range id {
			id[j] = alphabet[(i*7+j*j*11+i*i*j)%32]
		}
		id[0], id[1] = alphabet[i%32], alphabet[i/32]
		r := rec(records.ID(sch.Prefix+"-"+string(id)), rapid.SampledFrom(sch.States).Draw(t, "state"), text(12, "title"))
		r.Body = text(150, "body")
		r.Verdict.Reason = text(30, "reason")
		if rapid.Bool().Draw(t, "agent") {
			by("agent/claude-code")(r)
		}
		if rapid.Bool().Draw(t, "pathed") {
			r.Paths = []string{"internal/cache/**"}
		}
		for _, rel := range records.Relations(sch.Kind) {
			if len(ids) > 0 && rapid.IntRange(0, 3).Draw(t, "linked") == 0 {
				to := rapid.SampledFrom(ids).Draw(t, "target")
				if records.CheckLink(r.Kind, rel, to.Kind()) == nil {
					link(rel, to)(r)
				}
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "unchanged") > 0 {
			r.Verdict.Of = r.Digest()
		}
		ids = append(ids, r.ID)
		rs = append(rs, r)
	}
	return rs
}

func genRequest(t *rapid.T, rs []*records.Record) Request {
	req := request(rapid.SampledFrom([]string{"", "why is the cache slow", "retry the deploy"}).Draw(t, "purpose"))
	req.Elsewhere = genElsewhere(t, rs)
	req.Eval.Review = rapid.SampledFrom([]records.Review{records.ReviewAny, records.ReviewHuman, records.ReviewSigned}).Draw(t, "review")
	if rapid.Bool().Draw(t, "pathed focus") {
		req.Focus.Paths = []string{"internal/cache/lru.go"}
	}
	for _, r := range rs {
		if r.Kind == records.Task && rapid.IntRange(0, 3).Draw(t, "task") == 0 {
			req.Focus.Task = r.ID
			break
		}
	}
	return req
}

// tryBuild returns nil when the budget is too small for the frame.
func tryBuild(t *rapid.T, rs []*records.Record, req Request) *Packet {
	p, err := Build(records.NewSet(rs, nil), req)
	var be *BudgetError
	if errors.As(err, &be) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func shownIDs(t *rapid.T, p *Packet) map[records.ID]Item {
	ids := map[records.ID]Item{}
	for _, s := range p.Sections {
		for _, it := range s.Items {
			if _, ok := ids[it.ID]; ok {
				t.Fatalf("%s stands twice", it.ID)
			}
			ids[it.ID] = it
		}
	}
	return ids
}

func TestLimitsAreHard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		req.Budget = rapid.IntRange(300, 4000).Draw(t, "budget")
		req.MaxChars = rapid.IntRange(1200, 12000).Draw(t, "max chars")
		p := tryBuild(t, rs, req)
		if p == nil {
			return
		}
		n := measure(p.Markdown())
		if n.tokens > req.Budget || n.chars > req.MaxChars || n.tokens != p.Tokens || n.chars != p.Chars {
			t.Fatalf("measures %+v, says %d and %d, limits %d and %d", n, p.Tokens, p.Chars, req.Budget, req.MaxChars)
		}
		for id := range shownIDs(t, p) {
			st := standing.Of(records.NewSet(rs, nil), id, req.Eval)
			if _, here := records.NewSet(rs, nil).Record(id); here && st.Class == records.Gone && id != req.Focus.Task {
				t.Fatalf("%s is gone and shown", id)
			}
		}
	})
}

func TestFinishNeedNotDrop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		req.Budget = rapid.IntRange(300, 2500).Draw(t, "budget")
		req.MaxChars = rapid.IntRange(1200, 9000).Draw(t, "max chars")
		b, err := newBuilder(records.NewSet(rs, nil), req)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.frame(); err != nil {
			return
		}
		b.fill()
		n := measure(b.markdown(b.omitted()))
		frame := size{req.Budget - b.room.tokens, req.MaxChars - b.room.chars}
		if !n.within(b.used.plus(frame)) {
			t.Fatalf("the whole measures %+v, its parts %+v", n, b.used.plus(frame))
		}
	})
}

func TestSameRequestSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		p := tryBuild(t, rs, req)
		rand.Shuffle(len(rs), func(i, j int) { rs[i], rs[j] = rs[j], rs[i] })
		q := tryBuild(t, rs, req)
		a, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		if p.Markdown() != q.Markdown() || !bytes.Equal(a, b) {
			t.Fatalf("two texts:\n%s\n%s", p.Markdown(), q.Markdown())
		}
	})
}

func TestMoreBudgetOnlyAdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		req.Budget = rapid.IntRange(300, 2500).Draw(t, "budget")
		req.MaxChars = rapid.IntRange(1200, 9000).Draw(t, "max chars")
		small := tryBuild(t, rs, req)
		if small == nil {
			return
		}
		req.Budget += rapid.IntRange(0, 500).Draw(t, "more tokens")
		req.MaxChars += rapid.IntRange(0, 2000).Draw(t, "more chars")
		large := tryBuild(t, rs, req)
		if large == nil {
			t.Fatal("the larger budget is too small")
		}
		have := shownIDs(t, large)
		for id, it := range shownIDs(t, small) {
			more, ok := have[id]
			if !ok || it.Text != "" && more.Text != it.Text {
				t.Fatalf("%s lost with the larger budget:\n%s\n%s", id, small.Markdown(), large.Markdown())
			}
		}
	})
}

func TestIrrelevantRecordRemovesNoCitedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		req.Purpose = "why is the cache slow"
		req.Budget = rapid.IntRange(300, 2500).Draw(t, "budget")
		before := tryBuild(t, rs, req)
		if before == nil {
			return
		}
		kinds := map[records.ID]records.State{"dec-zzzzzzzzzz": records.Accepted, "hyp-zzzzzzzzzz": records.Supported, "task-zzzzzzzzzz": records.Todo}
		id := rapid.SampledFrom([]records.ID{"dec-zzzzzzzzzz", "hyp-zzzzzzzzzz", "task-zzzzzzzzzz"}).Draw(t, "added")
		with := tryBuild(t, append(rs, rec(id, kinds[id], "Nothing to do with it", priority(0))), req)
		if len(with.Suppressed) > len(before.Suppressed) {
			return // it is itself suppressed, and lengthens the footer by a rule
		}
		after := shownIDs(t, with)
		relevant := false
		for _, r := range rs {
			q := newQuery(req.Purpose)
			relevant = relevant || q.match(r) != nil
		}
		if !relevant {
			return // then the packet is of the whole store and nothing is irrelevant
		}
		had := shownIDs(t, before)
		for holder, it := range had {
			for _, cited := range it.Cites {
				if _, was := had[cited]; !was || newQuery(req.Purpose).match(recordOf(rs, holder)) == nil {
					continue
				}
				if _, ok := after[cited]; !ok {
					t.Fatalf("%s, cited by %s, lost to %s", cited, holder, id)
				}
			}
		}
	})
}

func recordOf(rs []*records.Record, id records.ID) *records.Record {
	for _, r := range rs {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func TestPartsAddUpToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(rapid.StringMatching(`(- |  > |#)[ -~\x{e9}\x{6f22}]{0,20}[.)"x ]\n`), 1, 6).Draw(t, "lines")
		sum, whole := size{}, ""
		for _, line := range s {
			n := measure(line)
			sum = sum.plus(n)
			whole += line
		}
		n := measure(whole)
		if n != sum {
			t.Fatalf("%q measures %+v, its lines %+v", whole, n, sum)
		}
	})
}

// life is a store of n records of a project's life: two in three asserted.
func life(n int) []*records.Record {
	words := []string{"cache", "latency", "deploy", "retry", "queue", "lock", "index", "parser", "token", "branch", "merge", "review", "shard", "replica", "schema", "client"}
	rng := rand.New(rand.NewSource(1))
	for range 600 { // most words of a record are not of the purpose
		words = append(words, fmt.Sprintf("%c%cra%ction", 'a'+rng.Intn(26), 'a'+rng.Intn(26), 'a'+rng.Intn(26)))
	}
	text := func(n int) string {
		var b bytes.Buffer
		for i := range n {
			b.WriteString(words[rng.Intn(len(words))])
			if b.WriteByte(' '); i%12 == 11 {
				b.WriteString("ends. ")
			}
		}
		return b.String()
	}
	var rs []*records.Record
	for i := range n {
		sch := records.Schemas()[i%len(records.Schemas())]
		id := make([]byte, 10)
		for j := range id {
			id[j] = alphabet[rng.Intn(32)]
		}
		r := rec(records.ID(sch.Prefix+"-"+string(id)), sch.States[rng.Intn(3)], fmt.Sprintf("%s %d", text(6), i), body(text(40)))
		if len(rs) > 0 {
			to := rs[rng.Intn(len(rs))]
			for _, rel := range records.Relations(sch.Kind) {
				if records.CheckLink(r.Kind, rel, to.Kind) == nil {
					link(rel, to.ID)(r)
					break
				}
			}
		}
		r.Verdict.Of = r.Digest()
		rs = append(rs, r)
	}
	return rs
}

func BenchmarkBuild(b *testing.B) {
	rs := life(10000)
	v := records.NewSet(rs, nil)
	var task records.ID
	for _, r := range rs {
		if r.Kind == records.Task {
			task = r.ID
		}
	}
	for name, req := range map[string]Request{
		"whole": request(""), "purpose": request("why does the cache of the parser deadlock"),
		"task": {Purpose: "retry the deploy", Focus: Focus{Task: task}, Eval: request("").Eval, StoreTime: now},
	} {
		b.Run(name+"/records=10000", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Build(v, req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
