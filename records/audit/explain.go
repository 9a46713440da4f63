package audit

import (
	"fmt"
	"strings"
)

// Explain returns the rule's documentation as plain text that ends in a line feed.
func Explain(r *Rule) string {
	where := ""
	if r.firm {
		where = "; below its own only under review: any"
	}
	return fmt.Sprintf("%s: %s\n\nSeverity: %s\n\n%s\n\nTo change the severity, set it in ctx.yaml (error, warning, info or off)%s:\n\n%s",
		r.ID, r.Summary, severities(r), r.Explanation, where, levelExample(r, "    "))
}

// Markdown returns the documentation of all rules as one page.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Audit rules\n\n" +
		"`git ctx audit` reports findings of the rules below and exits 1 when one is an error.\n" +
		"An error is an asserted record that is false, or a store that is unsound. A gap in the\n" +
		"reasoning is info while the work is open and a warning once it is closed.\n\n" +
		"The policy in ctx.yaml sets the severity of a rule, `off` silences it:\n\n" +
		levelExample(nearDuplicate, "    ") + "\n" +
		"It does not lower those that tell whether reviews can be believed, except under\n`review: any`: " + strings.Join(firm(), ", ") + ".\n\n" +
		"A single finding that is known and meant does not count once the policy says why; it\n" +
		"stays in every report, beside the reason:\n\n" +
		"    git ctx audit --suppress RULE --record ID --reason WHY\n\n" +
		"| rule | severity | reports |\n|---|---|---|\n")
	for _, r := range registry {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, severities(r), r.Summary)
	}
	for _, r := range registry {
		fmt.Fprintf(&b, "\n## %s\n\n%s. Severity: %s.\n\n%s\n", r.ID, r.Summary, severities(r), r.Explanation)
	}
	return b.String()
}

// firm lists the rules whose severity the policy does not change.
func firm() []string {
	var out []string
	for _, r := range registry {
		if r.firm {
			out = append(out, r.ID)
		}
	}
	return out
}

func severities(r *Rule) string {
	if r.Mild == "" {
		return string(r.Severity)
	}
	return string(r.Severity) + " or " + string(r.Mild)
}

// levelExample shows how a policy sets the rule to another severity than its own.
func levelExample(r *Rule, indent string) string {
	level := "error"
	if r.Severity == "error" {
		level = "warning"
	}
	return fmt.Sprintf("%[1]saudit:\n%[1]s  levels:\n%[1]s    %[2]s: %[3]s\n", indent, r.ID, level)
}
