package bootstrap

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// A role is what a heading says of the text below it.
type role string

const (
	roleGoals      role = "goals"
	roleNonGoals   role = "non-goals"
	roleDecisions  role = "decisions"
	roleRationale  role = "rationale"
	roleHypotheses role = "hypotheses"
	roleRules      role = "rules" // for agents, in the files that they read
	roleRoadmap    role = "roadmap"
	roleDone       role = "done" // what a roadmap keeps of what is behind it
)

// notGoal begins the title of a decision not to do something.
const notGoal = "Not a goal: "

// roleOf reads a heading.
func roleOf(heading string) role {
	name := strings.Join(strings.FieldsFunc(markup.Name(heading), func(r rune) bool { return unicode.Is(unicode.Pd, r) || r == ' ' }), " ")
	switch name {
	case "goal", "goals", "project goals", "design goals", "our goals", "main goals", "primary goals", "key goals", "goals and objectives", "objectives":
		return roleGoals
	case "non goals", "nongoals", "non goal", "anti goals", "out of scope", "explicit non goals":
		return roleNonGoals
	case "decision", "decisions", "key decisions", "design decisions", "architecture decisions", "architectural decisions", "technical decisions", "decision outcome", "decision log":
		return roleDecisions
	case "rules", "hard rules", "conventions", "coding conventions", "constraints", "guardrails":
		return roleRules
	case "rationale", "design rationale":
		return roleRationale
	case "hypothesis", "hypotheses", "working hypotheses", "assumptions", "design assumptions", "working assumptions":
		return roleHypotheses
	case "roadmap", "road map", "planned", "planned features":
		return roleRoadmap
	case "done", "completed", "shipped", "released", "history", "finished", "already done":
		return roleDone
	}
	return ""
}

// A guess is how a statement was recognised, and how sure that makes it one.
type guess struct {
	kind       records.Kind
	why        string
	confidence float64
}

// A reading takes the proposals out of one document.
type reading struct {
	name       string
	raw, lines []string // as in the file, and without mark of byte order and CR
	out        []Proposal
	taken      map[*markup.Chapter]bool // proposed whole
}

// Chapter takes what a section and those below it state.
func (rd *reading) chapter(s *markup.Chapter, inherited role) {
	if rd.taken[s] {
		return
	}
	r := roleOf(s.Heading)
	if r == "" && (inherited == roleRoadmap || inherited == roleDone) {
		r = inherited
	}
	in := func(k records.Kind, confidence float64) guess {
		return guess{k, fmt.Sprintf("section '%s'", s.Heading), confidence}
	}
	switch r {
	case roleGoals:
		rd.items(s, in(records.Goal, 0.9), "")
	case roleNonGoals:
		rd.items(s, in(records.Decision, 0.7), notGoal)
	case roleHypotheses:
		rd.items(s, in(records.Hypothesis, 0.7), "")
	case roleRules:
		if agentsFile.MatchString(strings.ToLower(path.Base(rd.name))) {
			rd.items(s, in(records.Decision, 0.7), "")
		} else {
			rd.blocks(s.Blocks)
		}
	case roleRoadmap:
		rd.roadmap(s)
	case roleDecisions:
		switch {
		case rd.headed(s):
		case single(s):
			rd.first(s, in(records.Decision, 0.85), "")
		default:
			rd.items(s, in(records.Decision, 0.85), "")
		}
	case roleRationale:
		rd.rationale(s)
	case roleDone:
	default:
		rd.blocks(s.Blocks)
	}
	for _, sub := range s.Subs {
		rd.chapter(sub, r)
	}
}

// items takes each item of the section's outer list as one statement, or, where
// there is no list, its first paragraph.
func (rd *reading) items(s *markup.Chapter, g guess, prefix string) {
	listed := false
	var beside []markup.Block
	for _, b := range s.Blocks {
		if !b.Item {
			beside = append(beside, b)
		}
		if !b.Item || b.Depth > outermost(s.Blocks) {
			continue
		}
		listed = true
		item := g
		item.why = "item of the " + g.why
		if !b.Done {
			rd.state(item, prefix, statementOf(b.Text), b)
		}
	}
	if listed {
		rd.blocks(beside)
		return
	}
	rd.first(s, g, prefix)
}

