package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestClaimAndDoctorJSONNames fixes the names that programs may rely on.
func TestClaimAndDoctorJSONNames(t *testing.T) {
	s := newShell(t)
	s.ok("init", "--review", "any")
	task := s.ok("task", "add", "Find the spikes")
	claim := "task actor holder session since expires live mine commit"
	took := "format claimed renewed commit state title notes claim " + under("claim", claim)
	for _, c := range []struct{ args, want string }{
		{"next --claim", took},
		{"claim " + task, strings.Replace(took, " commit", "", 1)}, // started already: no commit
		{"claim", "format claims " + under("claims[]", claim)},
		{"claim --release " + task, "format released claim " + under("claim", claim)},
		{"claim --release " + task, "format released"},
		{"claim", "format claims"},
		{"doctor", "format counts counts.ok counts.warn counts.fail checks " + under("checks[]", "id what result detail")},
	} {
		want := strings.Fields(c.want)
		slices.Sort(want)
		if got := keys(s.answer(strings.Fields(c.args)...)); !slices.Equal(got, want) {
			t.Errorf("git ctx %s:\n got %s\nwant %s", c.args, got, want)
		}
	}
	var ids []string
	for _, c := range s.answer("doctor")["checks"].([]any) {
		ids = append(ids, c.(map[string]any)["id"].(string))
	}
	want := "git repository store objects policy branch index locks leftovers merge-driver hooks remotes claims sessions"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("checks:\n got %s\nwant %s", got, want)
	}
}
