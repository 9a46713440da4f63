package packet

import (
	"strings"

	"github.com/git-ctx/git-ctx/internal/o200k"
	"github.com/git-ctx/git-ctx/records"
)

// finish writes the packet. Should the text measure more than its parts did,
// it takes steps back until it fits.
func (b *builder) finish() (*Packet, error) {
	for {
		omitted := b.omitted()
		text := b.markdown(omitted)
		n := measure(text)
		limit := size{tokens: b.req.Budget, chars: b.req.MaxChars}
		switch {
		case n.within(limit):
			return b.packet(text, n, omitted), nil
		case len(b.steps) == 0:
			return nil, &BudgetError{Tokens: limit.tokens, Chars: limit.chars, NeedTokens: n.tokens, NeedChars: n.chars}
		}
		b.drop()
	}
}

func (b *builder) markdown(omitted map[string]int) string {
	var s strings.Builder
	s.WriteString(b.preamble)
	for sec := range sectionCount {
		items := b.sortedShown(sec)
		if len(items) == 0 && sec != secFocus {
			continue
		}
		if sec != secFocus {
			s.WriteString(headingText(sec))
		}
		for _, it := range items {
			if it.more() && !it.textCut { // a cut text ends with a mark of its own
				s.WriteString(marked(it.line))
			} else {
				s.WriteString(it.line)
			}
			s.WriteString(it.text)
		}
		s.WriteByte('\n')
	}
	s.WriteString(b.footer(omitted, b.digest))
	return s.String()
}

func (b *builder) packet(text string, n size, omitted map[string]int) *Packet {
	f := b.focus
	p := &Packet{
		Format:    FormatVersion,
		Commit:    b.req.Commit,
		Since:     b.since(),
		Tokenizer: o200k.Name,
		Tokens:    n.tokens,
		Chars:     n.chars,
		Digest:    b.digest,
		Focus: UsedFocus{
			Purpose: b.req.Purpose,
			Goal:    idOf(f.goal),
			Task:    idOf(f.task),
			Trigger: idOf(f.trigger),
			Branch:  b.req.Focus.Branch,
			Paths:   append([]string{}, f.paths...),
			Notes:   append([]string{}, b.notes()...),
		},
		Omitted:    omitted,
		Suppressed: b.suppressed(),
		Sections:   []Section{},
		markdown:   text,
	}
	for sec := range sectionCount {
		items := b.sections[sec]
		if len(items) == 0 && (sec != secFocus || text == "") {
			continue
		}
		s := Section{Name: layouts[sec].name, Items: []Item{}}
		for _, it := range items {
			item := it.item
			item.More = it.more()
			s.Items = append(s.Items, item)
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// since is the commit that a packet of changes counts from.
func (b *builder) since() string {
	if b.req.Since == nil {
		return ""
	}
	return b.req.Since.Commit
}

// idOf returns the record's id, or "" for none.
func idOf(r *records.Record) records.ID {
	if r == nil {
		return ""
	}
	return r.ID
}
