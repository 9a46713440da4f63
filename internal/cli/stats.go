package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type statsOptions struct {
	read  readFlags
	since string
}

func newStatsCmd(env *Env) *cobra.Command {
	o := &statsOptions{}
	cmd := &cobra.Command{
		Use: "stats", Short: "count records, words, reversals, reviews and what was proposed again", Args: noArgs,
		Long: `Count what the context branch holds, by kind and state, and what became of it:

    reversals  verdicts taken back by reopen or revert, or turned round: supported and
               refuted, accepted and rejected, verified and retracted
    review     proposals that were accepted, from when acceptance was first asked for;
               of imports that is not known
    again      additions refused here because the same text was ruled out before, which
               only this repository counts, and those recorded again with a reason

--since counts only what became of it since then; records and words are those of now.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runStats(cmd.Context(), env, o) },
	}
	cmd.Flags().StringVar(&o.since, "since", "", "only what is not older than `DATE`; a bare date is midnight UTC")
	o.read.bind(cmd.Flags())
	return cmd
}

func runStats(ctx context.Context, env *Env, o *statsOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	var since time.Time
	if o.since != "" {
		var err error
		if since, err = ledger.ParseDate(o.since, env.Now()); err != nil {
			return usagef("git ctx stats --since 2026-01-31", "option '--since': %w", err)
		}
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	a, err := query.Stats(ctx, rd.Reading, since)
	switch {
	case err != nil:
		return err
	case env.json():
		return env.writeJSON(a)
	}
	return env.page(ctx, nil, func(p *page) { p.stats(a) })
}

func (p *page) stats(a *query.StatsAnswer) {
	p.Printf("%s\n", text.Plural(a.Records, "record"))
	for i := range a.Kinds {
		k := &a.Kinds[i]
		if k.Records == 0 {
			continue
		}
		var states []string
		for _, s := range k.StatesOf() {
			states = append(states, fmt.Sprintf("%d %s", k.States[s], s))
		}
		p.Printf("  %s %s  %s: %s\n", ui.Painted{Text: string(k.Kind), Width: 11, Colour: ui.Bold}, ui.Painted{Text: fmt.Sprint(k.Records), Width: 6},
			text.Plural(k.Words, "word"), strings.Join(states, ", "))
	}
	h, r := a.History, a.Review
	if a.Since != "" {
		p.Printf("since %s\n", a.Since)
	}
	p.Printf("%s  %s and %s among them; %d by people, %d by agents, %d by unknown\n", ui.Painted{Text: text.Plural(h.Commits, "commit"), Colour: ui.Bold},
		text.Plural(h.Checkpoints, "checkpoint"), text.Plural(h.Merges, "merge"), h.Human, h.Agent, h.Unknown)
	p.Printf("%s  %d%s\n", ui.Painted{Text: "reversals", Colour: ui.Bold}, a.Reversals.Total, byKind(a.Reversals.Kinds))
	p.Printf("%s  ", ui.Painted{Text: "review", Colour: ui.Bold})
	if r.Accepted > 0 {
		p.Printf("%s accepted, half of them within %s and 9 in 10 within %s", text.Plural(r.Accepted, "proposal"), lasting(r.MedianSeconds), lasting(r.P90Seconds))
	} else {
		p.Printf("no proposal accepted")
	}
	if r.Waiting > 0 {
		p.Printf("; %s now", waits(r.Waiting))
		if r.OldestSeconds > 0 {
			p.Printf(", the oldest for %s", lasting(r.OldestSeconds))
		}
	}
	p.Printf("\n%s  %d refused here, %d recorded again with a reason\n", ui.Painted{Text: "again", Colour: ui.Bold}, a.Again.Refused, a.Again.Recorded)
}

func waits(n int) string {
	if n == 1 {
		return "1 waits"
	}
	return fmt.Sprintf("%d wait", n)
}

// byKind is counts by kind in brackets, "" for none.
func byKind(counts map[records.Kind]int) string {
	var parts []string
	for _, s := range records.Schemas() {
		if n := counts[s.Kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.Kind))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// lasting is a length of time in its largest unit.
func lasting(seconds int64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%dm", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%dh", seconds/3600)
	}
	return text.Plural(int(seconds/86400), "day")
}
