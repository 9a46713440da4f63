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
		Use: "commit -m MSG", Short: "make a checkpoint: name what was learned since the last one",
		Long: `Make a checkpoint of the current context branch. Every verb commits by itself; a checkpoint
gives the changes since the last one a name, and git ctx log shows checkpoints.`,
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
	message, err := o.message(env)
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

func (o *commitOptions) message(env *Env) (string, error) {
	hint := "git ctx commit -m 'MSG'"
	switch {
	case o.file != "" && len(o.messages) > 0:
		return "", usagef(hint, "options '--message' and '--file' exclude each other")
	case o.file != "":
		data, err := env.readInput(o.file, records.MaxSize, "a message holds")
		return string(data), err
	case len(o.messages) == 0:
		return "", usagef(hint, "'commit' needs a message: say what was learned or done")
	}
	return strings.Join(o.messages, "\n\n"), nil
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
	count := make(map[string]int)
	for _, c := range a.Changes {
		count[c.Op]++
	}
	var kinds []string
	for _, k := range []struct{ op, word string }{{"+", "new"}, {"~", "changed"}, {"!", "disputed, unreadable or gone"}} {
		if n := count[k.op]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, k.word))
		}
	}
	p := &page{&ui.Page{Out: e.Stdout, IDs: ui.SortedIDs(ids), Colour: e.colour(ctx), Width: e.width()}}
	p.Printf("[%s %s] %s\n", a.Branch, shortOID(a.Commit), a.Subject)
	if len(kinds) > 0 {
		p.Printf("%s: %s\n", text.Plural(len(a.Changes), "record"), strings.Join(kinds, ", "))
	}
	p.changes(a.Changes, committedChanges, "git ctx log -n 1")
	return p.Err()
}
