package packet

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-ctx/git-ctx/records"
)

// How much a match tells: a glob that names no directory fits nearly anything.
const (
	exactMatch   = 1.0
	belowMatch   = 0.8
	unboundMatch = 0.4
)

// A pathMatcher compares records with the files in play.
type pathMatcher struct {
	files []string
	globs map[string]float64 // of those seen so far
}

func newPathMatcher(files []string) *pathMatcher {
	m := &pathMatcher{globs: map[string]float64{}}
	for _, f := range files {
		m.files = append(m.files, path.Clean(f))
	}
	return m
}

// overlap is 0 where none of the record's globs and anchors meets a file in
// play, and else up to 1, as the best match is narrow.
func (m *pathMatcher) overlap(r *records.Record) float64 {
	if len(m.files) == 0 {
		return 0
	}
	best := 0.0
	for i := range r.Anchors {
		if m.anyFile(func(file string) bool { return within(r.Anchors[i].Path, file) }) {
			best = exactMatch
		}
	}
	for _, g := range r.Paths {
		score, ok := m.globs[g]
		if !ok {
			score = m.glob(g)
			m.globs[g] = score
		}
		best = max(best, score)
	}
	return best
}

func (m *pathMatcher) glob(g string) float64 {
	base, rest := doublestar.SplitPattern(g)
	literal := !strings.ContainsAny(g, `*?[{\`)
	matches := func(file string) bool {
		if literal {
			return within(g, file)
		}
		ok, err := doublestar.Match(g, file)
		return err == nil && ok || base != "." && within(base, file)
	}
	switch {
	case rest == "" || !m.anyFile(matches):
		return 0
	case literal:
		return exactMatch
	case base != ".":
		return belowMatch
	}
	return unboundMatch
}

func (m *pathMatcher) anyFile(f func(string) bool) bool {
	for _, file := range m.files {
		if f(file) {
			return true
		}
	}
	return false
}

// within reports whether name is file, or lies below it when it is a directory.
func within(name, file string) bool {
	return name == file || file == "." || strings.HasPrefix(name, file) && name[len(file)] == '/'
}
