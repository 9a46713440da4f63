package adr

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/importertest"
	"github.com/git-ctx/git-ctx/records"
)

func folder(files map[string]string) fs.FS {
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func importFolder(t *testing.T, fsys fs.FS) *importer.Result {
	t.Helper()
	res, err := Folder(fsys, "")
	if err != nil {
		t.Fatal(err)
	}
	importertest.Sound(t, res)
	return res
}

func TestGolden(t *testing.T) {
	importertest.Golden(t, "testdata/adr.golden.yaml", importFolder(t, os.DirFS("testdata/adr")))
}

func TestADRStatus(t *testing.T) {
	const next = "0002-next.md"
	tests := []struct {
		status string
		state  records.State
		listed bool // in Skipped
	}{
		{"Accepted", records.Accepted, false},
		{"**accepted**", records.Accepted, false},
		{"Accepted on 2026-01-02", records.Accepted, false},
		{"* proposed", records.Proposed, false},
		{"Rejected.", records.Rejected, false},
		{"deprecated", records.Rejected, false},
		{"Superseded by [ADR-0002](0002-next.md)", records.Superseded, false},
		{"Superceded by [2. Next](./0002-next.md#decision)", records.Superseded, false},
		{"superseded by ADR-2", records.Superseded, false},
		{"superseded by ADR-0002 on 2026-01-01", records.Superseded, false},
		{"superseded by 0002-next.md", records.Superseded, false},
		{"Accepted, but superseded by 2", records.Superseded, false},
		{"Accepted\n\nSuperseded by ADR-0002", records.Superseded, false},
		{"superseded by ADR-0009", records.Rejected, true},
		{"superseded by ADR-0001", records.Rejected, true},
		{"superseded", records.Rejected, true},
		{"Partially superseded by ADR-0002", records.Proposed, true},
		{"superseded in part by ADR-0002", records.Proposed, true},
		{"on hold", records.Proposed, true},
		{"not accepted", records.Proposed, true},
		{"accepted?", records.Proposed, true},
		{"{proposed | accepted}", records.Proposed, true},
		{"", records.Proposed, true},
		{"<!-- accepted -->", records.Proposed, true},
	}
	for _, tt := range tests {
		t.Run(tt.status, func(t *testing.T) {
			res := importFolder(t, folder(map[string]string{
				"0001-it.md": "# It\n\nDate: 2026-01-01\n\n## Status\n\n" + tt.status + "\n\n## Decision\n\nIt.\n",
				next:         "# Next\n\nStatus: proposed\nDate: 2026-01-01\n\n## Decision\n\nNext.\n",
			}))
			r := importertest.ByKey(t, res, "0001-it.md")
			if r.State() != tt.state || (len(res.Skipped) > 0) != tt.listed {
				t.Errorf("got %s, skipped %v", r.State(), res.Skipped)
			}
			if r.State() == records.Superseded && r.Verdict.SupersededBy != importertest.ByKey(t, res, next).ID {
				t.Errorf("superseded by %s", r.Verdict.SupersededBy)
			}
			if (r.State() == records.Rejected || r.State() == records.Superseded) && r.Verdict.Reason == "" {
				t.Error("no reason")
			}
		})
	}
}

// The front matter wins over a line at the top, and that over a section.
func TestADRStatusPlaces(t *testing.T) {
	const front, line, sect = "---\nstatus: rejected\n---\n", "\nStatus: Accepted\n", "\n## Status\n\nSuperseded by 2\n"
	const decision = "\n## Decision\n\nIt.\n"
	for text, want := range map[string]records.State{
		front + "# It\n" + line + sect + decision: records.Rejected,
		"# It\n" + line + sect + decision:         records.Accepted,
		"# It\n" + sect + decision:                records.Superseded,
		"# It\n" + decision:                       records.Proposed,
		"It\n==\n\nStatus\n------\n\nAccepted\n":  records.Accepted,
	} {
		res := importFolder(t, folder(map[string]string{"0001-it.md": text, "0002-b.md": "# B\n" + decision}))
		if got := importertest.ByKey(t, res, "0001-it.md").State(); got != want {
			t.Errorf("got %s, want %s of\n%s", got, want, text)
		}
	}
}

func TestADRClaimsOfTheSuccessorAlone(t *testing.T) {
	files := map[string]string{
		"0001-a.md": "# A\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\n## Decision\n\nA.\n",
		"0002-b.md": "# B\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\nSupersedes [1. A](0001-a.md)\n\n## Decision\n\nB.\n",
	}
	res := importFolder(t, folder(files))
	want := importer.Skip{Item: "0001-a.md: status", Reason: "0002-b.md says that it supersedes this one, which says accepted: superseded", Note: true, Line: 7}
	if !slices.Equal(res.Skipped, []importer.Skip{want}) {
		t.Errorf("skipped %v", res.Skipped)
	}
	files["0001-a.md"] = strings.Replace(files["0001-a.md"], "Accepted", "Superseded by [2. B](0002-b.md)", 1)
	if res := importFolder(t, folder(files)); len(res.Skipped) > 0 {
		t.Errorf("agreeing files are listed: %v", res.Skipped)
	}
}

// What cannot be read is listed with its line, and the files beside it arrive.
func TestFolderListsWhatCannotBeRead(t *testing.T) {
	const good = "# Good\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\n## Decision\n\nIt.\n"
	for name, tt := range map[string]struct {
		text, reason string
		line         int
	}{
		"invalid UTF-8":          {"# T\n\nab\xff\n", "column 3: invalid UTF-8", 3},
		"broken front matter":    {"---\nstatus: [\n---\n# T\n", "front matter", 2},
		"an unquoted colon":      {"---\ntitle: Use: this\nstatus: accepted\n---\n# T\n", "front matter", 2},
		"front matter is a list": {"---\n- a\n---\n# T\n", "want keys", 2},
		"key twice":              {"---\nstatus: a\nstatus: b\n---\n# T\n", "'status' stands twice", 3},
	} {
		t.Run(name, func(t *testing.T) {
			res := importFolder(t, folder(map[string]string{"0001-t.md": tt.text, "0002-good.md": good}))
			if len(res.Records) != 1 || res.Records[0].State() != records.Accepted {
				t.Fatalf("the file beside it gives %v", res.Records)
			}
			if len(res.Skipped) != 1 || res.Skipped[0].Line != tt.line || !strings.Contains(res.Skipped[0].Reason, tt.reason) || res.Skipped[0].Item != "0001-t.md" {
				t.Errorf("listed %v", res.Skipped)
			}
		})
	}
}

func TestQuestionOf(t *testing.T) {
	for text, want := range map[string]string{
		"Wall clocks jump. Which clock\nmeasures time?":              "Which clock measures time?",
		"Which one? And why?":                                        "",
		"No question here.":                                          "",
		"See <https://x.example/?q=1> for more.":                     "",
		"Like `a? b`. Should it be so?":                              "",
		"Things, e.g. should it be so?":                              "",
		"```\nIs this code?\n```\n\nIs this prose?":                  "Is this prose?",
		"* First point\n* Does the second ask?":                      "Does the second ask?",
		"<!-- What is the question? -->\n" + strings.Repeat("x", 20): "",
	} {
		if got := questionOf(strings.Split(text, "\n")); got != want {
			t.Errorf("questionOf(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestStripNumber(t *testing.T) {
	for _, tt := range []struct {
		title  string
		number int
		want   string
	}{
		{"1. Record decisions", 1, "Record decisions"},
		{"ADR-0005: Use X", 5, "Use X"},
		{"ADR 5 Use X", 5, "Use X"},
		{"0005 Use X", 5, "Use X"},
		{"0005 - Use X", 5, "Use X"},
		{"2 phase commit", 2, "2 phase commit"},
		{"0 downtime", 0, "0 downtime"},
		{"3. Use X", 5, "3. Use X"},
		{"Use 5. X", 5, "Use 5. X"},
		{"5. ", 5, "5. "},
	} {
		if got := stripNumber(tt.title, tt.number); got != tt.want {
			t.Errorf("stripNumber(%q, %d) = %q, want %q", tt.title, tt.number, got, tt.want)
		}
	}
}

// same compares what a decision says, not the bytes of the file it came from.
func same(t *testing.T, got, want *records.Record) {
	t.Helper()
	g, w := got.Clone(), want.Clone()
	for _, r := range []*records.Record{g, w} {
		r.Origin.Digest = ""
		importer.Seal(r)
	}
	gy, err := records.Format(g)
	if err != nil {
		t.Fatal(err)
	}
	wy, err := records.Format(w)
	if err != nil {
		t.Fatal(err)
	}
	if string(gy) != string(wy) {
		t.Errorf("got:\n%s\nwant:\n%s", gy, wy)
	}
}

func exported(t *testing.T, rs []*records.Record, review records.Review) map[string]string {
	t.Helper()
	out, err := Format(records.NewSet(rs, nil), records.EvalContext{Review: review, ValidAt: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string, len(out))
	for name, b := range out {
		files[name] = string(b)
	}
	return files
}

func TestADRRoundTrip(t *testing.T) {
	folders := map[string]fs.FS{"own": os.DirFS("testdata/adr")}
	if _, err := os.Stat("../../../../shared/data/madr"); err == nil {
		folders["madr"] = os.DirFS("../../../../shared/data/madr")
	}
	for name, fsys := range folders {
		t.Run(name, func(t *testing.T) {
			first := importFolder(t, fsys)
			files := exported(t, first.Records, records.ReviewAny)
			second := importFolder(t, folder(files))
			if len(first.Records) == 0 || len(second.Records) != len(first.Records) {
				t.Fatalf("%d records came back as %d: %v", len(first.Records), len(second.Records), second.Skipped)
			}
			for i, r := range first.Records {
				// An export says that a decision is rejected, not what the source's reason was.
				if strings.HasPrefix(r.Verdict.Reason, "superseded in the source") && r.State() == records.Rejected {
					r.Verdict.Reason = "rejected in the source"
				}
				same(t, second.Records[i], r)
			}
			if again := exported(t, second.Records, records.ReviewAny); !maps.Equal(again, files) {
				t.Error("a second export gives other bytes")
			}
		})
	}
}

func TestADRRealFolder(t *testing.T) {
	if _, err := os.Stat("../../../../shared/data/madr"); err != nil {
		t.Skip("no shared data")
	}
	res := importFolder(t, os.DirFS("../../../../shared/data/madr"))
	if len(res.Records) != 19 {
		t.Errorf("19 files gave %d records", len(res.Records))
	}
	for _, r := range res.Records {
		if r.State() != records.Proposed || r.Title == "" || len(r.Options) == 0 || r.Body == "" {
			t.Errorf("%s: state %s, title %q, %d options", r.Origin.Key, r.State(), r.Title, len(r.Options))
		}
	}
	if want := (importer.Skip{Item: "0003-provide-own-madr-tools.md: status", Reason: "status 'on hold' is unknown: proposed", Note: true, Line: 4}); !slices.Contains(res.Skipped, want) {
		t.Errorf("'%s' is not listed", want.Item)
	}
}

func FuzzADR(f *testing.F) {
	names, err := fs.Glob(os.DirFS("testdata/adr"), "*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range names {
		b, err := os.ReadFile("testdata/adr/" + n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		fsys := fstest.MapFS{
			"0001-it.md":   {Data: src},
			"0002-next.md": {Data: []byte("# Next\n\nStatus: accepted\n\n## Decision\n\nNext.\n")},
		}
		res, err := Folder(fsys, "")
		if err != nil {
			return
		}
		importertest.Sound(t, res)
		// Whatever came in can go out and come in again.
		back := importFolder(t, folder(exported(t, res.Records, records.ReviewAny)))
		for _, r := range res.Records {
			b := importertest.ByKey(t, back, r.Origin.Key)
			if b.Title != r.Title || b.Question != r.Question || !slices.Equal(b.Options, r.Options) || b.State() != r.State() {
				t.Errorf("%+v came back as %+v", r, b)
			}
		}
	})
}
