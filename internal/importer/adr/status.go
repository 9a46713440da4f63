package adr

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// A status is what a decision record says about its own standing, by this grammar:
//
//	status   = line { line }
//	line     = clause { separator clause }
//	clause   = state [date] ["by" names] | relation links | "was" ... | date | reference | nothing
//	state    = accepted, approved ... | proposed, draft ... | rejected ... | deprecated, "no longer" ... | superseded
//	relation = [partly] ("superseded by" | "supersedes" | "amends" ...) [partly]
//
// The first line must hold a state; the later clause wins over the earlier one
// where it takes it back. Whatever is not covered makes the record proposed and
// is told: nothing uncertain is in force.
type status struct {
	state records.State
	// reason is why a dead decision is dead, as far as the file says so.
	reason string
	// by are the successors, and supersedes what this one takes the place of;
	// partOf is what it replaces in part only.
	by, supersedes, partOf []target
	at                     time.Time // of the state, where the status says it
	note                   string    // why the state is not what the file literally says
	no                     int       // the line that the note is about
	rest                   []line    // lines that say more than the state
	stated                 bool      // the file tells a status
	blank                  bool      // what should tell it says nothing
}

const (
	reasonDeprecated = "deprecated in the source"
	reasonRejected   = "rejected in the source"
)

// stateWords are the words of Nygard, MADR, Y-statements, arc42, GOV.UK,
// Backstage, e-adr, log4brains and KEPs for the states that a decision has here.
var stateWords = []struct {
	re     *lazyregexp.Regexp
	state  records.State
	reason string
}{
	{lazyregexp.New(`^(?:accepted|accept|approved|adopted|decided|agreed(?: upon)?|ratified|implemented|implementable|in force|in effect)$`), records.Accepted, ""},
	{lazyregexp.New(`^(?:proposed|proposal|draft|drafted|provisional|wip|work in progress|open|pending|(?:in|under|for|ready for) (?:review|discussion|consideration)|rfc|to be (?:decided|discussed|approved)|tbd|undecided)$`), records.Proposed, ""},
	{lazyregexp.New(`^(?:rejected|declined|withdrawn|abandoned|cancelled|canceled|dismissed)$`), records.Rejected, reasonRejected},
	{lazyregexp.New(`^(?:deprecated|obsolete|obsoleted|retired|revoked|rescinded|outdated|no longer .*|not (?:in force|valid|relevant)(?: any ?more| any longer)?)$`), records.Rejected, reasonDeprecated},
	{lazyregexp.New(`^(?:` + supersededWord + `)$`), records.Superseded, ""},
}

const (
	supersededWord = `supers?[ce]{1,2}[ds]?ed|supersceded|replaced|obsoleted|overridden|overruled`
	supersedesWord = `supers?[ce]{1,2}[ds]?es|replaces|obsoletes|overrides`
	part           = `(?:in part|partially|partly|part|mostly|largely|in parts)`
	filler         = `(?:now|currently|fully|formally|officially|unanimously|already|later|subsequently|since|been|has|have|is|are|be|this|adr|decision|it|the|completely|entirely|status|also|all|by all)`
	links          = `((?: *(?:and|with|by|,|adr|no\.?|number|decision|nr\.?|` + linkOpen + `\d+` + linkClose + `|#?\d+))+)`
)

