package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// section is a section of a packet in markdown, "" when it has none.
func section(packet, title string) string {
	_, after, found := strings.Cut(packet, "\n## "+title)
	if !found {
		return ""
	}
	body, _, _ := strings.Cut(after, "\n## ")
	body, _, _ = strings.Cut(body, "\n---\n")
	return body
}

// The story ends in a packet that asserts only what holds.
func TestDemo(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	began := time.Now()
	got := callIn(t, "", nil, "demo")
	if took := time.Since(began); got.status != statusYes || took > 10*time.Second {
		t.Fatalf("status %d after %s:\n%s%s", got.status, took, got.out, got.talk)
	}
	told, packet, found := strings.Cut(got.out, "$ git ctx packet\n")
	if !found {
		t.Fatalf("no packet:\n%s", got.out)
	}
	const (
		refuted    = "Cache stampedes cause the p99 spikes"
		supported  = "The payment client retries without waiting"
		disputed   = "The connection pool is too small"
		accepted   = "Retry payments with exponential backoff, three times at most"
		superseded = "Retry payments twice at once"
		rejected   = "Put checkout behind a queue"
	)
	for _, title := range []string{refuted, supported, disputed, accepted, superseded, rejected} {
		if !strings.Contains(told, title) {
			t.Errorf("the story never records %q", title)
		}
	}
	for title, where := range map[string]string{
		refuted: "Ruled out", rejected: "Ruled out", supported: "Supported", accepted: "Decisions in force", disputed: "In doubt",
	} {
		if n := strings.Count(packet, title); n != 1 || !strings.Contains(section(packet, where), title) {
			t.Errorf("%q stands %d times, and not once under %q:\n%s", title, n, where, packet)
		}
	}
	if strings.Contains(packet, superseded) {
		t.Errorf("the superseded decision is in the packet:\n%s", packet)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}

// With --keep the repository stays, sound, and only git ctx's refs were added to it.
func TestDemoKeep(t *testing.T) {
	home := t.TempDir()
	env := gittest.Env(home)
	got := callIn(t, home, env, "demo", "--keep", "shop")
	if got.status != statusYes {
		t.Fatalf("status %d: %s", got.status, got.talk)
	}
	again := callIn(t, home, env, "demo", "--keep", "shop")
	if again.status != statusUsage || again.out != "" {
		t.Errorf("a folder that exists is used: %+v", again)
	}
	packet := callIn(t, filepath.Join(home, "shop"), env, "packet")
	if packet.status != statusYes || section(packet.out, "Ruled out") == "" {
		t.Errorf("packet of what is kept: %+v", packet)
	}
	if !regexp.MustCompile(`(?m)^\$ CTX_AGENT=grace-agent git ctx support hyp-\w+ --evidence '`).MatchString(got.out) {
		t.Errorf("it does not show who runs what:\n%s", got.out)
	}
}
