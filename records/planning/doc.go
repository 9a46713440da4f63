// Package planning answers what to work on next and what work still lacks, from
// the records alone.
//
// It owns the score by which open tasks are ordered and the list of gaps. It is
// pure, as package records is, and asks a view for neighbours only, so that an
// index can answer. It judges no record's standing: callers that need one ask
// package standing.
package planning

import "github.com/git-ctx/git-ctx/records"

// A Focus is what a session works on; an empty id is unknown.
type Focus struct {
	Task, Goal records.ID
}

// get returns a record that is there and not forgotten, or nil.
func get(v records.View, id records.ID) *records.Record {
	if r, ok := v.Record(id); ok && !r.Forgotten() {
		return r
	}
	return nil
}
