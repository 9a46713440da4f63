package records

import "slices"

// A neighbourKey names one thing that records can be looked up by.
type neighbourKey struct {
	what string // a relation, "question", or "title" and the kind
	key  string
}

func backlinkKey(target ID, rel Relation) neighbourKey {
	return neighbourKey{string(rel), string(target)}
}
func questionKey(key string) neighbourKey      { return neighbourKey{"question", key} }
func titleKey(k Kind, key string) neighbourKey { return neighbourKey{"title " + string(k), key} }

// relationKeys returns the keys under which others find r by its links and question.
func relationKeys(r *Record) []neighbourKey {
	var keys []neighbourKey
	for rel, targets := range r.Links {
		for _, t := range targets {
			keys = append(keys, backlinkKey(t, rel))
		}
	}
	for _, t := range r.Successors() {
		keys = append(keys, backlinkKey(t, SupersededBy))
	}
	if key := QuestionKey(r.Question); r.Kind == Decision && key != "" {
		keys = append(keys, questionKey(key))
	}
	return keys
}

// titleKeys returns the key under which a twin of r is found, if it has a title.
func titleKeys(r *Record) []neighbourKey {
	if key := Normalize(r.Title); key != "" {
		return []neighbourKey{titleKey(r.Kind, key)}
	}
	return nil
}

// neighbours maps keys to sorted sets of ids.
type neighbours map[neighbourKey][]ID

func (n neighbours) add(id ID, keys []neighbourKey) {
	for _, k := range keys {
		ids := n[k]
		if i, found := slices.BinarySearch(ids, id); !found {
			n[k] = slices.Insert(ids, i, id)
		}
	}
}

func (n neighbours) remove(id ID, keys []neighbourKey) {
	for _, k := range keys {
		if i, found := slices.BinarySearch(n[k], id); found {
			n[k] = slices.Delete(n[k], i, i+1)
		}
	}
}
