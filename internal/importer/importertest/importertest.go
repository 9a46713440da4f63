// Package importertest checks what every importer promises.
package importertest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Render shows a whole result, as golden files keep it.
func Render(t *testing.T, res *importer.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, %s\n", res.Source, res.Time.Format(time.RFC3339))
	for _, s := range res.Skipped {
		what := "skipped"
		if s.Note {
			what = "note"
		}
		fmt.Fprintf(&b, "# %s: %s: %s\n", what, s.Place(), s.Reason)
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

// Sound checks a result: records that files may hold, in order, linked only to
// each other, with closed verdicts.
func Sound(t *testing.T, res *importer.Result) {
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
		if want != r.Verdict.Of || r.Verdict.Actor != importer.Actor || r.Created.Actor != importer.Actor {
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

// Golden holds a result against a file, which -update rewrites.
func Golden(t *testing.T, file string, res *importer.Result) {
	t.Helper()
	Sound(t, res)
	GoldenText(t, file, Render(t, res))
}

// GoldenText holds a text against a file, which -update rewrites.
func GoldenText(t *testing.T, file string, got []byte) {
	t.Helper()
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

// ByKey finds a record by the key of its source.
func ByKey(t *testing.T, res *importer.Result, key string) *records.Record {
	t.Helper()
	for _, r := range res.Records {
		if r.Origin.Key == key {
			return r
		}
	}
	t.Fatalf("no record of %s; skipped %v", key, res.Skipped)
	return nil
}
