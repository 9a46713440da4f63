// Package secrets finds passwords, tokens and keys in text, by the rules of
// gitleaks (https://github.com/gitleaks/gitleaks), of which it holds a copy, and a
// few of its own.
//
// It owns the rules and the way they are applied. It is pure. Its invariant is
// that it hands out where a secret stands, never what it is: no value of it
// holds one, so that none can be printed.
package secrets

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A rule is text that holds one of the keywords, in any
// case, and that the expression matches, holds a secret if that is random enough
// and nothing allows it.
type rule struct {
	id       string
	keywords []string // lower case
	// word and token are how many characters of a [Word] and of a [Token] in
	// sequence the expression needs to match: worked out from it.
	word, token int
	regex       string
	group       int     // of the expression, that is the secret; 0 is the first that matched
	entropy     float64 // bits a character that the secret must exceed, 0 for none
	allowed     []allowlist
}

// An allowlist tells what looks like a secret and is none.
type allowlist struct {
	target  string   // what the expressions look at: "match", "line", or "" for the secret
	all     bool     // both lists must match, not one of them
	regexes []string // of the target
	words   []string // in the secret, lower case
}

// A Finding tells where a secret stands in a text, and by which rule.
type Finding struct {
	Rule       string
	Start, End int // in bytes
}

// A Detector finds secrets. It compiles what it needs when it first needs it. It
// is safe for concurrent use.
type Detector struct {
	keywords *matcher
	rules    [ruleCount]compiled
	allowed  []func() *regexp.Regexp // of the lists for every rule
	recordID func() *regexp.Regexp
}

// compiled holds a rule's expressions, each compiled at its first use.
type compiled struct {
	regex   func() *regexp.Regexp
	allowed []func() *regexp.Regexp // one for each allowlist of the rule
}

// New returns a detector with every rule.
func New() *Detector {
	d := &Detector{allowed: lazyAllowed(everywhere), recordID: lazy(recordID)}
	var words []keyword
	for i := range ruleCount {
		r := ruleAt(i)
		d.rules[i] = compiled{regex: lazy(r.regex), allowed: lazyAllowed(r.allowed)}
		for _, w := range r.keywords {
			words = append(words, keyword{w, i})
		}
	}
	d.keywords = newMatcher(words)
	return d
}

func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func lazyAllowed(lists []allowlist) []func() *regexp.Regexp {
	var out []func() *regexp.Regexp
	for _, a := range lists {
		out = append(out, lazy("(?:"+strings.Join(a.regexes, ")|(?:")+")"))
	}
	return out
}

// Known reports whether there is a rule of that name.
func Known(id string) bool {
	_, ok := slices.BinarySearchFunc(rules[:], id, func(r rule, id string) int { return strings.Compare(r.id, id) })
	return ok || slices.ContainsFunc(ownRules[:], func(r rule) bool { return r.id == id })
}

// Find returns the secrets in a text, by rule and place. What a rule for anything that
// is named like a secret finds is left out where a rule for one kind of it finds the same,
// and what a rule of ours finds where one of gitleaks' does. An id of a record is none.
func (d *Detector) Find(text string) []Finding {
	seen, at := plain(text)
	found := d.findIn(seen)
	if at == nil {
		return found
	}
	for i, f := range found {
		found[i].Start, found[i].End = at[f.Start], at[f.End]
	}
	// Taking characters out may also hide what is found with them.
	for _, f := range d.findIn(text) {
		if !slices.ContainsFunc(found, func(o Finding) bool { return f.Start < o.End && o.Start < f.End }) {
			found = append(found, f)
		}
	}
	return found
}

func (d *Detector) findIn(text string) []Finding {
	candidates := d.keywords.rules(text)
	if candidates.empty() {
		return nil
	}
	var found []Finding
	word, token := longestRuns(text)
	for i := range candidates.all() {
		if r := ruleAt(i); word >= r.word && token >= r.token && (r.id != genericRule || assigns(text, r.keywords)) {
			found = d.apply(i, text, found)
		}
	}
	return slices.DeleteFunc(found, func(f Finding) bool {
		if d.recordID().MatchString(text[f.Start:f.End]) {
			return true
		}
		if own(f) {
			return slices.ContainsFunc(found, func(o Finding) bool { return !own(o) && f.Start < o.End && o.Start < f.End })
		}
		return generic(f) && slices.ContainsFunc(found, func(o Finding) bool {
			return !generic(o) && !own(o) && strings.Contains(text[o.Start:o.End], text[f.Start:f.End])
		})
	})
}

