package records

import "unicode"

// Blank reports whether nothing of s can be seen: it is empty, or holds only
// spaces, controls, marks, and characters that take room and show nothing.
func Blank(s string) bool {
	for _, r := range s {
		if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unseen(r) {
			return false
		}
	}
	return true
}

// unseen tells the letters and symbols that are drawn as nothing: the fillers
// of Hangul and the empty pattern of Braille.
func unseen(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800:
		return true
	}
	return false
}
