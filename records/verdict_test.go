package records

import "time"

var (
	noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	dawn = noon.Add(-6 * time.Hour)
)

// verdictOn returns a record in the given state whose verdict fits its content.
func verdictOn(id ID, k Kind, s State) *Record {
	r := &Record{ID: id, Kind: k, Title: string(id), Verdict: &Verdict{State: s, Actor: Human, At: dawn, N: "8f3k2m"}}
	r.Verdict.Of = r.Digest()
	return r
}