var (
	fillers     = lazyregexp.New(`(?i)^(?:` + filler + ` )+`)
	passive     = lazyregexp.New(`(?i)^(?:` + filler + ` )*(` + part + ` )?(?:` + supersededWord + `)( ` + part + `)?(?: (?:by|with|through|in favou?r of))?:? *` + links + `?((?: (?:on|at|in|since))? ` + dateMark + `)?$`)
	passiveText = lazyregexp.New(`(?i)^(?:` + filler + ` )*(?:` + supersededWord + `) (?:by|with|in favou?r of):? (.*)$`)
	active      = lazyregexp.New(`(?i)^(?:` + filler + ` )*(` + part + ` )?(?:` + supersedesWord + `)( ` + part + `)?:? *` + links + `$`)
	neutral     = lazyregexp.New(`(?i)^(?:amends|amended by|extends|extended by|clarifies|clarified by|updates|updated by|refines|refined by|complements|relates to|related(?: to)?|depends on|builds (?:up)?on|see(?: also)?|influenced by|implemented (?:in|by|via|with)|tracked (?:in|by)|discussion|discussed in|proposal|pr|pull request|issue|mr|ticket|rfc|approved in|decided in|in|at|on|via|ref|refs|version|since|from)\b:?[\s` + linkOpen + linkClose + dateMark + `\d#:v.,&-]*$`)
	reference   = lazyregexp.New(`(?i)^(?:(?:see|pr|mr|pull request|issue|ticket|in|by|via|version|v)? *(?:` + linkOpen + `\d+` + linkClose + `|#?\d+|v?\d+(?:\.\d+)+|[0-9a-f]{7,40}| )*)$`)
	dated       = lazyregexp.New(`(?i)^(?:(?:on|at|in|as of|since|from|by|last|updated?|modified|changed|decided|date|version|created|reviewed|approved|accepted|proposed)[ :]*)*` + dateMark + `(?: *` + dateMark + `)*$`)
	realised    = lazyregexp.New(`(?i)^(?:and )?(?:(?:not|partially|partly|fully) )?(?:yet )?(?:(?:middleware )?implemented|applied|released)(?: (?:in|with|by|since) v?[\w.` + linkOpen + linkClose + `-]+(?: of [\w-]+)?)?$`)
	history     = lazyregexp.New(`(?i)^(?:was|were|previously|formerly|originally|initially|before|first)\b`)
	attribution = lazyregexp.New(`^(?:(?i:by|with) +)?(?:(?i:the) )?(?:(?:consensus|vote|majority|team|maintainers|project team)$|@?[\p{Lu}@][\p{L}\p{N}@.'_-]*(?: \(?[\p{L}@][\p{L}\p{N}.'@_-]*\)?){0,4}$)`)
	labelWord   = lazyregexp.New(`(?i)^(?:date|status|state|by|version|author|comment|who|deciders?|note|remarks?|rule|-+)$`)
	danger      = lazyregexp.New(`(?i)supers?[ce]+[ds]|deprecat|reject|no longer|replace[ds]|obsolete|withdr|revoke|revert|abandon|retire|invalid|overr[iu]l|cancel|rescind|declin|dropped|undone|roll(?:ed)? ?back|discontinu|expired?\b|postpone|deferred|on hold|partial|\bpartly|in part\b|pending|condition|unless|no more\b`)
	between     = lazyregexp.New(`\s*(?:[;,()]|→|->|=>|>>|\s[-–—]\s|[.:](?:\s|$)|\b(?:but|and then|then|later|subsequently|afterwards|now)\b)\s*`)
	alternative = lazyregexp.New(`(?i)\{|\?|\bor\b|[a-z]\s*[/|]\s*[a-z]`)
	struckText  = lazyregexp.New(`~~[^~]*~~|<(?:s|del|strike)>.*?</(?:s|del|strike)>`)
	htmlTag     = lazyregexp.New(`</?[a-zA-Z][^>]*>|<!--.*?-->`)
	listMarker  = lazyregexp.New(`^(?:[*+-]|\d+[.)]|>)\s+`)
	tickBox     = lazyregexp.New(`^\[([ xX])\]\s+`)
	tableRule   = lazyregexp.New(`^\|?[\s:|=+-]+\|?$`)
)

// An event is a clause that gives a state.
type event struct {
	state  records.State
	reason string
	at     time.Time
	no     int
}

// parseStatus reads the lines of a status.
func parseStatus(lines []line, definitions map[string]string) status {
	p := &statusParser{definitions: definitions}
	first := true
	for _, l := range lines {
		text := bare(l.text)
		if text == "" {
			continue
		}
		first = !p.line(l, text, first) && first
	}
	st := p.settle()
	st.blank = first
	return st
}

type statusParser struct {
	definitions map[string]string
	st          status
	events      []event
	uncovered   string // what the grammar does not know, the first of it
	no          int
	more        []line
}

func (p *statusParser) fail(l line, why string) {
	if p.uncovered == "" {
		p.uncovered, p.no = why, l.no
	}
}

