package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type commitOptions struct {
	messages []string
	file     string
}

func newCommitCmd(env *Env) *cobra.Command {
	o := &commitOptions{}
	cmd := &cobra.Command{
		Use: "commit [-m MSG]", Short: "make a checkpoint: name what was learned since the last one",
		Long: `Make a checkpoint of the current context branch. Every verb commits by itself; a checkpoint
gives the changes since the last one a name, and git ctx log shows checkpoints. At a terminal
without -m, the editor opens with the words of git ctx closeout.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("git ctx commit -m 'MSG'", "commit takes no argument, got '%s': it commits everything", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runCommit(cmd.Context(), env, o) },
	}
	cmd.Flags().StringArrayVarP(&o.messages, "message", "m", nil, "`MSG`; further ones are paragraphs")
	cmd.Flags().StringVarP(&o.file, "file", "F", "", "read the message from `FILE`, - for standard input")
	return cmd
}

func runCommit(ctx context.Context, env *Env, o *commitOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	message, err := o.message(ctx, env)
	if err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	branch, err := led.Branch(ctx)
	if err != nil {
		return err
	}
	e, w, err := led.Checkpoint(ctx, message)
	nothing := errors.Is(err, ledger.ErrNothingNew)
	if err != nil && !nothing {
		return err
	}
	answer := commitAnswer{Format: jsonFormat, Branch: branch, Changes: query.ChangedOf(w.Changes)}
	if e != nil {
		answer.Commit, answer.Subject = e.OID, e.Message.Subject
	}
	if env.json() {
		err = env.writeJSON(answer)
	} else if nothing {
		env.note("nothing to checkpoint on %s: no change since the last one", branch)
		err = nil
	} else {
		err = env.printCommit(ctx, led, &answer)
	}
	if err == nil && nothing {
		return errNo
	}
	return err
}

// message is what the options give, else what a person writes in the editor, who gets
// closeout's words to make his own.
func (o *commitOptions) message(ctx context.Context, env *Env) (string, error) {
	hint := "git ctx commit -m 'MSG'"
	switch {
	case o.file != "" && len(o.messages) > 0:
		return "", usagef(hint, "options '--message' and '--file' exclude each other")
	case o.file != "":
		data, err := env.readInput(o.file, records.MaxSize, "a message holds")
		return string(data), err
	case len(o.messages) == 0 && env.StdinTTY && env.StderrTTY && !env.json():
		return env.writtenMessage(ctx)
	case len(o.messages) == 0:
		return "", usagef(hint, "'commit' needs a message: say what was learned or done")
	}
	return strings.Join(o.messages, "\n\n"), nil
}

// commitHelp follows the text in the editor.
const commitHelp = `
# What this session learned since the last checkpoint, in words to make your own.
# Lines that start with '#' are left out; without a message there is no checkpoint.
`

// writtenMessage has a person write a checkpoint's message.
func (e *Env) writtenMessage(ctx context.Context) (message string, err error) {
	rd, err := e.read(ctx, readFlags{})
	if err != nil {
		return "", err
	}
	c, err := query.CloseoutOf(ctx, rd.Reading, query.CloseoutOptions{})
	if err != nil {
		return "", err
	}
	draft := strings.TrimRight(c.Message.Subject+"\n\n"+c.Message.Body, "\n") + "\n"
	err = e.inEditor(ctx, []byte(draft+commitHelp), func(edited []byte) error {
		message = strings.TrimSpace(string(edited))
		if message == "" {
			e.note("no message, and so no checkpoint")
			return errNo
		}
		return nil
	})
	return message, err
}

// commitAnswer is the JSON answer of commit; without anything new there is no commit.
type commitAnswer struct {
	Format  int           `json:"format"`
	Branch  string        `json:"branch"`
	Commit  gitstore.OID  `json:"commit,omitempty"`
	Subject string        `json:"subject,omitempty"`
	Changes []changedJSON `json:"changes"`
}

// committedChanges is how many changes commit lists.
const committedChanges = 20

func (e *Env) printCommit(ctx context.Context, led *ledger.Ledger, a *commitAnswer) error {
	ids, err := led.IDs(ctx, a.Commit)
	if err != nil {
		return err
	}
	p := &page{&ui.Page{Out: e.Stdout, IDs: ui.SortedIDs(ids), Colour: e.colour(ctx), Width: e.width()}}
	p.Printf("[%s %s] %s\n", a.Branch, shortOID(a.Commit), a.Subject)
	if len(a.Changes) > 0 {
		p.Printf("%s\n", changedLine(a.Changes))
	}
	p.changes(a.Changes, committedChanges, "git ctx log -n 1")
	return p.Err()
}

// changedLine counts changed records by what became of them.
func changedLine(cs []changedJSON) string {
	count := make(map[string]int)
	for _, c := range cs {
		count[c.Op]++
	}
	var kinds []string
	for _, k := range []struct{ op, word string }{{"+", "new"}, {"~", "changed"}, {"!", "disputed, unreadable or gone"}} {
		if n := count[k.op]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, k.word))
		}
	}
	return text.Plural(len(cs), "record") + ": " + strings.Join(kinds, ", ")
}
