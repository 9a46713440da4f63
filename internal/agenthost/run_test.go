package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

var update = flag.Bool("update", false, "rewrite the golden answers")

// A sessionTest is a repository in which a host's sessions run.
type sessionTest struct {
	*testing.T
	repo  *gittest.Repo
	now   time.Time
	bytes *rand.ChaCha8
	env   map[string]string
}

func newSessionTest(t *testing.T) *sessionTest {
	s := &sessionTest{T: t, repo: gittest.New(t, gittest.Plain), now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), bytes: rand.NewChaCha8([32]byte{1}), env: map[string]string{}}
	if _, err := setup.Init(t.Context(), s.open(""), setup.InitOptions{Review: records.ReviewAny}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *sessionTest) open(session string) *ledger.Ledger {
	l, err := s.opener()(s.Context(), "", session)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _, _ = l.Close(), l.Repo().Close() })
	return l
}

func (s *sessionTest) opener() func(context.Context, string, string) (*ledger.Ledger, error) {
	return func(ctx context.Context, dir, session string) (*ledger.Ledger, error) {
		if dir == "" {
			dir = s.repo.Dir
		}
		r, err := gitstore.Open(ctx, gitstore.Options{Dir: dir, Env: s.repo.Env})
		if err != nil {
			return nil, err
		}
		return ledger.Open(r, ledger.Options{Author: ledger.Author{Actor: "agent/test", Session: session}, Now: func() time.Time { return s.now }, Random: s.bytes}), nil
	}
}

// record adds a record and moves it on.
func (s *sessionTest) record(kind records.Kind, title, body, path string, verb records.Verb) records.ID {
	return s.recordAll(kind, []string{title}, body, path, verb)
}

