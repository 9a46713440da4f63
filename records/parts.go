package records

import (
	"slices"
	"strings"
	"time"
)

// A part is one key of a mapping that the format fixes: how it is read and how it
// is written. The parts of a mapping stand in canonical order.
type part[T any] struct {
	name     string
	required bool
	routine  bool // it differs with every value, and nobody reads it
	read     func(d *decoder, n *Value, v *T) error
	put      func(e sink, v *T) // writes nothing where the part is absent
}

// newPart makes the part that stands in a T at at.
func newPart[T, V any](name string, at func(*T) *V, read func(*decoder, *Value, string) (V, error), put func(sink, string, V)) part[T] {
	return part[T]{
		name: name,
		read: func(d *decoder, n *Value, v *T) (err error) {
			*at(v), err = read(d, n, name)
			return err
		},
		put: func(e sink, v *T) { put(e, name, *at(v)) },
	}
}

func (p part[T]) needed() part[T] {
	p.required = true
	return p
}

func (p part[T]) everyTime() part[T] {
	p.routine = true
	return p
}

func partNames[T any](parts []part[T]) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	return names
}

// readParts reads a mapping into v. Unknown keys inside a value are refused: only
// the top level is open to newer writers.
func readParts[T any](d *decoder, n *Value, what string, parts []part[T], v *T) error {
	if n.Type != MapValue {
		return d.errorAt(n, "%s is %s, not keys and values", what, describe(n))
	}
	for i := 0; i+1 < len(n.Items); i += 2 {
		key := n.Items[i]
		at := slices.IndexFunc(parts, func(p part[T]) bool { return p.name == key.Text })
		if at < 0 {
			return d.errorAt(key, "unknown key '%s' in %s; it may hold %s", key.Text, what, strings.Join(partNames(parts), ", "))
		}
		if err := parts[at].read(d, n.Items[i+1], v); err != nil {
			return err
		}
	}
	for i := range parts {
		if parts[i].required && n.Get(parts[i].name) == nil {
			return d.errorAt(n, "missing %s in %s", parts[i].name, what)
		}
	}
	return nil
}

// putParts writes v as a mapping.
func putParts[T any](e sink, v *T, parts []part[T]) {
	e.openMap()
	for i := range parts {
		parts[i].put(e, v)
	}
	e.closeMap()
}

