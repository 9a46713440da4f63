package packet

import (
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// fullText is what a record says beyond its title, the most telling first.
func fullText(r *records.Record) string {
	var lines []string
	add := func(label, s string) {
		if strings.TrimSpace(s) != "" {
			lines = append(lines, label+s)
		}
	}
	add("question: ", r.Question)
	add(whenLabel, r.When)
	add("", r.Text)
	add("", r.Body)
	for _, s := range r.Preconditions {
		add("before: ", s)
	}
	for i, s := range r.Steps {
		step := s.Do
		if s.Verify != "" {
			step += " (check: " + s.Verify + ")"
		}
		add(fmt.Sprintf("%d. ", i+1), step)
	}
	add("if that fails: ", r.Escalation)
	add("see also: ", strings.Join(r.References, ", "))
	add("source: ", r.Source)
	for _, a := range r.Anchors {
		if a.Lines != "" {
			add("see ", a.Path+":"+a.Lines)
			continue
		}
		add("see ", a.Path)
	}
	return strings.Join(lines, "\n")
}

// statement is the record without what surrounds what it states. Importers put the decided
// text of a decision first, and its context into sections below: stated is what stands
// above them, which is nothing where the source names no decision.
func statement(r *records.Record) *records.Record {
	if r.Kind != records.Decision || r.Origin == nil {
		return r
	}
	said, _, found := strings.Cut("\n"+r.Body, "\n## ")
	if !found {
		return r
	}
	told := *r
	told.Body = strings.TrimSpace(said)
	return &told
}

// whenLabel introduces when to follow a runbook.
const whenLabel = "when: "

// hasText reports whether a record says more than its title.
func hasText(r *records.Record) bool { return fullText(r) != "" }

// maxSide is the most characters shown of one side of a conflict.
const maxSide = 60

// maxConflict is more characters than the text of any conflict has.
const maxConflict = 1 << 20

// conflictText names each conflicting field with its values, in at most limit characters.
func conflictText(r *records.Record, limit int) string {
	var fields []string
	for _, c := range r.Conflicts {
		var sides []string
		for _, s := range c.Sides {
			sides = append(sides, sideText(s))
		}
		fields = append(fields, plainName(c.Field)+": "+strings.Join(sides, " or "))
	}
	return oneLine(strings.Join(fields, "; "), limit)
}

// sideText is the short form of one value: a verdict's state and reason, a
// scalar itself, anything else as it is written in the file.
func sideText(v *records.Value) string {
	state := v.TextOf("state")
	var text string
	switch {
	case v.IsNull():
		return "nothing"
	case v.IsScalar():
		text = v.Text
	case state != "":
		text = strings.TrimSpace(state + " " + v.TextOf("reason"))
	default:
		text = records.FormatValue(v)
	}
	return `"` + oneLine(text, maxSide) + `"`
}
