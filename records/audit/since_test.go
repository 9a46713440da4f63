package audit

import (
	"fmt"
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
		var was, want []string
		for _, f := range Run(before) {
			was = append(was, f.Fingerprint)
		}
		for _, f := range Run(now) {
			if slices.Contains(changed, f.Record) || !slices.Contains(was, f.Fingerprint) {
				want = append(want, fmt.Sprintf("%+v", f))
			}
		}
		var got []string
		for _, f := range Since(now, before, changed) {
			got = append(got, fmt.Sprintf("%+v", f))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("since:\n%s\nwhole:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
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
