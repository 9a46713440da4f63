package mcpserver

import (
	"context"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

type auditArgs struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Since    string `json:"since"`
	clocks
	paging
}

type auditAnswer struct {
	Format   int                      `json:"format"`
	Commit   gitstore.OID             `json:"commit"`
	Branch   string                   `json:"branch"`
	Findings []audit.Finding          `json:"findings"`
	Counts   map[records.Severity]int `json:"counts"`
	// Explanation says what the one rule asked for means.
	Explanation string `json:"explanation,omitempty"`
	page
}

// severities are those a finding can have, worst first.
func severities() []string {
	var names []string
	for _, s := range query.Severities() {
		names = append(names, string(s))
	}
	return names
}

func auditTool() tool[auditArgs] {
	return tool[auditArgs]{
		name: "audit", title: "Audit",
		about: "What is wrong or unfinished in the records, each with how to mend it.",
		args: append(append([]arg{
			{name: "rule", form: text, about: "only this rule, explained"},
			{name: "severity", form: text, enum: severities(), about: "at least"},
			{name: "since", form: text, about: "what changed since this commit or date brought in"},
		}, listArgs()...), clockArgs()...),
		answer: []arg{{name: "findings", form: objects, need: true}, {name: "counts", form: object}},
		run:    (*Server).audit,
	}
}

func (s *Server) audit(ctx context.Context, a auditArgs) (*reply, error) {
	out := &auditAnswer{Format: query.AnswerFormat}
	if a.Rule != "" {
		r := audit.Lookup(a.Rule)
		if r == nil {
			return nil, &argumentError{name: "rule", why: "there is no rule '" + shorten(a.Rule) + "'", legal: ruleNames()}
		}
		out.Explanation = audit.Explain(r)
	}
	o := query.AuditOptions{Severity: records.Severity(a.Severity), Since: a.Since}
	if a.Rule != "" {
		o.Rules = []string{a.Rule}
	}
	var found []audit.Finding
	err := s.read(ctx, a.query(), func(rd *query.Reading) error {
		out.Commit, out.Branch = rd.Commit, rd.Branch
		res, err := query.RunAudit(ctx, rd, o)
		if err == nil {
			found = res.Findings
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Counts = make(map[records.Severity]int)
	for _, f := range found {
		out.Counts[f.Severity]++
	}
	out.Findings, out.page, err = windowOf(a.paging, found, false)
	return &reply{facts: out}, err
}

func ruleNames() []string {
	var names []string
	for _, r := range audit.Rules() {
		names = append(names, r.ID)
	}
	return names
}
