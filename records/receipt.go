package records

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"
)

// A Receipt says that a record was taken out of history, and drives the rewrite
// in every clone: Blobs are the versions of its file that no history may hold.
type Receipt struct {
	ID     ID
	Reason string
	By     string
	Actor  Actor
	At     time.Time
	Blobs  []string // object IDs, a set
}

// ReceiptPath returns the place of a record's receipt in the store's tree.
func ReceiptPath(id ID) string { return "purged/" + string(id) + ".yaml" }

// ParseReceipt reads a receipt, which must be in the one form that
// [FormatReceipt] writes. Errors are *[SyntaxError].
func ParseReceipt(path string, data []byte) (*Receipt, error) {
	d := &decoder{path: path}
	root, err := d.document(data)
	if err != nil {
		return nil, err
	}
	r := &Receipt{}
	err = readParts(d, root, "a receipt", receiptParts, r)
	switch {
	case err != nil:
		return nil, err
	case path != ReceiptPath(r.ID):
		return nil, d.errorAt(root, "it is the receipt of '%s', which belongs elsewhere", r.ID)
	case !bytes.Equal(FormatReceipt(r), data):
		return nil, d.errorAt(root, "it is not in canonical form")
	}
	return r, nil
}

var receiptParts = []part[Receipt]{
	newPart("id", func(r *Receipt) *ID { return &r.ID }, (*decoder).id, putText).needed(),
	newPart("reason", func(r *Receipt) *string { return &r.Reason }, (*decoder).text, putText),
	newPart("by", func(r *Receipt) *string { return &r.By }, (*decoder).label, putText),
	newPart("actor", func(r *Receipt) *Actor { return &r.Actor }, (*decoder).actor, putText).needed(),
	newPart("at", func(r *Receipt) *time.Time { return &r.At }, (*decoder).instant, putTime).needed(),
	newPart("blobs", func(r *Receipt) *[]string { return &r.Blobs }, readTextSet((*decoder).objectID), putAll).needed(),
}

// putTime writes an instant, a zero one too.
func putTime(e sink, name string, t time.Time) {
	e.key(name)
	e.plain(InstantValue, FormatInstant(t))
}

// putAll writes a set, an empty one too.
func putAll(e sink, name string, ss []string) {
	e.key(name)
	e.openSeq()
	for _, s := range sortedSet(ss) {
		e.text(s)
	}
	e.closeSeq()
}

// FormatReceipt returns the receipt's canonical file.
func FormatReceipt(r *Receipt) []byte {
	w := newYAMLWriter(256)
	putParts(w, r, receiptParts)
	return w.buf
}

// MergeReceipts joins two receipts of one record: what either lists is listed,
// and the smaller of the rest stands, so that the order does not count.
func MergeReceipts(a, b *Receipt) (*Receipt, error) {
	if a.ID != b.ID {
		return nil, errors.New("they are receipts of different records")
	}
	first, second := *a, *b
	first.Blobs, second.Blobs = nil, nil
	if bytes.Compare(FormatReceipt(&first), FormatReceipt(&second)) > 0 {
		first = second
	}
	first.Blobs = sortedSet(slices.Concat(a.Blobs, b.Blobs))
	return &first, nil
}

// PurgedStub is what stands in every older tree in the place of a purged
// record. It depends on the id alone, so that all clones write the same history.
func PurgedStub(id ID) *Record {
	k := id.Kind()
	epoch := time.Unix(0, 0).UTC()
	return &Record{
		ID: id, Kind: k,
		Verdict:   &Verdict{State: k.Schema().Birth(), Actor: Unknown, At: epoch, N: strings.Repeat("0", nonceLength)},
		Tombstone: &Tombstone{Fingerprint: "none", Salt: "none", Reason: "purged", Actor: Unknown, At: epoch},
		Created:   Created{Actor: Unknown, At: epoch},
	}
}
