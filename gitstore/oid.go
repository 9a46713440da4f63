package gitstore

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// OID is a git object ID in lower-case hexadecimal, 40 characters in a SHA-1
// repository and 64 in a SHA-256 one; the empty OID means none.
type OID string

// IsZero reports whether the OID names no object: empty or all zeros, as git
// writes the absence of a ref.
func (o OID) IsZero() bool { return strings.Trim(string(o), "0") == "" }

// Short returns the first 12 characters, for messages only.
func (o OID) Short() string { return string(o[:min(len(o), 12)]) }

// Object formats as `git rev-parse --show-object-format` prints them.
const (
	formatSHA1   = "sha1"
	formatSHA256 = "sha256"
)

func hexLen(format string) int {
	if format == formatSHA256 {
		return 64
	}
	return 40
}

// validOID reports whether s is a complete, lower-case object ID of the format.
func validOID(format, s string) bool {
	if len(s) != hexLen(format) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// hashObject computes the object ID git gives to content of this kind. SHA-1
// goes through go-git, which detects collision attacks as git does.
func hashObject(format string, kind objectKind, content []byte) OID {
	if format != formatSHA256 {
		t, _ := plumbing.ParseObjectType(string(kind))
		return OID(plumbing.ComputeHash(t, content).String())
	}
	h := sha256.New()
	h.Write([]byte(string(kind) + " " + strconv.Itoa(len(content)) + "\x00"))
	h.Write(content)
	return OID(hex.EncodeToString(h.Sum(nil)))
}

// emptyTree returns the object ID of the tree without entries.
func emptyTree(format string) OID { return hashObject(format, kindTree, nil) }
