package adr

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

func statusOf(text string) status {
	var lines []line
	for i, l := range strings.Split(text, "\n") {
		lines = append(lines, line{i + 1, l})
	}
	return parseStatus(lines, map[string]string{"5": "0005-next.md"})
}

// The grammar takes a status for what it says as a whole; by is what the
// successors are named by, and a listed one is never in force.
func TestStatusGrammar(t *testing.T) {
	const listed = true
	tests := []struct {
		text   string
		state  records.State
		listed bool
		by     string
	}{
		// The words of each form.
		{"Accepted", records.Accepted, false, ""},
		{"Approved by the TSC on 2024-03-01", records.Accepted, false, ""},
		{"Decided", records.Accepted, false, ""},
		{"🟢 **Accepted**", records.Accepted, false, ""},
		{"`accepted`", records.Accepted, false, ""},
		{"~~Proposed~~ Accepted", records.Accepted, false, ""},
		{"- [ ] Proposed\n- [x] Accepted", records.Accepted, false, ""},
		{"Accepted (2024-03-01)", records.Accepted, false, ""},
		{"Accepted - March 1, 2024", records.Accepted, false, ""},
		{"Accepted, implemented in #123", records.Accepted, false, ""},
		{"Accepted by Ada Example, Ben Example", records.Accepted, false, ""},
		{"2024-01-01: Proposed\n2024-02-01: Accepted", records.Accepted, false, ""},
		{"2024-02-01 Accepted\n2024-01-01 Proposed", records.Accepted, false, ""},
		{"Proposed → Accepted", records.Accepted, false, ""},
		{"Accepted (was: proposed)", records.Accepted, false, ""},
		{"| Date | Status |\n|---|---|\n| 2024-01-01 | Proposed |\n| 2024-02-01 | Accepted |", records.Accepted, false, ""},
		{"```\nAccepted\n```", records.Accepted, false, ""},
		{"PROPOSED - Implemented", records.Proposed, false, ""},
		{"ACCEPTED Partially Implemented", records.Accepted, false, ""},
		{"Accepted and applied in v7.1 of ibc-go", records.Accepted, false, ""},
		{"DRAFT Not Implemented", records.Proposed, false, ""},
		{"Implemented", records.Accepted, false, ""},
		{"In review", records.Proposed, false, ""},
		{"Draft", records.Proposed, false, ""},
		{"provisional", records.Proposed, false, ""},
		{"Withdrawn", records.Rejected, false, ""},
		{"Deprecated", records.Rejected, false, ""},
		// What follows takes back.
		{"Accepted, superseded by [5. Next](0005-next.md)", records.Superseded, false, "0005-next.md"},
		{"Accepted; later rejected", records.Rejected, false, ""},
		{"Accepted, now deprecated", records.Rejected, false, ""},
		{"Accepted, but no longer in force", records.Rejected, false, ""},
		{"Accepted\n\nDeprecated on 2024-05-01", records.Rejected, false, ""},
		{"Accepted on 2023-01-01. Superseded on 2024-01-01 by ADR-0005", records.Proposed, listed, ""},
		// Links in every notation, several links.
		{"Superseded by [ADR-5][5]", records.Superseded, false, "0005-next.md"},
		{"Superseded by [5]", records.Superseded, false, "0005-next.md"},
		{"Superseded by [[0005-next]]", records.Superseded, false, "0005-next"},
		{"Superseded by <0005-next.md>", records.Superseded, false, "0005-next.md"},
		{"Superseded by :doc:`0005-next`", records.Superseded, false, "0005-next"},
		{"Superseded by `Next <0005-next.rst>`_", records.Superseded, false, "0005-next.rst"},
		{"Superseded by xref:0005-next.adoc[Next]", records.Superseded, false, "0005-next.adoc"},
		{"Superseded by <<0005-next,Next>>", records.Superseded, false, "0005-next"},
		{"Superseded by ADR 5 and ADR 6", records.Superseded, false, "ADR 5, ADR 6"},
		{"Superseded by [a](0005-a.md), [b](0006-b.md)", records.Superseded, false, "0005-a.md, 0006-b.md"},
		{"[Superseded by ADR-5](0005-next.md)", records.Superseded, false, "0005-next.md"},
		{"Replaced by 5", records.Superseded, false, "5"},
		{"Superceded by ADR-5", records.Superseded, false, "ADR-5"},
		{"Superseded by Use a queue", records.Superseded, false, "Use a queue"},
		// Qualifiers belong to their word.
		{"Accepted. Partially supersedes [2. Old](0002-old.md)", records.Accepted, false, ""},
		{"Accepted\n\nPartly supersedes ADR-2", records.Accepted, false, ""},
		{"Partially superseded by ADR-5", records.Proposed, listed, ""},
		{"Accepted, superseded in part by ADR-5", records.Proposed, listed, ""},
		{"Superseded by ADR-5 for the CLI surface; the rest remains valid", records.Proposed, listed, ""},
		{"Accepted\n\nSuperseded for the web surface by ADR-5, the rest remains valid", records.Proposed, listed, ""},
		{"Accepted pending a security review", records.Proposed, listed, ""},
		{"Conditionally accepted", records.Proposed, listed, ""},
		{"Accepted for the CLI only", records.Proposed, listed, ""},
		{"Accepted unless the trial fails", records.Proposed, listed, ""},
		{"Accepted\n\nThis was reverted in March.", records.Proposed, listed, ""},
		// What is not one state.
		{"Accepted?", records.Proposed, listed, ""},
		{"proposed | accepted | deprecated", records.Proposed, listed, ""},
		{"Proposed, Accepted, Deprecated, Superseded", records.Proposed, listed, ""},
		{"{accepted}", records.Proposed, listed, ""},
		{"Accepted or rejected", records.Proposed, listed, ""},
		{"Not yet accepted", records.Proposed, listed, ""},
		{"Rejected, then accepted", records.Proposed, listed, ""},
		{"On hold", records.Proposed, listed, ""},
		{"Entwurf", records.Proposed, listed, ""},
		// An author's remark on a line of its own is a remark.
		{"Accepted\n\nThe trial ran for two weeks.", records.Accepted, false, ""},
		{"Accepted\n\nAmended by [ADR-7](0007-more.md)", records.Accepted, false, ""},
		{"Accepted\n\nSupersedes [2. Old](0002-old.md)", records.Accepted, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			st := statusOf(tt.text)
			if st.state != tt.state || (st.note != "") != tt.listed || named(st.by) != tt.by {
				t.Errorf("got %s by '%s', note '%s'", st.state, named(st.by), st.note)
			}
			if tt.listed && st.no == 0 {
				t.Error("no line is named")
			}
		})
	}
}

