package cli

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// called is what one command line did.
type called struct {
	out, talk string
	status    int
}

// callIn runs a command line in this process; dir "" is a folder outside any repository.
func callIn(t *testing.T, dir string, environ []string, args ...string) called {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
		environ = gittest.Env(dir)
	}
	var out, talk bytes.Buffer
	got := Main(t.Context(), &Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Environ: environ, Getenv: lookupIn(environ),
		Now: time.Now, Random: rand.Reader,
	}, append([]string{"-C", dir}, args...))
	return called{out.String(), talk.String(), got}
}

// What people and agents try first gets the command they meant.
func TestWrongGuessesGetTheCommand(t *testing.T) {
	for _, test := range []struct{ line, hint string }{
		// Other words for a kind's judgements.
		{"hyp validate hyp-4k2p", "git ctx support hyp-4k2p"},
		{"hyp confirm", "git ctx support ID"},
		{"hyp reject hyp-4k2p", "git ctx refute hyp-4k2p --reason WHY"},
		{"hyp disprove", "git ctx refute ID --reason WHY"},
		{"task close task-4k2p", "git ctx done task-4k2p"},
		{"task finish", "git ctx done ID"},
		{"task complete @task", "git ctx done @task"},
		{"task cancel", "git ctx drop ID --reason WHY"},
		{"goal complete", "git ctx achieve ID"},
		{"decision approve dec-4k2p", "git ctx accept dec-4k2p"},
		{"evidence confirm", "git ctx verify ID"},
		{"runbook disable", "git ctx retire ID"},
		// A state verb or a state after the kind.
		{"task start task-4k2p", "git ctx start task-4k2p"},
		{"decision accept dec-4k2p", "git ctx accept dec-4k2p"},
		{"decision supersede dec-4k2p", "git ctx supersede dec-4k2p --by NEW --reason WHY"},
		{"task reopen task-4k2p", "git ctx reopen task-4k2p --reason WHY"},
		{"task in-progress task-4k2p", "git ctx start task-4k2p"},
		{"hyp supported hyp-4k2p", "git ctx support hyp-4k2p"},
		{"task close dec-4k2p", "git ctx accept dec-4k2p"},
		// Verbs over any record, after the kind.
		{"task show task-4k2p", "git ctx show task-4k2p"},
		{"task task-4k2p", "git ctx show task-4k2p"},
		{"task update task-4k2p", "git ctx edit task-4k2p"},
		{"task delete task-4k2p", "git ctx drop task-4k2p --reason WHY"},
		// Adding.
		{"goal create", "git ctx goal add 'TITLE'"},
		{"hyp new 'It is the cache'", "git ctx hypothesis add 'It is the cache'"},
		{"hyp 'It is the cache'", "git ctx hypothesis add 'It is the cache'"},
		{"task it is slow", "git ctx task add 'it is slow'"},
		{"create task 'Fix it'", "git ctx task add 'Fix it'"},
		{"new decision", "git ctx decision add 'TITLE'"},
		{"add", "git ctx KIND add 'TITLE'"},
		{"remember 'p99 is 900 ms'", "git ctx evidence add 'p99 is 900 ms'"},
		{"note", "git ctx evidence add 'TITLE'"},
		{"note it --tag a", "git ctx evidence add 'it'"},
		{"adr", "git ctx decision add 'TITLE'"},
		// Judging without a kind.
		{"approve dec-4k2p", "git ctx accept dec-4k2p"},
		{"confirm hyp-4k2p", "git ctx support hyp-4k2p"},
		{"close task-4k2p --reason x", "git ctx done task-4k2p"},
		{"approve", "git ctx accept ID  (decision, conclusion)"},
		{"delete ev-4k2p", "git ctx retract ev-4k2p --reason WHY"},
		{"rm", "git ctx drop ID --reason WHY  (task)"},
		// Whole commands.
		{"ls", "git ctx list"},
		{"grep cache", "git ctx search cache"},
		{"find", "git ctx search QUERY"},
		{"hyp search 'two words'", "git ctx search 'two words' --kind hypothesis"},
		{"todo", "git ctx task list"},
		{"tasks", "git ctx task list"},
		{"hypotheses", "git ctx hypothesis list"},
		{"ready", "git ctx next"},
		{"prime", "git ctx packet"},
		{"upload", "git ctx sync"},
		{"checkpoint", "git ctx commit -m 'MESSAGE'"},
		{"save", "git ctx commit -m 'MESSAGE'"},
		{"snapshot -m x", "git ctx commit -m 'MESSAGE'"},
		{"undo", "git ctx revert COMMIT"},
		{"checkout x", "git ctx switch BRANCH"},
		{"history task-4k2p", "git ctx log task-4k2p"},
		{"hyp-4k2p", "git ctx show hyp-4k2p"},
		// Typing.
		{"packt", "git ctx packet"},
		{"suport hyp-4k2p", "git ctx support hyp-4k2p"},
		{"hyp lsit", "git ctx hypothesis list"},
		{"task strat task-4k2p", "git ctx start task-4k2p"},
		{"qqqqqq", "git ctx -h"},
		// Options.
		{"show --json", "git ctx show ID --format=json"},
		{"list --json", "git ctx list --format=json"},
		{"task add x --description y", "git ctx task add 'TITLE' --body TEXT"},
		{"task add x -m y", "git ctx task add 'TITLE' --body TEXT"},
		{"task add --title x", "git ctx task add 'TITLE'"},
		{"task add x --label y", "git ctx task add 'TITLE' --tag TAG"},
		{"hyp add x --task y", "git ctx hypothesis add 'TITLE' --about ID"},
		{"refute hyp-4k2p --because x", "git ctx refute ID --reason WHY"},
		{"refute hyp-4k2p --why x", "git ctx refute ID --reason WHY"},
		{"list --reason x", "git ctx list -h"},
		{"list --staged", "--staged is an option of git ctx audit, git ctx guard"},
		{"search x --staged", "--staged is an option of git ctx audit, git ctx guard"},
		{"show ID --max-chars 3", "--max-chars is an option of git ctx packet, git ctx plan"},
		{"branch -v", "git ctx branch -h"},
		{"decisions list", "git ctx decision list"},
		{"hypotheses ls", "git ctx hypothesis list"},
		{"tasks add 'Fix it'", "git ctx task add 'Fix it'"},
		{"tasks new", "git ctx task add 'TITLE'"},
		{"goals achieve goal-4k2p", "git ctx achieve goal-4k2p"},
		{"decisions show dec-4k2p", "git ctx show dec-4k2p"},
		{"tasks 'Fix it'", "git ctx task add 'Fix it'"},
		{"refute hyp-4k2p --reson x", "git ctx refute ID --reason WHY"},
		{"support hyp-4k2p --evidence-text x", "git ctx support ID --evidence TEXT"},
		{"list --status open", "git ctx list --state STATE"},
		{"supersede dec-4k2p --with dec-5m3q", "git ctx supersede OLD --by ID"},
		{"refute hyp-4k2p --reason", "git ctx refute ID --reason WHY"},
		{"task add x --priority high", "git ctx task add -h"},
		{"task add it is slow", "git ctx task add 'TITLE'"},
		{"supersede dec-4k2p", "git ctx supersede dec-4k2p --by NEW --reason WHY"},
	} {
		t.Run(test.line, func(t *testing.T) {
			got := callIn(t, "", nil, shellWords(test.line)...)
			if got.status != statusUsage || got.out != "" {
				t.Errorf("status %d and output %q, want %d and none", got.status, got.out, statusUsage)
			}
			lines := strings.Split(strings.TrimSuffix(got.talk, "\n"), "\n")
			if len(lines) < 2 || !strings.HasPrefix(lines[0], "error: ") || lines[1] != "hint: "+test.hint {
				t.Errorf("it says\n%swant an error, and first\nhint: %s", got.talk, test.hint)
			}
		})
	}
}

