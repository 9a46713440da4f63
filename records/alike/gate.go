package alike

// What passes the gate: the nearest stands out by so much, squared over the next
// one, and others are told beside it that come so near to it. A ratio of scores carries over from
// one store to another; a score by itself does not.
const (
	standsOut  = 0.68
	nearlyBest = 0.6
)

// Gate returns those of the matches, which come best first, that are worth
// interrupting a person for: none where the nearest does not stand out.
func Gate(ms []Match) []Match {
	if len(ms) == 0 {
		return nil
	}
	next := ms[0].Score
	if len(ms) > 1 {
		next = ms[1].Score
	}
	if ms[0].Score*ms[0].Score < standsOut*next {
		return nil
	}
	n := 1
	for n < min(len(ms), Shown) && ms[n].Score >= nearlyBest*ms[0].Score {
		n++
	}
	return ms[:n]
}
