package records

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"
)

// put writes the whole record: the one place that fixes the order of keys.
func (r *Record) put(e sink) {
	e.openMap()
	r.putContent(e)
	r.putJudgement(e)
	r.putRatings(e)
	r.putTags(e)
	r.putRest(e, putAnchor)
	e.closeMap()
}

// putJudged writes what a verdict judges: all but verdict, also, conflicts and tags.
func (r *Record) putJudged(e sink) {
	e.openMap()
	r.putContent(e)
	r.putRatings(e)
	r.putRest(e, putCitation)
	e.closeMap()
}

func (r *Record) putContent(e sink) {
	putText(e, "id", r.ID)
	putText(e, "kind", r.Kind)
	putText(e, "title", r.Title)
	putText(e, "body", r.Body)
	putText(e, "type", r.Type)
	putText(e, "text", r.Text)
	putText(e, "question", r.Question)
	putTexts(e, "options", r.Options)
	putText(e, "when", r.When)
	putTexts(e, "signals", sortedSet(r.Signals))
	putTexts(e, "preconditions", r.Preconditions)
	putEach(e, "steps", r.Steps, putStep)
	putText(e, "escalation", r.Escalation)
	putText(e, "source", r.Source)
}

func (r *Record) putJudgement(e sink) {
	if r.Verdict != nil {
		e.key("verdict")
		putVerdict(e, r.Verdict)
	}
	putEach(e, "also", sortedBy(r.Also, putVerdict), putVerdict)
	if len(r.Conflicts) == 0 {
		return
	}
	e.key("conflicts")
	e.openSeq()
	for _, c := range slices.SortedStableFunc(slices.Values(r.Conflicts), func(a, b Conflict) int {
		return cmp.Compare(a.Field, b.Field)
	}) {
		e.openMap()
		putText(e, "field", c.Field)
		putNodes(e, "bases", c.Bases)
		putNodes(e, "sides", c.Sides)
		e.closeMap()
	}
	e.closeSeq()
}

func (r *Record) putRatings(e sink) {
	putFraction(e, "confidence", r.Confidence)
	putFraction(e, "impact", r.Impact)
	putFraction(e, "cost", r.Cost)
	putFraction(e, "strength", r.Strength)
	if r.Priority != nil {
		e.key("priority")
		e.plain(tagInt, strconv.Itoa(*r.Priority))
	}
}

func (r *Record) putTags(e sink) { putTexts(e, "tags", sortedSet(r.Tags)) }

func (r *Record) putRest(e sink, putAnchor func(sink, *Anchor)) {
	r.putLinks(e)
	putTexts(e, "paths", sortedSet(r.Paths))
	putEach(e, "anchors", sortedBy(r.Anchors, putAnchor), putAnchor)
	putEach(e, "files", sortedBy(r.Files, putFile), putFile)
	if !r.Valid.From.IsZero() || !r.Valid.Until.IsZero() {
		e.key("valid")
		e.openMap()
		putInstant(e, "from", r.Valid.From)
		putInstant(e, "until", r.Valid.Until)
		e.closeMap()
	}
	if o := r.Origin; o != nil {
		e.key("origin")
		e.openMap()
		putText(e, "system", o.System)
		putText(e, "key", o.Key)
		putText(e, "digest", o.Digest)
		e.closeMap()
	}
	if t := r.Tombstone; t != nil {
		e.key("tombstone")
		e.openMap()
		putText(e, "fingerprint", t.Fingerprint)
		putText(e, "salt", t.Salt)
		putText(e, "reason", t.Reason)
		putText(e, "by", t.By)
		putText(e, "actor", t.Actor)
		putInstant(e, "at", t.At)
		e.closeMap()
	}
	if r.Created != (Created{}) {
		e.key("created")
		e.openMap()
		putText(e, "by", r.Created.By)
		putText(e, "actor", r.Created.Actor)
		putInstant(e, "at", r.Created.At)
		e.closeMap()
	}
	putExtra(e, r.Extra)
}

func byFieldName(a, b Field) int { return cmp.Compare(a.Name, b.Name) }

// putExtra writes unknown keys in their order by name.
func putExtra(e sink, extra []Field) {
	if !slices.IsSortedFunc(extra, byFieldName) {
		extra = slices.SortedStableFunc(slices.Values(extra), byFieldName)
	}
	for _, f := range extra {
		e.key(f.Name)
		putNode(e, f.Value)
	}
}

