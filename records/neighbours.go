package records

import "slices"

// Cites is not a link field either: it stands in a verdict, and is named here so
// that [View.Backlinks] finds the records whose verdict cites another.
const Cites Relation = "cites"

// AnyLink stands for every relation and [Cites], for [View.Backlinks] alone.
const AnyLink Relation = "*"

// A Lookup names one thing that the records of a [View] are found by.
type Lookup struct {
	What string // a relation, "question", or "title" and the kind
	Key  string
}

// BacklinksLookup is the lookup that [View.Backlinks] makes.
func BacklinksLookup(target ID, rel Relation) Lookup { return Lookup{string(rel), string(target)} }

// QuestionLookup is the lookup that [View.OnQuestion] makes.
func QuestionLookup(key string) Lookup { return Lookup{"question", key} }

// TitleLookup is the lookup that [View.Titled] makes.
func TitleLookup(k Kind, key string) Lookup { return Lookup{"title " + string(k), key} }

// ForgottenLookup is the lookup that [View.Forgotten] makes.
func ForgottenLookup(k Kind) Lookup { return Lookup{"forgotten", string(k)} }

// stateLookup is the lookup that [View.InState] makes of an overlay.
func stateLookup(k Kind, s State) Lookup { return Lookup{"state " + string(k), string(s)} }

// Lookups returns every lookup that finds r, for indexes to keep.
func Lookups(r *Record) []Lookup { return append(relationKeys(r), titleKeys(r)...) }

// relationKeys returns the keys under which others find r by its links and question.
func relationKeys(r *Record) []Lookup {
	var keys []Lookup
	for rel, targets := range r.Links {
		for _, t := range targets {
			keys = append(keys, BacklinksLookup(t, rel), BacklinksLookup(t, AnyLink))
		}
	}
	for _, t := range r.Successors() {
		keys = append(keys, BacklinksLookup(t, SupersededBy))
	}
	if r.Verdict != nil {
		for _, t := range r.Verdict.Cites {
			keys = append(keys, BacklinksLookup(t, Cites), BacklinksLookup(t, AnyLink))
		}
	}
	if key := QuestionKey(r.Question); r.Kind == Decision && key != "" {
		keys = append(keys, QuestionLookup(key))
	}
	return keys
}

// titleKeys returns the key under which a duplicate of r is found: by its title, if
// it has one, or among the forgotten.
func titleKeys(r *Record) []Lookup {
	if r.Forgotten() {
		return []Lookup{ForgottenLookup(r.Kind)}
	}
	if key := Normalize(r.Title); key != "" {
		return []Lookup{TitleLookup(r.Kind, key)}
	}
	return nil
}

// stateKeys returns the key under which r's state is found, if it has one.
func stateKeys(r *Record) []Lookup {
	if r.Verdict == nil {
		return nil
	}
	return []Lookup{stateLookup(r.Kind, r.Verdict.State)}
}

// neighbours maps keys to sorted sets of ids.
type neighbours map[Lookup][]ID

func (n neighbours) add(id ID, keys []Lookup) {
	for _, k := range keys {
		ids := n[k]
		if i, found := slices.BinarySearch(ids, id); !found {
			n[k] = slices.Insert(ids, i, id)
		}
	}
}

func (n neighbours) remove(id ID, keys []Lookup) {
	for _, k := range keys {
		if i, found := slices.BinarySearch(n[k], id); found {
			n[k] = slices.Delete(n[k], i, i+1)
		}
	}
}
