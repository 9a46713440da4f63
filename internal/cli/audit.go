package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

type auditOptions struct {
	readFlags
	rules    []string
	severity string
	explain  string
	list     bool
	limit    int
	// limited tells that the user chose the limit.
	limited bool
}

// severities are those a finding can have, worst first.
func severities() []records.Severity {
	return []records.Severity{records.Error, records.Warning, records.Info}
}

func newAuditCmd(env *Env) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use: "audit", Short: "report what is wrong or unfinished; exit 1 on errors", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.limited = cmd.Flags().Changed("max-count")
			return runAudit(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.rules, "rule", nil, "only `RULE`, repeatable")
	f.StringVar(&o.severity, "severity", "", "only findings at least this bad: `LEVEL` error, warning or info")
	f.StringVar(&o.explain, "explain", "", "say what `RULE` means and how to mend it")
	f.BoolVar(&o.list, "list", false, "list the rules")
	f.IntVarP(&o.limit, "max-count", "n", usualList, "show at most `N` findings, some of each rule; 0 shows all, as JSON does")
	o.bind(f)
	return cmd
}

func runAudit(ctx context.Context, env *Env, o *auditOptions) error {
	if err := env.formats(); err != nil {
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
	}
	rd, err := env.read(ctx, o.readFlags)
	if err != nil {
		return err
	}
	in, unverified, err := query.AuditInput(ctx, rd.Reading)
	if err != nil {
		return err
	}
	if unverified > 0 {
		env.note("%s made before this clone looked are not verified: git ctx fsck", plural(unverified, "merge"))
	}
	found := slices.DeleteFunc(audit.Run(in), func(f audit.Finding) bool { return !o.wants(f) })
	if err := env.writeFindings(ctx, rd, found, o.shown(env)); err != nil {
		return err
	}
	if audit.Worst(found) == records.Error {
		return errNo
	}
	return nil
}

// check refuses names of rules and severities that do not exist.
func (o *auditOptions) check() error {
	for _, id := range append(slices.Clone(o.rules), o.explain) {
		if id != "" && audit.Lookup(id) == nil {
			return usagef("git ctx audit --list", "unknown rule '%s'", id)
		}
	}
	if o.severity != "" && !slices.Contains(severities(), records.Severity(o.severity)) {
		return usagef("git ctx audit --severity warning", "unknown --severity '%s': it is error, warning or info", o.severity)
	}
	if o.limit < 0 {
		return usagef("git ctx audit -n 50", "option '-n' '%d': give a number of findings, or 0 for all", o.limit)
	}
	return nil
}

// shown is how many findings to show, 0 for all: a program is not to find a
// part taken for the whole.
func (o *auditOptions) shown(env *Env) int {
	if env.json() && !o.limited {
		return 0
	}
	return o.limit
}

func (o *auditOptions) wants(f audit.Finding) bool {
	if len(o.rules) > 0 && !slices.Contains(o.rules, f.Rule) {
		return false
	}
	least := slices.Index(severities(), records.Severity(o.severity))
	return o.severity == "" || slices.Index(severities(), f.Severity) <= least
}

// auditJSON is the JSON answer of audit.
type auditJSON struct {
	Format   int                      `json:"format"`
	Commit   gitstore.OID             `json:"commit"`
	Branch   string                   `json:"branch"`
	Findings []audit.Finding          `json:"findings"`
	Counts   map[records.Severity]int `json:"counts"`
}

func (e *Env) writeFindings(ctx context.Context, rd *reading, found []audit.Finding, limit int) error {
	counts := make(map[records.Severity]int)
	for _, s := range severities() {
		counts[s] = 0
	}
	for _, f := range found {
		counts[f.Severity]++
	}
	if e.json() {
		shown := []audit.Finding{}
		for _, g := range groupFindings(found, limit) {
			shown = append(shown, g.shown...)
		}
		return e.writeJSON(auditJSON{jsonFormat, rd.Commit, rd.Branch, shown, counts})
	}
	if len(found) == 0 {
		e.note("nothing found in %s", plural(rd.Len(), "record"))
		return nil
	}
	return e.page(ctx, rd.View, func(p *page) {
		last := records.Severity("")
		for _, g := range groupFindings(found, limit) {
			if g.severity != last {
				p.printf("%s (%d)\n", painted{text: string(g.severity), colour: severityColour(g.severity)}, counts[g.severity])
				last = g.severity
			}
			for _, f := range g.shown {
				p.finding(f)
			}
			if g.more > 0 {
				p.printf("  … and %d more: git ctx audit --rule %s -n 0\n", g.more, g.rule)
			}
		}
	})
}

func severityColour(s records.Severity) colour {
	switch s {
	case records.Error:
		return red
	case records.Warning:
		return yellow
	}
	return dim
}

func (p *page) finding(f audit.Finding) {
	p.printf("  %s: %s\n", painted{text: f.Rule, colour: bold}, strings.ReplaceAll(f.Message, "\n", "\n    "))
	if f.Hint != "" {
		p.printf("    hint: %s\n", f.Hint)
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
