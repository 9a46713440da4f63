package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type reviewOptions struct {
	list   bool
	script scriptFlags
}

func newReviewCmd(env *Env) *cobra.Command {
	o := &reviewOptions{}
	cmd := &cobra.Command{
		Use: "review", Short: "go through what waits for a person to decide", Args: noArgs,
		Long: "Go through the proposals of agents and imports, by task: at a terminal one after the other,\n" +
			"each with its reasoning, to accept, reject, edit or skip with one key; elsewhere as a list.\n" +
			"Each decision is one commit. What changed since it was shown is shown again, not decided.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runReview(cmd.Context(), env, o) },
	}
	cmd.Flags().BoolVar(&o.list, "list", false, "list them, at a terminal too")
	o.script.bind(cmd.Flags(), "id, kind, state asked for, task, actor, time, title")
	cmd.AddCommand(newReviewShowCmd(env), newReviewDecideCmd(env, true), newReviewDecideCmd(env, false))
	return cmd
}

func runReview(ctx context.Context, env *Env, o *reviewOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	rd, err := env.read(ctx, readFlags{})
	if err != nil {
		return err
	}
	inbox, err := query.Inbox(rd.Reading)
	if err != nil {
		return err
	}
	prompt := env.keyPrompt()
	switch {
	case env.json():
		return env.writeJSON(inbox)
	case o.script.wanted():
		return env.reviewRows(inbox, o.script)
	case len(inbox.Proposals)+len(inbox.Challenges) == 0:
		env.note("nothing waits for review")
		return nil
	case !o.list && prompt != nil:
		s := &reviewing{keyPrompt: prompt}
		if err := s.run(ctx, inbox.Proposals); err != nil || len(inbox.Challenges) == 0 {
			return err
		}
		inbox.Proposals = nil
	}
	return env.page(ctx, rd.View, func(p *page) { p.inbox(rd, inbox) })
}

func (e *Env) reviewRows(inbox *query.ReviewAnswer, script scriptFlags) error {
	for _, q := range inbox.Proposals {
		if err := script.row(e, string(q.ID), string(q.Kind), string(q.Asks), string(q.Task), string(q.Actor), q.At, q.Title); err != nil {
			return err
		}
	}
	return nil
}

// inbox writes the list for a person.
func (p *page) inbox(rd *reading, inbox *query.ReviewAnswer) {
	for i, q := range inbox.Proposals {
		if i == 0 || q.Task != inbox.Proposals[i-1].Task {
			p.Printf("%s\n", p.work(rd, q.Task))
		}
		p.Printf("  %s %s, %s by %s%s: %s\n", p.ID(q.ID), q.Kind, asked(&q), q.Actor, onDay(q.At), q.Title)
		for _, l := range q.Chain[:len(q.Chain)-1] {
			p.Printf("    with %s: %s\n", p.ID(l.ID), l.Verb)
		}
	}
	p.challenges(inbox.Challenges)
	if len(inbox.Proposals) == 0 {
		return
	}
	p.Printf("%s; git ctx review show ID shows one with its reasoning, git ctx review accept ID [--chain] decides\n",
		text.Plural(len(inbox.Proposals), "proposal"))
}

// challenges lists what is to be answered, each with the verbs that answer it.
func (p *page) challenges(cs []query.Challenge) {
	for i, c := range cs {
		if i == 0 {
			p.Printf("%s\n", ui.Painted{Text: "challenged", Colour: ui.Bold})
		}
		p.Printf("  %s %s, %s: %s by %s%s: %s\n", p.ID(c.ID), c.Kind, c.State, c.Wants, c.Actor, onDay(c.At), c.Title)
		if c.Reason != "" {
			p.Printf("    %s\n", c.Reason)
		}
		p.Printf("    git ctx %s %s agrees; git ctx %s %s --reason WHY keeps it\n", c.Agree, p.Short(c.ID), c.Keep, p.Short(c.ID))
	}
}

// work names the task that a group of the inbox is about.
func (p *page) work(rd *reading, id records.ID) ui.Painted {
	if r, ok := rd.Record(id); ok {
		return ui.Painted{Text: fmt.Sprintf("%s %s", p.Short(id), query.TitleOf(r)), Colour: ui.Bold}
	}
	return ui.Painted{Text: "no task", Colour: ui.Bold}
}

