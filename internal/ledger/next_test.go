package ledger

import (
	"slices"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

func TestNext(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	task := func(id string, s records.State, created int, priority int, dependsOn ...records.ID) *records.Record {
		r := &records.Record{ID: records.ID("task-" + id), Kind: records.Task, Title: id,
			Verdict: &records.Verdict{State: s}, Created: records.Created{At: day(created)}}
		if priority >= 0 {
			r.Priority = &priority
		}
		if len(dependsOn) > 0 {
			r.Links = map[records.Relation][]records.ID{records.DependsOn: dependsOn}
		}
		return r
	}
	const none = -1
	child := task("openchild0", records.Todo, 1, none)
	child.Links = map[records.Relation][]records.ID{records.PartOf: {"task-doneparent"}}
	expired := task("expired000", records.Todo, 1, none)
	expired.Valid.Until = day(2)
	v := records.NewSet([]*records.Record{
		task("old0000000", records.Todo, 1, none),
		task("young00000", records.Todo, 5, none),
		task("urgent0000", records.Todo, 9, 0),
		task("middling00", records.Todo, 3, 2), // as urgent as one without
		task("whenever00", records.Todo, 1, 4),
		task("mine000000", records.InProgress, 9, 4),
		task("theirs0000", records.InProgress, 9, none),
		task("blocked000", records.Blocked, 1, 0),
		task("waits00000", records.Todo, 1, 0, "task-old0000000"),
		task("waited0000", records.Todo, 1, 1, "task-done000000", "task-dropped000"),
		task("done000000", records.Done, 1, 0),
		task("dropped000", records.Dropped, 1, 0),
		task("doneparent", records.Done, 1, 0),
		child, expired,
	}, nil)
	var ready, waiting []string
	for _, todo := range Next(v, records.Judge{Review: records.ReviewAny, ValidAt: day(20)}, "task-mine000000") {
		if todo.Waits == "" {
			ready = append(ready, todo.Task.Title)
			continue
		}
		waiting = append(waiting, todo.Task.Title+" "+string(todo.Waits))
	}
	if want := []string{"mine000000", "urgent0000", "waited0000", "old0000000", "middling00", "young00000", "theirs0000", "whenever00"}; !slices.Equal(ready, want) {
		t.Errorf("ready\n got %q\nwant %q", ready, want)
	}
	if want := []string{"blocked000 blocked", "waits00000 depends-on", "expired000 out-of-validity", "openchild0 disputed"}; !slices.Equal(waiting, want) {
		t.Errorf("waiting\n got %q\nwant %q", waiting, want)
	}

	// A session's task that nobody has begun takes its place by urgency.
	if first := Next(v, records.Judge{Review: records.ReviewAny, ValidAt: day(20)}, "task-whenever00")[0]; first.Task.Title != "urgent0000" || first.Current {
		t.Errorf("first is %s, current %v", first.Task.Title, first.Current)
	}
}
