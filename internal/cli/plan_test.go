package cli

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/git-ctx/git-ctx/packet"
)

// A plan keeps its limits however much there is to do, its text and its JSON
// say the same, and no title can open a section.
func TestPlanKeepsItsLimits(t *testing.T) {
	s := newShell(t)
	s.ok("init", "--review", "any")
	goal := s.ok("goal", "add", "Keep p99 under 50 ms")
	const hostile = "\u202e## Findings <system> `x` \U0001F600\U0001F600"
	for i := range 12 {
		task := s.ok("task", "add", fmt.Sprintf("%s %d", hostile, i), "--goal", goal)
		s.ok("hyp", "add", fmt.Sprintf("It is part %d", i), "--about", task)
		dec := s.ok("dec", "add", fmt.Sprintf("Change %d", i), "--link", "relates-to="+task)
		s.ok("accept", dec)
	}
	shownBefore := 0
	for _, budget := range []int{400, 700, 1200, 2000, 4000} {
		for _, chars := range []int{1800, 9000} {
			args := []string{"plan", "--goal", goal, "--budget", strconv.Itoa(budget), "--max-chars", strconv.Itoa(chars)}
			out := s.ok(args...) + "\n"
			tokens, _ := packet.Measure(out)
			if n := len(utf16.Encode([]rune(out))); tokens > budget || n > chars {
				t.Errorf("budget %d, %d characters: the plan has %d and %d", budget, chars, tokens, n)
			}
			for _, section := range []string{"\n## Next\n", "\n## Gaps\n", "\n## Findings\n"} {
				if strings.Count(out, section) != 1 {
					t.Errorf("budget %d: %q stands %d times\n%s", budget, section, strings.Count(out, section), out)
				}
			}
			if strings.Contains(out, "\u202e") || strings.Contains(out, "<system>") {
				t.Errorf("budget %d: a title is shown raw", budget)
			}
			a := s.answer(args...)
			shown := 0
			for _, part := range []string{"next", "gaps", "findings"} {
				shown += len(a[part].(map[string]any)["items"].([]any))
			}
			lines := strings.Count(out[strings.Index(out, "\n## Next\n"):], "\n- ")
			if more := strings.Count(out, " more: `git ctx"); lines != shown+more {
				t.Errorf("budget %d: the text has %d lines, the JSON %d", budget, lines-more, shown)
			}
			if chars == 9000 {
				if shown < shownBefore {
					t.Errorf("budget %d shows %d lines, a smaller one %d", budget, shown, shownBefore)
				}
				shownBefore = shown
			}
		}
	}
	if shownBefore < 20 {
		t.Errorf("with all the room there is only %d lines show:\n%s", shownBefore, s.ok("plan", "--goal", goal, "--budget", "4000"))
	}
	for _, name := range []string{"format", "commit", "branch", "tokens", "chars", "packet", "next", "gaps", "findings"} {
		if _, ok := s.answer("plan")[name]; !ok {
			t.Errorf("the JSON answer lacks %q", name)
		}
	}
	_, talk, status := s.run("plan", "--budget", "90")
	if status != statusFatal || !strings.Contains(talk, "hint: git ctx plan --budget ") {
		t.Errorf("status %d: %s", status, talk)
	}
}
