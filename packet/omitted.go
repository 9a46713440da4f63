package packet

import (
	"fmt"
	"maps"
	"strings"
)

// omitted counts what is left out, by section: the candidates, and where the
// request tells how many records the view has, all others too.
func (b *builder) omitted() map[string]int {
	counts, shown := map[string]int{}, map[string]int{}
	for _, c := range b.pool.candidates {
		if c.known {
			continue
		}
		if c.shown {
			shown[layouts[c.section].name]++
		} else {
			counts[layouts[c.section].name]++
		}
	}
	for s, l := range layouts {
		if n := b.req.Totals[l.name] - shown[l.name] - b.pool.inFocus[sectionID(s)]; n > counts[l.name] {
			counts[l.name] = n
		}
	}
	return counts
}

// suppressed counts, by rule, what is not asserted.
func (b *builder) suppressed() map[string]int {
	if b.req.Suppressed != nil {
		return maps.Clone(b.req.Suppressed)
	}
	return b.pool.suppressed
}

// omittedText says how many records are omitted, "" for none. Where some of
// them are of the sections that a reader must not miss, it says of which.
func omittedText(counts map[string]int) string {
	total := 0
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return ""
	}
	name := func(s sectionID) int { return counts[layouts[s].name] }
	fallen, decisions, conclusions := name(secFallen), name(secDecisions), name(secConclusions)
	ruledOut, open := name(secRuledOut), name(secOpen)
	if fallen+decisions+conclusions+ruledOut == 0 {
		return fmt.Sprint(total)
	}
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(fallen, "no longer holds", "no longer hold")
	add(decisions, "decision", "decisions")
	add(conclusions, "conclusion", "conclusions")
	add(ruledOut, "ruled out", "ruled out")
	add(open, "open", "open")
	add(total-fallen-decisions-conclusions-ruledOut-open, "other", "other")
	return fmt.Sprintf("%d (%s)", total, strings.Join(parts, ", "))
}
