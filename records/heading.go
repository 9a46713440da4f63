package records

// Heading returns the record's title, or in brackets why it has none to show.
func (r *Record) Heading() string {
	switch {
	case r.Title != "":
		return r.Title
	case r.Forgotten():
		return "(forgotten)"
	}
	return "(title in conflict)"
}
