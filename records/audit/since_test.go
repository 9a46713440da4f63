package audit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"pgregory.net/rapid"
)

// changeSome draws a change of some records of a store and returns their ids.
func changeSome(t *rapid.T, s *store) []records.ID {
	others := slices.Clone(s.records)
	var changed []records.ID
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		i := rapid.IntRange(0, len(s.records)-1).Draw(t, "which")
		r := s.records[i].Clone()
		changed = append(changed, r.ID)
		switch rapid.IntRange(0, 6).Draw(t, "what") {
		case 0:
			r.Title = rapid.SampledFrom(others).Draw(t, "like").Title
		case 1:
			r.Verdict.State = rapid.SampledFrom(r.Kind.Schema().States).Draw(t, "state")
			r.Verdict.SupersededBy, r.Also = "", nil
			if r.State() == records.Superseded {
				r.Verdict.SupersededBy = rapid.SampledFrom(others).Draw(t, "by").ID
			}
		case 2:
			rel := rapid.SampledFrom(records.Relations(r.Kind)).Draw(t, "relation")
			if to := rapid.SampledFrom(others).Draw(t, "to"); !slices.Contains(r.Links[rel], to.ID) {
				link(r, rel, to)
				slices.Sort(r.Links[rel])
			}
		case 3:
			r.Links = map[records.Relation][]records.ID{}
		case 4:
			r.Verdict.Actor = rapid.SampledFrom([]records.Actor{records.Human, agent}).Draw(t, "actor")
			r.Verdict.Cites = []records.ID{rapid.SampledFrom(others).Draw(t, "cited").ID}
		case 5:
			if r.Kind == records.Evidence {
				r.Type, r.Source = "model-output", "here"
			}
			if r.Kind == records.Decision {
				r.Question = "Which?"
			}
		case 6:
			if len(s.records) > 1 {
				s.records = slices.Delete(slices.Clone(s.records), i, i+1)
				continue
			}
		}
		s.records = slices.Clone(s.records)
		s.records[i] = r
	}
	return changed
}

func TestSinceIsWhatAChangeBroughtIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStore(t)
		before := s.input()
		changed := changeSome(t, s)
		now := s.input()
		got, want := fmt.Sprintf("%+v", Since(now, before, changed)), fmt.Sprintf("%+v", sinceWhole(now, before, changed))
		if got != want {
			t.Fatalf("since:\n%s\nwhole:\n%s", got, want)
		}
	})
}

// Every fault is found by the change that makes it, wherever that change was.
func TestSinceFindsEveryFault(t *testing.T) {
	for _, c := range slices.Concat(ruleCases(), distantCases()) {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			s := newStore()
			r := c.fault(s)
			was, unreadable, lost := s.frozen(), s.in.Unreadable, s.in.LostSides
			c.mend(s, r)
			mended := s.input()
			mended.View = records.NewSet(s.frozen(), s.vetoes)
			faulty := mended // but for what a commit holds
			faulty.View, faulty.Unreadable, faulty.LostSides = records.NewSet(was, s.vetoes), unreadable, lost
			for _, step := range []struct {
				what        string
				now, before Input
			}{{"mended", mended, faulty}, {"broken", faulty, mended}} {
				changed := differing(step.now.View, step.before.View)
				got, want := fmt.Sprintf("%+v", Since(step.now, step.before, changed)), fmt.Sprintf("%+v", sinceWhole(step.now, step.before, changed))
				if got != want {
					t.Errorf("%s:\n%s\nwant\n%s", step.what, got, want)
				}
			}
		})
	}
}

// frozen returns the records as they are, judged as they say; later changes of the store leave them alone.
func (s *store) frozen() []*records.Record {
	s.input()
	var rs []*records.Record
	for _, r := range s.records {
		rs = append(rs, r.Clone())
	}
	return rs
}