func (r *Record) putLinks(e sink) {
	open := false
	put := func(rel Relation, ids []ID) {
		if !open {
			e.key("links")
			e.openMap()
			open = true
		}
		putTexts(e, string(rel), sortedSet(ids))
	}
	left := 0
	for _, ids := range r.Links {
		if len(ids) > 0 {
			left++
		}
	}
	if left == 0 {
		return
	}
	for i := 0; i < len(relationRules) && left > 0; i++ {
		rule := &relationRules[i]
		if !rule.carriedBy(r.Kind) {
			continue
		}
		if ids := r.Links[rule.rel]; len(ids) > 0 {
			put(rule.rel, ids)
			left--
		}
	}
	if left > 0 { // relations the kind does not carry: kept, for the decoder to refuse
		legal := Relations(r.Kind)
		for _, rel := range slices.Sorted(maps.Keys(r.Links)) {
			if ids := r.Links[rel]; len(ids) > 0 && !slices.Contains(legal, rel) {
				put(rel, ids)
			}
		}
	}
	e.closeMap()
}

func putVerdict(e sink, v *Verdict) {
	e.openMap()
	putText(e, "state", v.State)
	putText(e, "of", v.Of)
	putText(e, "asks", v.Asks)
	putText(e, "reason", v.Reason)
	putTexts(e, "cites", sortedSet(v.Cites))
	putText(e, "superseded-by", v.SupersededBy)
	putEach(e, "despite", sortedBy(v.Despite, putDespite), putDespite)
	putText(e, "reverts", v.Reverts)
	putText(e, "by", v.By)
	putText(e, "actor", v.Actor)
	putInstant(e, "at", v.At)
	putText(e, "n", v.N)
	putText(e, "sig", v.Sig)
	e.closeMap()
}

func putDespite(e sink, d *Despite) {
	e.openMap()
	putText(e, "id", d.ID)
	putText(e, "n", d.N)
	e.closeMap()
}

func putStep(e sink, s *Step) {
	e.openMap()
	putText(e, "id", s.ID)
	putText(e, "do", s.Do)
	putText(e, "verify", s.Verify)
	e.closeMap()
}

func putAnchor(e sink, a *Anchor) {
	e.openMap()
	putCited(e, a)
	putText(e, "commit", a.Commit)
	e.closeMap()
}

// putCitation writes what a verdict judges of an anchor: not the commit, which
// another one takes the place of when history is rewritten.
func putCitation(e sink, a *Anchor) {
	e.openMap()
	putCited(e, a)
	e.closeMap()
}

func putCited(e sink, a *Anchor) {
	putText(e, "path", a.Path)
	putText(e, "lines", a.Lines)
	putText(e, "sha256", a.SHA256)
	putText(e, "blob", a.Blob)
}

func putFile(e sink, f *File) {
	e.openMap()
	putText(e, "name", f.Name)
	putText(e, "sha256", f.SHA256)
	e.key("size")
	e.plain(tagInt, strconv.FormatInt(f.Size, 10))
	e.closeMap()
}

func putFraction(e sink, name string, f *Fraction) {
	if f != nil {
		e.key(name)
		e.plain(tagFloat, f.String())
	}
}

func putInstant(e sink, name string, t time.Time) {
	if !t.IsZero() {
		e.key(name)
		e.plain(tagTime, FormatInstant(t))
	}
}

// putNodes writes a multiset of values in canonical order.
func putNodes(e sink, name string, ns []*yaml.Node) {
	if len(ns) == 0 {
		return
	}
	e.key(name)
	e.openSeq()
	for _, n := range sortedNodes(ns) {
		putNode(e, n)
	}
	e.closeSeq()
}

func putEach[T any](e sink, name string, vs []T, put func(sink, *T)) {
	if len(vs) == 0 {
		return
	}
	e.key(name)
	e.openSeq()
	for i := range vs {
		put(e, &vs[i])
	}
	e.closeSeq()
}

// sortedSet returns the set in Unicode form C, sorted and without repetition:
// ss itself when it is so already.
func sortedSet[S ~string](ss []S) []S {
	canonical := true
	for i, s := range ss {
		if string(s) != nfc(string(s)) || i > 0 && ss[i-1] >= s {
			canonical = false
			break
		}
	}
	if canonical {
		return ss
	}
	out := make([]S, len(ss))
	for i, s := range ss {
		out[i] = S(nfc(string(s)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sortedBy returns the set sorted by the canonical form of its members and
// without repetition: vs itself when it has fewer than two.
func sortedBy[T any](vs []T, put func(sink, *T)) []T {
	if len(vs) < 2 {
		return vs
	}
	type keyed struct {
		key string
		v   T
	}
	ks := make([]keyed, len(vs))
	for i := range vs {
		ks[i] = keyed{formatted(func(e sink) { put(e, &vs[i]) }), vs[i]}
	}
	slices.SortStableFunc(ks, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	ks = slices.CompactFunc(ks, func(a, b keyed) bool { return a.key == b.key })
	out := make([]T, len(ks))
	for i, k := range ks {
		out[i] = k.v
	}
	return out
}

// sortedNodes returns the values in the order of their canonical texts, which
// keeps repetitions.
func sortedNodes(ns []*yaml.Node) []*yaml.Node {
	return slices.SortedStableFunc(slices.Values(ns), func(a, b *yaml.Node) int {
		return cmp.Compare(FormatValue(a), FormatValue(b))
	})
}
