package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"time"
)

const importedIssues = 1000

// benchImport measures an import of issues with their conclusions into a store of
// its own, against git fast-import of the blobs, trees and commits that it made.
func (s *shop) benchImport() error {
	var file bytes.Buffer
	for i := range importedIssues {
		fmt.Fprintf(&file, `{"id":"p-%d","title":"Issue %d about part %d","description":"What was seen and asked.","status":"closed","close_reason":"Change %d moved it.",`+
			`"issue_type":"task","created_at":"2026-01-01T00:00:00Z","closed_at":"2026-01-02T00:00:00Z"}`+"\n", i, i, i%101, i)
	}
	var took, base []time.Duration
	for range 3 {
		one, two, err := s.importOnce(file.Bytes())
		if err != nil {
			return err
		}
		took, base = append(took, one), append(base, two)
	}
	a, b := slices.Min(took), slices.Min(base)
	fmt.Printf("\nimport of %d issues takes %s, git fast-import of the same blobs, trees and commits %s: %.1f\n", importedIssues, round(a), round(b), float64(a)/float64(b))
	return nil
}

func (s *shop) importOnce(file []byte) (took, base time.Duration, err error) {
	dir, err := os.MkdirTemp("", "ctx-bench-import-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	own, other := &shop{dir: dir, bin: s.bin}, dir+"/other.git"
	for _, args := range [][]string{
		{"init", "-q"}, {"config", "user.name", "Ada Example"}, {"config", "user.email", "ada@example.com"}, {"init", "-q", "--bare", other},
	} {
		if err := own.exec(nil, "git", args...); err != nil {
			return 0, 0, err
		}
	}
	if err := own.exec(nil, s.bin, "init", "--review", "any"); err != nil {
		return 0, 0, err
	}
	if took, err = clock(func() error { return own.exec(file, s.bin, "import", "beads", "-") }); err != nil {
		return 0, 0, err
	}
	var stream bytes.Buffer
	if err := own.run(nil, &stream, "git", "fast-export", "refs/ctx/imports/beads", "refs/ctx/heads/main"); err != nil {
		return 0, 0, err
	}
	base, err = clock(func() error { return own.exec(stream.Bytes(), "git", "--git-dir", other, "fast-import", "--quiet") })
	return took, base, err
}
