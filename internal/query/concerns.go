package query

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-ctx/git-ctx/records"
)

// Concerns reports whether one of the record's globs or anchors meets a file,
// or something below a folder, named from the worktree's top.
func Concerns(r *records.Record, file string) bool {
	for _, a := range r.Anchors {
		if meets(a.Path, file) {
			return true
		}
	}
	return GlobFor(r, file) != ""
}

// GlobFor returns the first of the record's globs that meets a file, or "".
func GlobFor(r *records.Record, file string) string {
	for _, g := range r.Paths {
		base, rest := doublestar.SplitPattern(g)
		matched, err := doublestar.Match(g, file)
		switch {
		case err == nil && matched, meets(path.Clean(g), file):
			return g
		case rest != "" && base != "." && (base == file || strings.HasPrefix(base, file+"/")):
			return g // the glob looks below the folder
		}
	}
	return ""
}

// meets reports whether one of two paths is the other, or lies below it.
func meets(name, file string) bool {
	return file == "." || name == file || strings.HasPrefix(name, file+"/") || strings.HasPrefix(file, name+"/")
}
