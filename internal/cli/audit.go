package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

type auditOptions struct {
	readFlags
	rules            []string
	severity, failOn string
	since            string
	staged           bool
	explain          string
	list             bool
	limit            int
	// limited tells that the user chose the limit.
	limited bool
	fix     bool
	suppressOptions
}

func newAuditCmd(env *Env) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use: "audit", Short: "report what is wrong or unfinished; exit 1 on errors", Args: noArgs,
		Long: `Report what is wrong or unfinished in the records, and exit 1 when a finding is an error, or
as bad as --fail-on says.

--since reports what the changes since a revision brought in, and all that is wrong with the
records that changed. --staged reports what concerns the files staged in the code's index, and
names the decisions in force on them.

--suppress takes the findings of a rule on one record out of the count. That is a commit on the
policy, with a reason, and the report goes on showing them. Under a policy that asks for review
only a person suppresses errors.

--fix makes the repairs that cannot change what a record says, as one commit, and lists them.

--format is text, json, sarif (2.1.0), github (workflow annotations) or junit.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.limited = cmd.Flags().Changed("max-count")
			return runAudit(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.rules, "rule", nil, "only `RULE`, repeatable")
	f.StringVar(&o.severity, "severity", "", "only findings at least this bad: `LEVEL` error, warning or info")
	f.StringVar(&o.failOn, "fail-on", string(records.Error), "exit 1 on findings at least this bad: `LEVEL` error, warning or info")
	f.StringVar(&o.since, "since", "", "only what changed since `REV|DATE`")
	f.BoolVar(&o.staged, "staged", false, "only what concerns the files staged in the code's index")
	f.StringVar(&o.explain, "explain", "", "say what `RULE` means and how to mend it")
	f.BoolVar(&o.list, "list", false, "list the rules")
	f.IntVarP(&o.limit, "max-count", "n", usualList, "show at most `N` findings, some of each rule; 0 shows all, as the other formats do")
	f.BoolVar(&o.fix, "fix", false, "make the repairs that change no meaning")
	o.suppressOptions.bind(f)
	o.readFlags.bind(f)
	return cmd
}

func runAudit(ctx context.Context, env *Env, o *auditOptions) error {
	if err := env.formats("sarif", "github", "junit"); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	switch {
	case o.explain != "":
		return env.explainRule(audit.Lookup(o.explain))
	case o.list:
		return env.listRules()
	case o.suppressing():
		return runSuppress(ctx, env, &o.suppressOptions)
	case o.fix:
		return runFix(ctx, env)
	}
	rd, err := env.read(ctx, o.readFlags)
	if err != nil {
		return err
	}
	a, err := query.RunAudit(ctx, rd.Reading, query.AuditOptions{
		Rules: o.rules, Severity: records.Severity(o.severity), Since: o.since, Staged: o.staged,
	})
	if err != nil {
		return err
	}
	if a.Unverified > 0 {
		env.note("%s made before this clone looked are not verified: git ctx fsck", text.Plural(a.Unverified, "merge"))
	}
	if err := env.writeAudit(ctx, rd, a, o); err != nil {
		return err
	}
	if worst := audit.Worst(a.Findings); worst != "" && query.AtLeast(worst, records.Severity(o.failOn)) {
		return errNo
	}
	return nil
}

// check refuses names of rules and severities that do not exist, and options that exclude each other.
func (o *auditOptions) check() error {
	for _, id := range append(slices.Clone(o.rules), o.explain, o.suppress, o.unsuppress) {
		if id != "" && audit.Lookup(id) == nil && id != o.unsuppress {
			return usagef("git ctx audit --list", "unknown rule '%s'", id)
		}
	}
	for _, s := range []struct{ flag, level string }{{"severity", o.severity}, {"fail-on", o.failOn}} {
		if s.level != "" && !slices.Contains(query.Severities(), records.Severity(s.level)) {
			return usagef("git ctx audit --"+s.flag+" warning", "unknown --%s '%s': it is error, warning or info", s.flag, s.level)
		}
	}
	if o.limit < 0 {
		return usagef("git ctx audit -n 50", "option '-n' '%d': give a number of findings, or 0 for all", o.limit)
	}
	if o.staged && o.since != "" {
		return usagef("git ctx audit --staged", "options '--staged' and '--since' exclude each other")
	}
	return o.suppressOptions.check()
}

// shown is how many findings to show, 0 for all: a program is not to find a
// part taken for the whole.
func (o *auditOptions) shown(env *Env) int {
	if env.format != "text" && !o.limited {
		return 0
	}
	return o.limit
}

// auditJSON is the JSON answer of audit.
type auditJSON struct {
	Format   int                      `json:"format"`
	Commit   string                   `json:"commit"`
	Branch   string                   `json:"branch"`
	Since    string                   `json:"since,omitempty"`
	Files    []string                 `json:"files,omitempty"`
	InForce  []recordLine             `json:"in_force,omitempty"`
	Findings []audit.Finding          `json:"findings"`
	Counts   map[records.Severity]int `json:"counts"`
	// Suppressed counts the findings that the policy keeps from counting.
	Suppressed int `json:"suppressed"`
}

// writeAudit writes the answer in the form asked for.
func (e *Env) writeAudit(ctx context.Context, rd *reading, a *query.Audit, o *auditOptions) error {
	groups := groupFindings(a.Findings, o.shown(e))
	shown := []audit.Finding{}
	for _, g := range groups {
		shown = append(shown, g.shown...)
	}
	out := report{audit.Rules(), rulesPage, shown, anchorsOf(rd)}
	switch e.format {
	case "json":
		counts, suppressed := count(a.Findings)
		out := auditJSON{Format: jsonFormat, Commit: string(rd.Commit), Branch: rd.Branch, Since: string(a.Since), Files: a.Files,
			Findings: shown, Counts: counts, Suppressed: suppressed}
		for _, id := range a.InForce {
			if r, ok := rd.Record(id); ok {
				out.InForce = append(out.InForce, query.LineOf(r, rd.Standing(id)))
			}
		}
		return e.writeJSON(out)
	case "sarif":
		return e.writeSARIF(rd, out)
	case "github":
		return e.writeAnnotations(out)
	case "junit":
		return e.writeJUnit(out, records.Severity(o.failOn))
	}
	return e.writeFindings(ctx, rd, a, groups)
}

// count counts findings by severity, and apart those that do not count.
func count(found []audit.Finding) (counts map[records.Severity]int, suppressed int) {
	counts = make(map[records.Severity]int)
	for _, s := range query.Severities() {
		counts[s] = 0
	}
	for _, f := range found {
		if f.Suppressed != nil {
			suppressed++
		} else {
			counts[f.Severity]++
		}
	}
	return counts, suppressed
}

// writeFindings writes the report for a person.
func (e *Env) writeFindings(ctx context.Context, rd *reading, a *query.Audit, groups []findingGroup) error {
	if len(a.Findings) == 0 {
		e.note("nothing found in %s", text.Plural(rd.Len(), "record"))
	}
	if len(a.Findings)+len(a.InForce) == 0 {
		return nil
	}
	counts, suppressed := count(a.Findings)
	return e.page(ctx, rd.View, func(p *page) {
		p.inForce(rd, a)
		last := ""
		for _, g := range groups {
			head, n, tint := string(g.severity), counts[g.severity], severityColour(g.severity)
			if g.suppressed {
				head, n, tint = "suppressed", suppressed, ui.Dim
			}
			if head != last {
				p.Printf("%s (%d)\n", ui.Painted{Text: head, Colour: tint}, n)
				last = head
			}
			for _, f := range g.shown {
				p.finding(f)
			}
			if g.more > 0 {
				p.Printf("  … and %d more: git ctx audit --rule %s -n 0\n", g.more, g.rule)
			}
		}
	})
}

// inForce names the decisions that the staged files are subject to.
func (p *page) inForce(rd *reading, a *query.Audit) {
	if len(a.InForce) == 0 {
		return
	}
	p.Printf("in force on the staged files (%d)\n", len(a.InForce))
	for _, id := range a.InForce {
		if r, ok := rd.Record(id); ok {
			p.Printf("  %s  %s\n", p.ID(id), query.TitleOf(r))
		}
	}
}

func severityColour(s records.Severity) ui.Colour {
	switch s {
	case records.Error:
		return ui.Red
	case records.Warning:
		return ui.Yellow
	}
	return ui.Dim
}

func (p *page) finding(f audit.Finding) {
	p.Printf("  %s: %s\n", ui.Painted{Text: f.Rule, Colour: ui.Bold}, strings.ReplaceAll(f.Message, "\n", "\n    "))
	if s := f.Suppressed; s != nil {
		until := ""
		if !s.Until.IsZero() {
			until = " until " + records.FormatInstant(s.Until)
		}
		p.Printf("    %s, suppressed by %s (%s)%s: %s\n", f.Severity, s.By, s.Actor, until, oneLine(s.Reason))
		return
	}
	if f.Hint != "" {
		p.Printf("    hint: %s\n", f.Hint)
	}
}

func (e *Env) explainRule(r *audit.Rule) error {
	if e.json() {
		return e.writeJSON(struct {
			Format int `json:"format"`
			ruleJSON
			Explanation string `json:"explanation"`
		}{jsonFormat, jsonOfRule(r), r.Explanation})
	}
	_, err := fmt.Fprint(e.Stdout, audit.Explain(r))
	return err
}

// ruleJSON is a rule in a JSON answer.
type ruleJSON struct {
	Rule     string           `json:"rule"`
	Severity records.Severity `json:"severity"`
	Mild     records.Severity `json:"mild,omitempty"`
	Summary  string           `json:"summary"`
}

func jsonOfRule(r *audit.Rule) ruleJSON { return ruleJSON{r.ID, r.Severity, r.Mild, r.Summary} }

func (e *Env) listRules() error {
	if e.json() {
		rules := []ruleJSON{}
		for _, r := range audit.Rules() {
			rules = append(rules, jsonOfRule(r))
		}
		return e.writeJSON(struct {
			Format int        `json:"format"`
			Rules  []ruleJSON `json:"rules"`
		}{jsonFormat, rules})
	}
	for _, r := range audit.Rules() {
		if _, err := fmt.Fprintf(e.Stdout, "%-32s %-8s %s\n", r.ID, r.Severity, r.Summary); err != nil {
			return err
		}
	}
	return nil
}
