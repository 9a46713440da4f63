package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/fsck"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

func newFsckCmd(env *Env) *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use: "fsck", Short: "verify the store of every branch; exit 1 on errors", Args: noArgs,
		Long: "Verify every context branch, imports and remote ones included: which files its tree holds, that\n" +
			"records are sound and in canonical form, the policy, the links, and the message of every commit.\n" +
			"Whether git's objects are sound is for 'git fsck' to say, whether records agree for 'git ctx audit'.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runFsck(cmd.Context(), env, strict) },
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "count warnings as errors")
	return cmd
}

// fsckJSON is the JSON answer of fsck.
type fsckJSON struct {
	Format   int                      `json:"format"`
	Refs     []refJSON                `json:"refs"`
	Records  int                      `json:"records"`
	Commits  int                      `json:"commits"`
	Findings []fsck.Fault             `json:"findings"`
	Counts   map[records.Severity]int `json:"counts"`
}

type refJSON struct {
	Ref    string       `json:"ref"`
	Commit gitstore.OID `json:"commit"`
}

func runFsck(ctx context.Context, env *Env, strict bool) error {
	if err := env.formats(); err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	rep, err := fsck.Run(ctx, led)
	if err != nil {
		return err
	}
	out := fsckJSON{Format: jsonFormat, Refs: []refJSON{}, Records: rep.Records, Commits: rep.Commits,
		Findings: []fsck.Fault{}, Counts: map[records.Severity]int{records.Error: 0, records.Warning: 0}}
	for _, r := range rep.Refs {
		out.Refs = append(out.Refs, refJSON{r.Name, r.OID})
	}
	for _, f := range rep.Faults {
		if strict {
			f.Severity = records.Error
		}
		out.Findings = append(out.Findings, f)
		out.Counts[f.Severity]++
	}
	if env.json() {
		err = env.writeJSON(out)
	} else {
		err = env.writeFaults(ctx, out)
		if rep.NotCheckable > 0 {
			env.note("not checkable here: %d of %s, as nothing that they list is in this repository", rep.NotCheckable, text.Plural(rep.Receipts, "receipt"))
		}
	}
	if err == nil && out.Counts[records.Error] > 0 {
		return errNo
	}
	return err
}

func (e *Env) writeFaults(ctx context.Context, out fsckJSON) error {
	err := e.page(ctx, nil, func(p *page) {
		for _, f := range out.Findings {
			where := f.Ref
			if where == "" {
				where = "commit " + f.Commit.Short()
			}
			message := f.Message
			if f.Path != "" && !strings.HasPrefix(message, f.Path+":") {
				message = f.Path + ": " + message
			}
			p.Printf("%s in %s: %s: %s\n", ui.Painted{Text: string(f.Severity), Colour: severityColour(f.Severity)}, where, f.Check, message)
		}
	})
	e.note("checked %s, %s, %s: %s, %s", text.Plural(len(out.Refs), "ref"), text.Plural(out.Records, "record"), text.Plural(out.Commits, "commit"),
		text.Plural(out.Counts[records.Error], "error"), text.Plural(out.Counts[records.Warning], "warning"))
	return err
}
