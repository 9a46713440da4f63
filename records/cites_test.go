package records

import (
	"slices"
	"testing"
)

// A hypothesis is found by what its verdict cites, in sets and overlays alike.
func TestCitesAreLookedUp(t *testing.T) {
	r := &Record{ID: "hyp-0000000001", Kind: Hypothesis, Verdict: &Verdict{State: Supported, Cites: []ID{"ev-0000000002"}}}
	o := NewOverlay(NewSet(nil, nil))
	o.Put(r)
	for name, v := range map[string]View{"set": NewSet([]*Record{r}, nil), "overlay": o} {
		if got := v.Backlinks("ev-0000000002", Cites); !slices.Equal(got, []ID{r.ID}) {
			t.Errorf("%s: cited by %v", name, got)
		}
		if got := v.Backlinks(r.ID, Cites); len(got) != 0 {
			t.Errorf("%s: the citing record is cited by %v", name, got)
		}
	}
}
