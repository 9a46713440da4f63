package records

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

const (
	idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's, without i, l, o, u
	idLength   = 10                                 // random characters of an id
	idBytes    = 7                                  // bytes that give them, rounded up
	// MinPrefix is the least number of random characters that an abbreviated id has.
	MinPrefix = 4
	// nonceLength is the number of characters of a verdict's nonce.
	nonceLength = 6
	// RecordSuffix ends the file name of every record.
	RecordSuffix = ".ctx.yaml"
	// RecordsDir is the folder of the tree that holds the records.
	RecordsDir = "records"
)

// NewID returns the id of a new record of kind k from 7 random bytes; missing
// bytes count as zero and further ones are ignored.
func NewID(k Kind, random []byte) ID {
	return ID(prefixOf(k) + "-" + base32Chars(random, idLength))
}

// ImportID returns the id of the record that stands for key in another system:
// the same one on every import, in every clone.
func ImportID(k Kind, system, key string) ID {
	sum := sha256.Sum256([]byte(system + "\x00" + key))
	return NewID(k, sum[:idBytes])
}

// NewNonce returns a verdict's nonce from 4 random bytes; missing bytes count as zero.
func NewNonce(random []byte) string { return base32Chars(random, nonceLength) }

// base32Chars returns the first n base32 characters of b, filled up with zero bits.
func base32Chars(b []byte, n int) string {
	out := make([]byte, n)
	for i := range out {
		var v byte
		for bit := i * 5; bit < i*5+5; bit++ {
			v <<= 1
			if bit/8 < len(b) {
				v |= b[bit/8] >> (7 - bit%8) & 1
			}
		}
		out[i] = idAlphabet[v]
	}
	return string(out)
}

func prefixOf(k Kind) string {
	if s := k.Schema(); s != nil {
		return s.Prefix
	}
	return string(k)
}

// Kind returns the kind that the id's prefix names, or "" when it names none.
func (id ID) Kind() Kind {
	prefix, _, _ := strings.Cut(string(id), "-")
	return kindOfPrefix(prefix)
}

func kindOfPrefix(prefix string) Kind {
	for _, s := range schemas {
		if s.Prefix == prefix {
			return s.Kind
		}
	}
	return ""
}

// valid reports whether the id is whole and in its canonical spelling.
func (id ID) valid() bool {
	prefix, random, ok := strings.Cut(string(id), "-")
	return ok && kindOfPrefix(prefix) != "" && len(random) == idLength && isBase32(random)
}

func isBase32(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(idAlphabet, s[i]) < 0 {
			return false
		}
	}
	return true
}

// foldBase32 lowers s and replaces the letters that Crockford's alphabet leaves
// out by the digits they are mistaken for.
func foldBase32(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		}
		switch r {
		case 'i', 'l':
			return '1'
		case 'o':
			return '0'
		}
		return r
	}, s)
}

// An IDError says why a text is not an id, whole or abbreviated.
type IDError struct{ Text, Why string }

func (e *IDError) Error() string { return fmt.Sprintf("'%s' is not an id: %s", e.Text, e.Why) }

// splitID separates an id, whole or abbreviated, into kind and folded random
// characters. The kind is "" for a bare abbreviation.
func splitID(s string) (Kind, string, error) {
	prefix, random, ok := strings.Cut(s, "-")
	if !ok {
		prefix, random = "", s
	}
	k := kindOfPrefix(strings.ToLower(prefix))
	if ok && k == "" {
		names := make([]string, len(schemas))
		for i, sch := range schemas {
			names[i] = sch.Prefix
		}
		return "", "", &IDError{s, fmt.Sprintf("it starts with one of %s and a hyphen", strings.Join(names, ", "))}
	}
	if strings.HasPrefix(s, "@") {
		return "", "", &IDError{s, "the names there are without one are @task, @goal and @last"}
	}
	random = foldBase32(random)
	if !isBase32(random) || len(random) > idLength {
		return "", "", &IDError{s, fmt.Sprintf("after its kind it has %d letters and digits, like hyp-7k3m9q2x4w", idLength)}
	}
	return k, random, nil
}

// ParseID reads a whole id in any case, with look-alike letters (O, I, L) folded.
func ParseID(s string) (ID, error) {
	k, random, err := splitID(s)
	if err != nil {
		return "", err
	}
	if k == "" || len(random) != idLength {
		return "", fmt.Errorf("'%s' is not a whole id: it looks like hyp-7k3m9q2x4w", s)
	}
	return ID(prefixOf(k) + "-" + random), nil
}

// IDPath returns the path of the record's file in the store's tree.
func IDPath(id ID) string {
	_, random, _ := strings.Cut(string(id), "-")
	if len(random) < 2 {
		random += "00" // keeps the path well formed for an id that is not
	}
	return RecordsDir + "/" + string(id.Kind()) + "/" + random[:1] + "/" + random[1:2] + "/" + string(id) + RecordSuffix
}

// PathID returns the id of the record whose file has the given path in the
// store's tree; the error says that no record belongs there.
func PathID(path string) (ID, error) {
	id := fileID(path)
	if !id.valid() || IDPath(id) != path {
		return "", fmt.Errorf("'%s' is not the path of a record", path)
	}
	return id, nil
}

// fileID is the id that a record file's name claims, valid or not.
func fileID(path string) ID {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return ID(strings.TrimSuffix(name, RecordSuffix))
}

// Abbreviate returns the shortest prefix of id that no other id of the sorted
// list has, with at least min random characters and never fewer than [MinPrefix].
func Abbreviate(sorted []ID, id ID, min int) string {
	prefix, random, _ := strings.Cut(string(id), "-")
	n := len(prefix) + 1 + max(min, MinPrefix)
	i, found := slices.BinarySearch(sorted, id)
	if i > 0 {
		n = max(n, commonPrefix(sorted[i-1], id)+1)
	}
	if found {
		i++
	}
	if i < len(sorted) {
		n = max(n, commonPrefix(sorted[i], id)+1)
	}
	if n >= len(prefix)+1+len(random) {
		return string(id)
	}
	return string(id[:n])
}

func commonPrefix(a, b ID) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// MatchPrefix returns the ids of the sorted list that s names: a whole id, or an
// abbreviation with or without the kind's prefix and with at least [MinPrefix]
// random characters. No match is an empty list; the error says that s can be no id.
func MatchPrefix(sorted []ID, s string) ([]ID, error) {
	k, random, err := splitID(s)
	if err != nil {
		return nil, err
	}
	if len(random) < MinPrefix {
		return nil, &IDError{s, fmt.Sprintf("give at least %d characters after the kind", MinPrefix)}
	}
	var out []ID
	for _, sch := range schemas {
		if k != "" && sch.Kind != k {
			continue
		}
		prefix := sch.Prefix + "-" + random
		i, _ := slices.BinarySearch(sorted, ID(prefix))
		for ; i < len(sorted) && strings.HasPrefix(string(sorted[i]), prefix); i++ {
			out = append(out, sorted[i])
		}
	}
	slices.Sort(out)
	return out, nil
}
