package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/vendorbranch"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/bootstrap"
	"github.com/git-ctx/git-ctx/internal/text"
)

func newBootstrapCmd(env *Env) *cobra.Command {
	o := &bootstrapOptions{}
	cmd := &cobra.Command{
		Use: "bootstrap", Short: "propose what the repository's documents already state",
		Long: "Go through what the documents of the worktree state as goals, decisions and hypotheses, one\n" +
			"at a time, to keep, edit or skip it with one key. What was kept is recorded at the end, as\n" +
			"git ctx bootstrap apply records it: as proposals that wait for review.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args)
			}
			if env.json() || env.keyPrompt() == nil {
				return needsOne(cmd)
			}
			return runBootstrap(cmd.Context(), env, o)
		},
	}
	bindFrom(cmd.Flags(), &o.from)
	cmd.AddCommand(newBootstrapMapCmd(env), newBootstrapApplyCmd(env))
	return cmd
}

func bindFrom(fs *pflag.FlagSet, from *[]string) {
	fs.StringArrayVar(from, "from", nil, "read `FILE` alone, whatever it is called, and those named likewise")
}

type bootstrapMapOptions struct {
	script  scriptFlags
	from    []string
	verbose bool
}

func newBootstrapMapCmd(env *Env) *cobra.Command {
	o := &bootstrapMapOptions{}
	cmd := &cobra.Command{
		Use: "map", Short: "list the goals, decisions and hypotheses that the documents state", Args: noArgs,
		Long: "List what the documents of the worktree state as goals, decisions and hypotheses: README,\n" +
			"CHANGELOG, ARCHITECTURE and the like, and what lies in docs, adr, rfcs and such folders, as\n" +
			".md, .rst, .adoc and .txt. They are found by fixed patterns, each with the lines it stands on.\n" +
			"What git ignores, links and other repositories are left out. Nothing is written.\n" +
			"--format=yaml or json writes a plan for git ctx bootstrap apply, to be edited first.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runBootstrapMap(cmd.Context(), env, o) },
	}
	o.script.bind(cmd.Flags(), "kind, confidence, path, lines, key, title")
	bindFrom(cmd.Flags(), &o.from)
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list all that was skipped, a document a line")
	return cmd
}

func runBootstrapMap(ctx context.Context, env *Env, o *bootstrapMapOptions) error {
	if err := env.formats("yaml"); err != nil {
		return err
	}
	plan, err := env.mapDocuments(ctx, o.from)
	if err != nil {
		return err
	}
	switch {
	case env.json():
		return env.writeJSON(plan)
	case env.format == "yaml":
		text, err := bootstrap.FormatPlan(plan)
		if err == nil {
			_, err = env.Stdout.Write(text)
		}
		return err
	case o.script.wanted():
		for _, q := range plan.Proposals {
			at := q.Anchors[0]
			if err := o.script.row(env, string(q.Kind), fmt.Sprint(q.Confidence), at.Path, at.Lines, q.Key, q.Title); err != nil {
				return err
			}
		}
		return nil
	}
	if env.noteMapped(plan, o.verbose); len(plan.Proposals) == 0 {
		return nil
	}
	return env.page(ctx, nil, func(p *page) { p.plan(plan) })
}

// noteMapped tells what was read, and what to do where that states nothing.
func (e *Env) noteMapped(plan *bootstrap.Plan, verbose bool) {
	e.noteSkipped(plan.Skipped, verbose)
	e.note("read %s, looking for goals, decisions, hypotheses and their sections, labels and sentences", text.Plural(plan.Read, "document"))
	if len(plan.Proposals) == 0 {
		e.note("no document states a goal, decision or hypothesis that is known by its form")
		e.note("hint: git ctx bootstrap map --from FILE reads any file; records of decisions elsewhere: git ctx import adr DIR")
	}
}

// plan writes what a plan proposes for a person.
func (p *page) plan(plan *bootstrap.Plan) {
	for _, q := range plan.Proposals {
		p.mapped(&q)
	}
	p.Printf("%s; git ctx bootstrap apply records them, git ctx bootstrap map --format=yaml writes a plan to edit first\n",
		text.Plural(len(plan.Proposals), "proposal"))
}

