package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
)

type searchOptions struct {
	read     readFlags
	script   scriptFlags
	want     selectFlags
	branches bool
	limit    int
	// limited tells that the user chose the limit.
	limited bool
}

// usualSearch is how many records a search shows unless told.
const usualSearch = 20

func newSearchCmd(env *Env) *cobra.Command {
	o := &searchOptions{}
	cmd := &cobra.Command{
		Use: "search QUERY...", Short: "find records by their words, the best match first",
		Long: `Find the records that have all words of QUERY in title, tags, reason or body, the best
match first. Case and accents do not matter. '"two words"' asks for words in a row, cach*
for words that begin so. Nothing in QUERY is an operator beside these.

Found are records that stand, are open, await review or are in doubt; --all adds those that
no longer hold, marked. What was forgotten is never found. Exit 1 when nothing is.`,
		Args: func(_ *cobra.Command, args []string) error {
			if !index.HasWords(strings.Join(args, " ")) {
				return usagef("git ctx search cache latency", "'search' needs a word to look for, got '%s'", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.limited = cmd.Flags().Changed("max-count")
			return runSearch(cmd.Context(), env, o, strings.Join(args, " "))
		},
	}
	f := cmd.Flags()
	o.want.bind(f, "")
	f.BoolVar(&o.branches, "all-branches", false, "in every context branch; each record once")
	f.IntVarP(&o.limit, "max-count", "n", usualSearch, "at most `N` records; 0 shows all, as JSON and --porcelain do")
	o.read.bind(f)
	o.script.bind(f, "score, id, kind, state, standing, why, title, snippet")
	return cmd
}

func runSearch(ctx context.Context, env *Env, o *searchOptions, words string) error {
	if err := env.formats(); err != nil {
		return err
	}
	switch {
	case o.limit < 0:
		return usagef("git ctx search -n 50 QUERY", "option '-n' '%d': give a number of records, or 0 for all", o.limit)
	case o.branches && o.read.asOf != "":
		return usagef("", "options '--all-branches' and '--as-of' exclude each other")
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
	search := query.Search
	if o.branches {
		search = query.SearchBranches
	}
	found, more, err := search(ctx, rd.Reading, words, want)
	var long *index.LongQueryError
	if errors.As(err, &long) {
		return usagef("git ctx search cache latency", "%w", err)
	}
	if err != nil {
		return err
	}
	if err := env.writeFound(ctx, rd, o, words, found, more); err != nil {
		return err
	}
	if len(found) > 0 {
		return nil
	}
	if !want.All && len(want.States) == 0 {
		want.All, want.Limit = true, 0
		settled, _, err := search(ctx, rd.Reading, words, want)
		if err != nil {
			return err
		}
		if n := len(settled); n > 0 {
			env.note("nothing that stands or is open: --all finds %d that no longer %s", n, either(n == 1, "holds", "hold"))
			return errNo
		}
	}
	env.note("nothing found in %s", text.Plural(rd.Len(), "record"))
	return errNo
}

func (e *Env) writeFound(ctx context.Context, rd *reading, o *searchOptions, words string, found []query.Found, more bool) error {
	switch {
	case e.json():
		return e.writeJSON(query.SearchAnswerOf(rd.Reading, words, found, more))
	case o.script.wanted():
		for _, f := range found {
			r, st := f.Record, f.Standing
			err := o.script.row(e, strconv.FormatFloat(f.Score, 'f', 6, 64), string(r.ID), string(r.Kind), query.StateWord(st.State),
				string(st.Class), string(st.Why), query.TitleOf(r), f.Snippet.Text)
			if err != nil {
				return err
			}
		}
		return nil
	case more:
		e.note("there are more: -n 0 shows all")
	}
	if len(found) == 0 {
		return nil
	}
	return e.page(ctx, rd.View, func(p *page) {
		for _, f := range found {
			p.found(rd, f)
		}
	})
}

// found writes what was found: the record, the line it was found in, and how
// other branches hold it.
func (p *page) found(rd *reading, f query.Found) {
	ls := rd.Remarks(f.Record, f.Standing)
	if f.Branch != rd.Branch {
		ls = append(ls, "on "+f.Branch)
	}
	remark := ""
	if len(ls) > 0 {
		remark = "  (" + strings.Join(ls, "; ") + ")"
	}
	p.Printf("%s  %s  %s%s\n", p.ID(f.Record.ID), ui.Painted{Text: query.StateWord(f.Standing.State), Colour: classColour(f.Standing.Class)},
		query.TitleOf(f.Record), ui.Painted{Text: remark, Colour: ui.Dim})
	if f.Snippet.Text != "" {
		p.Printf("    %s\n", markedText{f.Snippet})
	}
	for _, b := range f.Elsewhere {
		p.Printf("    %s\n", ui.Painted{Text: fmt.Sprintf("otherwise on %s: %s", b.Branch, query.StateWord(b.Standing.State)), Colour: ui.Dim})
	}
}

// markedText is a snippet whose marks are in colour, or in brackets.
type markedText struct{ index.Snippet }

// String is the text without its marks.
func (m markedText) String() string { return text.Visible(m.Text) }

// Render puts the marks into the text.
func (m markedText) Render(p *ui.Page) string {
	var b strings.Builder
	at := 0
	for _, mark := range m.Marks {
		b.WriteString(text.Visible(m.Text[at:mark[0]]))
		if word := text.Visible(m.Text[mark[0]:mark[1]]); p.Colour {
			b.WriteString("\x1b[1;31m" + word + "\x1b[m")
		} else {
			b.WriteString("[" + word + "]")
		}
		at = mark[1]
	}
	return b.String() + text.Visible(m.Text[at:])
}