// shellWords splits a line at blanks outside single quotes.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// A hint is worth nothing unless it can be run.
func TestGuessesLeadToCommandsThatExist(t *testing.T) {
	env := &Env{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}
	root := newRoot(env)
	check := func(word, hint string) {
		t.Helper()
		for _, line := range strings.Split(hint, "\n") {
			rest, ours := strings.CutPrefix(line, "git ctx ")
			if !ours {
				continue
			}
			cmd, _, err := root.Find(strings.Fields(rest))
			if err != nil || cmd == root && !strings.HasPrefix(rest, "-h") {
				t.Errorf("%s: the hint %q names no command", word, line)
			}
		}
	}
	for word, hint := range guessWords {
		check(word, hint)
	}
	for word, usage := range generalVerbs {
		check(word, "git ctx "+usage)
	}
	for word, verbs := range guessVerbs {
		for _, v := range verbs {
			if v.Transition() == nil {
				t.Errorf("%s: %s is not a state verb", word, v)
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"packet", "packet", 0}, {"packt", "packet", 1}, {"lsit", "list", 1},
		{"kitten", "sitting", 3}, {"größe", "grosse", 3},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := distance(test.b, test.a); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

func TestQuotedIsOneShellWord(t *testing.T) {
	got := quoteAll([]string{"plain", "two words", "it's", "a*b", "", "--opt=x"})
	want := []string{"plain", "'two words'", `'it'\''s'`, "'a*b'", "''", "--opt=x"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("quoted %d = %s, want %s", i, got[i], want[i])
		}
	}
}

// Two neighbours that changed places are the commonest slip: each such form of a
// command's name leads to that command, whatever else is spelled nearly so.
func TestSwappedLettersLeadToTheCommand(t *testing.T) {
	root := newRoot(&Env{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }})
	tried := 0
	for _, cmd := range root.Commands() {
		name := cmd.Name()
		for i := 1; i < len(name); i++ {
			slip := name[:i-1] + name[i:i+1] + name[i-1:i] + name[i+1:]
			if !cmd.IsAvailableCommand() || len(name) < 4 || slip == name || isCommand(root, slip) {
				continue
			}
			tried++
			if got := guessCommand(root, slip, nil)[0]; got != "git ctx "+name {
				t.Errorf("%s: %q, want 'git ctx %s'", slip, got, name)
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d were tried", tried)
	}
}

// Git's own verbs get what does the same here, and never a word that is only
// spelled like them.
func TestGitsVerbsAreKnown(t *testing.T) {
	root := newRoot(&Env{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }})
	for _, verb := range strings.Fields(`add am annotate bisect blame bundle cat-file checkout cherry-pick clean clone describe difftool
		format-patch gc grep ls-files ls-tree maintenance mergetool mv notes prune rebase reflog remote repack request-pull reset restore
		rev-list rev-parse rm shortlog stage stash tag whatchanged`) {
		if isCommand(root, verb) {
			continue
		}
		if got := guessCommand(root, verb, nil)[0]; got == "git ctx -h" {
			t.Errorf("%s: nothing is known of it", verb)
		}
	}
	for slip, not := range map[string]string{"restore": "retire", "release": "retire", "squash": "search", "prune": "purge", "fork": "fsck", "blind": "block"} {
		if got := guessCommand(root, slip, nil)[0]; strings.Contains(got, " "+not) {
			t.Errorf("%s: %q, which only looks like it", slip, got)
		}
	}
}

// A word that is not a command is refused with whatever option stands beside it.
func TestUnknownCommandIsNeverAnswered(t *testing.T) {
	for _, line := range []string{"nosuch --version", "nosuch -v", "--version nosuch", "nosuch --version x", "-v nosuch"} {
		if got := callIn(t, "", nil, strings.Fields(line)...); got.status != statusUsage || got.out != "" || !strings.Contains(got.talk, "'nosuch'") {
			t.Errorf("%s: %+v", line, got)
		}
	}
	for _, line := range []string{"--version", "-v"} {
		if got := callIn(t, "", nil, line); got.status != statusYes || got.out != "git ctx version "+Version+"\n" {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
