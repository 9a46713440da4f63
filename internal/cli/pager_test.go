package cli

import (
	"strings"
	"testing"
)

func TestPager(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		vars     map[string]string
		args     []string
		paged    bool
	}{
		{"on a terminal", true, nil, nil, true},
		{"into a pipe", false, nil, nil, false},
		{"--no-pager", true, nil, []string{"--no-pager"}, false},
		{"GIT_PAGER=cat", true, map[string]string{"GIT_PAGER": "cat"}, nil, false},
		{"JSON", true, nil, []string{"--format=json"}, false},
		{"--porcelain", true, nil, []string{"--porcelain"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.ok("init", "--review", "any")
			s.ok("goal", "add", "Keep p99 under 50 ms")
			s.vars["GIT_PAGER"] = "sed 's/^/paged: /'"
			for k, v := range c.vars {
				s.vars[k] = v
			}
			s.terminal = c.terminal
			out := s.ok(append([]string{"list"}, c.args...)...)
			if !strings.Contains(out, "Keep p99") {
				t.Fatalf("the answer is lost:\n%s", out)
			}
			if got := strings.HasPrefix(out, "paged: "); got != c.paged {
				t.Errorf("paged %v, want %v:\n%s", got, c.paged, out)
			}
		})
	}
}

func TestPagerLeftEarly(t *testing.T) {
	s := newShell(t)
	s.ok("init", "--review", "any")
	s.ok("goal", "add", "Keep p99 under 50 ms", "-b", strings.Repeat(strings.Repeat("x", 99)+"\n", 2000))
	s.terminal, s.vars["GIT_PAGER"] = true, "head -n 1"
	if out := s.ok("show", "@last"); strings.Count(out, "\n") != 0 || !strings.HasPrefix(out, "\x1b[33m") && !strings.HasPrefix(out, "goal ") {
		t.Errorf("got %q", out)
	}
}

func TestColour(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		vars     map[string]string
		config   string
		want     bool
	}{
		{"terminal", true, nil, "", true},
		{"pipe", false, nil, "", false},
		{"pipe, always", false, nil, "always", true},
		{"terminal, never", true, nil, "never", false},
		{"terminal, auto", true, nil, "auto", true},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, "always", false},
		{"dumb terminal", true, map[string]string{"TERM": "dumb"}, "", false},
		{"git's own pager", false, map[string]string{"GIT_PAGER_IN_USE": "true"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.ok("init", "--review", "any")
			s.ok("goal", "add", "Keep p99 under 50 ms")
			if c.config != "" {
				s.repo.Git("config", "color.ui", c.config)
			}
			s.terminal, s.vars["GIT_PAGER"], s.vars["TERM"] = c.terminal, "cat", "xterm"
			for k, v := range c.vars {
				s.vars[k] = v
			}
			if got := strings.Contains(s.ok("list"), "\x1b["); got != c.want {
				t.Errorf("coloured %v, want %v", got, c.want)
			}
		})
	}
}

// TestTextCannotDriveTheTerminal shows a title with a control sequence in
// every answer for a person.
func TestTextCannotDriveTheTerminal(t *testing.T) {
	s := newShell(t)
	s.ok("init", "--review", "any")
	s.ok("goal", "add", "Keep p99\u202e under 50 ms", "-b", "one\x1b[2Jtwo")
	s.ok("commit", "-m", "over\u202ewritten")
	for _, args := range [][]string{{"list"}, {"show", "@last"}, {"status"}, {"log"}, {"log", "--all"}, {"log", "@last"}, {"diff", "HEAD~2", "HEAD"}} {
		out := s.ok(args...)
		if strings.ContainsAny(out, "\u202e\x1b") {
			t.Errorf("git ctx %s:\n%q", strings.Join(args, " "), out)
		}
		if !strings.Contains(out, `\u{202e}`) {
			t.Errorf("git ctx %s does not show what is hidden:\n%q", strings.Join(args, " "), out)
		}
	}
}
