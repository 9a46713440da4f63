package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/graph"
)

// walkFlags bound a walk over links.
type walkFlags struct {
	read    readFlags
	depth   int
	limit   int
	limited bool // the user chose the limit
}

const (
	usualDepth = 3
	usualNodes = 200
)

func (f *walkFlags) bind(fs *pflag.FlagSet, depth int) {
	fs.IntVar(&f.depth, "depth", depth, "follow at most `N` links from where it begins; 0 is no bound")
	fs.IntVarP(&f.limit, "max-count", "n", usualNodes, "at most `N` records; 0 shows all, as JSON does")
	f.read.bind(fs)
}

// check refuses bounds and forms that are none, and returns the bounds.
func (f *walkFlags) check(env *Env, verb string) (graph.Bounds, error) {
	if err := env.formats("dot", "mermaid"); err != nil {
		return graph.Bounds{}, err
	}
	for _, n := range []struct {
		flag  string
		value int
	}{{"--depth", f.depth}, {"-n", f.limit}} {
		if n.value < 0 {
			return graph.Bounds{}, usagef(fmt.Sprintf("git ctx %s %s 5", verb, n.flag), "option '%s' '%d': give a number, or 0 for no bound", n.flag, n.value)
		}
	}
	if env.json() && !f.limited {
		f.limit = 0 // a program is not to find a part taken for the whole
	}
	return graph.Bounds{Steps: f.depth, Nodes: f.limit}, nil
}

type graphOptions struct {
	walk      walkFlags
	relations []string
}

func newGraphCmd(env *Env) *cobra.Command {
	o := &graphOptions{}
	cmd := &cobra.Command{
		Use: "graph [ID...]", Short: "show how records are linked",
		Long: `Show the records linked to those named, both ways, as a tree; without ID, how all records
that stand or are open are linked. Dead records are shown where a link leads to them.
A record that stands elsewhere in the tree is marked so.

--format takes dot and mermaid too, for programs that draw.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.walk.limited = cmd.Flags().Changed("max-count")
			return runGraph(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.relations, "relation", nil, "only links of `RELATION`, repeatable")
	o.walk.bind(f, usualDepth)
	return cmd
}

func runGraph(ctx context.Context, env *Env, o *graphOptions, names []string) error {
	bounds, err := o.walk.check(env, "graph")
	if err != nil {
		return err
	}
	q := query.GraphOptions{Bounds: bounds}
	for _, rel := range o.relations {
		if !slices.Contains(allRelations(), records.Relation(rel)) {
			return usagef("git ctx graph --relation rests-on", "unknown --relation '%s': it is one of %s", rel, joined(allRelations()))
		}
		q.Relations = append(q.Relations, records.Relation(rel))
	}
	rd, err := env.read(ctx, o.walk.read)
	if err != nil {
		return err
	}
	for _, name := range names {
		r, err := rd.find(name)
		if err != nil {
			return err
		}
		q.Roots = append(q.Roots, r.ID)
	}
	g, err := query.Graph(rd.Reading, q)
	if err != nil {
		return err
	}
	if g.More {
		env.note("there is more: --depth 0 -n 0 shows all")
	}
	if done, err := env.writeGraphForm(rd, g); done {
		return err
	}
	if env.json() {
		return env.writeJSON(query.GraphAnswerOf(rd.Reading, g))
	}
	return env.page(ctx, rd.View, func(p *page) { p.tree(rd, g.Tree()) })
}

func newLineageCmd(env *Env) *cobra.Command {
	o := &walkFlags{}
	cmd := &cobra.Command{
		Use: "lineage ID", Short: "show where a record came from, and what rests on it",
		Long: `Show what a record came from: the evidence for and against it, what it rests on, derives
from, cites or reopens, and what it took the place of; and what was grounded on it in turn.

--format takes dot and mermaid too, for programs that draw.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx list", "'lineage' needs the id of one record, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.limited = cmd.Flags().Changed("max-count")
			return runLineage(cmd.Context(), env, o, args[0])
		},
	}
	o.bind(cmd.Flags(), 0)
	return cmd
}

func runLineage(ctx context.Context, env *Env, o *walkFlags, name string) error {
	bounds, err := o.check(env, "lineage ID")
	if err != nil {
		return err
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	r, err := rd.find(name)
	if err != nil {
		return err
	}
	l := graph.LineageOf(rd.View, r.ID, bounds)
	if err := rd.Err(); err != nil {
		return err
	}
	whole := l.Whole()
	if whole.More {
		env.note("there is more: --depth 0 -n 0 shows all")
	}
	if done, err := env.writeGraphForm(rd, whole); done {
		return err
	}
	if env.json() {
		return env.writeJSON(query.LineageAnswerOf(rd.Reading, l))
	}
	return env.page(ctx, rd.View, func(p *page) {
		p.tree(rd, []graph.Visit{{ID: r.ID}})
		for _, way := range []struct {
			title string
			g     *graph.Graph
		}{{"came from", l.From}, {"rests on it", l.Rests}} {
			visits := way.g.Tree()[1:]
			if len(visits) == 0 {
				p.Printf("%s: nothing recorded\n", way.title)
				continue
			}
			p.Printf("%s:\n", way.title)
			p.tree(rd, visits)
		}
	})
}

// tree writes visits, each set in by its depth.
func (p *page) tree(rd *reading, visits []graph.Visit) {
	for _, v := range visits {
		p.Printf("%s", strings.Repeat("    ", v.Depth))
		if v.Edge != nil {
			p.Printf("%s ", ui.Painted{Text: string(v.Edge.Relation) + either(v.Edge.To == v.ID, " ->", " <-"), Colour: ui.Dim})
		}
		n := query.NodeOf(rd.Reading, v.ID)
		p.Printf("%s %s: %s", p.ID(v.ID), ui.Painted{Text: query.StateWord(n.State), Colour: classColour(n.Class)}, n.Title)
		if v.Again {
			p.Printf("%s", ui.Painted{Text: "  (stands elsewhere)", Colour: ui.Dim})
		}
		p.Printf("\n")
	}
}

// allRelations are the relations of all kinds, and those that stand in verdicts.
func allRelations() []records.Relation {
	var rels []records.Relation
	for _, s := range records.Schemas() {
		for _, rel := range records.Relations(s.Kind) {
			if !slices.Contains(rels, rel) {
				rels = append(rels, rel)
			}
		}
	}
	return append(rels, records.Cites, records.SupersededBy)
}

func joined[S ~string](words []S) string {
	ss := make([]string, len(words))
	for i, w := range words {
		ss[i] = string(w)
	}
	return strings.Join(ss, ", ")
}

// writeGraphForm writes a graph for a program that draws, if one is wanted.
func (e *Env) writeGraphForm(rd *reading, g *graph.Graph) (bool, error) {
	write, ok := map[string]func(io.Writer, query.GraphAnswer) error{"dot": writeDot, "mermaid": writeMermaid}[e.format]
	if !ok {
		return false, nil
	}
	return true, errors.Join(write(e.Stdout, query.GraphAnswerOf(rd.Reading, g)), rd.Err())
}
