package query

import (
	"context"
	"slices"

	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/records"
)

// InHand is what a commit of the code that is made now is work on.
type InHand struct {
	Task      records.ID // "" when no one task can be told
	Decisions []records.ID
}

// WorkInHand tells what the commit under way is for: the task that this session took on, and the decisions in
// force that hang together with it and, where they name files, concern a staged
// one. A task that another session has claimed is not this one's.
func WorkInHand(ctx context.Context, rd *Reading) (*InHand, error) {
	task, ok := rd.Record(rd.Ledger.Session().Task) // not @task, which may be a guess
	if !ok || !task.Open() {
		return &InHand{}, rd.Err()
	}
	held, err := claim.OfOthers(ctx, rd.Ledger)
	if err != nil || held[task.ID] != nil {
		return &InHand{}, err
	}
	w := &InHand{Task: task.ID}
	var files []string
	for _, id := range rd.decisionsOf(task) {
		d, ok := rd.Record(id)
		if !ok || rd.Standing(id).Class != records.Asserted {
			continue
		}
		if len(d.Paths)+len(d.Anchors) > 0 {
			if files == nil {
				if files, err = codelink.StagedFiles(ctx, rd.Ledger.Repo()); err != nil {
					return nil, err
				}
			}
			if !slices.ContainsFunc(files, func(f string) bool { return Concerns(d, f) }) {
				continue
			}
		}
		w.Decisions = append(w.Decisions, id)
	}
	return w, rd.Err()
}

// decisionsOf returns the decisions that relate to a task, or rest on a
// hypothesis about it or on evidence for one, sorted.
func (rd *Reading) decisionsOf(task *records.Record) []records.ID {
	found := slices.Concat(task.Links[records.RelatesTo], rd.Backlinks(task.ID, records.RelatesTo))
	for _, hyp := range rd.Backlinks(task.ID, records.About) {
		found = append(found, rd.Backlinks(hyp, records.RestsOn)...)
		for _, ev := range rd.Backlinks(hyp, records.Supports) {
			found = append(found, rd.Backlinks(ev, records.RestsOn)...)
		}
	}
	found = slices.DeleteFunc(found, func(id records.ID) bool { return id.Kind() != records.Decision })
	slices.Sort(found)
	return slices.Compact(found)
}