func TestStatusSupersedes(t *testing.T) {
	for text, want := range map[string][2]string{
		"Accepted\n\nSupersedes [2. Old](0002-old.md)":        {"0002-old.md", ""},
		"Accepted. Partially supersedes ADR-2":                {"", "ADR-2"},
		"Accepted\n\nReplaces ADR-2 and ADR-3":                {"ADR-2, ADR-3", ""},
		"Accepted\n\nAmends [2. Old](0002-old.md)":            {"", ""},
		"Accepted, supersedes [2](0002-a.md), [3](0003-b.md)": {"0002-a.md, 0003-b.md", ""},
	} {
		st := statusOf(text)
		if got := [2]string{named(st.supersedes), named(st.partOf)}; got != want || st.state != records.Accepted {
			t.Errorf("%q: %s, supersedes %q", text, st.state, got)
		}
	}
}

func TestDates(t *testing.T) {
	want := time.Date(2016, 2, 13, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"2016-02-13", "2016/02/13", "2016.02.13", "13.02.2016", "13/02/2016", "02/13/2016", "February 13, 2016", "Feb 13 2016", "13 February 2016", "13th of February 2016",
		"Saturday, February 13, 2016", "13-Feb-2016", "20160213", "2016-02-13 (updated 2017-01-01)", "**2016-02-13**", "2016-2-13",
	} {
		if got, ok := dateOf(text); !ok || !got.Equal(want) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"02/03/2016", "soon", "2016-02-31", "YYYY-MM-DD", "Q1 2016", ""} {
		if got, ok := dateOf(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// The fields are found wherever a file tells them.
func TestFieldsInEveryPlace(t *testing.T) {
	const body = "\n## Context\n\nSlow.\n\n## Decision\n\nUse a cache.\n"
	for name, text := range map[string]string{
		"section":             "# T\n\n## Status\n\nAccepted\n\n## Date\n\n2026-01-02\n\n## Deciders\n\n* Ada\n* Ben\n" + body,
		"section of level 3":  "## T\n\n### Status\n\nAccepted\n\n### Date\n\n2026-01-02\n\n### Deciders\n\nAda, Ben\n\n### Decision\n\nUse a cache.\n",
		"numbered":            "# T\n\n## 1. Status\n\nAccepted\n\n## 2. Date\n\n2026-01-02\n\n## 3. Deciders\n\nAda, Ben\n\n## 4. Decision\n\nUse a cache.\n",
		"front matter":        "---\nstatus: accepted\ndate: 2026-01-02\ndeciders: [Ada, Ben]\n---\n# T\n" + body,
		"list":                "# T\n\n* Status: accepted\n* Deciders: Ada, Ben\n* Date: 2026-01-02\n" + body,
		"bold":                "# T\n\n**Status:** Accepted\n**Date**: 2026-01-02\n**Decided by**: Ada, Ben\n" + body,
		"table of two":        "# T\n\n| Field | Value |\n|---|---|\n| Status | Accepted |\n| Date | 2026-01-02 |\n| Deciders | Ada, Ben |\n" + body,
		"table with a head":   "# T\n\n| Status | Date | Deciders |\n|---|---|---|\n| Accepted | 2026-01-02 | Ada, Ben |\n" + body,
		"fence":               "# T\n\n```\nStatus: Accepted\nDate: 2026-01-02\nDeciders: Ada, Ben\n```\n" + body,
		"one line":            "# T\n\nStatus: Accepted · Date: 2026-01-02 · Deciders: Ada, Ben\n" + body,
		"BOM and CRLF":        "\ufeff" + strings.ReplaceAll("# T\n\nStatus: Accepted\nDate: 2026-01-02\nDeciders: Ada, Ben\n"+body, "\n", "\r\n"),
		"metadata section":    "# T\n\n## Metadata\n\n- Status: Accepted\n- Date: 2026-01-02\n- Deciders: Ada, Ben\n" + body,
		"rst.rst":             "T\n===\n\n:Status: Accepted\n:Date: 2026-01-02\n:Deciders: Ada, Ben\n\nDecision\n--------\n\nUse a cache.\n",
		"rst sections.rst":    "=====\nT\n=====\n\nStatus\n------\n\nAccepted\n\nDate\n----\n\n2026-01-02\n\nDeciders\n--------\n\nAda, Ben\n\nDecision\n--------\n\nUse a cache.\n",
		"asciidoc.adoc":       "= T\n:status: accepted\n:date: 2026-01-02\n:deciders: Ada, Ben\n\n== Context\n\nSlow.\n\n== Decision\n\nUse a cache.\n",
		"asciidoc table.adoc": "= T\n\n|===\n|Status |Accepted\n|Date |2026-01-02\n|Deciders |Ada, Ben\n|===\n\n== Decision\n\nUse a cache.\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := "0001-t.md"
			for _, ext := range []string{".rst", ".adoc"} {
				if strings.HasSuffix(name, ext) {
					file = "0001-t" + ext
				}
			}
			res := importFolder(t, folder(map[string]string{file: text}))
			if len(res.Records) != 1 {
				t.Fatalf("skipped %v", res.Skipped)
			}
			r := res.Records[0]
			if r.State() != records.Accepted || r.Created.By != "Ada, Ben" || r.Created.At.Format(time.DateOnly) != "2026-01-02" || r.Title != "T" {
				t.Errorf("%s by %q at %v, titled %q; skipped %v", r.State(), r.Created.By, r.Created.At, r.Title, res.Skipped)
			}
			if !strings.HasPrefix(r.Body, "Use a cache.") || r.Verdict.Reason != "Use a cache." {
				t.Errorf("the claim is %q, the body %q", r.Verdict.Reason, r.Body)
			}
			if slices.ContainsFunc(strings.Split(r.Body, "\n"), func(l string) bool { return strings.Contains(strings.ToLower(l), "deciders") }) {
				t.Errorf("the fields are in the body: %q", r.Body)
			}
		})
	}
}
