package index

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/git-ctx/git-ctx/records"
)

// snippetWidth is how many characters a snippet has at most.
const snippetWidth = 120

// A Snippet is one line of a record that shows what a search found in it.
type Snippet struct {
	Text string
	// Marks are where words and phrases of the query stand in Text: first byte
	// and the one behind the last, in order, apart from one another.
	Marks [][2]int
}

// SnippetOf cuts the line around the first match of a query out of the record's
// body or reason, else its beginning.
func SnippetOf(r *records.Record, query string) Snippet {
	var phrases []phrase
	for _, t := range parseQuery(query) {
		p := phrase{prefix: t.prefix}
		for _, w := range wordsOf(t.text) {
			p.words = append(p.words, w.folded)
		}
		phrases = append(phrases, p)
	}
	text := textOf(r)
	for _, s := range []string{text[3], text[2]} {
		if marks := matches(s, phrases); len(marks) > 0 {
			cut := window(s, marks[0][0])
			return Snippet{cut, matches(cut, phrases)}
		}
	}
	return Snippet{Text: window(cmp.Or(text[3], text[2]), 0)}
}

// A phrase is the folded words of a term.
type phrase struct {
	words  []string
	prefix bool
}

// at reports whether the phrase stands at the beginning of ws.
func (p phrase) at(ws []word) bool {
	if len(p.words) == 0 || len(ws) < len(p.words) {
		return false
	}
	for i, w := range p.words {
		last := i == len(p.words)-1
		if ws[i].folded != w && !(last && p.prefix && strings.HasPrefix(ws[i].folded, w)) {
			return false
		}
	}
	return true
}

// matches returns where phrases stand in s, in order, apart from one another.
func matches(s string, phrases []phrase) [][2]int {
	var marks [][2]int
	ws := wordsOf(s)
	for i := range ws {
		for _, p := range phrases {
			if !p.at(ws[i:]) {
				continue
			}
			m := [2]int{ws[i].from, ws[i+len(p.words)-1].to}
			if last := len(marks) - 1; last >= 0 && m[0] < marks[last][1] {
				marks[last][1] = max(marks[last][1], m[1])
			} else {
				marks = append(marks, m)
			}
		}
	}
	return marks
}

// A word is one as the text index sees it, and its place in the text.
type word struct {
	folded   string
	from, to int
}

func wordsOf(s string) []word {
	var ws []word
	start := -1
	end := func(i int) {
		if start >= 0 {
			ws = append(ws, word{fold(s[start:i]), start, i})
		}
		start = -1
	}
	for i, r := range s {
		switch in := inWord(r) || unicode.Is(unicode.M, r); {
		case !in:
			end(i)
		case start < 0:
			start = i
		}
	}
	end(len(s))
	return ws
}

// fold takes case and diacritics off a word.
func fold(w string) string {
	w = strings.ToLower(w)
	if !strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return w
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(w))
}

// window returns up to snippetWidth characters of the line of s that holds
// offset at, cut between words where there are any, with an ellipsis where the
// line goes on.
func window(s string, at int) string {
	from := strings.LastIndexByte(s[:at], '\n') + 1
	line, _, _ := strings.Cut(s[from:], "\n")
	at -= from
	before, after := "", ""
	if utf8.RuneCountInString(line[:at]) > snippetWidth/3 {
		cut := at
		for range snippetWidth / 3 {
			_, n := utf8.DecodeLastRuneInString(line[:cut])
			cut -= n
		}
		if i := strings.IndexByte(line[cut:at], ' '); i >= 0 {
			cut += i
		}
		before, line = "... ", line[cut:]
	}
	if rs := []rune(line); len(rs) > snippetWidth {
		line, after = string(rs[:snippetWidth]), " ..."
		if i := strings.LastIndexByte(line, ' '); i > len(line)/2 {
			line = line[:i]
		}
	}
	return before + strings.TrimSpace(line) + after
}
