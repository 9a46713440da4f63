package packet

import (
	"cmp"
	"slices"
	"strings"
)

// fillerParts is into how many parts the room is divided. The packet may take the
// first of them for what only helps to find one's way.
const fillerParts = 2

// addFiller says, where all that bears on the focus and all else is in and much
// room is left, when to follow the runbooks that are shown by title, and those
// whose signals were not seen.
func (b *builder) addFiller() {
	if b.full {
		return
	}
	b.room = size{tokens: b.room.tokens / fillerParts, chars: b.room.chars / fillerParts}
	var runbooks []*candidate
	for _, c := range b.pool.candidates {
		if c.section == secRunbooks && strings.TrimSpace(c.r.When) != "" && (c.shown || c.unsignalled) && !c.known {
			runbooks = append(runbooks, c)
		}
	}
	slices.SortStableFunc(runbooks, func(x, y *candidate) int { return cmp.Compare(y.score, x.score) })
	for _, c := range runbooks {
		if b.takeWhen(c); b.full {
			return
		}
	}
}

// takeWhen adds when to follow a runbook whose text is not shown.
func (b *builder) takeWhen(c *candidate) {
	if !c.shown {
		line := &entry{c: c}
		b.make(line)
		if b.take(line, false); b.full {
			return
		}
	}
	for _, s := range b.sections[secRunbooks] {
		if s.c == c && s.text != "" {
			return
		}
	}
	when := &entry{c: c, isText: true, made: true, out: b.renderWhen(c)}
	when.cost = measure(when.out.markdown)
	b.take(when, false)
}
