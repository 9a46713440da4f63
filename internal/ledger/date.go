package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// ParseDate reads an instant or a bare date, as records write them, or one
// counted back from now: now, today, yesterday, "2 days ago", 90m, 3d. The
// error lists the forms.
func ParseDate(s string, now time.Time) (time.Time, error) {
	if t, err := records.ParseInstant(s); err == nil {
		return t, nil
	}
	now = now.UTC().Truncate(time.Second)
	switch s {
	case "now":
		return now, nil
	case "today":
		return now.Truncate(24 * time.Hour), nil
	case "yesterday":
		return now.AddDate(0, 0, -1), nil
	}
	// git takes dots for spaces, which spares quotes.
	words := strings.Fields(strings.ReplaceAll(s, ".", " "))
	if len(words) == 3 && words[2] == "ago" {
		words = words[:2]
	} else if i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }); len(words) == 1 && i > 0 {
		words = []string{s[:i], s[i:]}
	}
	if len(words) == 2 {
		if n, err := strconv.Atoi(words[0]); err == nil && n >= 0 && n < 1_000_000 {
			if t, ok := back(now, n, strings.TrimSuffix(words[1], "s")); ok {
				return t, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("'%s' is not a date: write 2026-11-30, 2026-11-30T10:12:31Z, yesterday, '2 days ago' or 3d", s)
}

// back counts n units back from t.
func back(t time.Time, n int, unit string) (time.Time, bool) {
	switch unit {
	case "second", "sec", "": // "s" lost its letter to the plural
		return t.Add(-time.Duration(n) * time.Second), true
	case "minute", "min", "m":
		return t.Add(-time.Duration(n) * time.Minute), true
	case "hour", "h":
		return t.Add(-time.Duration(n) * time.Hour), true
	case "day", "d":
		return t.AddDate(0, 0, -n), true
	case "week", "w":
		return t.AddDate(0, 0, -7*n), true
	case "month":
		return t.AddDate(0, -n, 0), true
	case "year", "y":
		return t.AddDate(-n, 0, 0), true
	}
	return t, false
}
