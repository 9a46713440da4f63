package adr

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/importertest"
	"github.com/git-ctx/git-ctx/records"
)

const dated2026 = "\nDate: 2026-01-01\n"

func decisionFile(title, status string) string {
	return "# " + title + "\n" + dated2026 + "\n## Status\n\n" + status + "\n\n## Context\n\nIt is so.\n\n## Decision\n\n" + title + ".\n"
}

// listed are the reasons given for an item, or for a part of it.
func listed(res *importer.Result, item string) string {
	var out []string
	for _, s := range res.Skipped {
		if s.Item == item || strings.HasPrefix(s.Item, item+": ") {
			out = append(out, s.Reason)
		}
	}
	return strings.Join(out, "; ")
}

// The claim is what was decided, whatever stands above it.
func TestClaimIsTheDecidedText(t *testing.T) {
	const context = "# T\n" + dated2026 + "\n## Status\n\nAccepted\n\n## Context\n\nReads go to the disk each time.\n\n"
	for name, tt := range map[string]struct{ text, reason, body string }{
		"Nygard": {context + "## Decision\n\nWe will cache reads.\n\n## Consequences\n\nMore memory.\n",
			"We will cache reads.", "We will cache reads.\n\n## Context\n\nReads go to the disk each time.\n\n## Consequences\n\nMore memory.\n"},
		"MADR": {context + "## Decision Outcome\n\nChosen option: \"**Cache**\", because [disks](x.md) stay slow.\n\n### Consequences\n\n* Good, because fast\n",
			"Chosen option: \"Cache\", because disks stay slow.", "Chosen option: \"**Cache**\", because [disks](x.md) stay slow.\n\n## Context\n\nReads go to the disk each time.\n\n## Consequences\n\n* Good, because fast\n"},
		"link definitions": {context + "## Decision\n\n[disk]: http://x.example/disk\n\nWe will cache reads.\n", "We will cache reads.", ""},
		"image first":      {context + "## Decision\n\n![a picture](p.png)\n\nWe will cache reads.\n", "We will cache reads.", ""},
		"fence first":      {context + "## Decision\n\n```go\ncode()\n```\n\nWe will cache reads.\n", "We will cache reads.", ""},
		"a list":           {context + "## Decision\n\nWe will:\n\n* cache reads\n* drop writes\n", "We will: cache reads drop writes", ""},
		"below a heading":  {context + "## Decision\n\n### Chosen option\n\nWe will cache reads.\n", "We will cache reads.", ""},
		"a label":          {"# T\n" + dated2026 + "\nStatus: accepted\n\n**Decision:** We will cache reads.\n\n**Why:** It is slow.\n", "We will cache reads.", ""},
		"a Y-statement": {"# T\n" + dated2026 + "\nStatus: accepted\n\nIn the context of reads, facing slow disks, we decided for a cache to achieve speed.\n",
			"In the context of reads, facing slow disks, we decided for a cache to achieve speed.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := importertest.ByKey(t, importFolder(t, folder(map[string]string{"0001-t.md": tt.text})), "0001-t.md")
			if r.State() != records.Accepted || r.Verdict.Reason != tt.reason {
				t.Errorf("%s because %q", r.State(), r.Verdict.Reason)
			}
			if tt.body != "" && r.Body != tt.body {
				t.Errorf("the body is %q", r.Body)
			}
			if strings.Contains(tt.text, "```") != strings.Contains(r.Body, "code()") && name == "fence first" {
				t.Errorf("the code is lost: %q", r.Body)
			}
			if !strings.HasPrefix(r.Body, "We will") && !strings.HasPrefix(r.Body, "Chosen") && !strings.HasPrefix(r.Body, "In the context") {
				t.Errorf("the body starts with %q", r.Body)
			}
		})
	}
	res := importFolder(t, folder(map[string]string{"0001-t.md": context}))
	if r := res.Records[0]; r.Verdict.Reason != "" || listed(res, "0001-t.md") != "no section says what was decided" {
		t.Errorf("without a decision: because %q, listed %v", r.Verdict.Reason, res.Skipped)
	}
}

