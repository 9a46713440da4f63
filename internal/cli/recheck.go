package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

type recheckOptions struct {
	script scriptFlags
	update bool
}

func newRecheckCmd(env *Env) *cobra.Command {
	o := &recheckOptions{}
	cmd := &cobra.Command{
		Use: "recheck [ID...]", Short: "compare anchors with the files of the worktree; exit 1 when any no longer holds",
		Long: `Compare the anchors of the records named, or of all that have any and are not dead, with
the code: a file that git has unchanged as the recorded blob has the lines as recorded, and of
any other the digest of the cited lines tells. Every clone of a commit answers the same.

    current     the lines are where the anchor says
    moved       they are elsewhere in the file, or in another file
    stale       the file no longer has them
    gone        there is no such file, and the lines are found in no other
    unchecked   the anchor has no digest, or the checkout leaves out what would tell

--update rewrites anchors that moved. Verified evidence and other judged records are
left as they are, as an edit would call for a new judgement; they are followed all the same.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runRecheck(cmd.Context(), env, o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.update, "update", false, "rewrite the anchors that moved")
	o.script.bind(f, "state, id, path, lines, path now, lines now")
	return cmd
}

func runRecheck(ctx context.Context, env *Env, o *recheckOptions, names []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	rd, err := env.read(ctx, readFlags{})
	if err != nil {
		return err
	}
	var ids []records.ID
	for _, name := range names {
		r, err := rd.find(name)
		if err != nil {
			return err
		}
		ids = append(ids, r.ID)
	}
	as, err := query.CheckAnchors(ctx, rd.Reading, ids)
	if err != nil {
		return err
	}
	updated := []records.ID{}
	if o.update {
		if updated, err = updateAnchors(ctx, env, rd.Ledger, as); err != nil {
			return err
		}
	}
	if err := env.writeAnchors(ctx, rd, o, as, updated); err != nil {
		return err
	}
	if slices.ContainsFunc(as, func(a query.Anchored) bool { return slices.ContainsFunc(a.Checks, codelink.Check.Lost) }) {
		return errNo
	}
	return nil
}

// updateAnchors rewrites what moved, in one commit, and returns the records it wrote.
func updateAnchors(ctx context.Context, env *Env, led *ledger.Ledger, as []query.Anchored) ([]records.ID, error) {
	if !slices.ContainsFunc(as, func(a query.Anchored) bool {
		return slices.ContainsFunc(a.Checks, func(c codelink.Check) bool { return c.State == codelink.Moved })
	}) {
		return []records.ID{}, nil
	}
	checks := make(map[records.ID][]codelink.Check, len(as))
	for _, a := range as {
		checks[a.Record.ID] = a.Checks
	}
	followed, err := led.FollowAnchors(ctx, checks)
	if err != nil {
		return nil, err
	}
	updated := []records.ID{}
	for _, id := range slices.Sorted(maps.Keys(followed)) {
		if followed[id] {
			updated = append(updated, id)
		} else {
			env.note("%s is left as it is: it was judged as it stands", id)
		}
	}
	return updated, nil
}

func (e *Env) writeAnchors(ctx context.Context, rd *reading, o *recheckOptions, as []query.Anchored, updated []records.ID) error {
	lines := query.AnchorLines(as)
	switch {
	case e.json():
		return e.writeJSON(query.AnchorsAnswer{Format: jsonFormat, Commit: rd.Commit, Branch: rd.Branch, Anchors: lines, Updated: updated})
	case o.script.wanted():
		for _, l := range lines {
			if err := o.script.row(e, string(l.State), string(l.ID), l.Path, l.Lines, l.NowPath, l.NowLines); err != nil {
				return err
			}
		}
		return nil
	case len(lines) == 0:
		e.note("no anchor to compare: git ctx evidence add TITLE --anchor PATH:A-B")
		return nil
	}
	return e.page(ctx, rd.View, func(p *page) {
		for _, l := range lines {
			p.anchor(l, slices.Contains(updated, l.ID))
		}
	})
}

func (p *page) anchor(l query.AnchorLine, updated bool) {
	tint := map[codelink.State]ui.Colour{codelink.Current: ui.Green, codelink.Moved: ui.Cyan, codelink.Unchecked: ui.Dim}
	state := ui.Painted{Text: string(l.State), Colour: ui.Red, Width: len(codelink.Unchecked)}
	if c, ok := tint[l.State]; ok {
		state.Colour = c
	}
	p.Printf("%s  %s  %s", state, p.ID(l.ID), placeOf(l.Path, l.Lines))
	if l.State == codelink.Moved {
		p.Printf(" -> %s", placeOf(l.NowPath, l.NowLines))
		if updated {
			p.Printf(" (updated)")
		}
	}
	p.Printf("  %s\n", l.Title)
}

// placeOf is PATH:A-B, or PATH.
func placeOf(path, lines string) string {
	if lines == "" {
		return path
	}
	return path + ":" + lines
}
