package merge

import "slices"

// maxEdits bounds the search for a shortest edit script, whose memory grows
// with its square. Beyond it the differing middle counts as one change: a
// coarser hunk can only turn an automatic merge into a conflict.
const maxEdits = 1000

// A hunk replaces base[b0:b1] by side[s0:s1].
type hunk struct {
	b0, b1, s0, s1 int
}

// diff returns the changes from base to side, in order, with at least one
// common element between any two.
func diff(base, side []string) []hunk {
	pre := 0
	for pre < len(base) && pre < len(side) && base[pre] == side[pre] {
		pre++
	}
	b, s := base[pre:], side[pre:]
	for len(b) > 0 && len(s) > 0 && b[len(b)-1] == s[len(s)-1] {
		b, s = b[:len(b)-1], s[:len(s)-1]
	}
	if len(b) == 0 && len(s) == 0 {
		return nil
	}
	hunks := myers(b, s)
	for i := range hunks {
		hunks[i].b0 += pre
		hunks[i].b1 += pre
		hunks[i].s0 += pre
		hunks[i].s1 += pre
	}
	return hunks
}

// myers finds a shortest edit script (Myers 1986, the greedy form).
func myers(a, b []string) []hunk {
	n, m := len(a), len(b)
	limit := min(n+m, maxEdits)
	v := make([]int32, 2*limit+3)
	off := limit + 1
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(v[off-d-1:off+d+2]))
		for k := -d; k <= d; k += 2 {
			x := int(v[off+k-1]) + 1
			if k == -d || (k != d && v[off+k-1] < v[off+k+1]) {
				x = int(v[off+k+1])
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			v[off+k] = int32(x)
			if x >= n && x-k >= m {
				return backtrack(trace, n, m)
			}
		}
	}
	return []hunk{{0, n, 0, m}}
}

// backtrack walks the trace from the end and joins neighbouring edits to hunks.
// trace[d] holds the furthest x of diagonals -d-1 to d+1 before round d.
func backtrack(trace [][]int32, x, y int) []hunk {
	var hunks []hunk
	for d := len(trace) - 1; d > 0; d-- {
		v, off := trace[d], d+1
		k := x - y
		var edit hunk
		if k == -d || (k != d && v[off+k-1] < v[off+k+1]) {
			x = int(v[off+k+1])
			y = x - k - 1
			edit = hunk{x, x, y, y + 1}
		} else {
			x = int(v[off+k-1])
			y = x - k + 1
			edit = hunk{x, x + 1, y, y}
		}
		if last := len(hunks) - 1; last >= 0 && hunks[last].b0 == edit.b1 && hunks[last].s0 == edit.s1 {
			hunks[last].b0, hunks[last].s0 = edit.b0, edit.s0
		} else {
			hunks = append(hunks, edit)
		}
	}
	slices.Reverse(hunks)
	return hunks
}

// A clash settles a stretch that both sides changed differently; false is a conflict.
type clash func(base, ours, theirs []string) ([]string, bool)

// diff3 merges two descendants of base. Changes that overlap or touch are one
// stretch; a stretch that only one side changed, or both alike, is taken, any
// other is asked of clash. Nil clash: a conflict.
func diff3(base, ours, theirs []string, onClash clash) ([]string, bool) {
	o, t := side{lines: ours, hunks: diff(base, ours)}, side{lines: theirs, hunks: diff(base, theirs)}
	var out []string
	pos := 0
	for len(o.hunks)+len(t.hunks) > 0 {
		lo := min(o.next(len(base)), t.next(len(base)))
		hi := lo
		var nO, nT int
		for grown := true; grown; {
			grown = o.absorb(&nO, &hi)
			grown = t.absorb(&nT, &hi) || grown
		}
		out = append(out, base[pos:lo]...)
		part, ok := stretch(base[lo:hi], o.take(nO, lo, hi), t.take(nT, lo, hi), nO, nT, onClash)
		if !ok {
			return nil, false
		}
		out = append(out, part...)
		pos = hi
	}
	return append(out, base[pos:]...), true
}

// stretch merges one stretch, in which the sides made nO and nT changes.
func stretch(base, ours, theirs []string, nO, nT int, onClash clash) ([]string, bool) {
	switch {
	case nT == 0:
		return ours, true
	case nO == 0:
		return theirs, true
	case slices.Equal(ours, theirs):
		return ours, true
	case onClash != nil:
		return onClash(base, ours, theirs)
	}
	return nil, false
}

// A side is one descendant and its changes not yet merged.
type side struct {
	lines []string
	hunks []hunk
	shift int // side position minus base position, before the next hunk
}

func (s *side) next(end int) int {
	if len(s.hunks) == 0 {
		return end
	}
	return s.hunks[0].b0
}

// absorb counts into the stretch that ends at hi the hunks that touch it.
func (s *side) absorb(n, hi *int) bool {
	grown := false
	for *n < len(s.hunks) && s.hunks[*n].b0 <= *hi {
		*hi = max(*hi, s.hunks[*n].b1)
		*n++
		grown = true
	}
	return grown
}

// take returns the side's lines for base[lo:hi] and consumes n hunks.
func (s *side) take(n, lo, hi int) []string {
	from := lo + s.shift
	if n > 0 {
		last := s.hunks[n-1]
		s.shift = last.s1 - last.b1
	}
	s.hunks = s.hunks[n:]
	return s.lines[from : hi+s.shift]
}
