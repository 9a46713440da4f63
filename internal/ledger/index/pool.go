package index

import (
	"database/sql/driver"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-ctx/git-ctx/records"
)

// commonFrom is how many records a word stands in from which it is common: to
// rank them all costs more than it tells.
const commonFrom = 1500

// Related returns records that have words of the text, at most limit of them:
// those with a rare word, best first, then those with all common words of more
// than three letters, and any with a common word where these are not records. The
// choice follows from the records and the text alone.
func (s *Snap) Related(text string, limit int) ([]records.ID, error) {
	terms := parseQuery(text)
	var rare, common, telling []string
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range terms[:min(len(terms), maxTerms)] {
		switch word := matchExpression([]term{t}); {
		case !s.common(word):
			rare = append(rare, word)
		case len(t.text) > 3:
			common, telling = append(common, word), append(telling, word)
		default:
			common = append(common, word)
		}
	}
	var ids []records.ID
	for _, words := range []string{strings.Join(rare, " OR "), strings.Join(telling, " AND ")} {
		s.related(&ids, words, limit)
	}
	if len(ids) == 0 {
		s.related(&ids, strings.Join(common, " OR "), limit)
	}
	return ids, s.err
}

// common reports whether more than commonFrom records have a word.
func (s *Snap) common(word string) bool {
	n := int64(0)
	s.query("SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)", []driver.Value{word, int64(commonFrom + 1)},
		func(row []driver.Value, w *wanted) { n = w.number(row[0]) })
	return n > commonFrom
}

// related adds the best matches of an expression to ids, up to limit in all.
func (s *Snap) related(ids *[]records.ID, words string, limit int) {
	if words == "" || len(*ids) >= limit {
		return
	}
	s.query(selectRelated, []driver.Value{words, int64(limit)}, func(row []driver.Value, w *wanted) {
		if id := w.id(row[0]); len(*ids) < limit && !slices.Contains(*ids, id) {
			*ids = append(*ids, id)
		}
	})
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
	ids := s.findSome(belowLookup(path.Clean(file)), limit)
	for dir := path.Clean(file); len(ids) < limit; dir = path.Dir(dir) {
		ids = append(ids, s.findSome(pathLookup(dir), limit-len(ids))...)
		if dir == "." || dir == "/" {
			break
		}
	}
	return ids[:min(len(ids), limit)], s.Err()
}

// Anchored returns the records that have anchors, sorted.
func (s *Snap) Anchored() ([]records.ID, error) { return s.find(anchoredLookup()), s.Err() }

// Challenged returns the records that bear challenges.
func (s *Snap) Challenged() ([]records.ID, error) { return s.find(challengedLookup()), s.Err() }

// challengedLookup finds the records that bear challenges.
func challengedLookup() records.Lookup { return records.Lookup{What: "challenged"} }

// anchoredLookup finds the records that have anchors.
func anchoredLookup() records.Lookup { return records.Lookup{What: "anchored"} }

// pathLookup finds the records that look below a folder.
func pathLookup(dir string) records.Lookup { return records.Lookup{What: "path", Key: dir} }

// belowLookup finds the records that look at something below a folder.
func belowLookup(dir string) records.Lookup { return records.Lookup{What: "below", Key: dir} }

// parents returns the folders that a path lies in, from the nearest to the top.
func parents(name string) []string {
	var dirs []string
	for name != "." && name != "/" {
		name = path.Dir(name)
		dirs = append(dirs, name)
	}
	return dirs
}

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
