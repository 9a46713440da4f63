package cli

import (
	"slices"
)

// closest is the one of words that differs least from a word, or "" when none is near.
func closest(word string, words []string) string {
	most := 1 // a short word that differs in more is another word
	if len(word) >= 8 {
		most = 2
	}
	best, least := "", most+1
	slices.Sort(words)
	for _, w := range words {
		d := distance(word, w)
		if d < least || d == least && best != "" && sameLetters(word, w) && !sameLetters(word, best) {
			best, least = w, d
		}
	}
	return best
}

// sameLetters reports whether a is b with its letters in another order.
func sameLetters(a, b string) bool {
	x, y := []rune(a), []rune(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// distance counts the insertions, deletions, changes and swaps of neighbours that turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range y {
		d[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			change := 1
			if x[i] == y[j] {
				change = 0
			}
			d[i+1][j+1] = min(d[i][j+1]+1, d[i+1][j]+1, d[i][j]+change)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d[i+1][j+1] = min(d[i+1][j+1], d[i-1][j-1]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}
