package importer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// render shows a whole result, as golden files keep it.
func render(t *testing.T, res *Result) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, %s\n", res.Source, res.Time.Format(time.RFC3339))
	for _, s := range res.Skipped {
		what := "skipped"
		if s.Note {
			what = "note"
		}
		fmt.Fprintf(&b, "# %s: %s: %s\n", what, s.Item, s.Reason)
	}
	for _, r := range res.Records {
		y, err := records.Format(r)
		if err != nil {
			t.Fatalf("format %s: %v", r.ID, err)
		}
		b.WriteString("---\n")
		b.Write(y)
	}
	return b.Bytes()
}

// sound checks what every result promises: records that files may hold, in
// order, linked only to each other, with closed verdicts.
func sound(t *testing.T, res *Result) {
	t.Helper()
	view := records.NewSet(res.Records, nil)
	if view.Len() != len(res.Records) {
		t.Errorf("%d records have %d ids", len(res.Records), view.Len())
	}
	for i, r := range res.Records {
		if i > 0 && res.Records[i-1].ID >= r.ID {
			t.Errorf("%s comes after %s", r.ID, res.Records[i-1].ID)
		}
		y, err := records.Format(r)
		if err != nil {
			t.Fatalf("format %s: %v", r.ID, err)
		}
		back, err := records.Parse(records.IDPath(r.ID), y)
		if err != nil {
			t.Fatalf("parse %s: %v\n%s", r.ID, err, y)
		}
		want := ""
		if back.CoversContent() {
			want = back.Digest()
		}
		if want != r.Verdict.Of || r.Verdict.Actor != Actor || r.Created.Actor != Actor {
			t.Errorf("%s: of %s, digest %s, actors %s and %s", r.ID, r.Verdict.Of, want, r.Verdict.Actor, r.Created.Actor)
		}
		for rel, ids := range r.Links {
			for _, id := range ids {
				if to, ok := view.Record(id); !ok {
					t.Errorf("%s: %s leads to %s, which is not there", r.Origin.Key, rel, id)
				} else if err := records.CheckLink(r.Kind, rel, to.Kind); err != nil {
					t.Errorf("%s: %v", r.Origin.Key, err)
				}
			}
		}
		if s := r.Verdict.SupersededBy; (s != "") != (r.State() == records.Superseded) {
			t.Errorf("%s is %s by '%s'", r.Origin.Key, r.State(), s)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", file, got)
	}
}

func importBeads(t *testing.T, src []byte) *Result {
	t.Helper()
	res, err := Beads(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGolden(t *testing.T) {
	b := importBeads(t, readFile(t, "testdata/beads.jsonl"))
	sound(t, b)
	golden(t, "beads.golden.yaml", render(t, b))

	a, err := ADR(os.DirFS("testdata/adr"))
	if err != nil {
		t.Fatal(err)
	}
	sound(t, a)
	golden(t, "adr.golden.yaml", render(t, a))
}
