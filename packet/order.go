package packet

import "container/heap"

// turn is how many tokens a section may be ahead of those of less worth, by its
// share: in a packet of half the default budget, each gets its share.
const turn = DefaultBudget / 2 / 100

// wait notes that a line stands in its queue, if it is one that holds up others.
func (b *builder) wait(c *candidate) {
	if c.worth < leastWorth {
		c.waiting = true
		b.waiting[c.section][c.level]++
	}
}

func (b *builder) unwait(c *candidate) {
	if c.waiting {
		c.waiting = false
		b.waiting[c.section][c.level]--
	}
}

func (b *builder) push(e *entry) { heap.Push(&b.queues[e.c.section], e) }

// next removes the entry to take next: of the heads of all queues that are not
// blocked, the one whose section would have used least of its share afterwards,
// a share being worth more the more valuable the entry. Nil means that nothing
// is left.
func (b *builder) next() *entry {
	var heads [sectionCount]*entry
	for s := range sectionCount {
		heads[s] = b.head(s)
	}
	best, bestClock := secNone, 0.0
	for s, e := range heads {
		if e == nil || b.blocked(e, &heads) {
			continue
		}
		if clock := b.clock[s] + price(e); best == secNone || clock < bestClock {
			best, bestClock = sectionID(s), clock
		}
	}
	if best == secNone {
		return nil
	}
	return heap.Pop(&b.queues[best]).(*entry)
}

// blocked reports whether an entry has to wait for lines of other sections.
//
// An open question waits for every line of more worth that is as relevant. Any
// other line waits for the heads of more worth that are equally relevant, as
// long as their sections are not a turn ahead of its own; for what is disputed,
// even where that is a level less relevant. A text waits for all heads that are as relevant until their sections have caught up with its own.
//
// Some entry is never blocked while any is left: heads that are lines wait only
// for others of more worth, texts only for such heads.
func (b *builder) blocked(e *entry, heads *[sectionCount]*entry) bool {
	if e.c.section == secOpen {
		return b.anyWaiting(e.c.level)
	}
	if e.isText && b.focus.has(e.c.r.ID) {
		return false
	}
	for s, h := range heads {
		if h == nil || h.isText || h.c.worth == leastWorth || h.c.section == e.c.section {
			continue
		}
		ahead := b.spent[s] - b.spent[e.c.section]
		switch {
		case e.isText && h.c.level >= e.c.level && ahead < 0:
			return true
		case !e.isText && h.c.level == e.c.level && h.c.worth < e.c.worth && ahead < turn:
			return true
		case !e.isText && h.c.section == secDoubt && h.c.level > 0 && h.c.level >= e.c.level-1 && ahead < turn:
			return true
		}
	}
	return false
}

// anyWaiting reports whether a line of that level or a higher one waits that
// goes before open questions.
func (b *builder) anyWaiting(level int) bool {
	for s := range b.waiting {
		for _, n := range b.waiting[s][level:] {
			if n > 0 {
				return true
			}
		}
	}
	return false
}

// head returns the first entry of a section's queue, rendered, or nil.
func (b *builder) head(s sectionID) *entry {
	for len(b.queues[s]) > 0 {
		e := b.queues[s][0]
		if e.isText || !e.c.shown {
			b.make(e)
			if e.out.markdown != "" {
				return e
			}
		}
		heap.Pop(&b.queues[s])
	}
	return nil
}

func price(e *entry) float64 {
	return float64(e.cost.tokens) / (layouts[e.c.section].share * (baseValue + e.value))
}