// asked says in a few words what a proposal wants.
func asked(q *query.Proposal) string {
	if q.State == q.Asks {
		return string(q.Asks) + " without review"
	}
	return "asks to be " + string(q.Asks)
}

// onDay says when a proposal was made; an import may not know.
func onDay(at string) string {
	if at == records.FormatInstant(importer.Undated()) {
		return ""
	}
	return " on " + at[:len("2006-01-02")]
}

func newReviewShowCmd(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "show ID...", Short: "show proposals with what they rest on, evidence, rivals and what they replace", Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error { return runReviewShow(cmd.Context(), env, args) },
	}
}

// reviewedJSON is one record in the JSON answer of review show.
type reviewedJSON struct {
	Proposal  *query.Proposal  `json:"proposal"` // null when it waits for nobody
	Record    *records.Record  `json:"record"`
	Reasoning *query.Reasoning `json:"reasoning"`
}

func runReviewShow(ctx context.Context, env *Env, names []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	rd, err := env.read(ctx, readFlags{})
	if err != nil {
		return err
	}
	var out []reviewedJSON
	for _, name := range names {
		r, err := rd.find(name)
		if err != nil {
			return err
		}
		out = append(out, reviewedJSON{query.ProposalOf(rd.Reading, r), r, query.ReasoningOf(rd.Reading, r)})
	}
	if env.json() {
		return env.writeJSON(struct {
			Format  int            `json:"format"`
			Records []reviewedJSON `json:"records"`
		}{jsonFormat, out})
	}
	return env.page(ctx, rd.View, func(p *page) {
		for i, o := range out {
			if i > 0 {
				p.Printf("\n")
			}
			p.proposal(ctx, rd, o.Record, o.Proposal)
		}
	})
}

// proposal writes a record with its reasoning, and what to accept it would do.
func (p *page) proposal(ctx context.Context, rd *reading, r *records.Record, q *query.Proposal) {
	p.record(ctx, rd, r)
	p.reasoning(query.ReasoningOf(rd.Reading, r))
	if q == nil || len(q.Chain) < 2 {
		return
	}
	p.Printf("%s\n", ui.Painted{Text: "accepted as a chain, with one commit:", Colour: ui.Dim})
	for _, l := range q.Chain {
		o, _ := rd.Record(l.ID)
		p.Printf("  %s %s: %s\n", l.Verb, p.ID(l.ID), query.TitleOf(o))
		for _, id := range l.Cites {
			p.Printf("    cites %s\n", p.named(rd, id))
		}
	}
}

func (p *page) reasoning(re *query.Reasoning) {
	p.grounds("rests on:", re.RestsOn)
	p.grounds("rivals:", re.Rivals)
	for _, o := range re.Supersedes {
		p.Printf("%s %s: %s\n", ui.Painted{Text: "replaces", Colour: ui.Dim}, p.ID(o.ID), o.Title)
		p.fieldChanges(o.Fields)
	}
}

func (p *page) grounds(label string, gs []query.Ground) {
	if len(gs) > 0 {
		p.Printf("%s\n", ui.Painted{Text: label, Colour: ui.Dim})
	}
	for _, g := range gs {
		p.ground(g)
	}
}

func (p *page) ground(g query.Ground) {
	p.Printf("%s%s %s %s: %s", strings.Repeat("  ", g.Depth+1), p.ID(g.ID), g.Kind, ui.Painted{Text: query.StateWord(g.State), Colour: classColour(g.Class)}, g.Title)
	switch {
	case g.Stance != "":
		p.Printf(" (%s it", g.Stance)
		if g.Type != "" {
			p.Printf("; %s", g.Type)
		}
		if g.Source != "" {
			p.Printf("; %s", g.Source)
		}
		p.Printf(")\n")
	default:
		p.Printf("\n")
	}
	for _, e := range g.Evidence {
		p.ground(e)
	}
}

type decideOptions struct {
	accept, chain bool
	of, reason    string
}

