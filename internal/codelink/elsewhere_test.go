package codelink_test

import (
	"context"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/records"
)

// TestMissingFiles: where the lines of a file that is not there are found. No anchor
// names a commit, so nothing but the files can tell.
func TestMissingFiles(t *testing.T) {
	const (
		lines = "func evict() {\n\tdropTheNewest()\n}\n"
		brief = "}\n"
	)
	for _, tt := range []struct {
		what  string
		was   string
		cited string
		files map[string]string
		state codelink.State
		path  string
		lines string
	}{
		{"the only file that has them", "old/a.go", lines, map[string]string{"new/b.go": "package b\n" + lines, "c.go": brief}, codelink.Moved, "new/b.go", "2-4"},
		{"CRLF in git", "old/a.go", lines, map[string]string{"new/b.go": "package b\r\nfunc evict() {\r\n\tdropTheNewest()\r\n}\r\n"}, codelink.Moved, "new/b.go", "2-4"},
		{"the same base name before others", "old/a.go", lines, map[string]string{"new/b.go": lines, "new/a.go": "package a\n" + lines}, codelink.Moved, "new/a.go", "2-4"},
		{"two of another name", "old/a.go", lines, map[string]string{"b.go": lines, "c.go": lines}, codelink.Gone, "", ""},
		{"two of the same name", "old/a.go", lines, map[string]string{"b/a.go": lines, "c/a.go": lines}, codelink.Gone, "", ""},
		{"twice in one file: the nearest", "old/a.go", lines, map[string]string{"b.go": lines + "\n\n\n\n\n" + lines}, codelink.Moved, "b.go", "1-3"},
		{"lines that say nothing", "old/a.go", brief, map[string]string{"b.go": lines}, codelink.Gone, "", ""},
		{"such lines, in a file of the same name", "old/a.go", brief, map[string]string{"b/a.go": lines}, codelink.Moved, "b/a.go", "3-3"},
		{"another kind of file", "old/a.go", lines, map[string]string{"a.md": lines}, codelink.Gone, "", ""},
		{"another Unicode form", "caf\u00e9.go", lines, map[string]string{"cafe\u0301.go": lines}, codelink.Current, "cafe\u0301.go", "1-3"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			ctx := context.Background()
			repo := gittest.New(t, gittest.Plain)
			for name, content := range tt.files {
				repo.WriteFile(name, content)
			}
			repo.Git("add", ".")
			r, err := gitstore.Open(ctx, gitstore.Options{Dir: repo.Dir, Env: repo.Env})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			last := "1-3"
			if tt.cited == brief {
				last = "1-1"
			}
			a := records.Anchor{Path: tt.was, Lines: last, SHA256: codelink.LinesDigest([]byte(tt.cited))}
			checks, err := codelink.CheckAnchors(ctx, r, []records.Anchor{a})
			if err != nil {
				t.Fatal(err)
			}
			if c := checks[0]; c.State != tt.state || c.Path != tt.path || c.Lines != tt.lines {
				t.Errorf("%s at '%s:%s', not %s at '%s:%s'", c.State, c.Path, c.Lines, tt.state, tt.path, tt.lines)
			}
		})
	}
}