// single reports whether a section is on one decision, told before any list: of
// its reasons, then.
func single(s *markup.Chapter) bool {
	return len(s.Blocks) > 0 && !s.Blocks[0].Item && !strings.HasSuffix(s.Blocks[0].Text, ":") && !strings.HasSuffix(strings.ToLower(s.Heading), "s")
}

// first takes what the section's first paragraph says first.
func (rd *reading) first(s *markup.Chapter, g guess, prefix string) {
	if len(s.Blocks) == 0 {
		return
	}
	if own, prefix, title, ok := labelled(s.Blocks[0].Text); ok { // a label says more exactly what it is
		rd.state(own, prefix, title, s.Blocks[0])
		return
	}
	if title, decided := decidedIn(s.Blocks[0].Text); decided && g.kind == records.Decision {
		rd.stateChapter(g, title, s)
		return
	}
	title := statementOf(s.Blocks[0].Text)
	if !negated.MatchString(title) {
		title = prefix + title
	}
	rd.stateChapter(g, title, s)
}

func outermost(bs []markup.Block) int {
	depth := -1
	for _, b := range bs {
		if b.Item && (depth < 0 || b.Depth < depth) {
			depth = b.Depth
		}
	}
	return depth
}

// roadmap takes the open items of a roadmap's lists as goals.
func (rd *reading) roadmap(s *markup.Chapter) {
	for _, b := range s.Blocks {
		if b.Item && !b.Done && b.Depth == outermost(s.Blocks) {
			rd.state(guess{records.Goal, fmt.Sprintf("item of the roadmap '%s'", importer.FirstOf(s.Heading, path.Base(rd.name))), 0.6}, "", statementOf(b.Text), b)
		}
	}
}

// struck reports whether an item is struck out or marked as done in words.
func struck(text string) bool {
	return strings.HasPrefix(text, "~~") || doneMark.MatchString(text)
}

// negated begins what says itself that it is not to be: "No change to the API".
var negated = lazyregexp.New(`(?i)^(?:no|not|never|do not|don't|does not|doesn't|will not|won't|we do not|we don't|we will not) `)

var doneMark = lazyregexp.New(`(?i)^(?:✅|✔|☑|:white_check_mark:|:heavy_check_mark:|done\b|\[done\])|\((?:done|shipped|completed|released)\)\W*$`)

// headed takes the headings below a section on decisions as decisions, where
// they read as statements. It reports whether there are any.
func (rd *reading) headed(s *markup.Chapter) bool {
	found := false
	for _, sub := range s.Subs {
		if roleOf(sub.Heading) == "" && wordsOf(sub.Heading) >= leastWords {
			rd.taken[sub] = rd.stateChapter(guess{records.Decision, fmt.Sprintf("heading below '%s'", s.Heading), 0.7}, statementOf(sub.Heading), sub)
			found = found || rd.taken[sub]
		}
	}
	return found
}

// rationale takes the heading above a rationale as the decision that it gives the reasons of.
func (rd *reading) rationale(s *markup.Chapter) {
	of := s.Parent
	told := func(p Proposal) bool { // in the section itself
		first, _ := records.Anchor{Lines: p.Anchors[0].Lines}.LineRange()
		return p.Kind == records.Decision && first >= of.First
	}
	if of == nil || of.Heading == "" || of.Level < 2 || len(s.Blocks) == 0 || wordsOf(of.Heading) < leastWords || roleOf(of.Heading) != "" || slices.ContainsFunc(rd.out, told) {
		rd.blocks(s.Blocks)
		return
	}
	rd.stateChapter(guess{records.Decision, fmt.Sprintf("heading with a section '%s'", s.Heading), 0.5}, statementOf(of.Heading), of)
}