// mapped writes one proposal of a plan with its place.
func (p *page) mapped(q *bootstrap.Proposal) {
	p.Printf("%s %s\n", ui.Painted{Text: string(q.Kind), Colour: ui.Bold, Width: len("hypothesis")}, q.Title)
	for _, a := range q.Anchors {
		p.Printf("           %s:%s", a.Path, a.Lines)
	}
	p.Printf(" (%s, %s)\n", q.Why, fmt.Sprint(q.Confidence))
}

// mapDocuments maps the documents of the worktree.
func (e *Env) mapDocuments(ctx context.Context, from []string) (*bootstrap.Plan, error) {
	led, err := e.ledger(ctx)
	if err != nil {
		return nil, err
	}
	names, err := codelink.WorktreeFiles(ctx, led.Repo(), bootstrap.DocumentPatterns()...)
	if err != nil {
		return nil, err
	}
	root, err := codelink.OpenWorktree(led.Repo())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if len(from) == 0 {
		return bootstrap.Map(root, names), nil
	}
	var files []string
	for _, f := range from {
		name, err := e.sourceFolder(ctx, f)
		if err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return bootstrap.MapFiles(root, files), nil
}

func newBootstrapApplyCmd(env *Env) *cobra.Command {
	var o importOptions
	var from []string
	cmd := &cobra.Command{
		Use: "apply [FILE|-]", Short: "record a plan as proposals that wait for review", Args: oneFile,
		Long: "Record what a plan of git ctx bootstrap map proposes, or, without one, what the map lists now.\n" +
			"Whoever applies it, all of it are proposals of agent/bootstrap: none is accepted or verified,\n" +
			"and git ctx review goes through them. The same again changes nothing; a section that changed\n" +
			"changes its proposal. What is recorded or ruled out here already is left out. A document\n" +
			"without the lines that the plan cites refuses it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && len(from) > 0 {
				return usagef("git ctx bootstrap apply "+args[0], "option '--from' and a plan exclude each other")
			}
			return runBootstrapApply(cmd.Context(), env, func() (*bootstrap.Plan, error) {
				if len(args) > 0 {
					return env.readPlan(args[0])
				}
				return env.mapDocuments(cmd.Context(), from)
			}, o)
		},
	}
	o.bind(cmd.Flags())
	bindFrom(cmd.Flags(), &from)
	return cmd
}

func runBootstrapApply(ctx context.Context, env *Env, plan func() (*bootstrap.Plan, error), o importOptions) error {
	o.Actor, o.SkipTwins, o.Renew = bootstrap.Actor, true, bootstrap.Renew
	read := func(e *Env, _ string) (*importer.Result, error) {
		p, err := plan()
		if err != nil {
			return nil, err
		}
		return e.planRecords(ctx, p)
	}
	err := runImport(ctx, env, read, "", o)
	if err == nil && !env.json() && !o.DryRun && env.wrote() {
		env.note("hint: git ctx review goes through what waits for a decision")
	}
	return err
}

// readPlan reads the plan of a file.
func (e *Env) readPlan(file string) (*bootstrap.Plan, error) {
	data, err := e.readInput(file, maxInput, "a plan holds")
	if err != nil {
		return nil, err
	}
	plan, err := bootstrap.ParsePlan(data)
	if err != nil {
		return nil, &hintedError{fmt.Errorf("plan '%s': %w", file, err), "git ctx bootstrap map --format=yaml"}
	}
	return plan, nil
}

// planRecords makes records of a plan.
func (e *Env) planRecords(ctx context.Context, plan *bootstrap.Plan) (*importer.Result, error) {
	led, err := e.ledger(ctx)
	if err != nil {
		return nil, err
	}
	root, err := codelink.OpenWorktree(led.Repo())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	res, err := plan.Records(root)
	if errors.Is(err, bootstrap.ErrMoved) {
		return nil, &hintedError{err, "git ctx bootstrap map"}
	}
	return res, err
}

// noteTwins tells what an import left out as it is on the branch already.
func (e *Env) noteTwins(twins []vendorbranch.Twin) {
	for _, t := range twins {
		e.note("note: left out, as '%s' says it already and is %s", t.Of, t.State)
	}
}
