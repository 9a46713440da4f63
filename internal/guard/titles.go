package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// leastWords is how many words of a title must be telling: one alone is in too much code.
const leastWords = 2

// titles looks for what was ruled out and whose title's words are all among the lines that
// the change adds to one file.
func (res *Result) titles(rd *query.Reading, c *codelink.Change) error {
	added := make([]map[string]bool, len(c.Files))
	enough := false
	for i := range c.Files {
		added[i] = wordsOf(c.Files[i].Added...)
		enough = enough || len(added[i]) >= leastWords
	}
	if !enough {
		return nil
	}
	q := index.Query{Kinds: []records.Kind{records.Decision, records.Hypothesis, records.Conclusion}, Classes: []records.Class{records.RuledOut}}
	for row, err := range rd.Rows(rd.Eval, q) {
		if err != nil {
			return err
		}
		words := wordsOf(row.Title)
		if len(words) < leastWords {
			continue
		}
		i := slices.IndexFunc(added, func(in map[string]bool) bool {
			for w := range words {
				if !in[w] {
					return false
				}
			}
			return true
		})
		if i < 0 || slices.ContainsFunc(res.Maybe, func(m Maybe) bool { return m.Record.ID == row.ID }) {
			continue
		}
		if r, ok := rd.Record(row.ID); ok && rd.Standing(row.ID).Class == records.RuledOut {
			names := c.Files[i].Names()
			res.Maybe = append(res.Maybe, Maybe{Listed: query.Listed{Record: r, Standing: rd.Standing(row.ID)}, Title: names[len(names)-1]})
		}
	}
	return nil
}

// wordsOf returns the words of four letters and more, without an ending s, those within a
// name such as retryUploads or retry_uploads too.
func wordsOf(lines ...string) map[string]bool {
	out := make(map[string]bool)
	for _, line := range lines {
		var word []rune
		end := func() {
			w := strings.TrimSuffix(strings.ToLower(string(word)), "s")
			if len([]rune(w)) >= 4 {
				out[w] = true
			}
			word = word[:0]
		}
		for _, r := range line {
			if !unicode.IsLetter(r) || unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]) {
				end()
			}
			if unicode.IsLetter(r) {
				word = append(word, r)
			}
		}
		end()
	}
	return out
}
