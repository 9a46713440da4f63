package packet

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// How the value of what follows from a shown record relates to that record's.
const (
	citedValue   = 0.8  // of a record it cites
	supportValue = 0.3  // of evidence beyond the strongest
	textValue    = 0.4  // of its text
	baseValue    = 0.25 // added to every value, so that a share never shrinks to nothing
)

// strongest is how much supporting evidence a shown record brings along.
const strongest = 2

// An entry is one step of filling: a record's line, or the text below it.
type entry struct {
	c      *candidate
	isText bool
	value  float64
	// The rendered form, made when the entry first heads its queue.
	made bool
	out  rendered
	cost size
}

// An entryQueue is a heap of entries, the most valuable first.
type entryQueue []*entry

func (q entryQueue) Len() int      { return len(q) }
func (q entryQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *entryQueue) Push(x any)   { *q = append(*q, x.(*entry)) }

func (q entryQueue) Less(i, j int) bool {
	a, b := q[i], q[j]
	if a.value != b.value {
		return a.value > b.value
	}
	if a.isText != b.isText {
		return b.isText
	}
	return a.c.r.ID < b.c.r.ID
}

func (q *entryQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return e
}

// A shown is a record that stands in the packet.
type shown struct {
	c    *candidate
	item Item
	line string
	text string // "" when only the line is shown
}

// A builder fills one packet.
type builder struct {
	view   records.View
	req    Request
	focus  *focus
	pool   *pool
	meter  *meter
	digest string

	room size // what the frame left
	used size

	preamble string // the frame's first part, with the Focus heading
	queues   [sectionCount]entryQueue
	// clock is how much of its share each section has used up.
	clock    [sectionCount]float64
	sections [sectionCount][]*shown
	runbooks int // shown in full
	// steps are the entries in the order in which they were taken.
	steps []*entry
	full  bool
}

// newBuilder ranks the view's records for the request.
func newBuilder(v records.View, req Request) (*builder, error) {
	if req.Budget == 0 {
		req.Budget = DefaultBudget
	}
	if req.MaxChars == 0 {
		req.MaxChars = DefaultMaxChars
	}
	m, err := newMeter()
	if err != nil {
		return nil, err
	}
	f, err := resolveFocus(v, req)
	if err != nil {
		return nil, err
	}
	d, err := digest(req)
	if err != nil {
		return nil, err
	}
	p := collect(v, req, f)
	p.rank(req, f)
	return &builder{view: v, req: req, focus: f, pool: p, meter: m, digest: d}, nil
}

