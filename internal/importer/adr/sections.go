package adr

import (
	"slices"
	"strings"
)

// What sections are called, in lower case and without their numbers.

func isStatus(name string) bool {
	return name == "status" || name == "state" || name == "decision status" || name == "adr status"
}

func isDate(name string) bool { return name == "date" || name == "decision date" }

func isMakers(name string) bool {
	return slices.Contains([]string{"deciders", "decision makers", "decision-makers", "decided by"}, name)
}

// isMeta are sections that hold nothing but fields.
func isMeta(name string) bool {
	return slices.Contains([]string{"metadata", "meta", "meta data", "header", "document information"}, name)
}

func isOptions(name string) bool { return name == "considered options" }

func isContext(name string) bool {
	return strings.HasPrefix(name, "context") || name == "problem" || name == "problem statement" || name == "issue" || name == "background" || name == "motivation"
}

func isProblem(name string) bool { return name == "context and problem statement" }

// notOutcome follows the word "decision" in the names of sections that do not
// say what was decided.
var notOutcome = []string{"driver", "maker", "criteria", "process", "date", "status", "context", "log", "history", "record", "factors", "point", "matrix", "tree"}

// isOutcome are the sections that say what was decided.
func isOutcome(name string) bool {
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "the "), "our "), "decision"); ok {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "s"), " -")
		return !slices.ContainsFunc(notOutcome, func(w string) bool { return strings.HasPrefix(rest, w) })
	}
	return slices.Contains([]string{"outcome", "chosen option", "selected option", "resolution", "what we decided"}, name)
}

// isLinks are the sections that name related decisions.
func isLinks(name string) bool {
	return slices.Contains([]string{"links", "related decisions", "related adrs", "related", "relations", "supersedes", "superseded by", "references"}, name)
}

// isOther are known names that the import reads nothing from.
func isOther(name string) bool {
	for _, w := range []string{"consequence", "pros and cons", "positive", "negative", "neutral", "alternative", "option", "rationale", "summary", "note", "more information",
		"implementation", "decision", "confirmation", "validation", "compliance", "assumption", "constraint", "implication", "argument", "goals", "non-goals", "appendix", "proposal"} {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

func known(name string) bool {
	return slices.ContainsFunc([]func(string) bool{isStatus, isDate, isMakers, isMeta, isOptions, isContext, isOutcome, isLinks, isOther},
		func(f func(string) bool) bool { return f(name) })
}
