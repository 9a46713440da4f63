package query

import (
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

func TestConcerns(t *testing.T) {
	for _, c := range []struct {
		globs   []string
		anchors []string
		file    string
		want    bool
	}{
		{globs: []string{"internal/cache/**"}, file: "internal/cache/lru.go", want: true},
		{globs: []string{"internal/cache/**"}, file: "internal/cache", want: true},
		{globs: []string{"internal/cache/**"}, file: "internal", want: true},
		{globs: []string{"internal/cache/**"}, file: "internal/cachet", want: false},
		{globs: []string{"internal/cache/**"}, file: ".", want: true},
		{globs: []string{"docs"}, file: "docs/a.md", want: true},
		{globs: []string{"docs/"}, file: "docs", want: true},
		{globs: []string{"*.go"}, file: "main.go", want: true},
		{globs: []string{"*.go"}, file: "cmd/main.go", want: false},
		{globs: []string{"**/*.go"}, file: "cmd/main.go", want: true},
		{anchors: []string{"cmd/main.go"}, file: "cmd", want: true},
		{anchors: []string{"cmd/main.go"}, file: "cmd/main.go", want: true},
		{anchors: []string{"cmd/main.go"}, file: "cmd/main", want: false},
		{file: "main.go", want: false},
	} {
		r := &records.Record{Paths: c.globs}
		for _, a := range c.anchors {
			r.Anchors = append(r.Anchors, records.Anchor{Path: a})
		}
		if got := Concerns(r, c.file); got != c.want {
			t.Errorf("globs %q, anchors %q, file %q: %v, want %v", c.globs, c.anchors, c.file, got, c.want)
		}
	}
}
