package cli

import (
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/text"
)

const (
	skippedGroups = 12 // kinds of skips and notes that an import lists
	skippedNames  = 3  // items it names of each
)

// A skippedGroup is what an import left out, or noted, for one reason.
type skippedGroup struct {
	note   bool
	reason string // with the kind of part that it is about
	items  []string
	first  importer.Skip
}

// noteSkipped tells what an import left out or noted: all of it, an item a
// line, or grouped by reason with the first few items of each.
func (e *Env) noteSkipped(skipped []importer.Skip, all bool) {
	if all {
		for _, s := range skipped {
			e.note("%s %s: %s", skipWord(s.Note), s.Place(), s.Reason)
		}
		return
	}
	groups, cut := groupSkipped(skipped), false
	for i, g := range groups {
		if i == skippedGroups {
			e.note("… and %s more", text.Plural(len(groups)-i, "reason"))
			cut = true
			break
		}
		if len(g.items) == 1 {
			e.note("%s %s: %s", skipWord(g.note), g.first.Place(), g.first.Reason)
			continue
		}
		names := strings.Join(g.items[:min(skippedNames, len(g.items))], ", ")
		if more := len(g.items) - skippedNames; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
			cut = true
		}
		e.note("%s %s: %s (%s)", skipWord(g.note), text.Plural(len(g.items), "item"), g.reason, names)
	}
	if cut {
		e.note("hint: --verbose lists all of them")
	}
}

func skipWord(note bool) string {
	if note {
		return "note on"
	}
	return "skipped"
}

// groupSkipped puts together what has one reason, in the order of the first of each.
func groupSkipped(skipped []importer.Skip) []skippedGroup {
	var groups []skippedGroup
	at := make(map[skippedGroupKey]int)
	for _, s := range skipped {
		item, reason := s.Item, s.Reason
		if name, part, ok := strings.Cut(item, ": "); ok { // what an item's part is belongs to the reason, what it leads to does not
			kind, _, _ := strings.Cut(part, " ")
			item, reason = name, kind+": "+reason
		}
		key := skippedGroupKey{s.Note, reason}
		i, ok := at[key]
		if !ok {
			i, at[key] = len(groups), len(groups)
			groups = append(groups, skippedGroup{note: s.Note, reason: reason, first: s})
		}
		groups[i].items = append(groups[i].items, item)
	}
	return groups
}

type skippedGroupKey struct {
	note   bool
	reason string
}
