package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/secretscan"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

func newMergeCmd(env *Env) *cobra.Command {
	var o ledger.MergeOptions
	cmd := &cobra.Command{
		Use: "merge BRANCH", Short: "merge another context branch into the current one; exit 1 on conflicts",
		Long: "Merge another context branch, or any revision of one, into the current one, field by field.\n\n" +
			"A conflict is kept as data: the merge is committed, and the record stays disputed until\n" +
			"'git ctx resolve'. Exit status 1 says that there are conflicts or new contradictions.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx branch", "'merge' needs one context branch or revision, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runMerge(cmd.Context(), env, args[0], o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.DryRun, "dry-run", "n", false, "say what would happen and write nothing")
	f.BoolVar(&o.NoConflicts, "no-conflicts", false, "write nothing when there would be conflicts")
	return cmd
}

func runMerge(ctx context.Context, env *Env, rev string, o ledger.MergeOptions) error {
	if err := env.formats(); err != nil {
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
	m, err := led.Merge(ctx, rev, o)
	refused := errors.Is(err, ledger.ErrConflicts)
	if err != nil && !refused {
		return err
	}
	if env.json() {
		err = env.writeJSON(struct {
			Format int    `json:"format"`
			Branch string `json:"branch"`
			From   string `json:"from"`
			DryRun bool   `json:"dry_run"`
			mergedJSON
		}{jsonFormat, branch, rev, o.DryRun, jsonOfMerged(m, refused)})
	} else {
		err = env.writeMerged(m, mergeHeadline(m, rev, branch, o.DryRun, refused), !o.DryRun && !refused)
	}
	if err != nil {
		return err
	}
	if !m.Clean() {
		return errNo
	}
	return nil
}

func mergeHeadline(m *ledger.Merged, rev, branch string, dry, refused bool) string {
	changes := text.Plural(len(m.Changed), "record") + " changed"
	switch {
	case m.UpToDate:
		return fmt.Sprintf("%s holds all of %s already", branch, rev)
	case refused:
		return fmt.Sprintf("not merged: %s", ledger.ErrConflicts)
	case dry && m.FastForward:
		return fmt.Sprintf("would fast-forward %s to %s: %s", branch, rev, changes)
	case dry:
		return fmt.Sprintf("would merge %s into %s: %s", rev, branch, changes)
	case m.FastForward:
		return fmt.Sprintf("fast-forwarded %s to %s (%s): %s", branch, rev, m.Commit.Short(), changes)
	}
	return fmt.Sprintf("merged %s into %s (%s): %s", rev, branch, m.Commit.Short(), changes)
}

// mergedJSON is a merge in a JSON answer.
type mergedJSON struct {
	Commit         gitstore.OID          `json:"commit"`
	UpToDate       bool                  `json:"up_to_date"`
	FastForward    bool                  `json:"fast_forward"`
	Refused        bool                  `json:"refused"`
	Changed        []records.ID          `json:"changed"`
	Disputed       []disputedJSON        `json:"disputed"`
	Contradictions []query.Contradiction `json:"contradictions"`
	Dropped        []droppedJSON         `json:"dropped"`
	Secrets        []secretscan.Secret   `json:"secrets"`
}

type disputedJSON struct {
	ID     records.ID `json:"id"`
	Fields []string   `json:"fields"`
}

type droppedJSON struct {
	ID    records.ID `json:"id,omitempty"`
	Field string     `json:"field,omitempty"`
	Rule  string     `json:"rule"`
	Value string     `json:"value,omitempty"`
}

func jsonOfMerged(m *ledger.Merged, refused bool) mergedJSON {
	out := mergedJSON{
		Commit: m.Commit, UpToDate: m.UpToDate, FastForward: m.FastForward, Refused: refused,
		Changed: append([]records.ID{}, m.Changed...), Disputed: []disputedJSON{},
		Contradictions: []query.Contradiction{}, Dropped: []droppedJSON{},
		Secrets: append([]secretscan.Secret{}, m.Secrets...),
	}
	for _, id := range slices.Sorted(maps.Keys(m.Disputed)) {
		out.Disputed = append(out.Disputed, disputedJSON{id, m.Disputed[id]})
	}
	for _, c := range m.Made {
		out.Contradictions = append(out.Contradictions, query.Contradiction{Rule: c.Rule, IDs: c.IDs})
	}
	for _, d := range m.Dropped {
		out.Dropped = append(out.Dropped, droppedJSON{d.ID, d.Field, string(d.Rule), secretscan.WithoutSecrets(d.Value)})
	}
	return out
}

// writeMerged prints what a merge did, and what it left to settle.
func (e *Env) writeMerged(m *ledger.Merged, headline string, written bool) error {
	var b strings.Builder
	fmt.Fprintln(&b, headline)
	for _, id := range slices.Sorted(maps.Keys(m.Disputed)) {
		fmt.Fprintf(&b, "disputed %s on %s: %s\n", id, strings.Join(m.Disputed[id], ", "), m.Headings[id])
	}
	for _, c := range m.Made {
		fmt.Fprintf(&b, "contradiction %s: %s\n", c.Rule, joinIDs(c.IDs))
	}
	for _, d := range m.Dropped {
		value := ""
		if d.Value != "" {
			value = ": " + shorten(secretscan.WithoutSecrets(d.Value))
		}
		fmt.Fprintf(&b, "dropped by rule %s: %s%s\n", d.Rule, strings.TrimSpace(string(d.ID)+" "+d.Field), value)
	}
	b.WriteString(secretLines(m))
	if _, err := fmt.Fprint(e.Stdout, text.Visible(b.String())); err != nil {
		return err
	}
	e.noteSecrets(m)
	switch {
	case !written:
	case len(m.Disputed) > 0:
		e.note("hint: git ctx conflicts")
	case len(m.Made) > 0:
		e.note("hint: git ctx audit")
	}
	return nil
}

func joinIDs(ids []records.ID) string {
	ss := make([]string, len(ids))
	for i, id := range ids {
		ss[i] = string(id)
	}
	return strings.Join(ss, ", ")
}

const shortValue = 80 // characters of a value that one line of text shows

// shorten folds a value into one line of limited length.
func shorten(s string) string {
	rs := []rune(strings.Join(strings.Fields(s), " "))
	if len(rs) > shortValue {
		return string(rs[:shortValue-3]) + "..."
	}
	return string(rs)
}