// recordAll adds records in one commit, and returns the last one's id.
func (s *sessionTest) recordAll(kind records.Kind, titles []string, body, path string, verb records.Verb) (id records.ID) {
	s.now = s.now.Add(time.Minute)
	_, err := s.open("other").Edit(s.Context(), func(tx *ledger.Tx) error {
		for _, title := range titles {
			r, _, err := tx.Add(ledger.Addition{Record: records.Record{Kind: kind, Title: title, Body: body, Paths: strings.Fields(path)}})
			if err != nil {
				return err
			}
			id = r.ID
			if _, err := tx.Move(verb, string(id), ledger.Judgement{Reason: "measured"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return id
}

func (s *sessionTest) ask(host, event, payload string) string {
	s.Helper()
	a := &Hook{Open: s.opener(), Getenv: func(k string) string { return s.env[k] }, Version: "test"}
	got, err := a.Run(s.Context(), host, event, strings.NewReader(payload))
	if err != nil {
		s.Fatalf("%s %s: %v", host, event, err)
	}
	return got
}

// A step is one event of the session that every host is led through.
type step struct {
	name                         string
	moment                       moment
	source, prompt, file, record string
	again                        bool
}

func steps() []step {
	const prompt = "Why are the latency spikes still there with stampedes?"
	return []step{
		{name: "1-start", moment: sessionStarts, source: "startup", prompt: prompt},
		{name: "2-nothing-new", moment: promptComes, prompt: prompt},
		{name: "3-edit", moment: fileChanges, file: "internal/cache/lru.go"},
		{name: "4-edit-again", moment: fileChanges, file: "internal/cache/lru.go"},
		{name: "5-news", moment: promptComes, prompt: "Go on.", record: "Retry with exponential backoff"},
		{name: "6-stop-after-record", moment: turnEnds},
		{name: "7-edit-elsewhere", moment: fileChanges, file: "main.go"},
		{name: "8-stop", moment: turnEnds},
		{name: "9-stop-again", moment: turnEnds, again: true},
		{name: "10-stop-later", moment: turnEnds},
		{name: "11-compact", moment: contextShrinks},
		{name: "12-after-compact", moment: sessionStarts, source: "compact", record: "Drop the second tier"},
		{name: "13-prompt-after-compact", moment: promptComes, prompt: "And now?"},
	}
}

// Every host's session, event by event: what it sends, and what it is answered.
func TestAgentSessions(t *testing.T) {
	volatile := regexp.MustCompile(`(Store |Digest |since store commit )[0-9a-f]{7,}`)
	for _, h := range agentHosts() {
		t.Run(h.name, func(t *testing.T) {
			s := newSessionTest(t)
			s.record(records.Decision, "Use a write-through cache", "It keeps readers warm.", "internal/cache/**", "accept")
			s.record(records.Hypothesis, "Stampedes cause the latency spikes", "Every deploy empties the cache.", "", "refute")
			answered := make(map[string]bool)
			for _, st := range steps() {
				if st.record != "" {
					s.record(records.Decision, st.record, "", "", "accept")
				}
				for _, e := range h.events {
					if e.moment != st.moment {
						continue
					}
					answered[e.name] = true
					got := volatile.ReplaceAllString(s.ask(h.name, e.name, s.payload(h.name, e.name, st)), "${1}0000000")
					if !json.Valid([]byte(got)) {
						t.Errorf("%s: no JSON: %s", st.name, got)
					}
					golden(t, filepath.Join("testdata", h.name, st.name+"."+e.name+".out.json"), got)
				}
			}
			for _, e := range h.events {
				if !answered[e.name] {
					t.Errorf("no step has the event %s", e.name)
				}
			}
		})
	}
}

// payload fills in what the host is documented to send.
func (s *sessionTest) payload(host, event string, st step) string {
	data, err := os.ReadFile(filepath.Join("testdata", host, event+".json"))
	if err != nil {
		s.Fatal(err)
	}
	loop := "0"
	if st.again {
		loop = "1"
	}
	return strings.NewReplacer(`"$AGAIN"`, fmt.Sprint(st.again), `"$LOOP"`, loop, "$DIR", s.repo.Dir, "$FILE", st.file, "$SOURCE", st.source,
		"$PROMPT", st.prompt).Replace(string(data))
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s: got\n%s\nwant\n%s(%v)", path, got, want, err)
	}
}

func claudePayload(s *sessionTest, session, event, more string) string {
	return fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":%q%s}`, session, s.repo.Dir, event, more)
}

// A prompt brings up a record that the packet had no room for, once.
func TestPromptBringsUpWhatThePacketLeftOut(t *testing.T) {
	s := newSessionTest(t)
	id := s.record(records.Decision, "The tokenizer normalises umlauts", "", "", "accept")
	s.now = s.now.Add(1000 * time.Hour)
	sheds := make([]string, 160)
	for i := range sheds {
		sheds[i] = fmt.Sprintf("Decision %d on the colour of a shed", i)
	}
	s.recordAll(records.Decision, sheds, strings.Repeat("word ", 30), "", "accept")
	if got := s.ask("claude", "SessionStart", claudePayload(s, "s1", "SessionStart", `,"source":"startup"`)); !strings.Contains(got, "colour of a shed") || strings.Contains(got, "tokenizer") {
		t.Fatalf("the control: %s", got)
	}
	first := s.ask("claude", "UserPromptSubmit", claudePayload(s, "s1", "UserPromptSubmit", `,"prompt":"fix the tokenizer for umlauts"`))
	if strings.Count(first, string(id)) != 1 {
		t.Fatalf("not told, or twice: %s", first)
	}
	for _, prompt := range []string{"fix the tokenizer for umlauts", "ok", "translate the manual into Welsh"} {
		if got := s.ask("claude", "UserPromptSubmit", claudePayload(s, "s1", "UserPromptSubmit", `,"prompt":"`+prompt+`"`)); got != NoAnswer {
			t.Errorf("%s: told again: %s", prompt, got)
		}
	}
}

// What a host is told stays below what hosts cut, counted as they count.
func TestWhatIsToldIsBounded(t *testing.T) {
	s := newSessionTest(t)
	var titles []string
	for i := range 80 {
		titles = append(titles, fmt.Sprintf("Decision %d %s", i, strings.Repeat("\U0001F600", 60)))
	}
	s.recordAll(records.Decision, titles, strings.Repeat("\u00e4\u00f6 ", 300), "", "accept")
	var out hookAnswer
	got := s.ask("claude", "SessionStart", claudePayload(s, "s1", "SessionStart", `,"source":"startup"`))
	if err := json.Unmarshal([]byte(got), &out); err != nil {
		t.Fatal(err)
	}
	if n := len(utf16.Encode([]rune(out.Specific.Context))); n > mostTold || n < 2000 {
		t.Errorf("%d characters", n)
	}
}

// Whichever event comes first gives the packet, and of two at once only one does.
func TestThePacketIsGivenOnce(t *testing.T) {
	s := newSessionTest(t)
	s.record(records.Decision, "Use a write-through cache", "", "", "accept")
	prompt := claudePayload(s, "s1", "UserPromptSubmit", `,"prompt":"go"`)
	if got := s.ask("claude", "UserPromptSubmit", prompt); !strings.Contains(got, "write-through") {
		t.Errorf("the first event tells nothing: %s", got)
	}
	start := claudePayload(s, "s1", "SessionStart", `,"source":"startup"`)
	if got := s.ask("claude", "SessionStart", start); got != NoAnswer {
		t.Errorf("told twice: %s", got)
	}
	if got := s.ask("copilot", "sessionStart", strings.ReplaceAll(start, "SessionStart", "sessionStart")); got != NoAnswer {
		t.Errorf("told twice, by two hosts' hooks: %s", got)
	}
	if got := s.ask("claude", "SessionStart", claudePayload(s, "s2", "SessionStart", `,"source":"startup"`)); !strings.Contains(got, "write-through") {
		t.Errorf("another session is told nothing: %s", got)
	}
	if got := s.ask("claude", "SessionStart", strings.Replace(start, "startup", "clear", 1)); !strings.Contains(got, "write-through") {
		t.Errorf("a session that was cleared is told nothing: %s", got)
	}
}

// Claude Code's commands belong to its session.
func TestTheSessionReachesCommands(t *testing.T) {
	s := newSessionTest(t)
	file := filepath.Join(t.TempDir(), "env")
	s.env["CLAUDE_ENV_FILE"] = file
	for _, session := range []string{"s-1", "x; rm -r y"} {
		s.ask("claude", "SessionStart", claudePayload(s, session, "SessionStart", `,"source":"startup"`))
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "export CTX_SESSION=s-1\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestNoAnswer(t *testing.T) {
	s := newSessionTest(t)
	s.record(records.Decision, "Use a write-through cache", "", "", "accept")
	bare := gittest.New(t, gittest.Plain)
	good := claudePayload(s, "s1", "SessionStart", `,"source":"startup"`)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx                  context.Context
		host, event, payload string
	}{
		"no JSON":        {t.Context(), "claude", "SessionStart", "SessionStart"},
		"nothing":        {t.Context(), "claude", "SessionStart", ""},
		"a list":         {t.Context(), "claude", "SessionStart", "[]"},
		"wrong types":    {t.Context(), "claude", "SessionStart", `{"session_id": 5}`},
		"another host":   {t.Context(), "emacs", "SessionStart", good},
		"another event":  {t.Context(), "claude", "SessionEnd", good},
		"no repository":  {t.Context(), "claude", "SessionStart", strings.ReplaceAll(good, s.repo.Dir, t.TempDir())},
		"no such folder": {t.Context(), "claude", "SessionStart", strings.ReplaceAll(good, s.repo.Dir, s.repo.Dir+"/gone")},
		"no store":       {t.Context(), "claude", "SessionStart", strings.ReplaceAll(good, s.repo.Dir, bare.Dir)},
		"too late":       {cancelled, "claude", "SessionStart", good},
	} {
		a := &Hook{Open: s.opener(), Getenv: func(string) string { return "" }, Version: "test"}
		if got, err := a.Run(c.ctx, c.host, c.event, strings.NewReader(c.payload)); got != NoAnswer || err == nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got := s.ask("claude", "SessionStart", good); !strings.Contains(got, "write-through") {
		t.Errorf("the control: %s", got)
	}
}

func TestHostsAreKnown(t *testing.T) {
	_, err := Status(Options{Root: t.TempDir()}, []string{"emacs"})
	var unknown *UnknownHostError
	if !errors.As(err, &unknown) {
		t.Error(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(instructions, "\n"), "\n") {
		if strings.Contains(line, "commit") || strings.Contains(line, "push") {
			t.Errorf("it tells agents to commit or push: %s", line)
		}
	}
	if n := strings.Count(instructions, "\n"); n > 10 {
		t.Errorf("%d lines of instructions", n)
	}
}
