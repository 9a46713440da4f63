//go:build unix

package bootstrap

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What is not a text file of the repository is left out and listed, without being
// opened where that would hang; the document beside it arrives.
func TestMapLeavesOutWhatIsNoDocument(t *testing.T) {
	const goal = "# Goals\n\n- Keep every read under 50 ms\n"
	dir := writeTree(t, map[string]string{
		"README.md":           goal,
		"docs/binary.md":      "# Goals\n\n- Keep a NUL \x00 in the text\n",
		"docs/latin.md":       "# Goals\n\n- Keep the caf\xe9 open all night\n",
		"docs/adr/front.md":   "---\na: [\n---\n# Use it\n\n## Decision\n\nUse it.\n",
		"docs/\x1b[31mred.md": goal,
		"docs/two\nlines.md":  goal,
		"docs/big.md":         goal + strings.Repeat("x", maxDocument),
	})
	outside := filepath.Join(t.TempDir(), "outside.md")
	for _, err := range []error{
		os.WriteFile(outside, []byte(goal), 0o644),
		syscall.Mkfifo(filepath.Join(dir, "docs/pipe.md"), 0o644),
		os.Symlink(outside, filepath.Join(dir, "docs/outside.md")),
		os.Symlink(filepath.Dir(outside), filepath.Join(dir, "docs/away")),
		os.Symlink("loop.md", filepath.Join(dir, "docs/loop.md")),
		os.Symlink("../README.md", filepath.Join(dir, "docs/within.md")),
		os.Mkdir(filepath.Join(dir, "docs/folder.md"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p := Map(root, []string{
		"README.md", "docs/binary.md", "docs/latin.md", "docs/adr/front.md", "docs/\x1b[31mred.md", "docs/two\nlines.md", "docs/big.md", "docs/\xff.md",
		"docs/pipe.md", "docs/outside.md", "docs/away/outside.md", "docs/loop.md", "docs/within.md", "docs/folder.md", "docs/missing.md",
	})
	if got := titles(p); !slices.Equal(got, []string{"goal: Keep every read under 50 ms"}) {
		t.Errorf("proposals %q", got)
	}
	var got []string
	for _, s := range p.Skipped {
		got = append(got, s.Item+": "+s.Reason)
	}
	slices.Sort(got)
	want := []string{
		"docs/adr/front.md: line 2: front matter: yaml: line 1: did not find expected node content",
		"docs/away/outside.md: path escapes from parent",
		"docs/big.md: over 1 MiB",
		"docs/binary.md: it is not text: it holds a NUL",
		"docs/folder.md: not a regular file",
		"docs/latin.md: line 3: invalid UTF-8",
		"docs/loop.md: a link: it is not followed",
		"docs/missing.md: it is not in the worktree",
		"docs/outside.md: a link: it is not followed",
		"docs/pipe.md: not a regular file",
		"docs/two lines.md: its name has characters that are not shown",
		"docs/within.md: a link: it is not followed",
		"docs/\u241b[31mred.md: its name has characters that are not shown",
		"docs/\ufffd.md: its name has characters that are not shown",
	}
	if !slices.Equal(got, want) {
		t.Errorf("skipped\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A plan cannot reach by its anchors what a map does not read.
func TestPlanReadsNoLink(t *testing.T) {
	dir := writeTree(t, map[string]string{"README.md": "# Goals\n\n- Keep every read under 50 ms\n"})
	p, root := mapDir(t, dir)
	if _, err := p.Records(root); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(filepath.Join(dir, "README.md"), filepath.Join(dir, "real")), os.Symlink("real", filepath.Join(dir, "README.md"))); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Records(root); err == nil || !strings.Contains(err.Error(), "a link") {
		t.Errorf("got %v", err)
	}
}
