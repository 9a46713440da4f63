package merge

import (
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// The account finds every value that the merge itself is made to forget.
func TestLostValuesAreFound(t *testing.T) {
	v := records.Verdict{State: records.Todo, Of: "aaaaaaaaaaaa", Actor: records.Human, At: time.Unix(0, 0).UTC(), N: "aaaaaa"}
	ours := &records.Record{
		ID: "task-7k3m9q2x4w", Kind: records.Task, Title: "Ours", Body: "one\ntwo", Verdict: &v, Tags: []string{"a", "b"},
		Links:   map[records.Relation][]records.ID{records.DependsOn: {"task-2222222222"}},
		Created: records.Created{Actor: records.Human, At: v.At},
	}
	base := ours.Clone()
	base.Title, base.Body, base.Tags, base.Links = "Base", "two", nil, nil
	for _, field := range []string{"title", "body", "tags", "links"} {
		t.Run(field, func(t *testing.T) {
			m := newMerger([]*records.Record{base}, ours, base)
			if _, err := m.record(ours.ID); err != nil {
				t.Fatal(err)
			}
			if lost := m.lost(); len(lost) > 0 {
				t.Fatalf("a sound merge lost %v", lost)
			}
			delete(m.result, field)
			if lost := m.lost(); len(lost) == 0 || lost[0].Field != field {
				t.Errorf("lost %v, want a value of %s", lost, field)
			}
			m.report.drop(field, RuleTombstone, "")
			if lost := m.lost(); len(lost) > 0 {
				t.Errorf("a named rule does not explain %v", lost)
			}
		})
	}
}
