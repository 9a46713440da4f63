package records

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestReceipts(t *testing.T) {
	a := &Receipt{ID: "ev-0000000001", Reason: "private it is", By: "Ada Example", Actor: Human, At: noon,
		Blobs: []string{strings.Repeat("b", 40), strings.Repeat("1", 40)}}
	data := FormatReceipt(a)
	r, err := ParseReceipt(ReceiptPath(a.ID), data)
	if err != nil || !bytes.Equal(FormatReceipt(r), data) || len(r.Blobs) != 2 || r.Reason != a.Reason {
		t.Fatalf("it reads back as %+v, %v:\n%s", r, err, data)
	}
	for name, bad := range map[string]string{
		"elsewhere":  strings.Replace(string(data), "ev-0000000001", "ev-0000000002", 1),
		"no blobs":   "id: ev-0000000001\nactor: human\nat: 2026-11-30T12:00:00Z\n",
		"no object":  strings.Replace(string(data), strings.Repeat("b", 40), "zz", 1),
		"unknown":    string(data) + "more: 1\n",
		"other form": "# a comment\n" + string(data),
	} {
		var syntax *SyntaxError
		if _, err := ParseReceipt(ReceiptPath(a.ID), []byte(bad)); !errors.As(err, &syntax) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := &Receipt{ID: a.ID, Reason: "because", By: "Ada Example", Actor: Human, At: noon, Blobs: []string{strings.Repeat("2", 40)}}
	x, err1 := MergeReceipts(a, b)
	y, err2 := MergeReceipts(b, a)
	if err1 != nil || err2 != nil || !bytes.Equal(FormatReceipt(x), FormatReceipt(y)) || len(x.Blobs) != 3 || x.Reason != "because" {
		t.Errorf("they join to\n%s\nand\n%s, %v, %v", FormatReceipt(x), FormatReceipt(y), err1, err2)
	}
}

// A stub is a sound record that follows from the id alone, whatever the kind.
func TestPurgedStub(t *testing.T) {
	for _, s := range Schemas() {
		id := ID(s.Prefix + "-0000000001")
		data, err := Format(PurgedStub(id))
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if r, err := Parse(IDPath(id), data); err != nil || r.Tombstone == nil || r.Recalls("") || r.Recalls("none") {
			t.Errorf("%s reads as %+v, %v", id, r, err)
		}
	}
}