// The parts of the values that a record holds.
var (
	verdictParts = []part[Verdict]{
		newPart("state", func(v *Verdict) *State { return &v.State }, (*decoder).state, putText).needed(),
		newPart("of", func(v *Verdict) *string { return &v.Of }, (*decoder).contentDigest, putText).everyTime(),
		newPart("asks", func(v *Verdict) *State { return &v.Asks }, (*decoder).state, putText),
		newPart("reason", func(v *Verdict) *string { return &v.Reason }, (*decoder).text, putText),
		newPart("cites", func(v *Verdict) *[]ID { return &v.Cites }, (*decoder).idSet, putSet),
		newPart("superseded-by", func(v *Verdict) *ID { return &v.SupersededBy }, (*decoder).id, putText),
		newPart("despite", func(v *Verdict) *[]Despite { return &v.Despite }, readSet((*decoder).despite, putDespite), putSorted(putDespite)),
		newPart("reverts", func(v *Verdict) *string { return &v.Reverts }, (*decoder).objectID, putText),
		newPart("by", func(v *Verdict) *string { return &v.By }, (*decoder).label, putText).everyTime(),
		newPart("actor", func(v *Verdict) *Actor { return &v.Actor }, (*decoder).actor, putText).needed().everyTime(),
		newPart("at", func(v *Verdict) *time.Time { return &v.At }, (*decoder).instant, putInstant).needed().everyTime(),
		newPart("n", func(v *Verdict) *string { return &v.N }, (*decoder).nonce, putText).needed().everyTime(),
		newPart("after", func(v *Verdict) *string { return &v.After }, (*decoder).nonce, putText).everyTime(),
		newPart("withdrawn", func(v *Verdict) *bool { return &v.Withdrawn }, (*decoder).truth, putTruth),
		newPart("sig", func(v *Verdict) *string { return &v.Sig }, (*decoder).text, putText).everyTime(),
	}
	despiteParts = []part[Despite]{
		newPart("id", func(v *Despite) *ID { return &v.ID }, (*decoder).id, putText).needed(),
		newPart("state", func(v *Despite) *State { return &v.State }, (*decoder).anyState, putText).needed(),
		newPart("of", func(v *Despite) *string { return &v.Of }, (*decoder).contentDigest, putText).needed(),
	}
	stepParts = []part[Step]{
		newPart("id", func(s *Step) *string { return &s.ID }, (*decoder).label, putText).needed(),
		newPart("do", func(s *Step) *string { return &s.Do }, (*decoder).filled, putText).needed(),
		newPart("verify", func(s *Step) *string { return &s.Verify }, (*decoder).text, putText),
	}
	// citationParts are what a verdict covers of an anchor: not the commit, which
	// another one takes the place of when history is rewritten.
	citationParts = []part[Anchor]{
		newPart("path", func(a *Anchor) *string { return &a.Path }, (*decoder).repoPath, putPath).needed(),
		newPart("lines", func(a *Anchor) *string { return &a.Lines }, (*decoder).lines, putText),
		newPart("sha256", func(a *Anchor) *string { return &a.SHA256 }, (*decoder).digest, putText),
		newPart("blob", func(a *Anchor) *string { return &a.Blob }, (*decoder).objectID, putText),
	}
	anchorParts = append(slices.Clone(citationParts),
		newPart("commit", func(a *Anchor) *string { return &a.Commit }, (*decoder).objectID, putText))
	fileParts = []part[File]{
		newPart("name", func(f *File) *string { return &f.Name }, (*decoder).fileName, putText).needed(),
		newPart("sha256", func(f *File) *string { return &f.SHA256 }, (*decoder).digest, putText).needed(),
		newPart("size", func(f *File) *int64 { return &f.Size }, (*decoder).size, putInteger).needed(),
	}
	validityParts = []part[Validity]{
		newPart("from", func(v *Validity) *time.Time { return &v.From }, (*decoder).instant, putInstant),
		newPart("until", func(v *Validity) *time.Time { return &v.Until }, (*decoder).instant, putInstant),
	}
	originParts = []part[Origin]{
		newPart("system", func(o *Origin) *string { return &o.System }, (*decoder).label, putText).needed(),
		{name: "keys", read: (*decoder).originKeys, put: putOriginKeys},
		newPart("digest", func(o *Origin) *string { return &o.Digest }, (*decoder).label, putText),
		{name: "key", read: (*decoder).originKeys, put: func(sink, *Origin) {}}, // one key, as it was written before
	}
	// originIdentity is what a verdict covers of an origin: neither what else the
	// source calls the record now, nor the digest of what it says in other words.
	originIdentity = []part[Origin]{
		newPart("system", func(o *Origin) *string { return &o.System }, nil, putText),
		newPart("key", func(o *Origin) *string { return &o.Key }, nil, putText),
	}
	tombstoneParts = []part[Tombstone]{
		newPart("fingerprint", func(t *Tombstone) *string { return &t.Fingerprint }, (*decoder).label, putText).needed(),
		newPart("salt", func(t *Tombstone) *string { return &t.Salt }, (*decoder).label, putText).needed(),
		newPart("reason", func(t *Tombstone) *string { return &t.Reason }, (*decoder).text, putText),
		newPart("by", func(t *Tombstone) *string { return &t.By }, (*decoder).label, putText),
		newPart("actor", func(t *Tombstone) *Actor { return &t.Actor }, (*decoder).actor, putText).needed(),
		newPart("at", func(t *Tombstone) *time.Time { return &t.At }, (*decoder).instant, putInstant).needed(),
	}
	createdParts = []part[Created]{
		newPart("by", func(c *Created) *string { return &c.By }, (*decoder).label, putText),
		newPart("actor", func(c *Created) *Actor { return &c.Actor }, (*decoder).actor, putText).needed(),
		newPart("at", func(c *Created) *time.Time { return &c.At }, (*decoder).instant, putInstant).needed(),
	}
	conflictParts = []part[rawConflict]{
		newPart("field", func(c *rawConflict) *string { return &c.field }, (*decoder).text, putText),
		newPart("bases", func(c *rawConflict) **Value { return &c.bases }, (*decoder).whole, nil),
		newPart("sides", func(c *rawConflict) **Value { return &c.sides }, (*decoder).whole, nil),
	}
)

func putVerdict(e sink, v *Verdict) { putParts(e, v, verdictParts) }
func putDespite(e sink, v *Despite) { putParts(e, v, despiteParts) }
func putStep(e sink, s *Step)       { putParts(e, s, stepParts) }
func putAnchor(e sink, a *Anchor)   { putParts(e, a, anchorParts) }
func putCitation(e sink, a *Anchor) { putParts(e, a, citationParts) }
func putFile(e sink, f *File)       { putParts(e, f, fileParts) }