// line reads one line. The first must be covered whole; of the others, those
// that tell neither a state nor danger are the author's remarks. It reports
// whether the line says anything: a table's head does not.
func (p *statusParser) line(l line, text string, first bool) bool {
	said := importer.OneLine(l.text)
	row := strings.HasPrefix(text, "|")
	text, targets := cutLinks(text, p.definitions)
	text, dates := cutDates(text)
	if !row && alternative.MatchString(text) {
		if first || danger.MatchString(text) {
			p.fail(l, "status '"+said+"' is not one state")
		}
		return true
	}
	before := len(p.events)
	c := clauses{parser: p, line: l, targets: targets, dates: dates}
	text = strings.ReplaceAll(strings.Trim(text, "| "), "|", ";")
	covered, empty := true, true
	for _, part := range between.Split(text, -1) {
		part = strings.Join(strings.Fields(strings.Trim(part, " .:*_`\"'!-–—")), " ")
		if part == "" || labelWord.MatchString(part) {
			continue
		}
		empty = false
		covered = c.clause(part) && covered
	}
	if empty {
		return false
	}
	gave := p.events[before:]
	switch {
	case len(gave) >= 3 && len(dates) == 0:
		p.fail(l, "status '"+said+"' lists states")
	case covered && (len(gave) > 0 || !first):
		if len(gave) == 0 || c.relations {
			p.more = append(p.more, l)
		}
	case first && len(gave) == 0 && !c.relations:
		p.fail(l, "status '"+said+"' is unknown")
	case first || len(gave) > 0 && !covered || danger.MatchString(text):
		p.fail(l, "status '"+said+"' says more than is understood")
	default:
		p.more = append(p.more, l)
	}
	return true
}

// clauses reads the clauses of one line.
type clauses struct {
	parser    *statusParser
	line      line
	targets   []target
	dates     []time.Time
	last      string // the kind of the clause before, for what goes on after a comma
	relations bool
	into      *[]target
}

// clause reports whether the grammar covers a clause.
func (c *clauses) clause(text string) bool {
	p := c.parser
	if c.last == "was" {
		c.last = ""
		return true
	}
	if rest, ok := strings.CutPrefix(text, dateMark+" "); ok && !dated.MatchString(text) {
		c.date()
		return c.clause(rest)
	}
	if fillers.MatchString(text+" ") && fillers.ReplaceAllString(text+" ", "") == "" {
		return true
	}
	if history.MatchString(text) && danger.FindString(text) == "" {
		if !strings.Contains(text, " ") {
			c.last = "was"
		}
		return true
	}
	if m := passive.FindStringSubmatch(text); m != nil {
		c.last, c.relations = "links", true
		if m[1] != "" || m[2] != "" {
			return false
		}
		p.events = append(p.events, event{state: records.Superseded, no: c.line.no})
		c.into = &p.st.by
		c.targetsOf(m[3])
		return true
	}
	if m := passiveText.FindStringSubmatch(text); m != nil {
		p.events = append(p.events, event{state: records.Superseded, no: c.line.no})
		p.st.by = append(p.st.by, target{ref: m[1]})
		c.relations = true
		return !danger.MatchString(m[1]) && !strings.Contains(m[1], "for the")
	}
	if m := active.FindStringSubmatch(text); m != nil {
		c.last, c.relations = "links", true
		c.into = &p.st.supersedes
		if m[1] != "" || m[2] != "" {
			c.into = &p.st.partOf
		}
		c.targetsOf(m[3])
		return true
	}
	if n := len(p.events); n > 0 && p.events[n-1].no == c.line.no && realised.MatchString(text) {
		return true // how far it is built is no other state
	}
	if c.stateClause(text) {
		c.last = "state"
		return true
	}
	if c.last == "links" && c.into != nil && linkMarker.MatchString(text) && reference.MatchString(text) {
		c.targetsOf(text)
		return true
	}
	if dated.MatchString(text) {
		c.date()
		return true
	}
	if neutral.MatchString(text) || reference.MatchString(text) {
		c.relations = c.relations || linkMarker.MatchString(text)
		return true
	}
	if (c.last == "state" || c.last == "names") && attribution.MatchString(text) && !danger.MatchString(text) {
		c.last = "names"
		return true
	}
	return false
}

