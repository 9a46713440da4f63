package merge

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// ErrNoConflict is returned, wrapped, when the field to settle is not in conflict.
var ErrNoConflict = errors.New("the field is not in conflict")

// A SideError says that a conflict has no side of that number.
type SideError struct {
	Field   string
	N, Have int
}

func (e *SideError) Error() string {
	return fmt.Sprintf("conflict on %s has no side %d: it has %d", e.Field, e.N, e.Have)
}

// Sides returns the values of the conflict on field in the order in which [Pick]
// counts them, nil where the field is absent, or an error wrapping [ErrNoConflict].
func Sides(r *records.Record, field string) ([]*records.Value, error) {
	for _, c := range r.Conflicts {
		if c.Field != field {
			continue
		}
		var ns []*records.Value
		for _, t := range termsOf(c.Sides) {
			ns = append(ns, t.value)
		}
		return ns, nil
	}
	return nil, fmt.Errorf("settle %s of %s: %w", field, r.ID, ErrNoConflict)
}

// Pick settles the conflict on field with its side n, counted from 1 in the
// order of [Sides]. Verdicts that agree with the one picked stay beside it.
// Errors: *[SideError], or as [Resolve].
func Pick(r *records.Record, field string, n int) (*records.Record, error) {
	sides, err := Sides(r, field)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > len(sides) {
		return nil, &SideError{Field: field, N: n, Have: len(sides)}
	}
	picked := newTerm(sides[n-1])
	also := termsOf(sides).filter(func(t term) bool {
		return records.FormOf(field) == records.FormVerdict && t.key != picked.key && agree(values{picked, t})
	})
	return settle(r, field, picked.value, also.list())
}

// Resolve settles the conflict on field with value; nil or null leaves the field
// out. The record given is not changed. Errors wrap [ErrNoConflict], or say why
// the field cannot hold the value.
func Resolve(r *records.Record, field string, value *records.Value) (*records.Record, error) {
	if _, err := Sides(r, field); err != nil {
		return nil, err
	}
	return settle(r, field, newTerm(value).value, nil)
}

func settle(r *records.Record, field string, value *records.Value, also []*records.Value) (*records.Record, error) {
	open := *r
	open.Conflicts = slices.DeleteFunc(slices.Clone(r.Conflicts), func(c records.Conflict) bool { return c.Field == field })
	fs := open.Fields()
	if value != nil {
		fs = append(fs, records.Field{Name: field, Value: value})
	}
	if len(also) > 0 {
		fs = append(fs, records.Field{Name: fieldAlso, Value: listOf(also)})
	}
	settled, err := records.FromFields("", fs)
	if err != nil {
		return nil, fmt.Errorf("settle %s of %s: %w", field, r.ID, err)
	}
	return settled, nil
}
