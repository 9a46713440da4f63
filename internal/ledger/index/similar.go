package index

import (
	"database/sql/driver"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// How far [Snap.Similar] looks.
const (
	rareAt       = 64  // records from which a word is common
	similarLimit = 256 // titles to compare
	similarTerms = 12  // words to look up
)

// Similar returns the records of a kind whose title is nearly the given one, as
// [records.Likeness] has it, among those that share a rare word of it, or, where it has none, all of its words.
// It reads a bounded part of the index, whatever that weighs.
func (s *Snap) Similar(k records.Kind, title string) ([]records.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rare, all []string
	for _, t := range parseQuery(strings.ReplaceAll(records.Normalize(title), `"`, " ")) {
		if len(all) >= similarTerms {
			break
		}
		word := "title : " + matchExpression([]term{{text: t.text}})
		n := 0
		s.query("SELECT rowid FROM search WHERE search MATCH ? LIMIT ?", []driver.Value{word, int64(rareAt)},
			func([]driver.Value, *wanted) { n++ })
		if n > 0 {
			all = append(all, word)
		}
		if n > 0 && n < rareAt {
			rare = append(rare, word)
		}
	}
	expression := strings.Join(rare, " OR ")
	if len(rare) == 0 {
		expression = strings.Join(all, " AND ")
	}
	if expression == "" || s.err != nil {
		return nil, s.err
	}
	var ids []records.ID
	s.query(`SELECT rec, records.title FROM search JOIN docs ON docs.doc = search.rowid JOIN records USING (rec) WHERE search MATCH ? AND rec BETWEEN ? AND ? LIMIT ?`,
		[]driver.Value{expression, kindNumber(k) << randomBits, (kindNumber(k)+1)<<randomBits - 1, int64(similarLimit)},
		func(row []driver.Value, w *wanted) {
			if records.Likeness(title, w.text(row[1])) >= records.NearlyAlike {
				ids = append(ids, w.id(row[0]))
			}
		})
	return ids, s.err
}