// A supersession is one fact from whichever side it is told, in any spelling.
func TestSupersessionFromEitherSide(t *testing.T) {
	for name, tt := range map[string]struct {
		old, new string
		state    records.State
		listed   bool
	}{
		"both":                 {"Superseded by [2. New](0002-new.md)", "Accepted\n\nSupersedes [1. Old](0001-old.md)", records.Superseded, false},
		"the old one":          {"Superseded by ADR-0002", "Accepted", records.Superseded, false},
		"the new one":          {"Accepted", "Accepted\n\nSupersedes ADR-1", records.Superseded, true},
		"in one line":          {"Accepted", "Accepted, supersedes ADR-1", records.Superseded, true},
		"replaces":             {"Accepted", "Accepted. Replaces [[0001-old]]", records.Superseded, true},
		"of a proposal":        {"Accepted", "Proposed\n\nSupersedes ADR-1", records.Accepted, true},
		"of a rejected one":    {"Accepted", "Rejected\n\nSupersedes ADR-1", records.Accepted, true},
		"in part":              {"Accepted", "Accepted\n\nPartially supersedes ADR-1", records.Proposed, true},
		"of what is dead":      {"Deprecated", "Accepted\n\nSupersedes ADR-1", records.Rejected, false},
		"nobody (the control)": {"Accepted", "Accepted", records.Accepted, false},
	} {
		t.Run(name, func(t *testing.T) {
			res := importFolder(t, folder(map[string]string{"0001-old.md": decisionFile("Old", tt.old), "0002-new.md": decisionFile("New", tt.new)}))
			old, next := importertest.ByKey(t, res, "0001-old.md"), importertest.ByKey(t, res, "0002-new.md")
			if old.State() != tt.state || (listed(res, "0001-old.md") != "") != tt.listed {
				t.Errorf("the old one is %s; listed %v", old.State(), res.Skipped)
			}
			if tt.state == records.Superseded && old.Verdict.SupersededBy != next.ID {
				t.Errorf("superseded by %s", old.Verdict.SupersededBy)
			}
			if want := strings.HasPrefix(tt.new, "Accepted"); (next.State() == records.Accepted) != want {
				t.Errorf("the new one is %s", next.State())
			}
		})
	}
	res := importFolder(t, folder(map[string]string{
		"0001-old.md": decisionFile("Old", "Superseded by ADR-2"), "0002-new.md": decisionFile("New", "Accepted"), "0003-rival.md": decisionFile("Rival", "Accepted\n\nSupersedes ADR-1"),
	}))
	if got := listed(res, "0001-old.md"); got != "0003-rival.md says that it supersedes this one, which names 0002-new.md: left as it is" {
		t.Errorf("two sides that disagree: %q", got)
	}
}

func TestSupersessionInFrontMatter(t *testing.T) {
	for _, key := range []string{"superseded-by: ADR-0002", "superseded_by: 0002-new.md", "replaced-by: [0002-new]"} {
		res := importFolder(t, folder(map[string]string{
			"0001-old.md": "---\nstatus: accepted\ndate: 2026-01-01\n" + key + "\n---\n# Old\n\n## Decision\n\nOld.\n", "0002-new.md": decisionFile("New", "Accepted"),
		}))
		if old := importertest.ByKey(t, res, "0001-old.md"); old.State() != records.Superseded {
			t.Errorf("%s: %s, listed %v", key, old.State(), res.Skipped)
		}
	}
}

// Two files with one number are two decisions; a link by the number means neither.
func TestTwoFilesWithOneNumber(t *testing.T) {
	res := importFolder(t, folder(map[string]string{
		"0001-a.md": decisionFile("A", "Accepted"), "0001-b.md": decisionFile("B", "Accepted"),
		"0002-c.md": decisionFile("C", "Superseded by ADR-0001"), "0003-d.md": decisionFile("D", "Superseded by [1](0001-b.md)"),
	}))
	if len(res.Records) != 4 {
		t.Fatalf("%d records", len(res.Records))
	}
	if c := importertest.ByKey(t, res, "0002-c.md"); c.State() != records.Rejected || !strings.Contains(listed(res, "0002-c.md"), "'ADR-0001' means 0001-a.md or 0001-b.md: none is taken") {
		t.Errorf("by number: %s, listed %v", c.State(), res.Skipped)
	}
	if d := importertest.ByKey(t, res, "0003-d.md"); d.Verdict.SupersededBy != importertest.ByKey(t, res, "0001-b.md").ID {
		t.Errorf("by name: %+v", d.Verdict)
	}
}

