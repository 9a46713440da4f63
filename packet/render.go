package packet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// The most characters of the texts that stand on one line, and the most cited
// ids named there.
const (
	maxTitle  = 200
	maxReason = 160
	maxCites  = 4
	// A line of more tokens than this is made anew from less of its texts.
	maxLineTokens = 150
	shortTitle    = 60
	// maxTrigger is the most characters shown of what a trigger says, which goes
	// before all other text; maxWhen of when to follow a runbook.
	maxTrigger = 300
	maxWhen    = 240
	// maxEscape is the most characters that one byte can become when escaped.
	maxEscape = 10
)

// moreMark ends the line of a record that says more than is shown. It costs one token.
const moreMark = " \u2026"

// A rendered is one entry's Markdown and its part of the item.
type rendered struct {
	markdown string
	item     Item
	// cut is set when a text was shortened or left out.
	cut bool
}

// marked returns a line with the mark that there is more.
func marked(line string) string { return strings.TrimSuffix(line, "\n") + moreMark + "\n" }

// renderLine makes a record's line: its id and the packet's own words first,
// then, after the colon, the record's.
func (b *builder) renderLine(c *candidate) rendered { return b.line(c, maxTitle, maxReason) }

func (b *builder) renderShort(c *candidate) rendered { return b.line(c, shortTitle, 0) }

func (b *builder) line(c *candidate, titleLimit, reasonLimit int) rendered {
	item := Item{ID: c.r.ID, Kind: c.r.Kind, State: c.st.State, Title: oneLine(c.r.Title, titleLimit)}
	cut := item.Title != oneLine(c.r.Title, len(c.r.Title)*maxEscape)
	cited, named := b.pool.cites(c)
	for i, o := range cited {
		if i < named+strongest {
			item.Cites = append(item.Cites, o.r.ID)
		}
	}
	item.Branch, item.Warning, item.Was = c.branch, c.warning, c.was.State
	var md strings.Builder
	md.WriteString("- ")
	md.WriteString(b.abbreviate(c.r.ID))
	if facts := b.facts(c, item.Cites); len(facts) > 0 {
		md.WriteString(" (" + strings.Join(facts, "; ") + ")")
	}
	md.WriteString(": ")
	title := inline(item.Title)
	switch {
	case c.r.Forgotten():
		title = "(forgotten)"
	case title == "":
		title = "(no title)"
	}
	md.WriteString(title)
	reason := ""
	if c.r.Verdict != nil && c.section != secFocus && c.section != secNext {
		reason = c.r.Verdict.Reason
	}
	switch rule := b.rule(c); {
	case c.st.Why == records.WhyConflict:
		item.Reason = conflictText(c.r, max(reasonLimit, shortTitle))
		md.WriteString("; " + inline(item.Reason))
		cut = cut || item.Reason != conflictText(c.r, maxConflict)
	case rule != "":
		item.Reason = rule
		cut = cut || reason != ""
	case reason != "" && reasonLimit > 0:
		item.Reason = oneLine(reason, reasonLimit)
		md.WriteString("; because: " + inline(item.Reason))
		cut = cut || item.Reason != oneLine(reason, len(reason)*maxEscape)
	default:
		cut = cut || reason != ""
	}
	md.WriteByte('\n')
	return rendered{md.String(), item, cut}
}

// facts are the packet's own words on a record: nothing in them is free text.
func (b *builder) facts(c *candidate, cites []records.ID) []string {
	var fs []string
	add := func(s string) {
		if s != "" {
			fs = append(fs, s)
		}
	}
	state := string(c.st.State)
	switch c.section {
	case secFallen: // what its state was comes first
		add(b.fallen(c))
	case secFocus:
		add(string(c.r.Kind) + ", " + state)
	case secEvidence:
		add(plainName(c.r.Type))
		if c.st.State == records.Verified {
			add(state)
		}
	case secRunbooks:
		add(plainName(c.r.Type))
	case secReview:
		if c.r.Verdict.Asks != "" {
			state += ", asks " + string(c.r.Verdict.Asks)
		}
		add(state)
		if ids := c.r.Links[records.Supersedes]; len(ids) > 0 {
			add("would supersede " + b.names(ids))
		}
	case secOpen, secRuledOut:
		if c.st.Why != records.WhyVetoed { // the rule names the state then
			add(state)
		}
	case secNext:
		if c.r.Priority != nil {
			add("p" + strconv.Itoa(*c.r.Priority))
		}
		if c.st.State != records.Todo {
			add(state)
		}
	}
	add(b.rule(c))
	switch c.section {
	case secDecisions, secConclusions, secSupported, secReview, secOpen:
		add(b.citeList(cites))
	}
	for _, m := range c.st.Marks {
		add(m.Phrase(b.names))
	}
	if c.branch != "" {
		add("on branch " + plainName(c.branch))
	}
	add(c.warning)
	if b.req.Since != nil && c.section != secFallen && c.section != secFocus {
		add(change(c))
	}
	add(author(c.r))
	return fs
}

