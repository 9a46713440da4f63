package fsck

import (
	"testing"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

func TestPathFault(t *testing.T) {
	const id = "task-7k3m9q2x4w"
	digest := "ab" + "cdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789"
	tests := []struct {
		path, mode string
		check      string
	}{
		{records.PolicyFile, "100644", ""},
		{ledger.ReadmeFile, "100644", ""},
		{ledger.AttributesFile, "100644", ""},
		{records.IDPath(id), "100644", ""},
		{"purged/" + id + ".yaml", "100644", ""},
		{"files/ab/" + digest, "100644", ""},
		{records.IDPath(id), "100755", CheckMode},
		{records.IDPath(id), "120000", CheckMode},
		{records.PolicyFile, "120000", CheckMode},
		{"records/task/7/x/" + id + ".ctx.yaml", "100644", CheckPath},
		{"records/goal/7/k/" + id + ".ctx.yaml", "100644", CheckPath},
		{"records/task/7/k/" + id + ".yaml", "100644", CheckPath},
		{"records/notes.md", "100644", CheckPath},
		{"purged/task-x.yaml", "100644", CheckPath},
		{"files/aa/" + digest, "100644", CheckPath},
		{"notes.md", "100644", CheckPath},
		{"submodule", "160000", CheckPath},
	}
	for _, tt := range tests {
		got := ""
		if f := pathFault(treeFile{tt.mode, file{path: tt.path}}); f != nil {
			got = f.Check
		}
		if got != tt.check {
			t.Errorf("pathFault(%s, %s) = %q, want %q", tt.path, tt.mode, got, tt.check)
		}
	}
}
