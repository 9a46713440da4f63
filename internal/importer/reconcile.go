package importer

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// Vanished is the tag of a record whose item the source no longer has.
const Vanished = "vanished-from-source"

// Reconcile gives what to commit of the result, from what the source's last import
// held: an item under another name is the record that it was, and one that is gone
// from its folder is marked and told. The same source after that changes nothing.
func (res *Result) Reconcile(held, now []*records.Record) []*records.Record {
	was := make(map[records.ID]*records.Record)
	for _, r := range held {
		if r.Origin != nil && res.owns(r.Origin) && r.Tombstone == nil {
			was[r.ID] = r
		}
	}
	res.known(was, now)
	fresh := make(map[records.ID]*records.Record)
	for _, r := range now {
		if was[r.ID] == nil {
			fresh[r.ID] = r
		}
		delete(was, r.ID)
	}
	maps.DeleteFunc(was, func(_ records.ID, r *records.Record) bool { return slices.ContainsFunc(r.Origin.Keys(), res.has) })
	res.rename(was, fresh, now)
	if res.Partial || !res.Folder { // a file may be an extract
		return now
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		r := was[id]
		if !slices.Contains(r.Tags, Vanished) {
			r = r.Clone()
			r.Tags = append(r.Tags, Vanished)
			slices.Sort(r.Tags)
			res.Skipped = append(res.Skipped, Skip{Item: r.Origin.Key, Reason: fmt.Sprintf("the source no longer has it: '%s' stays %s, tagged %s", id, r.State(), Vanished), Note: true})
		}
		now = append(now, r)
	}
	return now
}

// known gives the items that the source renamed before their records.
func (res *Result) known(was map[records.ID]*records.Record, now []*records.Record) {
	byKey := make(map[string]*records.Record)
	for _, r := range was {
		for _, key := range r.Origin.Also {
			byKey[string(r.Kind)+key] = r
		}
	}
	moved := make(map[records.ID]records.ID)
	for _, r := range now {
		if old := byKey[string(r.Kind)+r.Origin.Key]; old != nil && was[r.ID] == nil {
			moved[r.ID] = old.ID
			become(old, r)
		}
	}
	for _, r := range now {
		relink(r, moved)
	}
}

// become makes now the record that was.
func become(was, now *records.Record) {
	now.ID, now.Origin, now.Created = was.ID, was.Origin.Renamed(now.Origin.Key, now.Origin.Digest), was.Created
}

// owns reports whether an item is one that this source would hold.
func (res *Result) owns(o *records.Origin) bool {
	if system, _, _ := strings.Cut(res.Source, "/"); o.System != system {
		return false
	}
	return !res.Folder || strings.TrimSuffix(res.Scope, "/") == strings.TrimPrefix(path.Dir(o.Key), ".")
}

// has reports whether the source holds an item of that key, taken or not; what is
// made of a part of an item goes with it.
func (res *Result) has(key string) bool {
	item, _, _ := strings.Cut(key, "#")
	return res.Keys[key] || res.Keys[item] && !res.taken(item)
}

func (res *Result) taken(key string) bool {
	return slices.ContainsFunc(res.Records, func(r *records.Record) bool { return r.Origin.Key == key })
}

// rename finds the vanished items among the new ones: those with the same
// content first, then what the source takes for the same item. What could be two is neither.
func (res *Result) rename(was, fresh map[records.ID]*records.Record, now []*records.Record) {
	if res.Match == nil {
		return
	}
	moved := make(map[records.ID]records.ID)
	for rank := 3; rank > 0; rank-- {
		pairs := make(map[records.ID][]records.ID)
		back := make(map[records.ID]int)
		for _, n := range slices.Sorted(maps.Keys(fresh)) {
			for _, w := range slices.Sorted(maps.Keys(was)) {
				if fresh[n].Kind == was[w].Kind && res.Match(was[w], fresh[n]) >= rank {
					pairs[n] = append(pairs[n], w)
					back[w]++
				}
			}
		}
		for _, n := range slices.Sorted(maps.Keys(pairs)) {
			if w := pairs[n]; len(w) == 1 && back[w[0]] == 1 {
				moved[n] = w[0]
				res.moved(was[w[0]], fresh[n])
				delete(was, w[0])
				delete(fresh, n)
			}
		}
	}
	for _, r := range now {
		relink(r, moved)
	}
}

// moved makes now the record that was, under one name more, and tells it.
func (res *Result) moved(was, now *records.Record) {
	res.Skipped = append(res.Skipped, Skip{Item: now.Origin.Key, Reason: fmt.Sprintf("it was '%s': the same record '%s'", was.Origin.Key, was.ID), Note: true})
	become(was, now)
}

// relink makes links lead to the records under their old ids.
func relink(r *records.Record, moved map[records.ID]records.ID) {
	if len(moved) == 0 {
		return
	}
	for rel, ids := range r.Links {
		for i, id := range ids {
			if to, ok := moved[id]; ok {
				ids[i] = to
			}
		}
		slices.Sort(ids)
		r.Links[rel] = slices.Compact(ids)
	}
	if to, ok := moved[r.Verdict.SupersededBy]; ok {
		r.Verdict.SupersededBy = to
	}
	Seal(r)
}

// Filter keeps the items of the keys in only, or all where it is empty, and leaves out
// those in skip. A key is an item's, or the last part of one that is a path.
func (res *Result) Filter(only, skip []string) error {
	if len(only)+len(skip) == 0 {
		return nil
	}
	res.Partial = true
	names := func(r *records.Record, key string) bool {
		own, _, _ := strings.Cut(r.Origin.Key, "#")
		return key == r.Origin.Key || key == own || key == path.Base(own)
	}
	for _, key := range slices.Concat(only, skip) {
		if !slices.ContainsFunc(res.Records, func(r *records.Record) bool { return names(r, key) }) {
			return fmt.Errorf("no item of the source has the key '%s'", key)
		}
	}
	gone := make(map[records.ID]bool)
	kept := res.Records[:0:0]
	for _, r := range res.Records {
		is := func(key string) bool { return names(r, key) }
		if len(only) > 0 && !slices.ContainsFunc(only, is) || slices.ContainsFunc(skip, is) {
			gone[r.ID] = true
			continue
		}
		kept = append(kept, r)
	}
	res.Records = kept
	res.unlink(gone)
	return nil
}
