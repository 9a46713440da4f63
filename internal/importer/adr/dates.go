package adr

import (
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

const monthName = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?`

// Every written form of a date; what a form does not fix is read by dayOf.
var dateForms = []*lazyregexp.Regexp{
	lazyregexp.New(`\b\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?`),
	lazyregexp.New(`\b\d{4}[/.]\d\d?[/.]\d\d?\b`),
	lazyregexp.New(`\b\d\d?[./]\d\d?[./]\d{4}\b`),
	lazyregexp.New(`(?i)\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?` + monthName + ` \d\d?(?:st|nd|rd|th)?,? \d{4}\b`),
	lazyregexp.New(`(?i)\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?\d\d?(?:st|nd|rd|th)?[ -](?:of )?` + monthName + `,?[ -]\d{4}\b`),
	lazyregexp.New(`(?i)\b` + monthName + `,? \d{4}\b`),
	lazyregexp.New(`\b(?:19|20)\d\d-[01]\d\b`),
	lazyregexp.New(`\b(?:19|20)\d\d[01]\d[0-3]\d\b`),
}

// cutDates puts a marker in place of each date that can be read, and returns the dates.
func cutDates(text string) (string, []time.Time) {
	var found []time.Time
	for _, re := range dateForms {
		text = re.ReplaceAllStringFunc(text, func(m string) string {
			t, ok := dayOf(m)
			if !ok {
				return m
			}
			found = append(found, t)
			return " " + dateMark + " "
		})
	}
	return text, found
}

// dateOf reads the first day or instant of a text that holds nothing else but
// what stands in parentheses or after a comma.
func dateOf(s string) (time.Time, bool) {
	s = strings.Trim(strings.TrimSpace(s), `"'*_~`+"`")
	for _, re := range dateForms {
		if at := re.FindStringIndex(s); at != nil && at[0] == 0 {
			rest := strings.TrimSpace(s[at[1]:])
			if rest == "" || strings.ContainsAny(rest[:1], "(,;-–.") {
				return dayOf(s[:at[1]])
			}
		}
	}
	return time.Time{}, false
}

var (
	ordinal = lazyregexp.New(`(?i)(\d)(?:st|nd|rd|th)\b`)
	weekday = lazyregexp.New(`(?i)^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? `)
)

const layouts = "2006-01-02T15:04:05Z07:00|2006-01-02 15:04:05Z07:00|2006-01-02 15:04:05 Z0700|2006-01-02T15:04:05|2006-01-02 15:04:05|2006-01-02T15:04|2006-01-02 15:04|" +
	"2006-1-2|2006/1/2|2006.1.2|2.1.2006|Jan 2 2006|January 2 2006|2 Jan 2006|2 January 2006|Jan 2006|January 2006|2006-01|20060102"

// dayOf reads one written date. Of 05/06/2026 nobody can tell which is the month.
func dayOf(s string) (time.Time, bool) {
	s = strings.NewReplacer(",", "", " of ", " ").Replace(ordinal.ReplaceAllString(weekday.ReplaceAllString(s, ""), "$1"))
	if strings.ContainsFunc(s, func(r rune) bool { return r >= 'A' && r <= 'z' }) && !strings.Contains(s, "T") {
		s = strings.NewReplacer(".", "", "-", " ", "Sept ", "Sep ", "sept ", "Sep ").Replace(s)
	}
	for layout := range strings.SplitSeq(layouts, "|") {
		if t, err := time.Parse(layout, s); err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			return t.UTC().Truncate(time.Second), true
		}
	}
	if strings.Count(s, "/") == 2 {
		us, usErr := time.Parse("1/2/2006", s)
		eu, euErr := time.Parse("2/1/2006", s)
		switch {
		case usErr == nil && euErr == nil && !us.Equal(eu):
			return time.Time{}, false
		case usErr == nil:
			return us, true
		case euErr == nil:
			return eu, true
		}
	}
	return time.Time{}, false
}
