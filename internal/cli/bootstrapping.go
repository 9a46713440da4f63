package cli

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/vendorbranch"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/bootstrap"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type bootstrapOptions struct{ from []string }

// A bootstrapping goes through a plan with a person at a terminal.
type bootstrapping struct {
	*keyPrompt
	kept     []bootstrap.Proposal
	reworded map[records.ID]string // titles that the person gave
}

// runBootstrap maps the documents, asks for each proposal that is not recorded, and
// records those that were kept. A title that the person gave is an edit of their own
// on top, so that the document's text never takes it back.
func runBootstrap(ctx context.Context, env *Env, o *bootstrapOptions) error {
	plan, err := env.mapDocuments(ctx, o.from)
	if err != nil {
		return err
	}
	fresh, err := env.unrecorded(ctx, plan)
	if err != nil {
		return err
	}
	if env.noteMapped(plan, false); len(plan.Proposals) == 0 {
		return nil
	}
	if n := len(plan.Proposals) - len(fresh); n > 0 {
		env.note("%s recorded or left out here already", text.Plural(n, "proposal"))
	}
	s := &bootstrapping{keyPrompt: env.keyPrompt(), reworded: make(map[records.ID]string)}
	if err := s.run(ctx, fresh); err != nil {
		return err
	}
	if env.note("%d kept, %d left", len(s.kept), len(fresh)-len(s.kept)); len(s.kept) == 0 {
		return nil
	}
	kept := &bootstrap.Plan{Format: plan.Format, Proposals: s.kept}
	if err := runBootstrapApply(ctx, env, func() (*bootstrap.Plan, error) { return kept, nil }, importOptions{}); err != nil {
		return err
	}
	return s.reword(ctx)
}

// unrecorded are the proposals that an import would add or change. What it would
// refuse is listed in the plan.
func (e *Env) unrecorded(ctx context.Context, plan *bootstrap.Plan) ([]bootstrap.Proposal, error) {
	res, err := e.planRecords(ctx, plan)
	if err != nil {
		return nil, err
	}
	led, err := e.ledger(ctx)
	if err != nil {
		return nil, err
	}
	v, err := led.View(ctx)
	if err != nil {
		return nil, err
	}
	would, err := vendorbranch.Import(ctx, led, res.Source, res.Records, res.Time, vendorbranch.ImportOptions{
		DryRun: true, Actor: bootstrap.Actor, SkipTwins: true, Renew: bootstrap.Renew, Reconcile: res.Reconcile,
	})
	if err != nil {
		return nil, err
	}
	for _, l := range would.LeftOut {
		plan.Skipped = append(plan.Skipped, skipOf(l))
	}
	changes := make(map[records.ID]bool)
	for _, r := range would.Records {
		old, ok := v.Record(r.ID)
		changes[r.ID] = !ok || old.Origin == nil || old.Origin.Digest != r.Origin.Digest
	}
	return slices.DeleteFunc(slices.Clone(plan.Proposals), func(q bootstrap.Proposal) bool { return !changes[q.ID()] }), nil
}

func (s *bootstrapping) run(ctx context.Context, plan []bootstrap.Proposal) error {
	var file string // all of which is kept
	for i, q := range plan {
		if at := q.Anchors[0].Path; at == file {
			s.kept = append(s.kept, q)
			continue
		}
		key, err := s.one(ctx, &q, fmt.Sprintf("(%d/%d)", i+1, len(plan)))
		switch {
		case err != nil:
			return err
		case key == 'q':
			return nil
		case key == 'a':
			file = q.Anchors[0].Path
		case key == 's':
			continue
		}
		s.kept = append(s.kept, q)
	}
	return nil
}

// one shows a proposal until it is kept, skipped, or the person stops.
func (s *bootstrapping) one(ctx context.Context, q *bootstrap.Proposal, place string) (key byte, err error) {
	title := q.Title
	for {
		p := &page{&ui.Page{Out: s.env.Stdout, Colour: s.env.colour(ctx), Width: s.env.width()}}
		shown := *q
		shown.Title = title
		p.Printf("\n%s ", ui.Painted{Text: place, Colour: ui.Dim})
		p.mapped(&shown)
		p.Block(q.Body)
		if err := p.Err(); err != nil {
			return 0, err
		}
		for key = 0; key == 0; {
			if key, err = s.key(fmt.Sprintf("keep this %s [k,e,s,a,q,?]: ", q.Kind)); err != nil {
				return 0, err
			}
			switch key {
			case 'k', 'a', 's':
				if title != q.Title && key != 's' {
					s.reworded[q.ID()] = title
				}
				return key, nil
			case 'q', ui.KeyEnd:
				return 'q', nil
			case 'e':
				if title, err = s.title(ctx, q, title); err != nil {
					printError(s.env.Stderr, err)
				}
			default:
				s.env.note("k - keep it\ne - edit its title, then look again\ns - skip it\n"+
					"a - keep it and all that is left of '%s'\nq - stop here, and record what was kept\n? - this help", q.Anchors[0].Path)
				key = 0
			}
		}
	}
}

// title lets the person word a proposal in the editor; was stays where that fails.
func (s *bootstrapping) title(ctx context.Context, q *bootstrap.Proposal, was string) (string, error) {
	now := was
	header := fmt.Sprintf("# The title of this %s. A line that starts with '#' is left out.\n", q.Kind)
	err := s.env.inEditor(ctx, []byte(header+was+"\n"), func(edited []byte) error {
		line := importer.OneLine(string(edited))
		switch n := utf8.RuneCountInString(line); {
		case records.Blank(line):
			return fmt.Errorf("title of '%s': it is empty", q.Key)
		case n > records.MaxTitle:
			return fmt.Errorf("title of '%s': it has %d characters: it may have %d", q.Key, n, records.MaxTitle)
		}
		now = line
		return nil
	})
	return now, err
}

// reword gives the records that were made the titles of the person, a commit each.
func (s *bootstrapping) reword(ctx context.Context) error {
	led, err := s.env.ledger(ctx)
	if err != nil {
		return err
	}
	for _, q := range s.kept {
		title, ok := s.reworded[q.ID()]
		if !ok {
			continue
		}
		err := s.env.edit(ctx, led, func(tx *ledger.Tx) (*records.Record, error) {
			r, _, err := tx.Do(grammar.Op{Verb: grammar.Edit, ID: string(q.ID()), Title: title})
			return r, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
