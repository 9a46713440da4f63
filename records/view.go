package records

import (
	"iter"
	"slices"
	"sync"
)

// A View is a set of records seen together at one store commit. Readers ask it
// for neighbours rather than walking everything, so that an index can answer.
// Implementations are safe for concurrent readers; returned records are shared
// and must not be changed. Slices of ids are sorted.
type View interface {
	// Record returns the record, or false when the view has none of that id.
	Record(id ID) (*Record, bool)
	// Backlinks returns the records that link to id by rel, each once; with [SupersededBy],
	// those whose verdict names id as their successor.
	Backlinks(id ID, rel Relation) []ID
	// OnQuestion returns the decisions whose question has the given [QuestionKey].
	OnQuestion(key string) []ID
	// Titled returns the records of a kind whose title has the given [Normalize]d form.
	Titled(k Kind, key string) []ID
	// Forgotten returns the forgotten records of a kind.
	Forgotten(k Kind) []ID
	// InState returns the records of a kind whose verdict has the state.
	InState(k Kind, s State) []ID
	// Match returns the ids that prefix stands for, as [MatchPrefix] does.
	Match(prefix string) ([]ID, error)
	// Veto returns the state the record has on the default branch when that state
	// forbids asserting it on this one; "" when it cannot be read there.
	Veto(id ID) (State, bool)
	// All yields every record in id order.
	All() iter.Seq[*Record]
	// Len returns the number of records.
	Len() int
}

// A Set is a [View] held in memory. Build it with [NewSet]; it is immutable after that.
type Set struct {
	byID   map[ID]*Record
	ids    []ID
	near   neighbours
	titles func() neighbours // built when first asked for: only writers do
	vetoes map[ID]State
}

// NewSet returns a view of the given records, which it keeps. Of two records
// with one id the later stands. Vetoes are the states that [View.Veto] reports.
func NewSet(rs []*Record, vetoes map[ID]State) *Set {
	s := &Set{byID: make(map[ID]*Record, len(rs)), near: make(neighbours), vetoes: vetoes}
	s.ids = make([]ID, 0, len(rs))
	for _, r := range rs {
		s.byID[r.ID] = r
		s.ids = append(s.ids, r.ID)
	}
	slices.Sort(s.ids) // most often sorted already, which is fast, unlike the order of a map
	s.ids = slices.Compact(s.ids)
	for _, id := range s.ids {
		s.near.add(id, relationKeys(s.byID[id]))
	}
	s.titles = sync.OnceValue(func() neighbours {
		n := make(neighbours, len(s.ids))
		for _, id := range s.ids {
			n.add(id, titleKeys(s.byID[id]))
		}
		return n
	})
	return s
}

// Record implements [View].
func (s *Set) Record(id ID) (*Record, bool) {
	r, ok := s.byID[id]
	return r, ok
}

// Backlinks implements [View].
func (s *Set) Backlinks(id ID, rel Relation) []ID { return s.near[BacklinksLookup(id, rel)] }

// OnQuestion implements [View].
func (s *Set) OnQuestion(key string) []ID { return s.near[QuestionLookup(key)] }

// Titled implements [View].
func (s *Set) Titled(k Kind, key string) []ID { return s.titles()[TitleLookup(k, key)] }

// Forgotten implements [View].
func (s *Set) Forgotten(k Kind) []ID { return s.titles()[ForgottenLookup(k)] }

// Veto implements [View].
func (s *Set) Veto(id ID) (State, bool) {
	st, ok := s.vetoes[id]
	return st, ok
}

// InState implements [View].
func (s *Set) InState(k Kind, st State) []ID {
	var ids []ID
	for _, id := range s.ids {
		if r := s.byID[id]; r.Kind == k && r.Verdict != nil && r.Verdict.State == st {
			ids = append(ids, id)
		}
	}
	return ids
}

// Match implements [View].
func (s *Set) Match(prefix string) ([]ID, error) { return MatchPrefix(s.ids, prefix) }

// Abbreviate returns the shortest prefix of id that no other id of the set has,
// as the function of that name does.
func (s *Set) Abbreviate(id ID, min int) string { return Abbreviate(s.ids, id, min) }

// Len implements [View].
func (s *Set) Len() int { return len(s.ids) }

// All implements [View].
func (s *Set) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for _, id := range s.ids {
			if !yield(s.byID[id]) {
				return
			}
		}
	}
}
