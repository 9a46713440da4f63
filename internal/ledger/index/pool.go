package index

import (
	"database/sql/driver"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-ctx/git-ctx/records"
)

// Related returns the records that have any word of the text, best first, at
// most limit of them.
func (s *Snap) Related(text string, limit int) ([]records.ID, error) {
	terms := parseQuery(text)
	if len(terms) == 0 {
		return nil, s.Err()
	}
	words := make([]string, 0, maxTerms)
	for _, t := range terms[:min(len(terms), maxTerms)] {
		words = append(words, matchExpression([]term{t}))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []records.ID
	s.query(selectRelated, []driver.Value{strings.Join(words, " OR "), int64(limit)},
		func(row []driver.Value, w *wanted) { ids = append(ids, w.id(row[0])) })
	return ids, s.err
}

// Newest returns the records of a kind and class that were created last, at
// most limit of them; see [Row] for what the class leaves out.
func (s *Snap) Newest(k records.Kind, c records.Class, limit int) ([]records.ID, error) {
	const selectNewest = `SELECT rec FROM records INDEXED BY by_class WHERE class = ? AND kind = ? ORDER BY created DESC, rec LIMIT ?`
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []records.ID
	s.query(selectNewest, []driver.Value{string(c), kindNumber(k), int64(limit)},
		func(row []driver.Value, w *wanted) { ids = append(ids, w.id(row[0])) })
	return ids, s.err
}

// Touching returns records whose globs or anchors may concern a file: those
// that look below one of its folders, or at itself. At most limit are returned,
// the nearest folder's first.
func (s *Snap) Touching(file string, limit int) ([]records.ID, error) {
	var ids []records.ID
	for dir := path.Clean(file); len(ids) < limit; dir = path.Dir(dir) {
		ids = append(ids, s.find(pathLookup(dir))...)
		if dir == "." || dir == "/" {
			break
		}
	}
	return ids[:min(len(ids), limit)], s.Err()
}

// Anchored returns the records that have anchors, sorted.
func (s *Snap) Anchored() ([]records.ID, error) { return s.find(anchoredLookup()), s.Err() }

// anchoredLookup finds the records that have anchors.
func anchoredLookup() records.Lookup { return records.Lookup{What: "anchored"} }

// pathLookup finds the records that look below a folder.
func pathLookup(dir string) records.Lookup { return records.Lookup{What: "path", Key: dir} }

// foldersOf returns the folders that r's globs and anchors look below.
func foldersOf(r *records.Record) []string {
	var dirs []string
	for _, g := range r.Paths {
		base, rest := doublestar.SplitPattern(g)
		if rest != "" && !strings.ContainsAny(rest, `*?[{\`) {
			base = path.Join(base, rest) // no pattern: the file itself
		}
		dirs = append(dirs, path.Clean(base))
	}
	for _, a := range r.Anchors {
		dirs = append(dirs, path.Clean(a.Path))
	}
	return dirs
}