// A folder that holds one decision, and an enhancement proposal with its kep.yaml.
func TestFoldersOfOneDecision(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"0001-cache/README.md":     decisionFile("Cache", "Accepted"),
		"0001-cache/diagram.svg":   "<svg/>",
		"0002-queue/0002-queue.md": decisionFile("Queue", "Superseded by [1](../0001-cache/README.md)"),
		"1234-kep/kep.yaml":        "title: Sidecars\nkep-number: 1234\nstatus: implementable\ncreation-date: 2021-02-03\nauthors: ['@a']\napprovers: ['@b']\n",
		"1234-kep/README.md":       "# KEP-1234: Sidecars\n\n## Summary\n\nStart sidecars first.\n\n## Motivation\n\nOrder.\n",
		"1235-kep/kep.yaml":        "title: Other\nstatus: deferred\ncreation-date: 2021-02-03\n",
		"images/README.md":         "# Images\n",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	res := importFolder(t, fs.FS(fsys))
	if r := importertest.ByKey(t, res, "0001-cache"); r.State() != records.Accepted || r.Title != "Cache" {
		t.Errorf("%s %q", r.State(), r.Title)
	}
	if r := importertest.ByKey(t, res, "0002-queue"); r.State() != records.Superseded {
		t.Errorf("a link to the other folder: %s, listed %v", r.State(), res.Skipped)
	}
	if r := importertest.ByKey(t, res, "1234-kep"); r.State() != records.Accepted || r.Title != "Sidecars" || r.Verdict.Reason != "Start sidecars first." || r.Created.By != "@b" {
		t.Errorf("the proposal is %s %q because %q by %s", r.State(), r.Title, r.Verdict.Reason, r.Created.By)
	}
	if r := importertest.ByKey(t, res, "1235-kep"); r.State() != records.Proposed || listed(res, "1235-kep") == "" {
		t.Errorf("a deferred one is %s, listed %v", r.State(), res.Skipped)
	}
	if listed(res, "images") != "a folder: its files are not read" {
		t.Errorf("listed %v", res.Skipped)
	}
}

// Section names of another language are named, not guessed at: nothing is in force by them.
func TestForeignSectionsAreListed(t *testing.T) {
	res := importFolder(t, folder(map[string]string{
		"0001-a.md": "# A\n" + dated2026 + "\n## ステータス\n\n承認\n\n## 決定\n\nX\n",
		"0002-b.md": "# B\n" + dated2026 + "\n## Status\n\nAccepted\n\n## Entscheidung\n\nX\n",
		"notes.md":  "# Notes\n\n## 決定\n\nX\n",
	}))
	if r := importertest.ByKey(t, res, "0001-a.md"); r.State() != records.Proposed || !strings.Contains(r.Body, "承認") {
		t.Errorf("%s %q", r.State(), r.Body)
	}
	if got := listed(res, "0001-a.md"); got != "missing: proposed; no section says what was decided; not understood: 'ステータス', '決定'" {
		t.Errorf("listed %q", got)
	}
	if got := listed(res, "notes.md"); got != "no status and no decision is known by its name; not understood: '決定'" {
		t.Errorf("listed %q", got)
	}
	if got := listed(res, "0002-b.md"); got != "no section says what was decided; not understood: 'Entscheidung'" {
		t.Errorf("listed %q", got)
	}
}

// Nine deciders on a line, headings from level 2 and a mark of byte order: the
// field is cut and told, the file arrives.
func TestLongDeciders(t *testing.T) {
	names := strings.Repeat("Somebody Witharatherlongname-Example, ", 9)
	res := importFolder(t, folder(map[string]string{"0001-t.md": "\ufeff## Use a cache\n\nStatus: accepted\nDate: 2026-01-01\nDeciders: " + names + "\n\n### Decision\n\nUse one.\n"}))
	r := importertest.ByKey(t, res, "0001-t.md")
	if r.State() != records.Accepted || r.Title != "Use a cache" || len(r.Created.By) > maxMakers || listed(res, "0001-t.md") != "over 100 characters: cut" {
		t.Errorf("%s %q by %q, listed %v", r.State(), r.Title, r.Created.By, res.Skipped)
	}
}

// Keys begin with the folder, so that two folders with the same names stay two.
func TestKeysBeginWithTheFolder(t *testing.T) {
	files := folder(map[string]string{"0001-t.md": decisionFile("T", "Accepted")})
	a, err := Folder(files, "docs/adr")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Folder(files, "api/adr")
	if err != nil {
		t.Fatal(err)
	}
	if a.Records[0].ID == b.Records[0].ID || a.Records[0].Origin.Key != "docs/adr/0001-t.md" || a.Scope != "docs/adr/" {
		t.Errorf("%s and %s of %+v", a.Records[0].ID, b.Records[0].ID, a.Records[0].Origin)
	}
	one, err := ReadOne("docs/adr/0001-t.md", []byte(decisionFile("T", "Accepted")))
	if err != nil || one == nil || one.Record.ID != a.Records[0].ID || one.Record.Body != a.Records[0].Body {
		t.Errorf("by itself it is %+v, %v", one, err)
	}
}
