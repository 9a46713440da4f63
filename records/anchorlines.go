package records

import "strconv"

// LineRange returns the first and the last line that the anchor cites, counted
// from 1; zeros for the whole file.
func (a Anchor) LineRange() (first, last int) {
	m := lineRange.FindStringSubmatch(a.Lines)
	if m == nil {
		return 0, 0
	}
	first, _ = strconv.Atoi(m[1]) // the pattern bounds both
	last, _ = strconv.Atoi(m[2])
	return first, last
}
