package records

import (
	"slices"
	"strings"
	"unicode"
)

// NearlyAlike is the likeness from which two titles may say the same.
const NearlyAlike = 75

// Likeness says in hundredths how alike two titles are: of the groups of three
// letters in either, the share that is in both (Dice's coefficient over the
// normalised words, each with two blanks before it and one behind). Endings and
// small words so count less than the words themselves. Titles whose words with
// a digit differ are not alike at all: "step 1" and "step 2" are two things.
func Likeness(a, b string) int { return newGrams(a).likeness(newGrams(b)) }

// A grams is a title taken apart for [Likeness]. Both slices are sorted sets.
type grams struct{ threes, numbers []string }

func newGrams(title string) grams {
	var g grams
	for w := range strings.FieldsSeq(Normalize(title)) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			g.numbers = append(g.numbers, w)
		}
		rs := []rune("  " + w + " ")
		for i := range len(rs) - 2 {
			g.threes = append(g.threes, string(rs[i:i+3]))
		}
	}
	for _, set := range []*[]string{&g.threes, &g.numbers} {
		slices.Sort(*set)
		*set = slices.Compact(*set)
	}
	return g
}

func (g grams) likeness(o grams) int {
	if len(g.threes) == 0 || len(o.threes) == 0 || !slices.Equal(g.numbers, o.numbers) {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(g.threes) && j < len(o.threes); {
		switch c := strings.Compare(g.threes[i], o.threes[j]); {
		case c == 0:
			shared, i, j = shared+1, i+1, j+1
		case c < 0:
			i++
		default:
			j++
		}
	}
	return 200 * shared / (len(g.threes) + len(o.threes))
}
