package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// packedRefs is the content of a packed-refs file, its lines sorted by name.
// It is searched in place: the host repository may hold 100,000 refs that are
// none of our business.
type packedRefs struct {
	body   []byte // after the header
	format string
}

// packedCache keeps the last packed-refs read for as long as the file is the same.
type packedCache struct {
	mu   sync.Mutex
	info fs.FileInfo
	refs *packedRefs
}

func (c *packedCache) load(r *Repo) (*packedRefs, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.Open(filepath.Join(r.commonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		c.info, c.refs = nil, nil
		return &packedRefs{format: r.objectFormat}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read packed refs: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read packed refs: %w", err)
	}
	if c.info != nil && os.SameFile(c.info, info) && c.info.Size() == info.Size() && c.info.ModTime().Equal(info.ModTime()) {
		return c.refs, nil
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read packed refs: %w", err)
	}
	c.info, c.refs = info, parsePackedRefs(r.objectFormat, b)
	return c.refs, nil
}

func parsePackedRefs(format string, b []byte) *packedRefs {
	sorted := false
	if bytes.HasPrefix(b, []byte("#")) {
		header, rest, _ := bytes.Cut(b, []byte("\n"))
		sorted = slices.Contains(strings.Fields(string(header)), "sorted")
		b = rest
	}
	p := &packedRefs{body: b, format: format}
	if !sorted {
		p.sort()
	}
	return p
}

// sort is for files written by an old git or another program; the peeled
// lines, which we never use, are dropped.
func (p *packedRefs) sort() {
	var lines []string
	for line := range strings.Lines(string(p.body)) {
		if !strings.HasPrefix(line, "^") && !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n")+"\n")
		}
	}
	n := hexLen(p.format) + 1
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(a[min(n, len(a)):], b[min(n, len(b)):])
	})
	p.body = []byte(strings.Join(lines, ""))
}

// line returns the ref line at offset at, and the offset behind it and its
// peeled line. ok is false where the line is not a ref.
func (p *packedRefs) line(at int) (ref Ref, next int, ok bool) {
	rest := p.body[at:]
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	next = min(at+len(line)+1, len(p.body))
	for next < len(p.body) && p.body[next] == '^' {
		peeled, _, _ := bytes.Cut(p.body[next:], []byte("\n"))
		next = min(next+len(peeled)+1, len(p.body))
	}
	oid, name, found := strings.Cut(string(line), " ")
	return Ref{name, OID(oid)}, next, found && validOID(p.format, oid)
}

// search returns the offset of the first line whose name is not below name.
func (p *packedRefs) search(name string) int {
	lo, hi := 0, len(p.body)
	for lo < hi {
		at := lo + (lineStart(p.body[lo:], (hi-lo)/2))
		ref, next, _ := p.line(at)
		if ref.Name < name {
			lo = next
		} else {
			hi = at
		}
	}
	return lo
}

// lineStart returns where the ref line that covers offset i begins.
func lineStart(b []byte, i int) int {
	for {
		start := bytes.LastIndexByte(b[:i], '\n') + 1
		if start == 0 || b[start] != '^' {
			return start
		}
		i = start - 1
	}
}

func (p *packedRefs) find(name string) (OID, bool) {
	if at := p.search(name); at < len(p.body) {
		if ref, _, ok := p.line(at); ok && ref.Name == name {
			return ref.OID, true
		}
	}
	return "", false
}

func (p *packedRefs) withPrefix(prefix string) []Ref {
	var refs []Ref
	for at := p.search(prefix); at < len(p.body); {
		ref, next, ok := p.line(at)
		if ok && !strings.HasPrefix(ref.Name, prefix) {
			break
		}
		if ok {
			refs = append(refs, ref)
		}
		at = next
	}
	return refs
}
