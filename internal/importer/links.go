package importer

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// An Edge is a link of the source whose both ends became records.
type Edge struct {
	Rel      records.Relation
	From, To records.ID
	At       time.Time
	Item     string // names the edge in what was skipped
}

// Link adds the edges to their records. Where edges of one relation that must
// not have a cycle make one, the latest of them is left out.
func (r *Batch) Link(edges []Edge) {
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.From, b.From), cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.To, b.To))
	})
	byRel := make(map[records.Relation][]Edge)
	for _, e := range edges {
		byRel[e.Rel] = append(byRel[e.Rel], e)
	}
	for _, e := range edges {
		es, ok := byRel[e.Rel]
		if !ok {
			continue // added with the first Edge of its relation
		}
		delete(byRel, e.Rel)
		var dropped []Edge
		if e.Rel.Acyclic() {
			es, dropped = Acyclic(es)
		}
		for _, d := range dropped {
			r.Skip(d.Item, "closes a cycle of %s", d.Rel)
		}
		for _, k := range es {
			rec := r.Recs[k.From]
			if rec.Links == nil {
				rec.Links = make(map[records.Relation][]records.ID)
			}
			rec.Links[k.Rel] = append(rec.Links[k.Rel], k.To)
		}
	}
	for _, rec := range r.Recs {
		for rel, ids := range rec.Links {
			slices.Sort(ids)
			rec.Links[rel] = slices.Compact(ids)
		}
	}
}

// Acyclic keeps the edges that close no cycle with those kept before them.
func Acyclic(edges []Edge) (kept, dropped []Edge) {
	core := cyclicCore(edges)
	next := make(map[records.ID][]records.ID)
	for _, e := range edges {
		if core[e.From] && core[e.To] {
			if reaches(next, e.To, e.From) {
				dropped = append(dropped, e)
				continue
			}
			next[e.From] = append(next[e.From], e.To)
		}
		kept = append(kept, e)
	}
	return kept, dropped
}

// cyclicCore returns a set that holds every node on a cycle: what remains when
// nodes without predecessors, then nodes without successors, are taken away.
// It keeps the quadratic search of acyclic away from sound graphs.
func cyclicCore(edges []Edge) map[records.ID]bool {
	core := make(map[records.ID]bool)
	for _, e := range edges {
		core[e.From], core[e.To] = true, true
	}
	ends := func(e Edge) (records.ID, records.ID) { return e.From, e.To }
	back := func(e Edge) (records.ID, records.ID) { return e.To, e.From }
	for _, dir := range []func(Edge) (records.ID, records.ID){ends, back} {
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
