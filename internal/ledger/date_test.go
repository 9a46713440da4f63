package ledger

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 12, 31, 5, time.UTC)
	for s, want := range map[string]string{
		"2026-11-29": "2026-11-29T00:00:00Z", "2026-11-29T12:00:00+01:00": "2026-11-29T11:00:00Z",
		"now": "2026-11-30T10:12:31Z", "today": "2026-11-30T00:00:00Z", "yesterday": "2026-11-29T10:12:31Z",
		"2 days ago": "2026-11-28T10:12:31Z", "1.week.ago": "2026-11-23T10:12:31Z", "90m": "2026-11-30T08:42:31Z",
		"3d": "2026-11-27T10:12:31Z", "30s": "2026-11-30T10:12:01Z", "1 month ago": "2026-10-30T10:12:31Z",
	} {
		got, err := ParseDate(s, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v; want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "tomorrowish", "main", "3", "3 blinks ago", "-2d", "deadbeef", "12345678", "2026-13-01"} {
		if got, err := ParseDate(s, now); err == nil {
			t.Errorf("%q was read as %v", s, got)
		}
	}
}
