package records

import "testing"

// What is not there is linked to no more, and the judged digest follows.
func TestUnlink(t *testing.T) {
	gone, kept := ID("ev-0000000001"), ID("ev-0000000002")
	r := &Record{
		ID: "hyp-0000000003", Kind: Hypothesis, Title: "T", Links: map[Relation][]ID{DerivedFrom: {gone}, About: {kept}},
		Verdict: &Verdict{State: Superseded, SupersededBy: gone, Cites: []ID{gone, kept}},
	}
	r.Verdict.Of = r.Digest()
	if r.Unlink(map[ID]bool{"ev-0000000009": true}) || r.Verdict.SupersededBy != gone {
		t.Fatal("what leads nowhere else changed")
	}
	if !r.Unlink(map[ID]bool{gone: true}) {
		t.Fatal("nothing changed")
	}
	if len(r.Links) != 1 || len(r.Verdict.Cites) != 1 || r.Verdict.SupersededBy != "" || r.Verdict.State != Refuted || r.Verdict.Of != r.Digest() {
		t.Errorf("left %+v %+v", r.Links, r.Verdict)
	}
}
