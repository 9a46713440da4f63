package tracker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

// dependencies turns the issue's dependencies into edges.
func (imp *beadsRun) dependencies(is *issue) {
	deps := is.Dependencies
	isParent := func(d dependency) bool { return d.Type == "parent-child" && d.To == is.Parent }
	if is.Parent != "" && !slices.ContainsFunc(deps, isParent) {
		deps = append(slices.Clone(deps), dependency{From: is.ID, To: is.Parent, Type: "parent-child"})
	}
	if parent, ok := dottedParent(is.ID); ok && is.Parent == "" && !slices.ContainsFunc(deps, func(d dependency) bool { return d.Type == "parent-child" }) {
		deps = append(slices.Clone(deps), dependency{From: is.ID, To: parent, Type: "parent-child"})
	}
	from := imp.ids[is.ID]
	for _, d := range deps {
		item := fmt.Sprintf("%s: %s %s", is.ID, d.Type, d.To)
		to, ok := imp.ids[d.To]
		switch {
		case d.From != "" && d.From != is.ID:
			imp.Skip(item, "belongs to another issue, '%s'", d.From)
			continue
		case d.To == is.ID:
			imp.Skip(item, "leads to the issue itself")
			continue
		case strings.HasPrefix(d.To, "external:"):
			imp.Skip(item, "leads to another project")
			continue
		case !ok && imp.known[d.To]:
			imp.Skip(item, "leads to an issue that was skipped")
			continue
		case !ok:
			imp.Skip(item, "leads to no issue of this file")
			continue
		}
		rel, why := beadsRelation(d.Type, imp.Recs[from].Kind, imp.Recs[to].Kind)
		if why != "" {
			imp.Skip(item, "%s", why)
			continue
		}
		imp.edges = append(imp.edges, importer.Edge{Rel: rel, From: from, To: to, At: d.CreatedAt.Time, Item: item})
	}
}

// dottedParent is the issue that an id like "px-1.2" says it is a part of.
func dottedParent(id string) (string, bool) {
	i := strings.LastIndexByte(id, '.')
	if i <= 0 || i+1 == len(id) || strings.Trim(id[i+1:], "0123456789") != "" {
		return "", false
	}
	return id[:i], true
}

// beadsRelation maps a dependency between two kinds, or says why it maps to nothing.
func beadsRelation(dep string, from, to records.Kind) (rel records.Relation, why string) {
	if from == records.Decision || to == records.Decision {
		return records.RelatesTo, "" // what a decision waits for, or is a part of, has no other name here
	}
	switch dep {
	case "blocks":
		rel = records.DependsOn
	case "parent-child":
		switch {
		case from == records.Goal:
			rel = records.Parent
		case to == records.Goal:
			rel = records.Serves
		default:
			rel = records.PartOf
		}
	case "related", "relates-to", "relates_to", "discovered-from", "tracks":
		rel = records.RelatesTo
	case "duplicates":
		rel = records.Duplicates
	default:
		return "", fmt.Sprintf("dependency type '%s' maps to no relation", dep)
	}
	switch err := records.CheckLink(from, rel, to); {
	case !slices.Contains(records.Relations(from), rel):
		return "", fmt.Sprintf("a %s has no %s", from, rel)
	case err != nil:
		return "", err.Error()
	}
	return rel, ""
}
