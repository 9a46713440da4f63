package records

import "testing"

// Each question about a state includes the narrower ones, and none of them says yes of
// a state that asserts its record.
func TestStatesOutOfLife(t *testing.T) {
	want := map[State][4]bool{ // ruled out, defeated, overruled, out of use
		Refuted: {true, true, true, true}, Rejected: {true, true, true, true},
		Retracted: {false, true, true, true}, Superseded: {false, false, true, true},
		Retired: {false, false, false, true}, Dropped: {false, false, false, true}, Abandoned: {false, false, false, true},
	}
	for _, sch := range Schemas() {
		for _, s := range sch.States {
			got := [4]bool{s.RuledOut(), s.Defeated(), s.Overruled(), s.OutOfUse()}
			if got != want[s] {
				t.Errorf("%s: ruled out, defeated, overruled, out of use are %v, want %v", s, got, want[s])
			}
			class := s.Class(sch.Kind)
			if s.OutOfUse() && !class.Historical() || s.RuledOut() != (class == RuledOut) {
				t.Errorf("%s of a %s is %v and of class %s", s, sch.Kind, got, class)
			}
			r := &Record{Kind: sch.Kind, Verdict: &Verdict{State: s}}
			if r.Open() == r.Settled() || r.Open() != r.MayBeOpen() || !r.Intact() || r.Vetoes() != s.Overruled() {
				t.Errorf("%s of a %s: open %t, settled %t, may be open %t, intact %t, vetoes %t", s, sch.Kind,
					r.Open(), r.Settled(), r.MayBeOpen(), r.Intact(), r.Vetoes())
			}
		}
	}
}

func TestLifeWithoutAState(t *testing.T) {
	disputed := &Record{Kind: Evidence, Conflicts: []Conflict{{Field: "verdict"}}}
	if disputed.Open() || disputed.Settled() || disputed.Intact() || !disputed.MayBeOpen() || !disputed.Counts() || disputed.Vetoes() {
		t.Error("a record whose verdict is in conflict is neither open nor settled, may be open, and counts")
	}
	forgotten := &Record{Kind: Evidence, Verdict: &Verdict{State: Recorded}, Tombstone: &Tombstone{}}
	if forgotten.MayBeOpen() || forgotten.Intact() || forgotten.Counts() || !forgotten.Vetoes() {
		t.Error("a forgotten record is not open, not intact, does not count, and vetoes")
	}
}
