package adr

import (
	"path"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

// A target is what a text names another decision by.
type target struct {
	ref  string // a file, an address, or what a link's text says
	text string // the link's text, where it has one
}

func (t target) String() string {
	if t.text != "" && strings.Contains(t.ref, "://") {
		return t.text
	}
	return t.ref
}

// Every notation of a link: the pattern, and which of its groups hold the
// target and the text.
var linkForms = []struct {
	re        *lazyregexp.Regexp
	ref, text int
}{
	{lazyregexp.New(`!\[[^\]]*\]\([^)]*\)`), 0, 0}, // an image is not a link
	{lazyregexp.New(`\[([^\[\]]+)\]\(\s*<?([^)\s>]*)>?[^)]*\)`), 2, 1},
	{lazyregexp.New(`\[\[([^\]|]+)(?:\|([^\]]*))?\]\]`), 1, 2},
	{lazyregexp.New(`\[([^\[\]]+)\]\s?\[([^\]]*)\]`), -2, 1}, // by its definition
	{lazyregexp.New("`([^`<]+?)\\s*<([^>`]+)>`__?"), 2, 1},
	{lazyregexp.New("(?::(?:doc|ref):)`([^`<]*?)\\s*<([^>`]+)>`"), 2, 1},
	{lazyregexp.New("(?::(?:doc|ref):)`([^`]+)`"), 1, 0},
	{lazyregexp.New(`(?:xref|link):([^\[\s]+)\[([^\]]*)\]`), 1, 2},
	{lazyregexp.New(`<<([^,>]+)(?:,\s*([^>]*))?>>`), 1, 2},
	{lazyregexp.New(`<(https?://[^>\s]+|[^>\s]+\.(?:md|rst|adoc))>`), 1, 0},
	{lazyregexp.New(`\[([^\[\]]+)\]`), -1, 1}, // a definition's name alone
	{lazyregexp.New("`?([\\w./-]+\\.(?:md|markdown|rst|adoc|asciidoc|txt))\\b`?"), 1, 0},
	{lazyregexp.New(`(https?://\S+)`), 1, 0},
	{lazyregexp.New(`(?i)\b((?:MADR|L?ADR|KEP)[-_ #:]*\d+(?:[-_][\w-]*\w)?)`), 1, 0},
	{lazyregexp.New(`(#\d+)\b`), 1, 0},
}

// spokenLink begins the text of a link that says the relation itself.
var spokenLink = lazyregexp.New(`(?i)^\s*(?:partly |partially )?(?:(?:supers?[ce]+[ds]ed|replaced|amended)(?: by)?|supers?[ce]+[ds]es|replaces|amends|deprecated|accepted|approved|rejected|proposed)\b`)

// A marker stands in a text where a link or a date was: nothing that a file holds.
const (
	linkOpen, linkClose = "\ue000", "\ue001"
	dateMark            = "\ue002"
)

var linkMarker = lazyregexp.New(linkOpen + `(\d+)` + linkClose)

// cutLinks puts a marker in place of each link, and returns the targets by their numbers.
func cutLinks(text string, definitions map[string]string) (string, []target) {
	var found []target
	for _, f := range linkForms {
		text = f.re.ReplaceAllStringFunc(text, func(m string) string {
			if f.ref == 0 {
				return " "
			}
			g := f.re.FindStringSubmatch(m)
			t := target{}
			if f.text > 0 {
				t.text = g[f.text]
			}
			switch {
			case f.ref > 0:
				t.ref = g[f.ref]
			default:
				name := g[-f.ref]
				if name == "" {
					name = g[1]
				}
				href, ok := definitions[strings.ToLower(name)]
				if !ok {
					return m
				}
				t.ref = href
			}
			t.ref, _, _ = strings.Cut(t.ref, "#")
			if strings.HasPrefix(m, "#") {
				t.ref = m
			}
			if t.ref == "" {
				t.ref = t.text
			}
			found = append(found, t)
			mark := " " + linkOpen + strconv.Itoa(len(found)-1) + linkClose + " "
			if said := spokenLink.FindString(t.text); said != "" {
				mark = said + mark
			}
			return mark
		})
	}
	return text, found
}

var (
	fileNumber = lazyregexp.New(`^(?i:m?adr|kep)?[-_ #:]*0*(\d+)(?:[-_ .:]|$)`)
	fileDate   = lazyregexp.New(`^(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?:[-_ .]|$)`)
)

// numberOf returns the number in a file's name, or -1. A date is not a number.
func numberOf(name string) int {
	stem := stemOf(name)
	m := fileNumber.FindStringSubmatch(stem)
	if m == nil || fileDate.MatchString(stem) {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// slugOf is a file's name without number and extension.
func slugOf(name string) string {
	stem := stemOf(name)
	if fileDate.MatchString(stem) {
		return strings.ToLower(strings.TrimLeft(stem[len(fileDate.FindString(stem)):], "-_ ."))
	}
	if m := fileNumber.FindStringIndex(stem); m != nil {
		stem = stem[m[1]:]
	}
	return strings.ToLower(strings.Trim(stem, "-_ ."))
}

// stemOf is the name without the extension of a text, if it has one.
func stemOf(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".md", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt":
		return name[:len(name)-len(ext)]
	}
	return name
}
