//go:build unix

package adr

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/git-ctx/git-ctx/internal/importer"
)

// What is not a file within the folder is skipped without being opened; the files
// beside it arrive.
func TestADRSkipsWhatIsNoFileOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	good := "# It\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\n## Decision\n\nIt.\n"
	outside := filepath.Join(t.TempDir(), "outside.md")
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "0001-it.md"), []byte(good), 0o644),
		os.WriteFile(outside, []byte(good), 0o644),
		syscall.Mkfifo(filepath.Join(dir, "0002-pipe.md"), 0o644),
		os.Symlink(outside, filepath.Join(dir, "0003-outside.md")),
		os.Symlink("nowhere.md", filepath.Join(dir, "0004-broken.md")),
		os.Symlink("0001-it.md", filepath.Join(dir, "0005-within.md")),
		os.Mkdir(filepath.Join(dir, "0006-folder.md"), 0o755),
		os.WriteFile(filepath.Join(dir, "0007-big.md"), nil, 0o644),
		os.Truncate(filepath.Join(dir, "0007-big.md"), maxDecision+1),
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
	res, err := Folder(root.FS(), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Records) != 2 {
		t.Errorf("%d records, want those of the file and of the link to it", len(res.Records))
	}
	want := []importer.Skip{
		{Item: "0002-pipe.md", Reason: "not a regular file"},
		{Item: "0003-outside.md", Reason: "a link that leads to no file in this folder"},
		{Item: "0004-broken.md", Reason: "a link that leads to no file in this folder"},
		{Item: "0006-folder.md", Reason: "a folder: its files are not read"},
		{Item: "0007-big.md", Reason: "over 4 MiB: not a decision"},
	}
	if !slices.Equal(res.Skipped, want) {
		t.Errorf("skipped %v", res.Skipped)
	}
}
