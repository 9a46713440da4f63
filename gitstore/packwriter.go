package gitstore

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" // the pack format's checksum, not an object ID
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packWriter collects objects, each once, for a pack without deltas: git's
// collection finds better deltas than we could once the pack is its own. The
// stream is ours, as go-git's encoder tells neither offsets nor CRCs, which the
// index needs, and copies no entry of another pack; go-git writes the index.
type packWriter struct {
	format  string
	seen    map[OID]bool
	entries []packEntry
	pack    bytes.Buffer // without the checksum at its end
	zw      *zlib.Writer
}

const packHeader = 12

func newPackWriter(format string) *packWriter {
	p := &packWriter{format: format, seen: make(map[OID]bool)}
	p.pack.Write(make([]byte, packHeader))
	return p
}

// write takes an object in.
func (p *packWriter) write(kind objectKind, content []byte) (OID, error) {
	oid := hashObject(p.format, kind, content)
	if p.seen[oid] {
		return oid, nil
	}
	start := p.pack.Len()
	p.pack.Write(packEntryHeader(kind, len(content)))
	if p.zw == nil {
		p.zw = zlib.NewWriter(&p.pack)
	} else {
		p.zw.Reset(&p.pack)
	}
	if _, err := p.zw.Write(content); err != nil {
		return "", fmt.Errorf("pack %s: %w", oid, err)
	}
	if err := p.zw.Close(); err != nil {
		return "", fmt.Errorf("pack %s: %w", oid, err)
	}
	p.add(oid, start)
	return oid, nil
}

// add notes the entry that begins at start and ends the pack so far.
func (p *packWriter) add(oid OID, start int) {
	p.seen[oid] = true
	p.entries = append(p.entries, packEntry{oid, crc32.ChecksumIEEE(p.pack.Bytes()[start:]), int64(start)})
}

// copyPack takes in the objects of a pack of this writer's kind, those apart
// that are left out. Entries are copied as they are, after a look at their CRC.
func (p *packWriter) copyPack(base string, leftOut map[OID]bool) error {
	index, err := openPackIndex(base+".idx", p.format)
	if err != nil {
		return err
	}
	defer index.Close()
	entries, err := index.entries()
	if err != nil {
		return err
	}
	pack, err := os.ReadFile(base + ".pack")
	if err != nil {
		return err
	}
	end := int64(len(pack) - hexLen(p.format)/2)
	for i := len(entries) - 1; i >= 0; i-- { // check all before any is taken
		e := entries[i]
		if e.offset < packHeader || e.offset >= end || crc32.ChecksumIEEE(pack[e.offset:end]) != e.crc {
			return fmt.Errorf("pack '%s': object %s is damaged", base, e.oid)
		}
		if kind := pack[e.offset] >> 4 & 7; kind > 4 {
			return fmt.Errorf("pack '%s': object %s is a delta", base, e.oid)
		}
		end = e.offset
	}
	for i, e := range entries {
		if p.seen[e.oid] || leftOut[e.oid] {
			continue
		}
		end := len(pack) - hexLen(p.format)/2
		if i+1 < len(entries) {
			end = int(entries[i+1].offset)
		}
		start := p.pack.Len()
		p.pack.Write(pack[e.offset:end])
		p.add(e.oid, start)
	}
	return nil
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

// finish returns the pack. Nothing can be added after it.
func (p *packWriter) finish() []byte {
	copy(p.pack.Bytes(), binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(p.entries))))
	var sum hash.Hash = sha1.New() // as the format asks
	if p.format == formatSHA256 {
		sum = sha256.New()
	}
	sum.Write(p.pack.Bytes())
	p.pack.Write(sum.Sum(nil))
	return p.pack.Bytes()
}

// index returns the index of a finished SHA-1 pack.
func (p *packWriter) index() ([]byte, error) {
	var w idxfile.Writer
	for _, e := range p.entries {
		w.Add(plumbing.NewHash(string(e.oid)), uint64(e.offset), e.crc)
	}
	pack := p.pack.Bytes()
	if err := w.OnFooter(plumbing.Hash(pack[len(pack)-sha1.Size:])); err != nil {
		return nil, err
	}
	index, err := w.Index()
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	_, err = idxfile.NewEncoder(&buf).Encode(index)
	return buf.Bytes(), err
}
