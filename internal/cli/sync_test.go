package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSyncJSONNames fixes the names that programs may rely on.
func TestSyncJSONNames(t *testing.T) {
	s := newShell(t)
	hub := filepath.Join(filepath.Dir(s.repo.Main), "hub.git")
	s.repo.Git("init", "--quiet", "--bare", hub)
	s.repo.Git("remote", "add", "origin", hub)
	s.ok("init", "--review", "any")
	s.ok("hyp", "add", "The disk is slow")
	s.ok("sync")
	// Another clone's commit, and one of ours beside it: fetched, merged, pushed.
	theirs := s.repo.Git("rev-parse", "refs/ctx/heads/main")
	s.ok("branch", "ours", "main~1")
	s.ok("switch", "ours")
	s.ok("hyp", "add", "The network is slow")
	s.repo.Git("update-ref", "refs/ctx/heads/main", "refs/ctx/heads/ours")
	s.repo.Git("update-ref", "-d", "refs/ctx/remotes/origin/main", theirs)
	s.ok("switch", "main")

	move := "ref old new commits"
	merged := "commit up_to_date fast_forward refused changed disputed contradictions dropped secrets"
	want := strings.Fields("format remote attempts notes set_aside fetched " + under("fetched[]", move) + " branches " + under("branches[]", "ref from created "+merged) +
		" pushed " + under("pushed[]", move+" status") + " claims " + under("claims", "taken ended sent returned lost"))
	slices.Sort(want)
	if got := keys(s.answer("sync")); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if v := s.answer("sync"); v["attempts"] != 0.0 || len(v["fetched"].([]any)) != 0 {
		t.Errorf("with nothing new: %v", v)
	}

	s.repo.GitIn(hub, "config", "receive.hideRefs", "refs/ctx")
	s.ok("hyp", "add", "The cache is cold")
	out, errOut, status := s.run("push", "--format=json")
	if status != statusNo || !strings.Contains(out, `"status": "refused"`) || !strings.Contains(errOut, "refs/ctx/heads/main") {
		t.Errorf("a refused push: status %d\n%s%s", status, out, errOut)
	}
	s.repo.Git("remote", "set-url", "origin", "/nowhere")
	out, _, status = s.run("push", "--format=json")
	if status != statusFatal || !strings.Contains(out, `"error": "push to 'origin'`) {
		t.Errorf("a push to nowhere: status %d\n%s", status, out)
	}
}

// A remote's words reach the terminal without what could drive it.
func TestProgressIsHarmless(t *testing.T) {
	var out bytes.Buffer
	in := "remote: \x1b]0;title\x07 50%\r\u009b2Jdone\n"
	n, err := (&progress{&out}).Write([]byte(in))
	if want := "remote: ?]0;title? 50%\r??2Jdone\n"; err != nil || n != len(in) || out.String() != want {
		t.Errorf("%d, %v: %q, want %q", n, err, out.String(), want)
	}
}