// blocks looks for labels and sentences that state something wherever they stand.
func (rd *reading) blocks(bs []markup.Block) {
	for i := 0; i < len(bs); i++ {
		b := bs[i]
		if g, prefix, rest, ok := labelled(b.Text); ok {
			if rest != "" {
				rd.state(g, prefix, rest, b)
				continue
			}
			for i+1 < len(bs) { // the label stands alone, above what it is of
				i++
				rd.state(g, prefix, statementOf(bs[i].Text), bs[i])
				if !bs[i].Item || i+1 < len(bs) && !bs[i+1].Item {
					break
				}
			}
			continue
		}
		if !telling.MatchString(b.Text) {
			continue
		}
		if title, ok := decidedIn(b.Text); ok {
			rd.state(guess{records.Decision, "sentence that tells a decision", 0.8}, "", title, b)
			continue
		}
		for _, s := range sentencesOf(b.Text) {
			if m := believed.FindStringSubmatch(s); m != nil && !pronoun.MatchString(m[1]) {
				rd.state(guess{records.Hypothesis, "sentence that tells a belief", 0.7}, "", capital(statementOf(m[1])), b)
				break
			}
		}
	}
}

// state proposes what a block says. Its key is of the text, as blocks have no name.
func (rd *reading) state(g guess, prefix, title string, b markup.Block) {
	if negated.MatchString(title) {
		prefix = ""
	}
	if !states(title) || onlyLink(b.Text) || elsewhere.MatchString(markup.Plain(b.Text)) || struck(b.Text) || g.kind == records.Hypothesis && personal(title) {
		return
	}
	sum := importer.Digest([]byte(string(g.kind) + "\x00" + records.Normalize(prefix+title)))
	rd.propose(g, rd.name+"#"+sum[:12], prefix+title, b.First, b.Last)
}

// agentsFile holds rules for coding agents.
var agentsFile = lazyregexp.New(`^(?:claude|agents)\.md$`)

// elsewhere is an item that names where it is done, or said: a pointer, not a statement.
var elsewhere = lazyregexp.New(`(?i)\((?:see|cf\.?|covered|done|handled|tracked|moved)\b[^)]*\)\W*$|^(?:see|read|refer to)\b|\b(?:is|are) (?:covered|handled|tracked|described) (?:in|by)\b`)

// onlyLink reports whether a text is nothing but a link, as in a table of contents.
func onlyLink(text string) bool {
	return strings.TrimSpace(markup.LinkMark.ReplaceAllString(text, "")) == ""
}

// stateChapter proposes what a section says, named by its heading: its text may
// change, and it stays the same proposal.
func (rd *reading) stateChapter(g guess, title string, s *markup.Chapter) bool {
	if !states(title) {
		return false
	}
	first, last := rd.trimmed(s.First, s.Last)
	rd.propose(g, rd.name+"#"+importer.FirstOf(s.Slug, "top"), title, first, last)
	return true
}

// trimmed takes empty lines off the end of a range.
func (rd *reading) trimmed(first, last int) (int, int) {
	for last > first && strings.TrimSpace(rd.lines[last-1]) == "" {
		last--
	}
	return first, last
}

// excerptLimit is the most bytes of a document that a proposal quotes: its anchor leads to the rest.
const excerptLimit = 4 << 10

func (rd *reading) propose(g guess, key, title string, first, last int) {
	if slices.ContainsFunc(rd.out, func(p Proposal) bool { return p.Key == key }) {
		return
	}
	short, _ := importer.TitleOf(title)
	quoted := strings.Join(rd.lines[first-1:last], "\n")
	body := ""
	if m := markup.ItemLine.FindStringSubmatch(quoted); m == nil || strings.Trim(markup.Plain(m[4]), ". ") != strings.TrimPrefix(short, notGoal) {
		body, _ = importer.Limited(importer.Clean(quoted), excerptLimit)
		if strings.Contains(body, "\n") {
			body = strings.TrimRight(body, "\n") + "\n"
		}
	}
	rd.out = append(rd.out, Proposal{
		Key: key, Kind: g.kind, Title: short, Body: body, Asks: g.kind.Schema().Reviewed,
		Why: g.why, Confidence: g.confidence, Anchors: []Cited{rd.cite(first, last)},
	})
}

// cite is the anchor of lines of the document.
func (rd *reading) cite(first, last int) Cited {
	return Cited{
		Path: rd.name, Lines: fmt.Sprintf("%d-%d", first, last),
		SHA256: codelink.LinesDigest([]byte(strings.Join(rd.raw[first-1:last], "\n") + "\n")),
	}
}
