package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// An edge is a link of the source whose both ends became records.
type edge struct {
	rel      records.Relation
	from, to records.ID
	at       time.Time
	item     string // names the edge in what was skipped
}

// dependencies turns the issue's dependencies into edges.
func (imp *beadsRun) dependencies(is *issue) {
	deps := is.Dependencies
	isParent := func(d dependency) bool { return d.Type == "parent-child" && d.To == is.Parent }
	if is.Parent != "" && !slices.ContainsFunc(deps, isParent) {
		deps = append(slices.Clone(deps), dependency{From: is.ID, To: is.Parent, Type: "parent-child"})
	}
	from := imp.ids[is.ID]
	for _, d := range deps {
		item := fmt.Sprintf("%s: %s %s", is.ID, d.Type, d.To)
		to, ok := imp.ids[d.To]
		switch {
		case d.From != "" && d.From != is.ID:
			imp.skip(item, "belongs to another issue, '%s'", d.From)
			continue
		case d.To == is.ID:
			imp.skip(item, "leads to the issue itself")
			continue
		case strings.HasPrefix(d.To, "external:"):
			imp.skip(item, "leads to another project")
			continue
		case !ok && imp.known[d.To]:
			imp.skip(item, "leads to an issue that was skipped")
			continue
		case !ok:
			imp.skip(item, "leads to no issue of this file")
			continue
		}
		rel, why := beadsRelation(d.Type, imp.recs[from].Kind, imp.recs[to].Kind)
		if why != "" {
			imp.skip(item, "%s", why)
			continue
		}
		imp.edges = append(imp.edges, edge{rel: rel, from: from, to: to, at: d.CreatedAt.Time, item: item})
	}
}

// beadsRelation maps a dependency between two kinds, or says why it maps to nothing.
func beadsRelation(dep string, from, to records.Kind) (rel records.Relation, why string) {
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

// link adds the edges to their records. Where edges of one relation that must
// not have a cycle make one, the latest of them is left out.
func (r *run) link(edges []edge) {
	slices.SortStableFunc(edges, func(a, b edge) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.from, b.from), cmp.Compare(a.rel, b.rel), cmp.Compare(a.to, b.to))
	})
	byRel := make(map[records.Relation][]edge)
	for _, e := range edges {
		byRel[e.rel] = append(byRel[e.rel], e)
	}
	for _, e := range edges {
		es, ok := byRel[e.rel]
		if !ok {
			continue // added with the first edge of its relation
		}
		delete(byRel, e.rel)
		var dropped []edge
		if e.rel.Acyclic() {
			es, dropped = acyclic(es)
		}
		for _, d := range dropped {
			r.skip(d.item, "closes a cycle of %s", d.rel)
		}
		for _, k := range es {
			rec := r.recs[k.from]
			if rec.Links == nil {
				rec.Links = make(map[records.Relation][]records.ID)
			}
			rec.Links[k.rel] = append(rec.Links[k.rel], k.to)
		}
	}
	for _, rec := range r.recs {
		for rel, ids := range rec.Links {
			slices.Sort(ids)
			rec.Links[rel] = slices.Compact(ids)
		}
	}
}

// acyclic keeps the edges that close no cycle with those kept before them.
func acyclic(edges []edge) (kept, dropped []edge) {
	core := cyclicCore(edges)
	next := make(map[records.ID][]records.ID)
	for _, e := range edges {
		if core[e.from] && core[e.to] {
			if reaches(next, e.to, e.from) {
				dropped = append(dropped, e)
				continue
			}
			next[e.from] = append(next[e.from], e.to)
		}
		kept = append(kept, e)
	}
	return kept, dropped
}

// cyclicCore returns a set that holds every node on a cycle: what remains when
// nodes without predecessors, then nodes without successors, are taken away.
// It keeps the quadratic search of acyclic away from sound graphs.
func cyclicCore(edges []edge) map[records.ID]bool {
	core := make(map[records.ID]bool)
	for _, e := range edges {
		core[e.from], core[e.to] = true, true
	}
	ends := func(e edge) (records.ID, records.ID) { return e.from, e.to }
	back := func(e edge) (records.ID, records.ID) { return e.to, e.from }
	for _, dir := range []func(edge) (records.ID, records.ID){ends, back} {
		next, in := make(map[records.ID][]records.ID), make(map[records.ID]int)
		for _, e := range edges {
			if from, to := dir(e); core[from] && core[to] {
				next[from] = append(next[from], to)
				in[to]++
			}
		}
		var free []records.ID
		for id := range core {
			if in[id] == 0 {
				free = append(free, id)
			}
		}
		for len(free) > 0 {
			id := free[len(free)-1]
			free = free[:len(free)-1]
			delete(core, id)
			for _, to := range next[id] {
				if in[to]--; in[to] == 0 {
					free = append(free, to)
				}
			}
		}
	}
	return core
}

// reaches reports whether a path leads from one node to the other.
func reaches(next map[records.ID][]records.ID, from, to records.ID) bool {
	seen := map[records.ID]bool{from: true}
	todo := []records.ID{from}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if id == to {
			return true
		}
		for _, n := range next[id] {
			if !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	return false
}
