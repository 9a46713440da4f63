package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/packet"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
	"github.com/git-ctx/git-ctx/records/planning"
)

// planShare is how many percent of a plan's limits go to what is to be done; the
// packet has the rest, and what those leave.
const planShare = 40

// A Plan is a packet with what is to be done: the next tasks, and for the task or
// goal in focus its gaps and the audit's findings. Both limits of the options
// hold for its Markdown text as a whole.
type Plan struct {
	Packet   *packet.Packet
	Next     []Todo
	Gaps     []planning.Gap
	Findings []audit.Finding
	// NextMore, MoreGaps and MoreFindings tell what did not fit.
	NextMore               bool
	MoreGaps, MoreFindings int
	// Tokens and Chars measure the Markdown text.
	Tokens, Chars int

	text string
}

// PlanOf makes the plan that packet options ask for. Errors are as of [Packet];
// the limits that a *[packet.BudgetError] names are the plan's.
func PlanOf(ctx context.Context, rd *Reading, o PacketOptions) (*Plan, error) {
	o.Kinds = noTasks() // the next tasks stand in a section of their own
	req, err := packetRequest(ctx, rd, o)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	todo, err := planned(ctx, rd, p, req.Focus)
	if err != nil {
		return nil, err
	}
	limit := extent{cmp.Or(req.Budget, packet.DefaultBudget), cmp.Or(req.MaxChars, packet.DefaultMaxChars)}
	own := todo.fill(limit.share(planShare))
	for {
		text := todo.text()
		req.Budget, req.MaxChars = max(limit.tokens-own.tokens, 1), max(limit.chars-own.chars, 1)
		if p.Packet, err = packet.Build(rd.View, req); err != nil {
			return nil, wholeLimits(err, limit, own)
		}
		p.text = p.Packet.Markdown() + text
		p.Tokens, p.Chars = packet.Measure(p.text)
		if (extent{p.Tokens, p.Chars}).within(limit) || !todo.drop() {
			p.settle(todo)
			return p, nil
		}
	}
}

// settle keeps of the lists what the text shows.
func (p *Plan) settle(t *todoText) {
	p.NextMore = p.NextMore || t.next.shown < len(p.Next)
	p.Next = p.Next[:t.next.shown]
	p.MoreGaps, p.Gaps = len(p.Gaps)-t.gaps.shown, p.Gaps[:t.gaps.shown]
	p.MoreFindings, p.Findings = len(p.Findings)-t.findings.shown, p.Findings[:t.findings.shown]
}

// Markdown returns the plan as text.
func (p *Plan) Markdown() string { return p.text }

// noTasks are all kinds but tasks.
func noTasks() []records.Kind {
	var ks []records.Kind
	for _, s := range records.Schemas() {
		if s.Kind != records.Task {
			ks = append(ks, s.Kind)
		}
	}
	return ks
}

// planned gathers what is to be done.
func planned(ctx context.Context, rd *Reading, p *Plan, f packet.Focus) (*todoText, error) {
	n, err := Next(ctx, rd, NextOptions{Limit: UsualNext, Focus: nextFocus(rd, f)})
	if err != nil {
		return nil, err
	}
	p.Next, p.NextMore = n.Ready, n.More
	t := newTodoText()
	for i := range p.Next {
		t.next.add(nextLine(rd, &p.Next[i]))
	}
	root := cmp.Or(f.Task, f.Goal)
	if root == "" {
		return t, nil
	}
	w, err := work(rd, string(root), workLimit)
	if err != nil {
		return nil, err
	}
	t.gaps.all += " " + string(root)
	p.Gaps, p.Findings = w.Gaps(), findingsAbout(rd, w.All())
	for _, g := range p.Gaps {
		t.gaps.add(fmt.Sprintf("- %s lacks %s: %s. `%s`\n", rd.Abbreviate(g.Record.ID, ShownID), g.Lacks, g.Message, g.Command))
	}
	for _, f := range p.Findings {
		t.findings.add(findingLine(f))
	}
	return t, nil
}

// nextFocus is the focus of a packet as next weighs it.
func nextFocus(rd *Reading, f packet.Focus) *planning.Focus {
	out := focusOf(rd.Ledger, rd.View)
	if f.Task != out.Task || f.Goal != "" && f.Goal != out.Goal {
		out = planning.Focus{Task: f.Task, Goal: f.Goal}
	}
	if t, ok := rd.Record(out.Task); ok && out.Goal == "" && len(t.Links[records.Serves]) == 1 {
		out.Goal = t.Links[records.Serves][0]
	}
	return &out
}

func nextLine(rd *Reading, t *Todo) string {
	mark := ""
	if t.Current {
		mark = ", yours"
	}
	prio := ""
	if t.Task.Priority != nil {
		prio = fmt.Sprintf(", P%d", *t.Task.Priority)
	}
	return fmt.Sprintf("- %s (%s%s%s; score %d): %s\n", rd.Abbreviate(t.Task.ID, ShownID), StateWord(t.Task.State()), prio, mark, t.Score.Total(), packet.Inline(TitleOf(t.Task), planTitle))
}

// planTitle and planMessage bound what a line of a plan repeats of a record.
const (
	planTitle   = 120
	planMessage = 300
)

func findingLine(f audit.Finding) string {
	line := fmt.Sprintf("- %s %s: %s", f.Severity, f.Rule, packet.Inline(f.Message, planMessage))
	if f.Hint != "" {
		first, _, _ := strings.Cut(f.Hint, "\n")
		line += fmt.Sprintf(". `%s`", packet.Inline(first, planMessage))
	}
	return line + "\n"
}

// wholeLimits turns the limits that a packet lacks into those of its plan.
func wholeLimits(err error, limit, own extent) error {
	var small *packet.BudgetError
	if errors.As(err, &small) {
		return &packet.BudgetError{Tokens: limit.tokens, Chars: limit.chars, NeedTokens: small.NeedTokens + own.tokens, NeedChars: small.NeedChars + own.chars}
	}
	return err
}

// PlanAnswer is the JSON answer of plan.
type PlanAnswer struct {
	Format   int                     `json:"format"`
	Commit   gitstore.OID            `json:"commit"`
	Branch   string                  `json:"branch,omitempty"`
	Tokens   int                     `json:"tokens"`
	Chars    int                     `json:"chars"`
	Packet   *packet.Packet          `json:"packet"`
	Next     PlanPart[TodoAnswer]    `json:"next"`
	Gaps     PlanPart[GapAnswer]     `json:"gaps"`
	Findings PlanPart[audit.Finding] `json:"findings"`
}

// A PlanPart is one list of a plan, and whether the limits left some out.
type PlanPart[T any] struct {
	Items []T  `json:"items"`
	More  bool `json:"more"`
}

// Answer is the JSON answer: the same selection as the text.
func (p *Plan) Answer(rd *Reading) PlanAnswer {
	out := PlanAnswer{Format: AnswerFormat, Commit: rd.Commit, Branch: rd.Branch, Tokens: p.Tokens, Chars: p.Chars, Packet: p.Packet}
	out.Next = PlanPart[TodoAnswer]{[]TodoAnswer{}, p.NextMore}
	for _, t := range p.Next {
		out.Next.Items = append(out.Next.Items, todoAnswer(rd, t))
	}
	out.Gaps = PlanPart[GapAnswer]{gapAnswers(p.Gaps, 0), p.MoreGaps > 0}
	out.Findings = PlanPart[audit.Finding]{append([]audit.Finding{}, p.Findings...), p.MoreFindings > 0}
	return out
}
