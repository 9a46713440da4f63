package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

type listOptions struct {
	read   readFlags
	script scriptFlags
	want   selectFlags
	limit  int
	// limited tells that the user chose the limit.
	limited bool
}

func newListCmd(env *Env, k records.Kind) *cobra.Command {
	o := &listOptions{want: selectFlags{kind: string(k)}}
	what := "records"
	if k != "" {
		what = string(k) + " records"
	}
	cmd := &cobra.Command{
		Use: "list", Short: "list " + what + " that stand or are still open",
		Long: "List " + what + ` that stand, are open, await review or are in doubt. Records that were
ruled out, closed or superseded are shown with --all, or when their state is named.
The order is by kind, then priority (0 first; without one a record counts as 2), then
the oldest first.`,
		Args: listArgs(k),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.limited = cmd.Flags().Changed("max-count")
			return runList(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	o.want.bind(f, k)
	f.IntVarP(&o.limit, "max-count", "n", usualList, "show at most `N` lines; 0 shows all, as JSON and --porcelain do")
	o.read.bind(f)
	o.script.bind(f, "id, kind, state, standing, why, title")
	return cmd
}

// listArgs takes a kind named after list for the question it is.
func listArgs(k records.Kind) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if k == "" && len(args) == 1 {
			if kind, err := records.ParseKind(strings.TrimSuffix(args[0], "s")); err == nil {
				return usagef(fmt.Sprintf("git ctx %s list", kind), "'list' takes no argument, got '%s'", args[0])
			}
		}
		return noArgs(cmd, args)
	}
}

// usualList is how many lines a person or an agent is shown unless told otherwise.
const usualList = 100

func runList(ctx context.Context, env *Env, o *listOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	if o.limit < 0 {
		return usagef("git ctx list -n 50", "option '-n' '%d': give a number of records, or 0 for all", o.limit)
	}
	if !o.limited && (env.json() || o.script.wanted()) {
		o.limit = 0 // a program is not to find a part taken for the whole
	}
	want, err := o.want.options()
	if err != nil {
		return err
	}
	want.Limit = o.limit
	rd, err := env.selected(ctx, o.read, &o.want, &want)
	if err != nil {
		return err
	}
	ls, more, err := query.List(rd.Reading, want)
	if err != nil {
		return err
	}
	switch {
	case env.json():
		return env.writeJSON(query.ListAnswerOf(rd.Reading, ls))
	case o.script.wanted():
		for _, l := range ls {
			if err := o.script.row(env, string(l.Record.ID), string(l.Record.Kind), query.StateWord(l.Standing.State), string(l.Standing.Class), string(l.Standing.Why), query.TitleIn(l.Record, l.Standing)); err != nil {
				return err
			}
		}
		return nil
	case len(ls) == 0 && !want.All && len(want.States) == 0 && rd.Len() > 0:
		env.note("nothing here stands or is open: --all lists what is settled too")
	case more:
		env.note("there are more: -n 0 lists all")
	}
	return env.page(ctx, rd.View, func(p *page) { p.list(rd, ls) })
}

// list writes aligned columns: id, state, title, remarks.
func (p *page) list(rd *reading, ls []query.Listed) {
	idWidth, stateWidth := 0, 0
	for _, l := range ls {
		idWidth = max(idWidth, len(p.Short(l.Record.ID)))
		stateWidth = max(stateWidth, len(query.StateWord(l.Standing.State)))
	}
	for _, l := range ls {
		id := p.ID(l.Record.ID)
		id.Width = idWidth
		remark := ""
		if rs := rd.Remarks(l.Record, l.Standing); len(rs) > 0 {
			remark = "  (" + strings.Join(rs, "; ") + ")"
		}
		p.Printf("%s  %s  %s%s\n", id, ui.Painted{Text: query.StateWord(l.Standing.State), Colour: classColour(l.Standing.Class), Width: stateWidth},
			query.TitleIn(l.Record, l.Standing), ui.Painted{Text: remark, Colour: ui.Dim})
	}
}
