package records

import (
	"slices"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

// readBatch reads a batch as the ledger does: nodes first, then each record's fields.
func readBatch(t rapidOrTest, data []byte) []*Record {
	var batch struct {
		Format  int         `yaml:"format"`
		Records []yaml.Node `yaml:"records"`
	}
	if err := yaml.Unmarshal(data, &batch); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	if batch.Format != FormatVersion {
		t.Fatalf("format %d", batch.Format)
	}
	var rs []*Record
	for _, n := range batch.Records {
		var fs []Field
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := ReadValue(n.Content[i+1])
			if err != nil {
				t.Fatalf("%v in\n%s", err, data)
			}
			fs = append(fs, Field{Name: n.Content[i].Value, Value: v})
		}
		r, err := FromFields("", fs)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		rs = append(rs, r)
	}
	return rs
}

type rapidOrTest interface {
	Fatalf(format string, args ...any)
}

func sameRecords(t rapidOrTest, rs []*Record) {
	data := FormatBatch(slices.Values(rs))
	back := readBatch(t, data)
	if len(back) != len(rs) {
		t.Fatalf("%d records became %d", len(rs), len(back))
	}
	for i, r := range rs {
		if string(back[i].encode()) != string(r.encode()) {
			t.Fatalf("changed by the batch:\n%s\n---\n%s", r.encode(), back[i].encode())
		}
	}
}

// What some YAML reader resolves to something else than text must survive in every place.
func TestFormatBatchKeepsScalarsThatLookLikeOthers(t *testing.T) {
	var rs []*Record
	for i, s := range []string{"<<", "=", "~", "null", "y", "N", "Yes", "off", "0o7", "0b1", "0x1f", "1_000", "1e3", "1:30", ".inf", "-1",
		"2026-11-30", "2026-11-30T10:12:31Z", "2026-11-30 10:12:31", "- x", "? x", "!!str x", "&a", "*a", "# x", "x #y", "a: b", "---", "...", "\ttab", "|", "@a"} {
		r := &Record{ID: NewID(Runbook, []byte{byte(i)}), Kind: Runbook, Title: "x", Body: s, When: s, Tags: []string{"a"},
			Preconditions: []string{s}, Steps: []Step{{ID: "s1", Do: s, Verify: s}}, Extra: []Field{{Name: "x-note", Value: &Value{
				Type: MapValue, Items: []*Value{NewText(s), NewText(s)}}}},
			Verdict: &Verdict{State: Draft, Of: "0123456789ab", Reason: s, Actor: Human, At: Created{}.At.AddDate(2026, 0, 0), N: "8f3k2m"},
			Created: Created{Actor: Human, At: Created{}.At.AddDate(2026, 0, 0)}}
		rs = append(rs, r)
	}
	sameRecords(t, rs)
}

func TestFormatBatchRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rs []*Record
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			rs = append(rs, anyRecord(t))
		}
		sameRecords(t, rs)
	})
}