// differing lists the records that differ between two views.
func differing(a, b records.View) []records.ID {
	var ids []records.ID
	for _, v := range []records.View{a, b} {
		for r := range v.All() {
			x, _ := a.Record(r.ID)
			y, _ := b.Record(r.ID)
			if !reflect.DeepEqual(x, y) && !slices.Contains(ids, r.ID) {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids
}

// sinceWhole is what [Since] promises, by two whole audits.
func sinceWhole(now, before Input, changed []records.ID) []Finding {
	var was []string
	for _, f := range Run(before) {
		was = append(was, f.Fingerprint)
	}
	return slices.DeleteFunc(Run(now), func(f Finding) bool {
		return !slices.Contains(changed, f.Record) && slices.Contains(was, f.Fingerprint)
	})
}

// distantCases are faults that a change some links away mends.
func distantCases() []ruleCase {
	return []ruleCase{
		{"rests-on-superseded", "new end of a chain", records.Warning, func(s *store) *records.Record {
			r := restingOn(records.Hypothesis, records.Superseded)(s)
			var chain []*records.Record
			for _, key := range []string{"c", "d", "e"} {
				chain = append(chain, s.add(records.Hypothesis, key, "It leaks "+key, records.Superseded))
			}
			last := s.add(records.Hypothesis, "f", "It leaks at last", records.Supported)
			link(r, records.RestsOn, last)
			s.records[0].Verdict.SupersededBy, chain[0].Verdict.SupersededBy = chain[0].ID, chain[1].ID
			chain[1].Verdict.SupersededBy, chain[2].Verdict.State = chain[2].ID, records.Refuted
			return r
		}, func(s *store, _ *records.Record) {
			s.records[4].Verdict.State, s.records[4].Verdict.SupersededBy = records.Superseded, s.records[5].ID
		}},
		{"cyclic-link", "broken at the far side", records.Error, func(s *store) *records.Record {
			for _, key := range []string{"a", "b", "c", "d", "e"} {
				s.add(records.Task, key, "Part "+key, records.Todo)
			}
			for i, r := range s.records {
				link(r, records.DependsOn, s.records[(i+1)%5])
			}
			return s.records[0]
		}, func(s *store, _ *records.Record) { s.records[2].Links = map[records.Relation][]records.ID{} }},
		{"draft-conclusion", "another was accepted", records.Warning, func(s *store) *records.Record {
			task := s.add(records.Task, "a", "Fix it", records.Done)
			r := s.add(records.Conclusion, "a", "It leaked", records.Draft)
			link(r, records.Closes, task)
			link(s.add(records.Conclusion, "b", "It leaked badly", records.Rejected), records.Closes, task)
			return r
		}, func(s *store, _ *records.Record) { s.records[2].Verdict.State = records.Accepted }},
		{"contradicting-records", "evidence below one of them", records.Error, func(s *store) *records.Record {
			a := s.add(records.Conclusion, "a", "Caches do not help", records.Accepted)
			hyp, ev := supported(s)
			hyp.Verdict.Actor, hyp.Verdict.Cites = agent, []records.ID{ev.ID}
			link(a, records.Contradicts, hyp)
			return a
		}, func(s *store, _ *records.Record) { s.records[2].Source = "" }},
	}
}

// What a change does not reach keeps its findings, to the letter.
func TestFindingsBeyondReachStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStore(t)
		before := s.input()
		changed := changeSome(t, s)
		now := s.input()
		reach := Reach(now.View, before.View, changed)
		beyond := func(in Input) string {
			var b strings.Builder
			for _, f := range Run(in) {
				if !Lookup(f.Rule).far && f.Record != "" && !slices.Contains(reach, f.Record) {
					fmt.Fprintf(&b, "%+v\n", f)
				}
			}
			return b.String()
		}
		if got, want := beyond(now), beyond(before); got != want {
			t.Fatalf("beyond %v:\n%s\nwas\n%s", reach, got, want)
		}
	})
}

func TestAboutIsTheWholeNarrowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStore(t)
		in := s.input()
		var ids []records.ID
		for _, r := range s.records {
			if rapid.IntRange(0, 3).Draw(t, "asked") == 0 {
				ids = append(ids, r.ID)
			}
		}
		want := slices.DeleteFunc(Run(in), func(f Finding) bool {
			named := func(id records.ID) bool { return slices.Contains(ids, id) }
			return Lookup(f.Rule).far || !named(f.Record) && !slices.ContainsFunc(f.Related, named)
		})
		if got, want := fmt.Sprintf("%+v", About(in, ids)), fmt.Sprintf("%+v", want); got != want {
			t.Fatalf("about %v:\n%s\nwant\n%s", ids, got, want)
		}
	})
}

func TestFingerprintsTellFindingsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := make(map[string]Finding)
		for _, f := range Run(drawStore(t).input()) {
			if o, ok := seen[f.Fingerprint]; ok {
				t.Fatalf("one fingerprint:\n%+v\n%+v", f, o)
			}
			seen[f.Fingerprint] = f
		}
	})
}

func TestFingerprintOutlivesATitle(t *testing.T) {
	s := newStore()
	r := s.add(records.Task, "a", "Fix it", records.Done)
	was := Run(s.input())[0]
	r.Title = "Mend it"
	now := Run(s.input())[0]
	if was.Message == now.Message || was.Fingerprint != now.Fingerprint {
		t.Errorf("%q %s became %q %s", was.Message, was.Fingerprint, now.Message, now.Fingerprint)
	}
}

// What only a reviewer may silence counts until one decided that it does not.
func TestNobodySilencesWhatIsGrave(t *testing.T) {
	for _, c := range []struct {
		name            string
		review          records.Review
		levels          map[string]records.Severity
		decided, counts bool
	}{
		{"an error", records.ReviewHuman, nil, false, true},
		{"an error, decided", records.ReviewHuman, nil, true, false},
		{"an error where anyone accepts", records.ReviewAny, nil, false, false},
		{"no error by the policy", records.ReviewHuman, map[string]records.Severity{"rests-on-dead": records.Warning}, false, false},
	} {
		s := newStore()
		r := restingOn(records.Hypothesis, records.Refuted)(s)
		sup := records.Suppression{Rule: "rests-on-dead", Record: r.ID, Reason: "known", Actor: records.Human, At: noon}
		s.in.Policy, s.in.Now = &records.Policy{Audit: c.levels, Suppressed: []records.Suppression{sup}}, noon
		in := s.input()
		in.Eval.Review = c.review
		in.Decided = func(got records.Suppression) bool { return c.decided && got == sup }
		all := Run(in)
		fs := of("rests-on-dead", all)
		if len(fs) != 1 || (fs[0].Suppressed == nil) != c.counts {
			t.Errorf("%s: %+v", c.name, fs)
		}
		if idle := of("idle-suppression", all); (len(idle) == 1) != c.counts {
			t.Errorf("%s: idle suppressions %+v", c.name, idle)
		}
	}
	for _, id := range firm() {
		off := &records.Policy{Audit: map[string]records.Severity{id: records.Off}}
		if !Lookup(id).Grave(off) {
			t.Errorf("%s is for anybody to suppress", id)
		}
	}
	if Lookup("near-duplicate").Grave(&records.Policy{}) {
		t.Error("near-duplicate is not for anybody to suppress")
	}
}

func TestSuppressedStaysInTheReport(t *testing.T) {
	s := newStore()
	r := restingOn(records.Hypothesis, records.Refuted)(s)
	s.in.Policy, s.in.Now = &records.Policy{}, noon
	if Worst(Run(s.input())) != records.Error {
		t.Fatal("nothing to suppress")
	}
	give := records.Suppression{Rule: "rests-on-dead", Record: r.ID, Reason: "known", Actor: records.Human, At: noon}
	for _, c := range []struct {
		name  string
		with  func(*records.Suppression)
		holds bool
	}{
		{"of this record", func(*records.Suppression) {}, true},
		{"of another", func(s *records.Suppression) { s.Record = "dec-zzzzzzzzzz" }, false},
		{"of another rule", func(s *records.Suppression) { s.Rule = "rival-decisions" }, false},
		{"until an hour from now", func(s *records.Suppression) { s.Until = noon.AddDate(0, 0, 1) }, true},
		{"until now", func(s *records.Suppression) { s.Until = noon }, false},
	} {
		sup := give
		c.with(&sup)
		s.in.Policy.Suppressed = []records.Suppression{sup}
		fs := of("rests-on-dead", Run(s.input()))
		if len(fs) != 1 || (fs[0].Suppressed != nil) != c.holds || fs[0].Severity != records.Error {
			t.Errorf("%s: %+v", c.name, fs)
		}
		if worst := Worst(fs); (worst == "") != c.holds {
			t.Errorf("%s: worst is %q", c.name, worst)
		}
	}
}