// stateClause reads a state with its date, names and references.
func (c *clauses) stateClause(text string) bool {
	p := c.parser
	low := fillers.ReplaceAllString(strings.ToLower(text), "")
	for _, w := range stateWords {
		for n := len(low); n > 0; n = strings.LastIndexByte(low[:n], ' ') {
			if !w.re.MatchString(low[:n]) {
				continue
			}
			rest := strings.TrimSpace(text[len(text)-(len(low)-n):])
			if rest != "" && !dated.MatchString(rest) && !reference.MatchString(rest) && !neutral.MatchString(rest) && !realised.MatchString(rest) && !c.namesAndDate(rest) {
				return false
			}
			e := event{state: w.state, reason: w.reason, no: c.line.no}
			p.events = append(p.events, e)
			if strings.Contains(rest, dateMark) {
				c.date()
			}
			if w.state == records.Superseded {
				c.into = &p.st.by
			}
			return true
		}
	}
	return false
}

func (c *clauses) namesAndDate(rest string) bool {
	rest = strings.TrimSpace(strings.ReplaceAll(rest, dateMark, ""))
	for _, w := range []string{" on", " at", " in"} {
		rest = strings.TrimSuffix(rest, w)
	}
	return strings.HasPrefix(strings.ToLower(rest), "by ") && attribution.MatchString(rest) && !danger.MatchString(rest)
}

// date gives the line's next date to the state that it stands beside.
func (c *clauses) date() {
	if len(c.dates) == 0 {
		return
	}
	at := c.dates[0]
	c.dates = c.dates[1:]
	if n := len(c.parser.events); n > 0 && c.parser.events[n-1].no == c.line.no {
		c.parser.events[n-1].at = at
	} else {
		c.parser.events = append(c.parser.events, event{at: at, no: c.line.no}) // the state comes after its date
	}
}

// targetsOf takes the links of a text, or the numbers where it has none.
func (c *clauses) targetsOf(text string) {
	ms := linkMarker.FindAllStringSubmatch(text, -1)
	for _, m := range ms {
		*c.into = append(*c.into, c.targets[atoi(m[1])])
	}
	if len(ms) > 0 {
		return
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) }) {
		*c.into = append(*c.into, target{ref: w})
	}
}

// settle makes the status of the events, in the order of their dates where all have one.
func (p *statusParser) settle() status {
	st := &p.st
	st.state, st.rest = records.Proposed, p.more
	events := joined(p.events)
	if len(events) > 1 && !slices.ContainsFunc(events, func(e event) bool { return e.at.IsZero() }) {
		slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	}
	for i, e := range events {
		if i > 0 && weight(e.state) < weight(events[i-1].state) {
			if e.state.Overruled() {
				continue // deprecated is said, superseded says more
			}
			p.fail(line{no: e.no}, "the status says '"+string(events[i-1].state)+"' and then '"+string(e.state)+"'")
		}
		st.state, st.reason, st.at, st.no = e.state, e.reason, e.at, e.no
	}
	if p.uncovered != "" {
		st.state, st.reason, st.note, st.no = records.Proposed, "", p.uncovered+": proposed", p.no
		st.by = nil
	}
	return *st
}

// joined gives a date that stands before a state to that state.
func joined(events []event) []event {
	var out []event
	var at time.Time
	for _, e := range events {
		switch {
		case e.state == "":
			at = e.at
			continue
		case e.at.IsZero():
			e.at = at
		}
		at = time.Time{}
		out = append(out, e)
	}
	return out
}

// weight orders the states by what takes back what.
func weight(s records.State) int {
	return slices.Index([]records.State{records.Proposed, records.Accepted, records.Rejected, records.Superseded}, s)
}

// bare strips a line's list marker, emphasis, images, badges and struck text.
// An open box of a list, a comment and a table's rule say nothing.
func bare(text string) string {
	text = strings.TrimSpace(struckText.ReplaceAllString(text, ""))
	if tableRule.MatchString(text) || strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") || strings.HasPrefix(text, "<!--") || strings.HasPrefix(text, ".. ") {
		return ""
	}
	text = listMarker.ReplaceAllString(text, "")
	if m := tickBox.FindStringSubmatch(text); m != nil {
		if m[1] == " " {
			return ""
		}
		text = text[len(m[0]):]
	}
	text = htmlTag.ReplaceAllStringFunc(text, func(m string) string {
		if strings.Contains(m, "://") || strings.Contains(m, ".md") {
			return m
		}
		return ""
	})
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) || r == '\ufe0f' || r == '\u200b' || r == '\u200d' {
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(markup.Unmarked(strings.TrimSpace(text)))
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}
