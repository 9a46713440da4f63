// Package audit finds what is wrong or unfinished in a set of records and says
// how to mend it.
//
// It owns the registry of rules, their ids, severities and explanations. It is
// pure, as package records is: callers pass the view, the instant and the
// policy in. It changes nothing. Its invariant is that every finding of [Run]
// about a record is found again by [Check] of that record alone, so that an
// incremental audit and a whole one agree.
package audit
