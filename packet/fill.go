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
	textValue    = 0.4  // of its text, of what goes beyond untiedValue
	untiedValue  = 0.1  // the most that a record can have without a tie to the focus
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
	if a.c.tier != b.c.tier {
		return a.c.tier < b.c.tier
	}
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
	// lineCut and textCut tell where less is shown than there is.
	lineCut, textCut bool
}

// more reports whether the record says more than is shown.
func (s *shown) more() bool {
	return s.c.branch == "" && (s.lineCut || s.textCut || s.text == "" && hasText(s.c.r))
}

// A builder fills one packet.
type builder struct {
	view   records.View
	req    Request
	focus  *focus
	pool   *pool
	digest string

	room size // what the frame left
	used size

	preamble string // the frame's first part, with the Focus heading
	queues   [sectionCount]entryQueue
	// clock is how much of its share each section has used up.
	clock [sectionCount]float64
	// spent is the same since the pass began, whatever the values; waiting are
	// the lines that hold others up, by their level.
	spent    [sectionCount]float64
	waiting  [sectionCount][levels]int
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
	return &builder{view: v, req: req, focus: f, pool: p, digest: d}, nil
}

func (b *builder) build() (*Packet, error) {
	if b.req.Since != nil && !b.pool.changed {
		return b.packet("", size{}, map[string]int{}), nil
	}
	if err := b.frame(); err != nil {
		return nil, err
	}
	b.fill()
	return b.finish()
}

// fill takes entries in an order that does not depend on the budget and stops
// at the first that does not fit, so that a larger budget only adds. Records
// that bear on the focus go before all others, and those others show no text.
func (b *builder) fill() {
	for _, s := range b.sections[secFocus] {
		e := &entry{c: s.c, isText: true, value: 1}
		if s.c.r.Kind != records.Trigger {
			b.push(e)
			b.pushSupport(s.c)
			continue
		}
		b.make(e) // what started the work goes first
		b.take(e, true)
	}
	b.fillFallen()
	for _, relevant := range []bool{true, false} {
		b.pass(relevant)
	}
	b.addFiller()
}

// pushSupport offers the strongest evidence that supports a task in focus.
func (b *builder) pushSupport(c *candidate) {
	cited, _ := b.pool.cites(c)
	for _, o := range cited[:min(len(cited), strongest)] {
		if o.section == secEvidence && !o.shown && !o.known {
			b.push(&entry{c: o, value: citedValue})
		}
	}
}

// pass takes the records that bear on the focus, or those that do not.
func (b *builder) pass(relevant bool) {
	clear(b.spent[:])
	for _, c := range b.pool.candidates {
		if c.relevant == relevant && !c.excluded && !c.known && !c.onlyCited && !c.shown {
			b.queues[c.section] = append(b.queues[c.section], &entry{c: c, value: c.score})
			b.wait(c)
		}
	}
	for s := range b.queues {
		heap.Init(&b.queues[s])
	}
	for !b.full {
		e := b.next()
		if e == nil {
			return
		}
		b.take(e, relevant)
	}
}

func (b *builder) make(e *entry) {
	if e.made {
		return
	}
	e.made = true
	if e.isText {
		e.out = b.renderText(e.c)
		e.cost = measure(e.out.markdown)
		return
	}
	e.out = b.renderLine(e.c)
	e.cost = measure(longest(e.out, e.c))
	if e.cost.tokens > maxLineTokens {
		e.out = b.renderShort(e.c)
		e.cost = measure(longest(e.out, e.c))
	}
}

// longest is a line as it is printed where its text is not shown.
func longest(line rendered, c *candidate) string {
	if c.branch == "" && (line.cut || hasText(c.r)) {
		return marked(line.markdown)
	}
	return line.markdown
}

// take puts an entry into the packet if it fits; if not, the packet is full.
func (b *builder) take(e *entry, withText bool) {
	if e.out.markdown == "" {
		return
	}
	s := e.c.section
	cost := e.cost
	if s != secFocus && len(b.sections[s]) == 0 {
		cost = cost.plus(measure(headingText(s))).plus(blankLine)
	}
	if !b.used.plus(cost).within(b.room) {
		b.full = true
		return
	}
	b.used = b.used.plus(cost)
	b.clock[s] += price(e)
	b.spent[s] += float64(e.cost.tokens) / layouts[s].share
	b.steps = append(b.steps, e)
	if e.isText {
		b.showText(e)
		return
	}
	e.c.shown = true
	b.unwait(e.c)
	b.sections[s] = append(b.sections[s], &shown{c: e.c, item: e.out.item, line: e.out.markdown, lineCut: e.out.cut})
	if withText && b.showsText(e.c) {
		b.push(&entry{c: e.c, isText: true, value: textValue * max(0, e.value-untiedValue)})
	}
	b.takeCited(e, withText)
}

func (b *builder) showsText(c *candidate) bool {
	if c.tier == leftByImport {
		return false // it repeats the title
	}
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
			s.textCut = e.out.cut
		}
	}
}

// takeCited takes what a record just shown rests on before anything else. What
// is open among it only gets the record's level, and waits like all open questions.
// A disputed record brings nothing along: it would speak for one side.
func (b *builder) takeCited(e *entry, withText bool) {
	if e.c.section == secDoubt {
		return
	}
	cited, named := b.pool.cites(e.c)
	for i, c := range cited {
		if c.shown || c.known || b.full {
			continue
		}
		value := max(c.score, e.value*citedValue)
		switch {
		case i >= named+strongest:
			b.push(&entry{c: c, value: e.value * supportValue})
			continue
		case c.section == secOpen:
			c.level = max(c.level, e.c.level)
			b.push(&entry{c: c, value: value})
			continue
		}
		next := &entry{c: c, value: value}
		b.make(next)
		b.take(next, withText)
	}
}

// drop takes the last step back.
func (b *builder) drop() {
	e := b.steps[len(b.steps)-1]
	b.steps = b.steps[:len(b.steps)-1]
	s := b.sections[e.c.section]
	i := slices.IndexFunc(s, func(s *shown) bool { return s.c == e.c })
	if e.isText {
		s[i].text, s[i].item.Text, s[i].textCut = "", "", false
		return
	}
	e.c.shown = false
	b.sections[e.c.section] = slices.Delete(s, i, i+1)
}

// sortedShown returns a section's records in the order in which they are
// printed: as they were taken, which is by rank, but tasks by their order and
// open questions by their tier.
func (b *builder) sortedShown(s sectionID) []*shown {
	switch s {
	case secNext:
		slices.SortStableFunc(b.sections[s], func(x, y *shown) int { return cmp.Compare(y.c.score, x.c.score) })
	case secOpen:
		slices.SortStableFunc(b.sections[s], func(x, y *shown) int { return cmp.Compare(x.c.tier, y.c.tier) })
	}
	return b.sections[s]
}
