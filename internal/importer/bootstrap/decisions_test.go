package bootstrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/internal/importer/importertest"
	"github.com/git-ctx/git-ctx/records"
)

// A folder with a kep.yaml is one proposal, the record that import adr makes of it;
// the goals of its README are its own. Beside it a README states what it states.
func TestMapKEP(t *testing.T) {
	const readme = "# KEP\n\n## Summary\n\nStart sidecars first.\n\n## Goals\n\n- Keep the order of starting\n"
	dir := writeTree(t, map[string]string{
		"README.md":                         "# Goals\n\n- Keep every read under 50 ms\n",
		"keps/sig-node/12-side/kep.yaml":    "title: Sidecars\nstatus: implementable\ncreation-date: 2021-02-03\n",
		"keps/sig-node/12-side/README.md":   readme,
		"keps/sig-node/13-old/kep.yaml":     "title: Older\nstatus: withdrawn\n",
		"keps/sig-node/14-bad/kep.yaml":     "title: [\n",
		"keps/sig-node/15-alone/kep.yaml":   "title: Alone\nstatus: provisional\n",
		"keps/sig-node/16-latin/kep.yaml":   "title: Latin\n",
		"keps/sig-node/16-latin/README.md":  "caf\xe9\n",
		"keps/sig-node/no-proposal/NOTE.md": "# Goals\n\n- Not read at all here\n",
	})
	p, root := mapDir(t, dir)
	if got := titles(p); !slices.Equal(got, []string{"goal: Keep every read under 50 ms", "decision: Sidecars", "decision: Alone"}) {
		t.Fatalf("proposals %q", got)
	}
	var listed []string
	for _, s := range p.Skipped {
		listed = append(listed, s.Item+": "+s.Reason)
	}
	for i, want := range []string{"13-old/kep.yaml: a decision that its source holds for dead", "14-bad/kep.yaml: kep.yaml: line 1: ", "16-latin/kep.yaml: README.md: line 1: invalid UTF-8"} {
		if i >= len(listed) || !strings.Contains(listed[i], want) {
			t.Errorf("listed %q, want %q", listed, want)
		}
	}
	if p.Read != 8 {
		t.Errorf("read %d documents", p.Read)
	}
	res, err := p.Records(root)
	if err != nil {
		t.Fatal(err)
	}
	imported, err := adr.Folder(os.DirFS(filepath.Join(dir, "keps/sig-node")), "keps/sig-node")
	if err != nil {
		t.Fatal(err)
	}
	const key = "keps/sig-node/12-side"
	got, want := importertest.ByKey(t, res, key), importertest.ByKey(t, imported, key)
	if got.ID != want.ID || got.Body != want.Body || got.Title != want.Title || got.Verdict.Reason != want.Verdict.Reason {
		t.Errorf("bootstrap %+v\nimport %+v", got, want)
	}
	if v := got.Verdict; v.State != records.Proposed || v.Asks != records.Accepted || len(got.Anchors) != 2 || got.Anchors[1].Lines != "3-5" {
		t.Errorf("%+v %+v", v, got.Anchors)
	}
}
