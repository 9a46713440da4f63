package index

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/records"
)

// A Hit is a record that a search found.
type Hit struct {
	ID    records.ID
	Score float64 // the higher, the better
	// Snippet is one line of the record around the first word found.
	Snippet string
}

// maxTerms bounds a search; SQLite refuses deeper expressions.
const maxTerms = 64

// The rank weighs title, tags, reason and body, in this order.
const selectHits = `SELECT rec, bm25(search, 8.0, 4.0, 2.0, 1.0) AS score FROM search JOIN docs ON doc = search.rowid
	WHERE search MATCH ? ORDER BY score, rec LIMIT ?`

// Search returns the records that have all words of the query, best first, at
// most limit of them; 0 is no bound. Case and diacritics do not matter. "..."
// asks for words in a row, and word* for words that begin so. A query without
// any word finds nothing; one of too many is an error.
func (s *Snap) Search(query string, limit int) ([]Hit, error) {
	terms := parseQuery(query)
	switch {
	case len(terms) == 0:
		return nil, s.Err()
	case len(terms) > maxTerms:
		return nil, fmt.Errorf("search for %d words and phrases: at most %d are possible", len(terms), maxTerms)
	case limit <= 0:
		limit = -1
	}
	hits, err := s.hits(matchExpression(terms), limit)
	if err != nil {
		return nil, err
	}
	for i := range hits {
		if r, ok := s.Record(hits[i].ID); ok {
			hits[i].Snippet = snippet(r, terms)
		}
	}
	return hits, s.Err()
}

func (s *Snap) hits(expression string, limit int) ([]Hit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hits []Hit
	s.query(selectHits, []driver.Value{expression, int64(limit)}, func(row []driver.Value, w *wanted) {
		score, ok := row[1].(float64)
		w.check(ok, row[1])
		hits = append(hits, Hit{ID: w.id(row[0]), Score: -score})
	})
	return hits, s.err
}

// A term is a word or phrase of a query.
type term struct {
	text   string
	prefix bool // its last word may go on
}

// parseQuery splits a query at white space and quotes. Pieces without a letter
// or digit are dropped.
func parseQuery(q string) []term {
	var terms []term
	add := func(s string, prefix bool) {
		if strings.ContainsFunc(s, inWord) {
			terms = append(terms, term{s, prefix})
		}
	}
	q = strings.ReplaceAll(q, "\x00", " ")
	for i, part := range strings.Split(q, `"`) {
		if i%2 == 1 { // between quotes, or after one that nothing closes
			add(part, false)
			continue
		}
		for _, w := range strings.Fields(part) {
			add(w, strings.HasSuffix(w, "*"))
		}
	}
	return terms
}

// inWord tells what SQLite's unicode61 takes for a part of a word.
func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.Co) }

// matchExpression writes terms in FTS5's language. All that users wrote stands
// in string literals, which hold any text.
func matchExpression(terms []term) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + strings.ReplaceAll(t.text, `"`, `""`) + `"`)
		if t.prefix {
			b.WriteString(" *")
		}
	}
	return b.String()
}

// snippetWidth is how many characters a snippet has at most.
const snippetWidth = 120

// snippet cuts the line around the first word of terms out of the record's
// reason or body, else its beginning.
func snippet(r *records.Record, terms []term) string {
	text := textOf(r)
	var words []term
	for _, t := range terms {
		ws := strings.FieldsFunc(strings.ToLower(t.text), func(r rune) bool { return !inWord(r) && !unicode.Is(unicode.M, r) })
		for i, w := range ws {
			words = append(words, term{w, t.prefix && i == len(ws)-1})
		}
	}
	for _, s := range []string{text[3], text[2]} {
		if at := firstMatch(s, words); at >= 0 {
			return window(s, at)
		}
	}
	return window(cmp.Or(text[3], text[2]), 0)
}

// firstMatch returns where the first of words stands in s, -1 for nowhere.
func firstMatch(s string, words []term) int {
	start := -1
	for i, r := range s + " " {
		in := inWord(r) || unicode.Is(unicode.M, r)
		if in && start < 0 {
			start = i
		}
		if in || start < 0 {
			continue
		}
		w := strings.ToLower(s[start:i])
		for _, t := range words {
			if w == t.text || t.prefix && strings.HasPrefix(w, t.text) {
				return start
			}
		}
		start = -1
	}
	return -1
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