// Redact returns the text with "[secret]" in the place of each that is found.
func (d *Detector) Redact(text string) string {
	var b strings.Builder
	end := 0
	found := d.Find(text)
	slices.SortFunc(found, func(a, b Finding) int { return a.Start - b.Start })
	for _, f := range found {
		if f.Start >= end {
			b.WriteString(text[end:f.Start] + "[secret]")
		}
		end = max(end, f.End)
	}
	return b.String() + text[end:]
}

// recordID matches ids of records, with what stands between two.
const recordID = `^(?:[\s,;.:=-]*\b(?:goal|task|hyp|ev|dec|con|rb|trg)-[0-9a-hjkmnp-tv-z]{4,10}\b[.=-]*)+$`

// own reports whether a rule of ours, and not of gitleaks', found it.
func own(f Finding) bool {
	return slices.ContainsFunc(ownRules[:], func(r rule) bool { return r.id == f.Rule })
}

func generic(f Finding) bool { return f.Rule == genericRule }

// apply appends what one rule finds in the text.
func (d *Detector) apply(i int, text string, found []Finding) []Finding {
	r, c := ruleAt(i), &d.rules[i]
	re := c.regex()
	for _, at := range re.FindAllStringIndex(text, -1) {
		m := match{text: text, start: at[0], end: at[1]}
		m.trim()
		m.pick(re, r.group)
		if r.entropy != 0 && entropy(m.secret()) <= r.entropy {
			continue
		}
		if m.allowed(everywhere, d.allowed) || m.allowed(r.allowed, c.allowed) {
			continue
		}
		found = append(found, Finding{r.id, m.from, m.to})
	}
	return found
}

// A match is where a rule's expression matched, and the secret within it.
type match struct {
	text       string
	start, end int
	from, to   int
}

func (m *match) secret() string { return m.text[m.from:m.to] }

// trim leaves out line ends at either side.
func (m *match) trim() {
	for m.start < m.end && m.text[m.start] == '\n' {
		m.start++
	}
	for m.start < m.end && m.text[m.end-1] == '\n' {
		m.end--
	}
}

// pick finds the secret: the group asked for, else the first that is not empty,
// else the whole match.
func (m *match) pick(re *regexp.Regexp, group int) {
	m.from, m.to = m.start, m.end
	groups := re.FindStringSubmatchIndex(m.text[m.start:m.end])
	first, last := 1, len(groups)/2-1
	if group > 0 {
		first, last = group, min(group, last)
	}
	for g := first; g <= last; g++ {
		if from, to := groups[2*g], groups[2*g+1]; to > from || group > 0 && from >= 0 {
			m.from, m.to = m.start+from, m.start+to
			return
		}
	}
}

// line is the lines of the text that the match stands in.
func (m *match) line() string {
	from := strings.LastIndexByte(m.text[:m.start], '\n') + 1
	to := len(m.text)
	if i := strings.IndexByte(m.text[m.end:], '\n'); i >= 0 {
		to = m.end + i
	}
	return m.text[from:to]
}

func (m *match) allowed(lists []allowlist, compiled []func() *regexp.Regexp) bool {
	for i := range lists {
		a := &lists[i]
		target := m.secret()
		switch a.target {
		case "match":
			target = m.text[m.start:m.end]
		case "line":
			target = m.line()
		}
		byRegex := len(a.regexes) > 0 && target != "" && compiled[i]().MatchString(target)
		byWord := len(a.words) > 0 && holdsWord(strings.ToLower(m.secret()), a.words)
		switch {
		case a.all && (byRegex || len(a.regexes) == 0) && (byWord || len(a.words) == 0):
			return true
		case !a.all && (byRegex || byWord):
			return true
		}
	}
	return false
}

func holdsWord(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// entropy is Shannon's, in bits, weighed by bytes as gitleaks does.
func entropy(s string) float64 {
	counts := make(map[rune]int)
	for _, c := range s {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		bits -= p * math.Log2(p)
	}
	return bits
}
