package records

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseFraction reads a number from 0 to 1 with at most two decimals, such as 0.7.
func ParseFraction(s string) (Fraction, error) {
	bad := fmt.Errorf("'%s' is not a number from 0 to 1 with at most two decimals", s)
	whole, decimals, _ := strings.Cut(s, ".")
	if len(whole) != 1 || len(decimals) > 2 || strings.HasSuffix(s, ".") {
		return 0, bad
	}
	n, err := strconv.ParseUint(whole+(decimals + "00")[:2], 10, 16)
	if err != nil || n > 100 {
		return 0, bad
	}
	return Fraction(n), nil
}

// String returns the shortest spelling: 0, 0.7, 0.75, 1.
func (f Fraction) String() string {
	s := strconv.Itoa(int(f) / 100)
	if c := int(f) % 100; c != 0 {
		s += strings.TrimSuffix(fmt.Sprintf(".%02d", c), "0")
	}
	return s
}

// MarshalJSON writes the fraction as a JSON number.
func (f Fraction) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

const instantLayout = "2006-01-02T15:04:05Z"

// ParseInstant reads an instant in whole seconds, with Z or an offset from UTC,
// or a bare date, which is midnight UTC. The result is in UTC.
func ParseInstant(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		t = t.UTC()
		if t.Nanosecond() != 0 || t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
			break
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("'%s' is not an instant in whole seconds like 2026-11-30T09:00:00Z or a date", s)
}

// FormatInstant writes an instant the way records hold it: UTC, whole seconds, Z.
func FormatInstant(t time.Time) string {
	return t.UTC().Format(time.RFC3339) // instantLayout for UTC, and the one layout that package time has fast code for
}
