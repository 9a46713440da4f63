package planning

import (
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// usualPriority is what a record without priority counts as, least the least
// urgent one that can be given.
const (
	usualPriority = 2
	least         = 4
)

// The points that a task may get. All but those for its priority are together
// less than two steps of priority, so that a task overtakes one that is two
// steps more urgent never, and one that is a step more urgent only with reason.
const (
	priorityStep  = 10
	focusTask     = 6 // it is part of the task in focus, or that task waits for it
	focusGoal     = 3 // it serves the goal in focus
	unblocksEach  = 2
	unblocksCount = 3 // waiting tasks that count at most
	ageStep       = 30 * 24 * time.Hour
	ageMost       = 3
)

// OpenClasses are the classes that an open task may have, those that are out of
// their validity aside, which rows name anyway.
func OpenClasses() []records.Class {
	return []records.Class{records.Asserted, records.OpenQuestion, records.AwaitingReview, records.InDoubt}
}

// A Score says how urgent an open task is, by part.
type Score struct {
	Priority int `json:"priority"` // 40 for priority 0, 0 for 4
	Goal     int `json:"goal"`     // 4 where the most urgent open goal that it serves has priority 0, 0 for 4 or none
	Focus    int `json:"focus"`
	Unblocks int `json:"unblocks"` // 2 for each open task that depends on it, 6 at most
	Age      int `json:"age"`      // 1 for every 30 days, 3 at most
}

// Total is the sum of the parts.
func (s Score) Total() int { return s.Priority + s.Goal + s.Focus + s.Unblocks + s.Age }

// ScoreOf scores an open task for a session with the given focus, at an instant.
func ScoreOf(v records.View, task *records.Record, f Focus, at time.Time) Score {
	s := Score{Priority: (least - priority(task)) * priorityStep}
	for _, id := range task.Links[records.Serves] {
		if g := get(v, id); g != nil && g.MayBeOpen() && g.State() != records.Parked {
			s.Goal = max(s.Goal, least-priority(g))
		}
	}
	switch {
	case f.Task != "" && (slices.Contains(task.Links[records.PartOf], f.Task) || slices.Contains(dependencies(v, f.Task), task.ID)):
		s.Focus = focusTask
	case f.Goal != "" && slices.Contains(task.Links[records.Serves], f.Goal):
		s.Focus = focusGoal
	}
	s.Unblocks = unblocksEach * waiting(v, task.ID)
	if age := at.Sub(task.Created.At); age > 0 {
		s.Age = int(min(age/ageStep, ageMost))
	}
	return s
}

// Tied returns the tasks that the task in focus is made of or waits for, sorted.
func Tied(v records.View, f Focus) []records.ID {
	if f.Task == "" {
		return nil
	}
	ids := append(dependencies(v, f.Task), v.Backlinks(f.Task, records.PartOf)...)
	slices.Sort(ids)
	return slices.Compact(ids)
}

func dependencies(v records.View, id records.ID) []records.ID {
	if t := get(v, id); t != nil {
		return slices.Clone(t.Links[records.DependsOn])
	}
	return nil
}

// waiting counts the open tasks that depend on a task, as far as they count.
func waiting(v records.View, id records.ID) int {
	n := 0
	for _, from := range v.Backlinks(id, records.DependsOn) {
		if t := get(v, from); t != nil && t.Kind == records.Task && t.MayBeOpen() {
			if n++; n == unblocksCount {
				break
			}
		}
	}
	return n
}

func priority(r *records.Record) int {
	if r.Priority == nil {
		return usualPriority
	}
	return *r.Priority
}
