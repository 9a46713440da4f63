package cli

import (
	"fmt"
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

func TestGroupFindings(t *testing.T) {
	var found []audit.Finding
	add := func(rule string, s records.Severity, n int) {
		for i := range n {
			found = append(found, audit.Finding{Rule: rule, Severity: s, Message: fmt.Sprint(rule, i)})
		}
	}
	add("many", records.Info, 500)
	add("few", records.Info, 3)
	add("bad", records.Error, 40)
	add("many", records.Warning, 2)
	for _, tt := range []struct {
		limit int
		want  string
	}{
		{0, "error bad 40+0, warning many 2+0, info many 500+0, info few 3+0, "},
		{100, "error bad 40+0, warning many 2+0, info many 55+445, info few 3+0, "},
		{3, "error bad 1+39, warning many 1+1, info many 1+499, info few 0+3, "},
		{545, "error bad 40+0, warning many 2+0, info many 500+0, info few 3+0, "},
	} {
		got := ""
		for _, g := range groupFindings(found, tt.limit) {
			got += fmt.Sprintf("%s %s %d+%d, ", g.severity, g.rule, len(g.shown), g.more)
		}
		if got != tt.want {
			t.Errorf("limit %d: %s, want %s", tt.limit, got, tt.want)
		}
	}
}
