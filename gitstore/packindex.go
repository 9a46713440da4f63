package gitstore

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
)

// packIndex looks objects up in the index file of a pack: by fan-out, with as
// many small reads as a binary search takes. go-git's own index is read into
// memory as a whole, which at a million objects costs more than a command. To
// go-git's pack reader it is an [idxfile.Index].
type packIndex struct {
	file   *os.File
	rawLen int // of an object ID
	fanout [256]uint32
}

var _ idxfile.Index = (*packIndex)(nil)

var (
	errPackIndex    = errors.New("is not a pack index of version 2")
	errNotSupported = errors.New("is not supported")
)

const packIndexHeader = 8 + 256*4

func openPackIndex(path, format string) (*packIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	x := &packIndex{file: f, rawLen: hexLen(format) / 2}
	var b [packIndexHeader]byte
	if _, err = f.ReadAt(b[:], 0); err == nil && string(b[:8]) != "\xfftOc\x00\x00\x00\x02" {
		err = errPackIndex
	}
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(b[8+4*i:])
		if err == nil && i > 0 && x.fanout[i] < x.fanout[i-1] {
			err = errPackIndex
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pack index '%s': %w", path, err), f.Close())
	}
	return x, nil
}

func (x *packIndex) count() int { return int(x.fanout[255]) }

// The tables of the file: IDs, CRCs, offsets, and offsets of more than 31 bits.
func (x *packIndex) idAt(i int) int64     { return packIndexHeader + int64(i)*int64(x.rawLen) }
func (x *packIndex) crcAt(i int) int64    { return x.idAt(x.count()) + int64(i)*4 }
func (x *packIndex) offsetAt(i int) int64 { return x.crcAt(x.count()) + int64(i)*4 }
func (x *packIndex) largeAt(i uint32) int64 {
	return x.offsetAt(x.count()) + int64(i)*8
}

// find returns an object's place in the tables, -1 when the pack lacks it.
func (x *packIndex) find(raw []byte) (int, error) {
	lo, hi := 0, int(x.fanout[raw[0]])
	if raw[0] > 0 {
		lo = int(x.fanout[raw[0]-1])
	}
	var failed error
	buf := make([]byte, x.rawLen)
	at := lo + sort.Search(hi-lo, func(i int) bool {
		if _, err := x.file.ReadAt(buf, x.idAt(lo+i)); err != nil {
			failed = err
		}
		return string(buf) >= string(raw)
	})
	if failed != nil || at == hi {
		return -1, failed
	}
	if _, err := x.file.ReadAt(buf, x.idAt(at)); err != nil || string(buf) != string(raw) {
		return -1, err
	}
	return at, nil
}

func (x *packIndex) uint32At(at int64) (uint32, error) {
	var b [4]byte
	_, err := x.file.ReadAt(b[:], at)
	return binary.BigEndian.Uint32(b[:]), err
}

// offset returns where the object at place i begins in the pack.
func (x *packIndex) offset(i int) (int64, error) {
	n, err := x.uint32At(x.offsetAt(i))
	if err != nil || n>>31 == 0 {
		return int64(n), err
	}
	var b [8]byte
	_, err = x.file.ReadAt(b[:], x.largeAt(n&(1<<31-1)))
	return int64(binary.BigEndian.Uint64(b[:])), err
}

// packEntry is where an object lies in a pack.
type packEntry struct {
	oid    OID
	crc    uint32 // of the entry's bytes
	offset int64
}

// entries returns all entries in order of their offsets.
func (x *packIndex) entries() ([]packEntry, error) {
	n := x.count()
	table := make([]byte, x.largeAt(0)-x.idAt(0))
	if _, err := x.file.ReadAt(table, x.idAt(0)); err != nil {
		return nil, err
	}
	crcs, out := table[n*x.rawLen:], make([]packEntry, n)
	for i := range out {
		offset, err := x.offset(i)
		if err != nil {
			return nil, err
		}
		out[i] = packEntry{OID(hex.EncodeToString(table[i*x.rawLen : (i+1)*x.rawLen])), binary.BigEndian.Uint32(crcs[4*i:]), offset}
	}
	slices.SortFunc(out, func(a, b packEntry) int { return cmp.Compare(a.offset, b.offset) })
	return out, nil
}

// FindOffset returns where an object begins in the pack, or [plumbing.ErrObjectNotFound].
func (x *packIndex) FindOffset(h plumbing.Hash) (int64, error) {
	i, err := x.find(h[:])
	if err != nil {
		return 0, err
	}
	if i < 0 {
		return 0, plumbing.ErrObjectNotFound
	}
	return x.offset(i)
}

// FindHash returns a name for the object at an offset. go-git's reader asks for
// the name of a delta's base to look into its cache, of which it has none here,
// so the offset serves as the name and the pack needs no reverse index.
func (x *packIndex) FindHash(offset int64) (h plumbing.Hash, err error) {
	binary.BigEndian.PutUint64(h[:], uint64(offset))
	return h, nil
}

// Contains reports whether the pack has an object.
func (x *packIndex) Contains(h plumbing.Hash) (bool, error) {
	i, err := x.find(h[:])
	return i >= 0, err
}

// Count returns the number of objects in the pack.
func (x *packIndex) Count() (int64, error) { return int64(x.count()), nil }

// What follows is of no use to who reads single objects.

// FindCRC32 is not supported.
func (x *packIndex) FindCRC32(plumbing.Hash) (uint32, error) { return 0, errNotSupported }

// Entries is not supported.
func (x *packIndex) Entries() (idxfile.EntryIter, error) { return nil, errNotSupported }

// EntriesByOffset is not supported.
func (x *packIndex) EntriesByOffset() (idxfile.EntryIter, error) { return nil, errNotSupported }

// Close closes the file.
func (x *packIndex) Close() error { return x.file.Close() }
