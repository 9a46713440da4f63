package query

import (
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// restingOn returns the records that have id for their basis or their evidence, sorted:
// what rests on it, what its verdict cites it for, and what it supports.
func (rd *Reading) restingOn(id records.ID) []records.ID {
	out := slices.Concat(rd.Backlinks(id, records.RestsOn), rd.Backlinks(id, records.Cites))
	if r, ok := rd.Record(id); ok {
		out = append(out, r.Links[records.Supports]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A Climbed is a record above others, and those of them that it rests on directly.
type Climbed struct {
	ID    records.ID
	On    []records.ID
	Steps int
}

// Climb returns what stands on the records, link after link, in the order of cause: the nearest
// first. What is gone or ruled out carries nothing, and is not climbed over.
func Climb(rd *Reading, ids []records.ID) []Climbed {
	seen := make(map[records.ID]int)
	for _, id := range ids {
		seen[id] = -1
	}
	var out []Climbed
	level := slices.Clone(ids)
	for steps := 1; len(level) > 0; steps++ {
		var next []records.ID
		for _, id := range level {
			for _, up := range rd.restingOn(id) {
				i, ok := seen[up]
				switch r, there := rd.Record(up); {
				case ok && i >= 0 && out[i].Steps == steps && !slices.Contains(out[i].On, id):
					out[i].On = append(out[i].On, id)
				case ok || !there || r.Forgotten() || rd.Standing(up).Class == records.Gone || rd.Standing(up).Class == records.RuledOut:
				default:
					seen[up] = len(out)
					out = append(out, Climbed{ID: up, On: []records.ID{id}, Steps: steps})
					next = append(next, up)
				}
			}
		}
		level = next
	}
	return out
}
