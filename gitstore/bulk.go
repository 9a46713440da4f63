package gitstore

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1" // the pack format's checksum, not an object ID
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bulkLoose is the number of objects up to which a bulk write uses loose
// files; git itself keeps a fetch of fewer than 100 objects loose.
const bulkLoose = 100

// keepReason is what our .keep files hold.
const keepReason = "git ctx bulk write"

// WriteBulk applies many changes to the tree base and commits the result:
// c.Tree is set to it. The objects arrive as one pack, so an import does not
// litter the repository. No ref moves; publish (which may be nil) is called
// with the commit's ID while the pack is protected from a concurrent
// `git repack -ad`, and is the place to do that.
func (r *Repo) WriteBulk(ctx context.Context, base OID, changes []Change, c Commit, publish func(OID) error) (OID, error) {
	pack := newPackWriter(r.objectFormat)
	tree, err := (&treeWriter{repo: r, out: pack}).writeRoot(ctx, base, changes)
	if err != nil {
		return "", err
	}
	c.Tree = tree
	b, err := formatCommit(r.objectFormat, &c)
	if err != nil {
		return "", fmt.Errorf("write commit: %w", err)
	}
	oid, err := pack.write(kindCommit, b)
	if err != nil {
		return "", err
	}
	release, err := r.storePack(ctx, pack)
	if err != nil {
		return "", writeFailure(r.objectsDir, fmt.Errorf("write pack: %w", err))
	}
	FaultPoint("packed")
	if publish != nil {
		err = publish(oid)
	}
	FaultPoint("published")
	return oid, errors.Join(err, release())
}

// packWriter collects objects, each once, for a pack without deltas: git's
// next collection finds better deltas than we could, and a store of many small
// files gains most from the smaller number of files.
type packWriter struct {
	format string
	seen   map[OID]struct{}
	loose  []packObject // until there are too many for loose files
	body   bytes.Buffer
	zw     *zlib.Writer
	count  uint32
}

type packObject struct {
	kind    objectKind
	content []byte
}

func newPackWriter(format string) *packWriter {
	return &packWriter{format: format, seen: make(map[OID]struct{})}
}

func (p *packWriter) write(kind objectKind, content []byte) (OID, error) {
	oid := hashObject(p.format, kind, content)
	if _, ok := p.seen[oid]; ok {
		return oid, nil
	}
	p.seen[oid] = struct{}{}
	if len(p.loose) < bulkLoose {
		p.loose = append(p.loose, packObject{kind, content})
	}
	p.count++
	p.body.Write(packEntryHeader(kind, len(content)))
	if p.zw == nil {
		p.zw = zlib.NewWriter(&p.body)
	} else {
		p.zw.Reset(&p.body)
	}
	if _, err := p.zw.Write(content); err != nil {
		return "", fmt.Errorf("pack %s: %w", oid, err)
	}
	if err := p.zw.Close(); err != nil {
		return "", fmt.Errorf("pack %s: %w", oid, err)
	}
	return oid, nil
}

// packEntryHeader is the type and size of gitformat-pack: four size bits and
// the type in the first byte, seven size bits in each further one.
func packEntryHeader(kind objectKind, size int) []byte {
	t := map[objectKind]byte{kindCommit: 1, kindTree: 2, kindBlob: 3}[kind]
	b := []byte{t<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return b
}

// reader returns the finished pack as a stream.
func (p *packWriter) reader() io.Reader {
	var sum hash.Hash = sha1.New() // as the format asks
	if p.format == formatSHA256 {
		sum = sha256.New()
	}
	header := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	header = binary.BigEndian.AppendUint32(header, p.count)
	sum.Write(header)
	sum.Write(p.body.Bytes())
	return io.MultiReader(bytes.NewReader(header), bytes.NewReader(p.body.Bytes()), bytes.NewReader(sum.Sum(nil)))
}

// storePack puts the objects in place; release ends the pack's protection.
func (r *Repo) storePack(ctx context.Context, p *packWriter) (release func() error, err error) {
	if p.count < bulkLoose {
		for _, o := range p.loose {
			if _, err := r.loose.write(o.kind, o.content); err != nil {
				return nil, err
			}
		}
		return func() error { return nil }, nil
	}
	// Told the git directory: from a sub-directory index-pack goes back to
	// where it started and writes the pack below a relative ".git" there.
	out, err := r.Git(ctx, p.reader(), "--git-dir="+r.gitDir, "index-pack", "--stdin", "--keep="+keepReason)
	if err != nil {
		return nil, err
	}
	// "keep <name>", or "pack <name>" where somebody keeps that very pack already.
	how, name, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
	if how != "keep" {
		return func() error { return nil }, nil
	}
	keep := filepath.Join(r.objectsDir, "pack", "pack-"+name+".keep")
	return func() error {
		if err := os.Remove(keep); err != nil {
			return fmt.Errorf("release pack: %w", err)
		}
		return nil
	}, nil
}

// BulkKeeps lists the .keep files of bulk writes: those under way, and those
// that an interrupted one left behind. A pack that has one is never repacked.
func (r *Repo) BulkKeeps() ([]string, error) {
	dir := filepath.Join(r.objectsDir, "pack")
	names, err := dirNames(dir)
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	var keeps []string
	for _, name := range names {
		if !strings.HasSuffix(name, ".keep") {
			continue
		}
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err == nil && strings.TrimSpace(string(text)) == keepReason {
			keeps = append(keeps, path)
		}
	}
	slices.Sort(keeps)
	return keeps, nil
}
