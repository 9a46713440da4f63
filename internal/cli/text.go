package cli

import (
	"strings"
)

// errorBytes bounds a line of an error or hint, of which the end says why.
const errorBytes = 4096

// cutLine takes the middle out of a line that is too long: what was given as an
// argument may be a whole file.
func cutLine(s string) string {
	if len(s) <= errorBytes {
		return s
	}
	head, tail := s[:errorBytes*3/4], s[len(s)-errorBytes/4:]
	return strings.ToValidUTF8(head, "") + "[...]" + strings.ToValidUTF8(tail, "")
}

// indent sets every line of s in by prefix.
func indent(s, prefix string) string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return ""
	}
	return prefix + strings.ReplaceAll(s, "\n", "\n"+prefix) + "\n"
}
