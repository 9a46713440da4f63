package index

import (
	"database/sql/driver"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// How far [Snap.Near] looks.
const (
	commonAt  = 256 // records from which the beginning of a word leads to none
	nearTerms = 24  // words to look up
	nearMost  = 64  // records
)

// Near returns records that claim something and share rare words with a text, best
// first, by how its words begin, and in how many records each of these stands, at most
// a bound. It reads a bounded part of the index.
func (s *Snap) Near(words []string) (ids []records.ID, count map[string]int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count = make(map[string]int)
	var rare []string
	for _, t := range parseQuery(strings.ReplaceAll(strings.Join(words, " "), `"`, " ")) {
		if len(count) >= nearTerms {
			break
		}
		word := matchExpression([]term{{text: t.text, prefix: true}})
		n := 0
		s.query("SELECT rowid FROM search WHERE search MATCH ? LIMIT ?", []driver.Value{word, int64(commonAt)},
			func([]driver.Value, *wanted) { n++ })
		count[t.text] = n
		if n > 0 && n < commonAt {
			rare = append(rare, word)
		}
	}
	if len(rare) == 0 || s.err != nil {
		return nil, count, s.err
	}
	sql := "SELECT docs.rec, " + rank + " FROM search JOIN docs ON docs.doc = search.rowid WHERE search MATCH ? AND ("
	args := []driver.Value{strings.Join(rare, " OR ")}
	for i, k := range records.Hypothesis.SameTextKinds() {
		if i > 0 {
			sql += " OR "
		}
		sql += "docs.rec BETWEEN ? AND ?"
		args = append(args, kindNumber(k)<<randomBits, (kindNumber(k)+1)<<randomBits-1)
	}
	s.query(sql+") ORDER BY score, docs.rec LIMIT ?", append(args, int64(nearMost)),
		func(row []driver.Value, w *wanted) { ids = append(ids, w.id(row[0])) })
	return ids, count, s.err
}
