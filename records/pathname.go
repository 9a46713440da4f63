package records

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// formatPath spells the name of a file as a text of the record. The name of a file is
// bytes: where these are not one line of text in Unicode form C, the spelling is git's own for odd
// names, in double quotes and with octal escapes, so that the text gives the bytes back.
func formatPath(name string) string {
	if utf8.ValidString(name) && nfc(name) == name && !strings.HasPrefix(name, `"`) && !strings.ContainsFunc(name, breaksLine) {
		return name
	}
	b := []byte{'"'}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"', c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c >= 0x7f:
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// parsePath is the name of a file that [formatPath] spelled. A text that is no such
// spelling is the name as it stands.
func parsePath(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	// Octal escapes are bytes in Go's quoted strings too.
	if name, err := strconv.Unquote(text); err == nil && formatPath(name) == text {
		return name
	}
	return text
}

// putPath writes the name of a file.
func putPath(e sink, name, path string) { putText(e, name, formatPath(path)) }

// PathKey is the same for names that are the same but for the Unicode form of their
// characters, which some file systems change, as records once did.
func PathKey(path string) string { return nfc(path) }
