package index

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"unicode"
)

// A Hit is a record that a search found.
type Hit struct {
	Row
	Score float64 // the higher, the better
}

// maxTerms bounds a search; SQLite refuses deeper expressions.
const maxTerms = 64

// A LongQueryError refuses a search for too many words.
type LongQueryError struct{ Words, Most int }

func (e *LongQueryError) Error() string {
	return fmt.Sprintf("search for %d words and phrases: at most %d are possible", e.Words, e.Most)
}

// The rank weighs title, tags, reason and body, in this order.
const (
	rank = "bm25(search, 8.0, 4.0, 2.0, 1.0) AS score"
	// selectRelated needs no row: it is asked for a pool of many records.
	selectRelated = "SELECT docs.rec, " + rank + " FROM search JOIN docs ON docs.doc = search.rowid WHERE search MATCH ? ORDER BY score, docs.rec LIMIT ?"
	selectHits    = "SELECT " + rowColumns + ", " + rank + " FROM search JOIN docs ON docs.doc = search.rowid JOIN records ON records.rec = docs.rec WHERE search MATCH ?"
	scoreColumn   = 10 // of selectHits
)

// Search returns the records that have all words of the text and that q
// selects, best first, whatever q's order. Case and diacritics do not matter.
// "..." asks for words in a row, and word* for words that begin so. A text
// without any word finds nothing; one of too many is a [*LongQueryError].
func (s *Snap) Search(text string, q Query) ([]Hit, error) {
	terms := parseQuery(text)
	switch {
	case len(terms) == 0:
		return nil, s.Err()
	case len(terms) > maxTerms:
		return nil, &LongQueryError{len(terms), maxTerms}
	case q.Limit <= 0:
		q.Limit = -1
	}
	q.Order = ByID
	where, args := q.where()
	sql := strings.Join(append([]string{selectHits}, where...), " AND ") + " ORDER BY score, records.rec LIMIT ?"
	args = append(append([]driver.Value{matchExpression(terms)}, args...), int64(q.Limit))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	var hits []Hit
	s.err = s.c.queryOnce(sql, args, func(row []driver.Value) error {
		var w wanted
		score, ok := row[scoreColumn].(float64)
		w.check(ok, row[scoreColumn])
		hits = append(hits, Hit{Row: w.row(row), Score: -score})
		return w.err
	})
	return hits, s.err
}

// HasWords reports whether a text has any word to search for.
func HasWords(text string) bool { return len(parseQuery(text)) > 0 }

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
