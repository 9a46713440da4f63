package guard

import (
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// The rules of guard's findings.
const (
	ruleTouched = "touched-record"
	ruleAbove   = "stands-on-touched"
	ruleMaybe   = "looks-ruled-out"
)

// Rules describes guard's findings to programs that read reports.
func Rules() []*audit.Rule {
	return []*audit.Rule{
		{ID: ruleTouched, Severity: records.Error, Mild: records.Warning, Summary: "The change touches lines or paths of a record",
			Explanation: "The record cites lines that this change changes, or names paths that it changes. Look whether it still\nholds: re-anchor it, or say that it does not."},
		{ID: ruleAbove, Severity: records.Error, Mild: records.Warning, Summary: "A record stands on one that the change touches",
			Explanation: "If the touched record falls, this one falls with it. Settle the touched one first."},
		{ID: ruleMaybe, Severity: records.Info, Summary: "The change may do what was ruled out",
			Explanation: "A record that was refuted or rejected names these paths, or all words of its title are among the added\nlines. It may be about something else."},
	}
}

// Findings lists the answer as findings, in its order.
func (r *Result) Findings(name func(records.ID) string) []audit.Finding {
	var out []audit.Finding
	for _, t := range r.Touched {
		f := audit.Finding{Rule: ruleTouched, Severity: records.Warning, Record: t.Record.ID, Related: t.On, Hint: "git ctx show " + string(t.Record.ID)}
		if len(t.At) == 0 {
			f.Rule = ruleAbove
		}
		if t.InForce() {
			f.Severity = records.Error
		}
		f.Message = fmt.Sprintf("%s %s '%s': %s", t.Standing.State, t.Record.Kind, t.Record.Title, t.Reason(name))
		out = append(out, audit.Fingerprinted(f))
	}
	for _, m := range r.Maybe {
		out = append(out, audit.Fingerprinted(audit.Finding{Rule: ruleMaybe, Severity: records.Info, Record: m.Record.ID, Hint: "git ctx show " + string(m.Record.ID),
			Message: fmt.Sprintf("%s %s '%s': %s", m.Standing.State, m.Record.Kind, m.Record.Title, m.Reason())}))
	}
	return out
}

// Places returns the code that a finding is about: where the change touches its record, or
// those that it stands on.
func (r *Result) Places(f audit.Finding) []records.Anchor {
	var out []records.Anchor
	add := func(at []Place) {
		for _, p := range at {
			out = append(out, records.Anchor{Path: p.Path, Lines: p.Lines})
		}
	}
	seen := make(map[records.ID]bool)
	for queue := []records.ID{f.Record}; len(queue) > 0; queue = queue[1:] {
		for _, t := range r.Touched {
			if t.Record.ID == queue[0] && !seen[t.Record.ID] {
				seen[t.Record.ID] = true
				add(t.At)
				queue = append(queue, t.On...)
				break
			}
		}
	}
	for _, m := range r.Maybe {
		if m.Record.ID == f.Record {
			add(m.At)
			if m.Title != "" {
				add([]Place{{Path: m.Title}})
			}
		}
	}
	return out
}

// String is PATH:A-B, or PATH with the glob that meets it.
func (p Place) String() string {
	switch {
	case p.Lines != "":
		return p.Path + ":" + p.Lines
	case p.Glob != "" && p.Glob != p.Path:
		return p.Path + " (" + p.Glob + ")"
	}
	return p.Path
}

// maxPlaces bounds the places that one line names.
const maxPlaces = 3

func places(at []Place) string {
	var out []string
	for i, p := range at {
		if i == maxPlaces {
			out = append(out, fmt.Sprintf("%d more", len(at)-i))
			break
		}
		out = append(out, p.String())
	}
	return strings.Join(out, ", ")
}

// Reason says how the change reaches the record; name renders ids.
func (t Touched) Reason(name func(records.ID) string) string {
	if len(t.On) > 0 {
		var on []string
		for _, id := range t.On {
			on = append(on, name(id))
		}
		return "stands on " + strings.Join(on, ", ")
	}
	var cited, under []Place
	for _, p := range t.At {
		if p.Anchor != nil {
			cited = append(cited, p)
		} else {
			under = append(under, p)
		}
	}
	switch {
	case len(under) == 0:
		return "cites " + places(cited)
	case len(cited) == 0:
		return "is about " + places(under)
	}
	return "cites " + places(cited) + " and is about " + places(under)
}

// Reason says what looks alike.
func (m Maybe) Reason() string {
	if m.Title != "" {
		return "the words of its title are among the lines added to " + m.Title
	}
	return "was about " + places(m.At)
}
