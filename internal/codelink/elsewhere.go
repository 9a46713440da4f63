package codelink

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// How much of the code is read for lines whose file is not there, for each base name
// and each file name extension that such files have. Where the code has more, its
// content tells nothing.
const (
	searchedFile = 1 << 20  // bytes of one file; a larger one is not read
	searchedAll  = 64 << 20 // bytes of all files
	// proof is how many letters and digits lines have that tell a file of another name.
	proof = 16
)

// A place is a file that has cited lines, or that may have them.
type place struct {
	name string
	read bool // the lines are there as git's index has the file
	from int  // the first of the lines that were read
}

// lines are those of the place that an anchor's lines are now.
func (p place) lines(a records.Anchor) string {
	c := newCitation(a)
	c.from = p.from
	return c.lines()
}

// A codeSearch looks for the cited lines of files that are not there in the other files
// of git's index. It reads nothing that clones of one commit differ in.
type codeSearch struct {
	repo  *gitstore.Repo
	files map[string]indexedFile
	named map[string][]string // names, by their key
	blobs map[string][]string // names, by their blob
	found map[*Check]place
	// partial tells that files are left out whose blobs may still be at the origin.
	partial bool
}

func newCodeSearch(ctx context.Context, repo *gitstore.Repo) (*codeSearch, error) {
	files, err := allIndexedFiles(ctx, repo)
	if err != nil {
		return nil, err
	}
	s := &codeSearch{repo: repo, files: files, named: make(map[string][]string), blobs: make(map[string][]string), found: make(map[*Check]place)}
	_, promised, err := repo.Config(ctx, "extensions.partialClone")
	for name, f := range files {
		s.named[records.PathKey(name)] = append(s.named[records.PathKey(name)], name)
		s.blobs[string(f.blob)] = append(s.blobs[string(f.blob)], name)
		s.partial = s.partial || promised && f.leftOut
	}
	return s, err
}

// byName finds the file under the same name in another Unicode form.
func (s *codeSearch) byName(c *Check) { s.only(c, s.named[records.PathKey(c.Anchor.Path)]) }

// byBlob finds the file that is the recorded blob: by its base name, else the only one.
func (s *codeSearch) byBlob(c *Check) {
	if c.Anchor.Blob == "" {
		return
	}
	names := s.blobs[c.Anchor.Blob]
	s.only(c, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return path.Base(name) != path.Base(c.Anchor.Path) }))
	s.only(c, names)
}

// only makes a file the place of a check that has none, where there is one such file.
func (s *codeSearch) only(c *Check, names []string) {
	if _, ok := s.found[c]; !ok && len(names) == 1 && names[0] != c.Anchor.Path {
		s.found[c] = place{name: names[0]}
	}
}

// byContent finds the one file that has the cited lines, among the files for which key
// gives the same as for the file that is not there.
func (s *codeSearch) byContent(ctx context.Context, cs []*Check, key func(string) string, least int) error {
	wanted := make(map[string][]*Check)
	for _, c := range cs {
		if _, ok := s.found[c]; !ok {
			wanted[key(c.Anchor.Path)] = append(wanted[key(c.Anchor.Path)], c)
		}
	}
	names := make(map[string][]string)
	for name, f := range s.files {
		if k := key(name); wanted[k] != nil && !(s.partial && f.leftOut) {
			names[k] = append(names[k], name)
		}
	}
	for _, k := range sortedKeys(wanted) {
		slices.Sort(names[k])
		if err := s.search(ctx, wanted[k], names[k], least); err != nil {
			return err
		}
	}
	return nil
}

// search reads files of the index, and takes for each check the only one that has its lines.
func (s *codeSearch) search(ctx context.Context, cs []*Check, names []string, least int) error {
	names, err := s.readable(ctx, names)
	if err != nil || len(names) == 0 {
		return err
	}
	wanted := make(map[int]map[string][]*Check) // by how many lines, and their digest
	for _, c := range cs {
		n := newCitation(c.Anchor).count
		if wanted[n] == nil {
			wanted[n] = make(map[string][]*Check)
		}
		wanted[n][c.Anchor.SHA256] = append(wanted[n][c.Anchor.SHA256], c)
	}
	hits := make(map[*Check][]place)
	left := make(map[int]int, len(wanted))
	for n := range wanted {
		left[n] = effort
	}
	var oids []gitstore.OID
	for _, name := range names {
		oids = append(oids, s.files[name].blob)
	}
	err = s.repo.ReadBlobs(ctx, oids, func(i int, content []byte) error {
		for n, digests := range wanted {
			left[n] -= findDigests(content, n, left[n], func(digest string, first int, lines []byte) {
				for _, c := range digests[digest] {
					if name := names[i]; name != c.Anchor.Path && saying(lines) >= least {
						hits[c] = nearest(hits[c], place{name, true, first}, newCitation(c.Anchor).from)
					}
				}
			})
		}
		return nil
	})
	var missing *gitstore.MissingObjectError
	if errors.As(err, &missing) {
		return nil // not all of the code is here
	}
	for c, places := range hits {
		if len(places) == 1 && left[newCitation(c.Anchor).count] > 0 {
			s.found[c] = places[0]
		}
	}
	return err
}

// readable leaves out files that are too large; where the rest is too much, it is nothing.
func (s *codeSearch) readable(ctx context.Context, names []string) ([]string, error) {
	var oids bytes.Buffer
	for _, name := range names {
		fmt.Fprintln(&oids, s.files[name].blob)
	}
	out, err := s.repo.Git(ctx, &oids, "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return nil, fmt.Errorf("read how large files of the code are: %w", err)
	}
	var small []string
	total := 0
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		size, err := strconv.Atoi(line)
		if err != nil {
			return nil, nil // <oid> missing: not all of the code is here
		}
		if size <= searchedFile {
			small, total = append(small, names[i]), total+size
		}
	}
	if total > searchedAll {
		return nil, nil
	}
	return small, nil
}

// nearest keeps one place in each file: the nearest to the line that is cited.
func nearest(places []place, p place, cited int) []place {
	away := func(p place) int { return max(p.from-cited, cited-p.from) }
	if n := len(places); n > 0 && places[n-1].name == p.name {
		places[n-1] = slices.MinFunc([]place{places[n-1], p}, func(a, b place) int { return cmp.Compare(away(a), away(b)) })
		return places
	}
	return append(places, p)
}

// findDigests digests each run of count lines of a text, or the whole text where count
// is 0, until that is more than left bytes. It returns how many bytes it digested.
func findDigests(content []byte, count, left int, found func(digest string, first int, lines []byte)) (digested int) {
	if count == 0 {
		found(LinesDigest(content), 0, content)
		return len(content)
	}
	text := withLineEnds(content)
	begins := lineStarts(text)
	for i := 0; i+count < len(begins) && digested < left; i++ {
		lines := text[begins[i]:begins[i+count]]
		digested += len(lines)
		sum := sha256.Sum256(lines)
		found(hex.EncodeToString(sum[:]), i+1, lines)
	}
	return digested
}

// saying counts the letters and digits of lines.
func saying(lines []byte) (n int) {
	for _, r := range string(lines) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