// rule says which rule gave the record its standing, in words; "" when its state did.
func (b *builder) rule(c *candidate) string {
	switch c.st.Why {
	case records.WhyConflict:
		return "merge conflict"
	case records.WhyDoubt:
		return b.causes(c)
	case records.WhyChanged:
		return "changed since review"
	case records.WhyVetoed:
		return string(c.st.State) + " on " + plainName(b.req.Default)
	case records.WhyUnreviewed:
		if c.section == secEvidence {
			return ""
		}
		return "not reviewed"
	case records.WhyUnsourced:
		return "no checkable evidence cited"
	}
	return string(c.st.Why)
}

func (b *builder) causes(c *candidate) string {
	var parts []string
	for i, x := range c.st.Causes {
		if i == maxCites {
			parts = append(parts, fmt.Sprintf("%d more", len(c.st.Causes)-i))
			break
		}
		parts = append(parts, x.Phrase(b.names))
	}
	return strings.Join(parts, "; ")
}

func (b *builder) citeList(ids []records.ID) string {
	if len(ids) == 0 {
		return ""
	}
	return "rests on " + b.names(ids)
}

// names lists ids, as many as a line has room for.
func (b *builder) names(ids []records.ID) string {
	var names []string
	for i, id := range ids {
		if i == maxCites {
			names = append(names, fmt.Sprintf("%d more", len(ids)-i))
			break
		}
		names = append(names, b.abbreviate(id))
	}
	return strings.Join(names, ", ")
}

// author names who wrote a record that no human wrote or gave a verdict on.
func author(r *records.Record) string {
	if r.Created.Actor == records.Human || r.Verdict != nil && r.Verdict.Actor == records.Human {
		return ""
	}
	if r.Created.Actor == "" {
		return string(records.Unknown)
	}
	return plainName(string(r.Created.Actor))
}

// abbreviate returns the shortest prefix of id that names no other record.
func (b *builder) abbreviate(id records.ID) string {
	kind, random, _ := strings.Cut(string(id), "-")
	for n := records.MinPrefix; n < len(random); n++ {
		short := kind + "-" + random[:n]
		ids, err := b.view.Match(short)
		if err != nil {
			break
		}
		if !slices.ContainsFunc(ids, func(o records.ID) bool { return o != id }) {
			return short
		}
	}
	return string(id)
}

// renderText makes the quoted text below a record's line; the markdown is ""
// when the record has none.
func (b *builder) renderText(c *candidate) rendered {
	limit := layouts[c.section].text
	if c.r.Kind == records.Trigger {
		limit = maxTrigger
	}
	told := statement(c.r)
	text, cut := paragraphs(fullText(told), limit)
	return b.quoted(c, text, cut || told != c.r)
}

// renderWhen makes the text of a runbook that says when to follow it, and no more.
func (b *builder) renderWhen(c *candidate) rendered {
	if strings.TrimSpace(c.r.When) == "" {
		return rendered{}
	}
	text, cut := paragraphs(whenLabel+c.r.When, maxWhen)
	rest := *c.r
	rest.When = ""
	return b.quoted(c, text, cut || hasText(&rest))
}

func (b *builder) quoted(c *candidate, text string, cut bool) rendered {
	if text == "" {
		return rendered{}
	}
	md := quote(text)
	if cut {
		md += "  - rest: git ctx show " + b.abbreviate(c.r.ID) + "\n"
	}
	return rendered{md, Item{Text: text}, cut}
}

func headingText(s sectionID) string { return "## " + layouts[s].heading + "\n\n" }
