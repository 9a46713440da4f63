package packet

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	imports "github.com/git-ctx/git-ctx/internal/importer/tracker"
	"github.com/git-ctx/git-ctx/records"
)

// TestPacketsOfATrackersIssues keeps what engineers of a real project would be
// handed for five purposes, of issues that nobody has reviewed yet.
func TestPacketsOfATrackersIssues(t *testing.T) {
	data, err := os.ReadFile("../../shared/data/beads-issues.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the issues are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	res, err := imports.ReadBeads(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	v := records.NewSet(res.Records, nil)
	for name, purpose := range map[string]string{
		"deadlock": "fix a deadlock between the daemon and sqlite when several processes open the database",
		"sync":     "change how sync merges jsonl conflicts",
		"tests":    "make the doctor tests faster",
		"statuses": "let users define custom statuses",
		"worktree": "commands fail in a git worktree",
	} {
		req := request(purpose)
		req.StoreTime = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		req.Eval.ValidAt = req.StoreTime
		golden(t, "beads-"+name+".md", buildView(t, req, v).Markdown())
	}
}
