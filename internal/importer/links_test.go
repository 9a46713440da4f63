package importer

import (
	"testing"

	"github.com/git-ctx/git-ctx/records"
	"pgregory.net/rapid"
)

// What acyclic keeps has no cycle, and nothing it drops could have stayed.
func TestAcyclic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := rapid.SampledFrom([]records.ID{"a", "b", "c", "d", "e", "f"})
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
			return Edge{From: node.Draw(t, "from"), To: node.Draw(t, "to")}
		}), 0, 12).Draw(t, "edges")
		kept, dropped := Acyclic(edges)
		if len(kept)+len(dropped) != len(edges) {
			t.Fatalf("%d edges became %d and %d", len(edges), len(kept), len(dropped))
		}
		next := make(map[records.ID][]records.ID)
		for _, e := range kept {
			if reaches(next, e.To, e.From) {
				t.Fatalf("kept %v, which closes a cycle", e)
			}
			next[e.From] = append(next[e.From], e.To)
		}
		for _, e := range dropped {
			if !reaches(next, e.To, e.From) {
				t.Fatalf("dropped %v, which closes no cycle", e)
			}
		}
	})
}
