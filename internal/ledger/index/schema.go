package index

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// meaning counts the changes to what the columns mean that the schema's text
// does not show: rules of standing, what text is searched, what lookups there
// are. Raise it with any of these; an index of another meaning is made anew.
const meaning = 13

// schema lays small rows, which lists scan, apart from the records' bytes. All
// rows go by the record's number, which sorts as its id does, so that order of
// id, ranges of ids and kinds need no index of their own. The text index goes
// by small numbers instead, doc, because it stores one for each word.
const schema = `
CREATE TABLE meta (held TEXT NOT NULL, review TEXT NOT NULL, signers TEXT NOT NULL, note BLOB NOT NULL);
INSERT INTO meta VALUES ('', '', '', x'');
CREATE TABLE records (
	rec INTEGER PRIMARY KEY, kind INTEGER NOT NULL, state TEXT NOT NULL, asks TEXT NOT NULL, class TEXT NOT NULL,
	why TEXT NOT NULL, title TEXT NOT NULL, priority INTEGER, at INTEGER NOT NULL, created INTEGER NOT NULL,
	timed INTEGER NOT NULL, doc INTEGER NOT NULL
);
CREATE TABLE docs (doc INTEGER PRIMARY KEY, rec INTEGER NOT NULL);
CREATE TABLE contents (rec INTEGER PRIMARY KEY, oid TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE lookups (key BLOB NOT NULL, rec INTEGER NOT NULL, PRIMARY KEY (key, rec)) WITHOUT ROWID;
CREATE TABLE unreadable (path TEXT PRIMARY KEY, line INTEGER NOT NULL, col INTEGER NOT NULL, msg TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE faults (
	digest TEXT PRIMARY KEY, rec INTEGER NOT NULL, named INTEGER NOT NULL, displaced TEXT NOT NULL, over TEXT NOT NULL, lost TEXT NOT NULL
) WITHOUT ROWID;
CREATE VIRTUAL TABLE search USING fts5(
	title, tags, reason, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
`

// indexes are made once the rows are in, and so are the totals, which count the
// rows of each standing so that nobody need walk over them. Triggers keep them:
// they see a row go only where it is deleted, so rows are never replaced.
const indexes = `CREATE TABLE totals (
	class TEXT, state TEXT, kind INTEGER, why TEXT, asks TEXT, timed INTEGER, n INTEGER NOT NULL,
	PRIMARY KEY (class, state, kind, why, asks, timed)
) WITHOUT ROWID;
INSERT INTO totals SELECT class, state, kind, why, asks, timed, count(*) FROM records GROUP BY 1, 2, 3, 4, 5, 6;
CREATE TRIGGER counted AFTER INSERT ON records BEGIN ` + countIn + ` END;
CREATE TRIGGER uncounted AFTER DELETE ON records BEGIN ` + countOut + ` END;
CREATE TRIGGER recounted AFTER UPDATE ON records BEGIN ` + countOut + countIn + ` END;
CREATE INDEX by_class ON records (class, kind, created DESC, rec);
CREATE INDEX by_urgency ON records (kind, ifnull(priority, 2), created, rec);`

// countIn and countOut keep the totals when a row comes and goes.
const (
	countIn = `INSERT INTO totals VALUES (new.class, new.state, new.kind, new.why, new.asks, new.timed, 1)
		ON CONFLICT DO UPDATE SET n = n + 1;`
	countOut = `UPDATE totals SET n = n - 1 WHERE (class, state, kind, why, asks, timed) =
		(old.class, old.state, old.kind, old.why, old.asks, old.timed);`
)

// version tells databases apart that were made with another schema, meaning or set of kinds.
func version() int64 {
	text := fmt.Sprint(meaning, records.FormatVersion, prefixes, schema, indexes)
	return int64(crc32.ChecksumIEEE([]byte(text)) >> 1) // user_version is signed
}

const (
	base32Digits = "0123456789abcdefghjkmnpqrstvwxyz"
	randomLength = 10
	randomBits   = 5 * randomLength
)

// prefixes are the kinds' id prefixes in the order in which ids sort.
var prefixes = func() []prefix {
	var ps []prefix
	for _, s := range records.Schemas() {
		ps = append(ps, prefix{s.Prefix, s.Kind})
	}
	slices.SortFunc(ps, func(a, b prefix) int { return cmp.Compare(a.text, b.text) })
	return ps
}()

type prefix struct {
	text string
	kind records.Kind
}

// kindNumber returns the high bits of the numbers of a kind's records, -1 for no kind.
func kindNumber(k records.Kind) int64 {
	return int64(slices.IndexFunc(prefixes, func(p prefix) bool { return p.kind == k }))
}

// number packs an id into an integer that sorts as the id does; false for what is not an id.
func number(id records.ID) (int64, bool) {
	pre, random, ok := strings.Cut(string(id), "-")
	n := int64(slices.IndexFunc(prefixes, func(p prefix) bool { return p.text == pre }))
	if !ok || n < 0 || len(random) != randomLength {
		return 0, false
	}
	for i := range len(random) {
		d := strings.IndexByte(base32Digits, random[i])
		if d < 0 {
			return 0, false
		}
		n = n<<5 | int64(d)
	}
	return n, true
}

// idOf undoes number; false for an integer that is not an id's.
func idOf(n int64) (records.ID, bool) {
	if n < 0 || n>>randomBits >= int64(len(prefixes)) {
		return "", false
	}
	var b [randomLength]byte
	k := n >> randomBits
	for i := randomLength - 1; i >= 0; i-- {
		b[i] = base32Digits[n&31]
		n >>= 5
	}
	return records.ID(prefixes[k].text + "-" + string(b[:])), true
}

// A key is a digest of a lookup: long enough that no two lookups share one,
// shorter than titles and questions are.
type key [16]byte

func keyOf(l records.Lookup) key {
	sum := sha256.Sum256([]byte(l.What + "\x00" + l.Key))
	return key(sum[:len(key{})])
}

// Lookups of the index alone: what else lists are asked for.
func stateLookup(k records.Kind, s records.State) records.Lookup {
	return records.Lookup{What: "state " + string(k), Key: string(s)}
}

func tagLookup(tag string) records.Lookup { return records.Lookup{What: "tag", Key: tag} }

// A posting says that a lookup finds a record.
type posting struct {
	key key
	rec int64
}

func comparePostings(a, b posting) int {
	// Big-endian words compare as the bytes do, and faster.
	return cmp.Or(
		cmp.Compare(binary.BigEndian.Uint64(a.key[:8]), binary.BigEndian.Uint64(b.key[:8])),
		cmp.Compare(binary.BigEndian.Uint64(a.key[8:]), binary.BigEndian.Uint64(b.key[8:])),
		cmp.Compare(a.rec, b.rec))
}
