package codelink

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// How far cited lines that are not where they were are looked for.
const (
	nearby = 4 << 20   // bytes of the file before and after the old place
	effort = 256 << 20 // bytes digested for one anchor
)

// A citation is the lines that an anchor cites, and where a file has them.
type citation struct {
	digest string
	from   int // the first line; 0 cites the whole file
	count  int
	found  bool

	hash   *linesHash
	offset int64 // of the line from, -1 where the file is shorter
}

func newCitation(a records.Anchor) *citation {
	c := &citation{digest: a.SHA256, hash: newLinesHash(), offset: -1}
	if first, last, ok := strings.Cut(a.Lines, "-"); ok {
		c.from, _ = strconv.Atoi(first)
		to, _ := strconv.Atoi(last)
		c.count = max(1, to-c.from+1)
	}
	return c
}

func (c *citation) lines() string {
	if c.from == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%d", c.from, c.from+c.count-1)
}

// cites reports whether a line, counted from 1, is among those cited.
func (c *citation) cites(line int) bool {
	return c.from == 0 || line >= c.from && line < c.from+c.count
}

// findCited finds in a file what is cited: where it was, else nearby. It keeps a
// bounded part of the file in memory.
func findCited(f io.ReadSeeker, cs []*citation) error {
	size, lines, err := digestInPlace(f, cs)
	if err != nil {
		return err
	}
	for _, c := range cs {
		c.found = c.hash.sum() == c.digest && (c.from == 0 || c.from+c.count-1 <= lines)
		if c.found || c.from == 0 {
			continue
		}
		at := c.offset
		if at < 0 {
			at = size
		}
		if err := c.findNear(f, at, min(c.from, lines+1)); err != nil {
			return err
		}
	}
	return nil
}

// digestInPlace reads the whole file and digests the cited lines where they were.
func digestInPlace(f io.Reader, cs []*citation) (size int64, lines int, err error) {
	r := bufio.NewReaderSize(f, 64<<10)
	for begins := true; ; {
		part, err := r.ReadSlice('\n')
		if len(part) > 0 {
			if begins {
				lines++
			}
			for _, c := range cs {
				if begins && lines == c.from {
					c.offset = size
				}
				if c.cites(lines) {
					c.hash.write(part)
				}
			}
			size += int64(len(part))
			begins = part[len(part)-1] == '\n'
		}
		if errors.Is(err, io.EOF) {
			return size, lines, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return size, lines, err
		}
	}
}

// findNear looks for the cited lines around an offset, where line begins, the
// nearest place first.
func (c *citation) findNear(f io.ReadSeeker, offset int64, line int) error {
	start := max(0, offset-nearby)
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(f, offset-start+nearby))
	if err != nil {
		return err
	}
	before := min(int(offset-start), len(data))
	if start > 0 { // begins within a line
		skip := bytes.IndexByte(data[:before], '\n') + 1
		data, before = data[skip:], before-skip
	}
	first := line - bytes.Count(data[:before], []byte("\n"))
	if before > 0 && data[before-1] != '\n' {
		first-- // the file ends within its last line
	}
	text := withLineEnds(data)
	begins := lineStarts(text)
	here := line - first
	for d, left := 1, effort; left > 0 && (d <= here || here+d < len(begins)); d++ {
		for _, i := range []int{here - d, here + d} {
			if i < 0 || i+c.count >= len(begins) {
				continue
			}
			cited := text[begins[i]:begins[i+c.count]]
			left -= len(cited)
			if sum := sha256.Sum256(cited); hex.EncodeToString(sum[:]) == c.digest {
				c.from, c.found = first+i, true
				return nil
			}
		}
	}
	return nil
}

// withLineEnds is a text with LF line ends, its last line too.
func withLineEnds(data []byte) []byte {
	text := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// lineStarts returns where the lines of a text begin, and its end.
func lineStarts(text []byte) []int32 {
	begins := make([]int32, 1, 2+bytes.Count(text, []byte("\n")))
	for i, b := range text {
		if b == '\n' {
			begins = append(begins, int32(i+1))
		}
	}
	return begins
}

// A linesHash digests lines that come in parts as [LinesDigest] does.
type linesHash struct {
	h       hash.Hash
	pending []byte // a line end, or its beginning, that may be the last
}

func newLinesHash() *linesHash { return &linesHash{h: sha256.New()} }

func (l *linesHash) write(part []byte) {
	text := slices.Concat(l.pending, part)
	keep := len(text)
	switch {
	case bytes.HasSuffix(text, []byte("\r\n")):
		keep -= 2
	case bytes.HasSuffix(text, []byte("\n")), bytes.HasSuffix(text, []byte("\r")):
		keep--
	}
	l.pending = bytes.Clone(text[keep:])
	l.h.Write(bytes.ReplaceAll(text[:keep], []byte("\r\n"), []byte("\n")))
}

// sum ends the text; its last line end does not count.
func (l *linesHash) sum() string {
	if string(l.pending) == "\r" {
		l.h.Write(l.pending)
	}
	l.h.Write([]byte("\n"))
	return hex.EncodeToString(l.h.Sum(nil))
}