func newReviewDecideCmd(env *Env, accept bool) *cobra.Command {
	o := &decideOptions{accept: accept}
	cmd := &cobra.Command{Use: "reject ID... --reason WHY", Short: "decide against proposals", Args: someIDs}
	if accept {
		cmd = &cobra.Command{Use: "accept ID...", Short: "give proposals the state they ask for", Args: someIDs}
		cmd.Flags().BoolVar(&o.chain, "chain", false, "with all that they rest on and that is not settled yet, in one commit each")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runDecide(cmd.Context(), env, o, args) }
	cmd.Flags().StringVar(&o.of, "of", "", "only if the content still has `DIGEST`, as review shows it in JSON")
	bindReason(cmd.Flags(), &o.reason)
	return cmd
}

func bindReason(f *pflag.FlagSet, reason *string) {
	f.StringVarP(reason, "reason", "r", "", "say `WHY`; it is kept with the judgement")
	f.StringVarP(reason, "message", "m", "", "the same")
	_ = f.MarkHidden("message") // there is such a flag: it was just made
}

// runDecide decides proposals one after the other, a commit each.
func runDecide(ctx context.Context, env *Env, o *decideOptions, names []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	if o.of != "" && len(names) > 1 {
		return usagef("git ctx review accept "+names[0]+" --of "+o.of, "option '--of' goes with one record")
	}
	if !o.accept && strings.TrimSpace(o.reason) == "" {
		return usagef("git ctx review reject "+names[0]+" --reason WHY", "'review reject' needs a reason")
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	if actor := led.Author().Actor; actor != records.Human {
		return &ledger.ReviewerError{Actor: actor}
	}
	var answers []edited
	for _, name := range names {
		rd, err := env.read(ctx, readFlags{})
		if err != nil {
			return err
		}
		q, err := rd.proposal(name)
		if err != nil {
			return err
		}
		res, err := env.decide(ctx, rd, q, o)
		if err != nil {
			return err
		}
		if env.json() {
			answers = append(answers, editedOf(res, q.ID))
		} else if err := env.answerDecided(res, q.ID); err != nil {
			return err
		}
	}
	if env.json() {
		return env.writeJSON(struct {
			Format    int      `json:"format"`
			Decisions []edited `json:"decisions"`
		}{jsonFormat, answers})
	}
	return nil
}

// proposal finds a proposal by the name of its record.
func (rd *reading) proposal(name string) (*query.Proposal, error) {
	r, err := rd.find(name)
	if err != nil {
		return nil, err
	}
	if q := query.ProposalOf(rd.Reading, r); q != nil {
		return q, nil
	}
	if r.Disputed() {
		return nil, &ledger.DisputedError{ID: r.ID}
	}
	return nil, &hintedError{fmt.Errorf("'%s' does not wait for review: it is %s", r.ID, query.StateWord(r.State())), "git ctx review"}
}

// decide commits the decision on a proposal as rd shows it.
func (e *Env) decide(ctx context.Context, rd *reading, q *query.Proposal, o *decideOptions) (*ledger.Result, error) {
	links := q.Chain[len(q.Chain)-1:]
	if o.chain {
		links = q.Chain
	}
	if !o.accept {
		links = []query.ChainLink{{ID: q.ID, Verb: q.Reject}}
	}
	var rulings []ledger.Ruling
	for _, l := range links {
		r, ok := rd.Record(l.ID)
		if !ok {
			return nil, &ledger.ChangedError{ID: l.ID}
		}
		seen, err := ledger.Stamp(r)
		if err != nil {
			return nil, err
		}
		ruling := ledger.Ruling{ID: l.ID, Verb: l.Verb, Seen: seen}
		for _, id := range l.Cites {
			ruling.Cites = append(ruling.Cites, string(id))
		}
		if l.ID == q.ID {
			ruling.Of = o.of
		}
		rulings = append(rulings, ruling)
	}
	return rd.Ledger.Rule(ctx, rulings, o.reason)
}

// answerDecided tells what a decision changed, what it is about last.
func (e *Env) answerDecided(res *ledger.Result, id records.ID) error {
	var lines []string
	for _, changed := range res.Changed {
		if r, ok := res.View.Record(changed); ok {
			lines = append(lines, stateLine(r))
		}
	}
	if len(lines) == 0 {
		lines = []string{fmt.Sprintf("%s stays as it is", id)}
	}
	return e.answerEdit(res, id, lines...)
}

// changedMeanwhile reports whether a decision failed because something else than
// what was shown stands now.
func changedMeanwhile(err error) bool {
	var changed *ledger.ChangedError
	return errors.As(err, &changed)
}
