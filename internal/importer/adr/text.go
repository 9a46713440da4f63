package adr

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

var listItem = lazyregexp.New(`^ {0,1}(?:[*+-]|\d+[.)])[ \t]+(\S.*)$`)

// optionsOf reads a flat list; nil when the lines hold anything else.
func optionsOf(lines []string) []string {
	var out []string
	for _, l := range lines {
		m := listItem.FindStringSubmatch(l)
		switch {
		case strings.TrimSpace(l) == "":
		case m != nil:
			out = append(out, importer.OneLine(m[1]))
		default:
			return nil
		}
	}
	return out
}

// questionOf returns the one sentence of the lines that asks, or "" when none or
// several do: of several it would be a guess which one the decision answers.
func questionOf(lines []string) string {
	var asked []string
	var sc markup.Scanner
	var para []string
	flush := func() {
		for _, s := range importer.Sentences(strings.Join(para, " ")) {
			if strings.HasSuffix(s, "?") {
				asked = append(asked, s)
			}
		}
		para = nil
	}
	for _, l := range lines {
		text := strings.TrimSpace(l)
		if !sc.Prose(l) || text == "" || strings.HasPrefix(text, "#") {
			flush()
			continue
		}
		if m := listItem.FindStringSubmatch(text); m != nil {
			flush()
			text = m[1]
		}
		para = append(para, text)
	}
	flush()
	if len(asked) != 1 || len(asked[0]) > importer.TitleLimit {
		return ""
	}
	if r, _ := utf8.DecodeRuneInString(asked[0]); unicode.IsLower(r) {
		return "" // a sentence cut at "e.g." starts small
	}
	return asked[0]
}

var titleNumber = lazyregexp.New(`^\[?(?i:(m?adr|kep|decision|architecture decision record|adr number)[-_ #:]*)?(\d+)\]?\s*([.:)]|[-\x{2013}\x{2014}])?\s+`)

// stripNumber takes the file's number off the title, where it reads as one.
func stripNumber(title string, number int) string {
	m := titleNumber.FindStringSubmatch(title)
	if m == nil {
		return title
	}
	marked := m[1] != "" || m[3] != "" || len(m[2]) > 1 && m[2][0] == '0'
	n, err := strconv.Atoi(m[2])
	if rest := strings.TrimSpace(title[len(m[0]):]); err == nil && n == number && marked && !records.Blank(rest) {
		return rest
	}
	return title // "2 phase commit" is not a numbering
}
