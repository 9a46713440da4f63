// Package o200k counts tokens of the encoding o200k_base, as OpenAI's tiktoken
// does. It owns the vocabulary in the form it is looked up in, so that nothing
// is loaded: a program that counts one line pays for that line. It counts and
// does not encode.
package o200k

import (
	_ "embed"
	"encoding/binary"
)

// Name is the encoding's.
const Name = "o200k_base"

// vocabulary is made by the package's test, with -update: for each bucket where its
// tokens begin, with one more for the end, four bytes each, then the tokens. A
// token is its length in one byte, its rank in three and its bytes. Numbers are
// little-endian; offsets count from the end of the bucket list.
//
//go:embed vocabulary.bin
var vocabulary string

// buckets is how many the tokens are spread over: about three are in each.
const buckets = 1 << 16

const (
	bucketList  = 4 * (buckets + 1)
	tokenHead   = 4
	longestWord = 255 // bytes that a token's length can tell
)

// noRank is that of a text which is not a token; all others are less.
const noRank = 1 << 24

// bucketOf spreads texts over the buckets (FNV-1a, folded).
func bucketOf(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return (h ^ h>>16) % buckets
}

// rank returns the rank of a token, noRank for what is none.
func rank(s string) uint32 {
	if len(s) > longestWord {
		return noRank
	}
	b := 4 * bucketOf(s)
	at, end := bucketList+number(b), bucketList+number(b+4)
	for at < end {
		n := uint32(vocabulary[at])
		word := at + tokenHead
		if vocabulary[word:word+n] == s {
			return number(at) >> 8
		}
		at = word + n
	}
	return noRank
}

// number reads four bytes of the vocabulary.
func number(at uint32) uint32 {
	var b [4]byte
	copy(b[:], vocabulary[at:at+4])
	return binary.LittleEndian.Uint32(b[:])
}

// Count returns the number of tokens of a text. Markers such as <|endoftext|>
// are text like any other, and so are bytes that are not UTF-8.
func Count(s string) int {
	n := 0
	for s != "" {
		size := pieceOf(s)
		n += countPiece(s[:size])
		s = s[size:]
	}
	return n
}