// fill takes entries in an order that does not depend on the budget and stops
// at the first that does not fit, so that a larger budget only adds. Records
// that bear on the focus go before all others, and those others show no text.
func (b *builder) fill() error {
	for _, s := range b.sections[secFocus] {
		b.push(&entry{c: s.c, isText: true, value: 1})
	}
	for _, relevant := range []bool{true, false} {
		for _, c := range b.pool.candidates {
			if c.relevant == relevant && !c.barred && !c.onlyCited && !c.shown {
				b.queues[c.section] = append(b.queues[c.section], &entry{c: c, value: c.score})
			}
		}
		for s := range b.queues {
			heap.Init(&b.queues[s])
		}
		for !b.full {
			e, err := b.next()
			if err != nil {
				return err
			}
			if e == nil {
				break
			}
			if err := b.take(e, relevant); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) push(e *entry) { heap.Push(&b.queues[e.c.section], e) }

// next removes the entry to take next: of the heads of all queues, the one
// whose section would have used least of its share afterwards, a share being
// worth more the more valuable the entry. Nil means that nothing is left.
func (b *builder) next() (*entry, error) {
	best, bestClock := secNone, 0.0
	for s := range sectionCount {
		e, err := b.head(s)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		if clock := b.clock[s] + price(e); best == secNone || clock < bestClock {
			best, bestClock = s, clock
		}
	}
	if best == secNone {
		return nil, nil
	}
	return heap.Pop(&b.queues[best]).(*entry), nil
}

// head returns the first entry of a section's queue, rendered, or nil.
func (b *builder) head(s sectionID) (*entry, error) {
	for len(b.queues[s]) > 0 {
		e := b.queues[s][0]
		if e.isText || !e.c.shown {
			if err := b.make(e); err != nil {
				return nil, err
			}
			if e.out.markdown != "" {
				return e, nil
			}
		}
		heap.Pop(&b.queues[s])
	}
	return nil, nil
}

func price(e *entry) float64 {
	return float64(e.cost.tokens) / (layouts[e.c.section].share * (baseValue + e.value))
}

func (b *builder) make(e *entry) error {
	if e.made {
		return nil
	}
	e.made = true
	if e.isText {
		e.out = b.renderText(e.c)
	} else {
		e.out = b.renderLine(e.c)
	}
	var err error
	if e.cost, err = b.meter.measure(e.out.markdown); err != nil {
		return err
	}
	if !e.isText && e.cost.tokens > maxLineTokens {
		e.out = b.renderShort(e.c)
		e.cost, err = b.meter.measure(e.out.markdown)
	}
	return err
}

// take puts an entry into the packet if it fits; if not, the packet is full.
func (b *builder) take(e *entry, withText bool) error {
	s := e.c.section
	cost := e.cost
	if s != secFocus && len(b.sections[s]) == 0 {
		heading, err := b.meter.measure(headingText(s))
		if err != nil {
			return err
		}
		cost = cost.plus(heading).plus(blankLine)
	}
	if !b.used.plus(cost).within(b.room) {
		b.full = true
		return nil
	}
	b.used = b.used.plus(cost)
	b.clock[s] += price(e)
	b.steps = append(b.steps, e)
	if e.isText {
		b.showText(e)
		return nil
	}
	e.c.shown = true
	b.sections[s] = append(b.sections[s], &shown{c: e.c, item: e.out.item, line: e.out.markdown})
	if withText && b.hasText(e.c) {
		b.push(&entry{c: e.c, isText: true, value: e.value * textValue})
	}
	return b.takeCited(e, withText)
}

func (b *builder) hasText(c *candidate) bool {
	if c.section == secRunbooks {
		b.runbooks++
		return b.runbooks <= maxFullRunbooks
	}
	return layouts[c.section].text > 0
}

func (b *builder) showText(e *entry) {
	for _, s := range b.sections[e.c.section] {
		if s.c == e.c {
			s.text = e.out.markdown
			s.item.Text = e.out.item.Text
		}
	}
}

// takeCited takes what a record just shown rests on before anything else.
func (b *builder) takeCited(e *entry, withText bool) error {
	cited, named := b.pool.cites(b.view, e.c)
	for i, c := range cited {
		if c.shown || b.full {
			continue
		}
		value := max(c.score, e.value*citedValue)
		if i >= named+strongest {
			b.push(&entry{c: c, value: e.value * supportValue})
			continue
		}
		next := &entry{c: c, value: value}
		if err := b.make(next); err != nil {
			return err
		}
		if err := b.take(next, withText); err != nil {
			return err
		}
	}
	return nil
}

// drop takes the last step back.
func (b *builder) drop() {
	e := b.steps[len(b.steps)-1]
	b.steps = b.steps[:len(b.steps)-1]
	s := b.sections[e.c.section]
	i := slices.IndexFunc(s, func(s *shown) bool { return s.c == e.c })
	if e.isText {
		s[i].text, s[i].item.Text = "", ""
		return
	}
	e.c.shown = false
	b.sections[e.c.section] = slices.Delete(s, i, i+1)
}

// sortedShown returns a section's records in the order in which they are
// printed: as they were taken, which is by rank, but tasks by their order.
func (b *builder) sortedShown(s sectionID) []*shown {
	if s == secNext {
		slices.SortStableFunc(b.sections[s], func(x, y *shown) int { return cmp.Compare(y.c.score, x.c.score) })
	}
	return b.sections[s]
}
