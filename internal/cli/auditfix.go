package cli

import (
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
)

// fixJSON is the JSON answer of audit --fix.
type fixJSON struct {
	Format  int             `json:"format"`
	Commit  gitstore.OID    `json:"commit,omitempty"`
	Repairs []ledger.Repair `json:"repairs"`
}

// runFix makes the mechanical repairs and lists them.
func runFix(ctx context.Context, env *Env) error {
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	res, repairs, err := led.Fix(ctx)
	if err != nil {
		return err
	}
	if env.json() {
		return env.writeJSON(fixJSON{jsonFormat, res.Commit, append([]ledger.Repair{}, repairs...)})
	}
	if len(repairs) == 0 {
		env.note("nothing to repair")
	}
	for _, r := range repairs {
		if _, err := fmt.Fprintln(env.Stdout, text.Visible(fmt.Sprintf("%s %s", r.ID, r.What))); err != nil {
			return err
		}
	}
	return nil
}
