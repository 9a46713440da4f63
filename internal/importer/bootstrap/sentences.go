package bootstrap

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

var (
	// telling is in every sentence that the patterns below find, and cheap to look for.
	telling = lazyregexp.New(`(?i)decided|agreed|resolved|opted|settled|chose|believe|suspect|assum|hypothes|suspicion`)

	label = lazyregexp.New(`(?i)^(decisions?|decided|goals?|objectives?|non-goals?|hypothes[ie]s|working hypothes[ie]s|assumptions?)(?: \d+)?\s*:\s*(.*)$`)

	lead      = `(?:(?:therefore|thus|so|hence|instead|consequently|for now|finally|ultimately|as a result|in the end|for (?:this|that|these) reasons?),? |(?:after|since|because|given|due to|as) [^,;.?]+, )?`
	weDecided = lazyregexp.New(`(?i)^` + lead + `(?:we|the team|the project|the maintainers) (?:have |has )?(?:therefore |also |explicitly |deliberately |finally |thus )?` +
		`(?:(?:decided|agreed|resolved|opted) (?:(?:(not )?to|that) (.+)|on .+|for .+|against .+)|settled on .+|ch(?:o|os)se(?:n)? .+)$`)
	itWasDecided = lazyregexp.New(`(?i)^` + lead + `it (?:was|has been) (?:decided|agreed) (?:(not )?to|that) (.+)$`)
	believed     = lazyregexp.New(`(?i)^` + lead + `(?:we (?:now |still |strongly |currently )?(?:believe|suspect|assume|hypothesi[sz]e)|(?:our|the) (?:working )?(?:hypothesis|assumption|suspicion) is) (?:that )?(.+)$`)
	pronoun      = lazyregexp.New(`(?i)^(?:it|this|that|these|those|they|he|she)\b`) // whose noun is elsewhere
	secondPerson = lazyregexp.New(`(?i)\b(?:you|your|yours)\b`)
)

// labelled takes a statement that says what it is: "Decision: use a cache".
func labelled(text string) (g guess, prefix, rest string, ok bool) {
	var m []string
	if strings.Contains(text, ":") {
		m = label.FindStringSubmatch(markup.Plain(text))
	}
	if m == nil {
		return guess{}, "", "", false
	}
	word := strings.ToLower(m[1])
	g = guess{records.Decision, fmt.Sprintf("label '%s:'", m[1]), 0.9}
	switch {
	case strings.HasPrefix(word, "goal"), strings.HasPrefix(word, "objective"):
		g.kind = records.Goal
	case strings.Contains(word, "hypothes"), strings.HasPrefix(word, "assumption"):
		g.kind = records.Hypothesis
	case strings.HasPrefix(word, "non"):
		prefix = notGoal
	}
	if rest = statementOf(m[2]); rest != "" && prefix == "" {
		rest = capital(rest)
	}
	return g, prefix, rest, true
}

// decidedIn finds the first sentence that tells a decision, as a title.
func decidedIn(text string) (string, bool) {
	for _, s := range sentencesOf(text) {
		if strings.HasSuffix(s, "?") {
			continue
		}
		for _, re := range []*lazyregexp.Regexp{weDecided, itWasDecided} {
			m := re.FindStringSubmatch(s)
			switch {
			case m == nil:
			case m[2] == "":
				return statementOf(s), true
			case m[1] != "":
				return "Do not " + statementOf(m[2]), true
			default:
				return capital(statementOf(m[2])), true
			}
		}
	}
	return "", false
}

// personal reports whether a belief is about the reader, or in somebody: no
// hypothesis about the code.
func personal(belief string) bool {
	return secondPerson.MatchString(belief) || strings.HasPrefix(belief, "In ")
}

// sentencesOf are the sentences of a text without marks. What goes on in a small
// letter is the same sentence: "e.g. this".
func sentencesOf(text string) []string {
	var out []string
	for _, s := range importer.Sentences(markup.Plain(text)) {
		r, _ := utf8.DecodeRuneInString(s)
		if n := len(out); n > 0 && unicode.IsLower(r) {
			out[n-1] += " " + s
		} else if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// statementOf is what a text says first, as a title: its first sentence, with
// those after it as long as it is no more than a catchword.
func statementOf(text string) string {
	var title string
	for _, s := range sentencesOf(text) {
		if title = strings.TrimSpace(title + " " + s); wordsOf(title) >= leastWords {
			break
		}
	}
	return strings.TrimRight(title, ". ")
}

// leastWords is what a statement has at least: less is a catchword.
const leastWords = 3

func wordsOf(s string) int {
	n := 0
	for _, w := range strings.Fields(s) {
		if strings.ContainsFunc(w, unicode.IsLetter) {
			n++
		}
	}
	return n
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

var (
	placeholder = lazyregexp.New(`\{[^}]*\}|<[A-Za-z][^>]*>|(?i)^(?:todo|tbd|n/a|none|nothing)\b|\blorem ipsum\b`)
	bareAddress = lazyregexp.New(`^(?i:https?|mailto|file):\S*$`)
)

// states reports whether a title can be a statement: enough words, no question,
// no placeholder, and no introduction to something else.
func states(title string) bool {
	return wordsOf(title) >= leastWords && !strings.HasSuffix(title, ":") && !strings.HasSuffix(title, "?") &&
		!placeholder.MatchString(title) && !bareAddress.MatchString(title)
}
