package standing

import (
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

func TestMade(t *testing.T) {
	with := func(change func(store)) records.View {
		s := chain()
		change(s)
		return s.view(nil)
	}
	ours := with(func(s store) { s[theHyp].Verdict.State = records.Proposed; s[theDec].Verdict.State = records.Proposed })
	theirs := with(func(s store) {
		s[theEv].Verdict.State = records.Retracted
		s[theHyp].Verdict.State = records.Proposed
		s[theDec].Verdict.State = records.Proposed
	})
	merged := with(func(s store) { s[theEv].Verdict.State = records.Retracted })
	for name, changed := range map[string][]records.ID{"all": nil, "changed": {theEv}} {
		got := Made(merged, []records.View{ours, theirs}, changed)
		rules := map[string]bool{}
		for _, c := range got {
			rules[c.Key()] = true
		}
		for _, want := range []records.Cause{{Rule: records.RuleEvidenceGone, Records: []records.ID{theEv}}} {
			if !rules[want.Key(theHyp)] {
				t.Errorf("%s: %v lacks %v", name, got, want)
			}
		}
		for _, side := range [][]records.View{{merged, theirs}, {ours, merged}} {
			if got := Made(merged, side, changed); len(got) != 0 {
				t.Errorf("%s: a side's own contradiction is called made: %v", name, got)
			}
		}
	}
}
