// Package words is the one rule of what a word is, for search and packet alike.
//
// It owns where words begin and end, how they are folded, the parts of compounds
// and identifiers, stems, and the words that say nothing about a subject. Its
// invariant is that both sides of a comparison are folded alike: a word of a
// record and a word of a question are the same where their stems are equal.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the length in bytes after which the rest of a word is ignored.
const maxWord = 64

// A Word is one word of a text, folded: lower case, without accents.
type Word struct {
	// Folded is only valid until the next word.
	Folded []byte
	// From and To are where it stands in the text.
	From, To int
	// Part is set for a part of the compound that came before: lru and cache of lruCache.
	Part bool
	// Compound is set where such parts follow.
	Compound bool
}

// Each calls f with each word of s, in order, a compound's parts right behind it.
// Letters, digits and marks make a word; a Chinese or Japanese character is one by
// itself. Words of one letter are left out.
func Each(s string, f func(Word)) {
	var buf [maxWord]byte
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && !alphanumeric[c] {
			i++
			continue
		}
		from, ascii, humps := i, true, 0
		for i < len(s) {
			if c := s[i]; c < utf8.RuneSelf {
				if !alphanumeric[c] {
					break
				}
				if i > from && upper(c) && (!upper(s[i-1]) || i+1 < len(s) && lower(s[i+1])) {
					humps++
				}
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				if i == from {
					i += n
					ascii = false
				}
				break
			}
			if !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) {
				if i == from {
					from += n
					i += n
					continue
				}
				break
			}
			ascii = false
			i += n
		}
		if i-from < 2 {
			continue
		}
		w := Word{From: from, To: i, Compound: ascii && humps > 0}
		if w.Folded = fold(&buf, s[from:i], ascii); len(w.Folded) < 2 {
			continue
		}
		f(w)
		if w.Compound {
			eachPart(&buf, s, from, i, f)
		}
	}
}

// eachPart calls f with the parts of a compound whose humps are capitals.
func eachPart(buf *[maxWord]byte, s string, from, to int, f func(Word)) {
	start := from
	for i := from + 1; i <= to; i++ {
		if i < to && !(upper(s[i]) && (!upper(s[i-1]) || i+1 < to && lower(s[i+1]))) {
			continue
		}
		if i-start > 1 {
			f(Word{Folded: fold(buf, s[start:i], true), From: start, To: i, Part: true})
		}
		start = i
	}
}

// alphanumeric tells which ASCII bytes are in words.
var alphanumeric = func() (in [utf8.RuneSelf]bool) {
	for c := range in {
		in[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	return in
}()

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }

// fold writes a word into buf without case and accents, as much as there is room for.
func fold(buf *[maxWord]byte, w string, ascii bool) []byte {
	if ascii {
		n := copy(buf[:], w)
		for i := range n {
			if upper(buf[i]) {
				buf[i] += 'a' - 'A'
			}
		}
		return buf[:n]
	}
	n := 0
	for _, r := range norm.NFD.String(strings.ToLower(w)) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		if n+utf8.UTFMax > maxWord {
			break
		}
		n += utf8.EncodeRune(buf[n:], r)
	}
	return buf[:n]
}

// Stem takes the endings off a folded English word, by Porter's second rule: caches,
// cached and caching become cach. Other words it leaves as they are, mostly.
func Stem(folded string) string {
	for i := range len(folded) {
		if folded[i] >= utf8.RuneSelf {
			return folded
		}
	}
	env := snowballstem.NewEnv(folded)
	english.Stem(env)
	return env.Current()
}

// Stop reports whether a folded word says nothing about a subject.
func Stop(folded string) bool { return strings.Contains(stops, " "+folded+" ") }

// stops are the function words of English, without those that often name a thing in a program.
const stops = " a about again all also am an and any are as at be because been being both but by can cannot could did do does doing each " +
	"for from further had has have having he her here hers him his how i if in into is it its itself just let may me might more most much must my no nor not of on " +
	"once only or other ought our ours out own same shall she should so some such than that the their theirs them then there these they this those " +
	"though although through to too under until up us use used using very was we were what when where which while who whom whose why will with within without would yet you your yours "
