package records

import (
	"crypto/sha256"
	"encoding/hex"
)

// Forgotten is the state that [View.Veto], [Standing] and messages give a forgotten record.
// No verdict has it: a tombstone keeps the state that the record had.
const Forgotten State = "forgotten"

// SaltLength is the number of random bytes in a tombstone's salt.
const SaltLength = 16

// Fingerprint is what a tombstone keeps of a forgotten title: SHA-256 over the
// salt, the kind and the title's [Normalize]d form, the key. It tells whether a
// text is the forgotten one, and little to who does not have that text. The
// fingerprint of no key is "none", which is that of no text.
func Fingerprint(salt string, k Kind, key string) string {
	if key == "" {
		return "none"
	}
	sum := sha256.Sum256([]byte(salt + "\x00" + string(k) + "\x00" + key))
	return hex.EncodeToString(sum[:])
}

// Recalls reports whether r is forgotten, and a record of its kind whose title
// has that [Normalize]d form would be it again.
func (r *Record) Recalls(key string) bool {
	return r.Forgotten() && key != "" && r.Tombstone.Fingerprint == Fingerprint(r.Tombstone.Salt, r.Kind, key)
}

// Forget returns what is left of r under the tombstone t, whose salt is set
// and whose fingerprint is computed: who r is, that it was recorded and by
// whom, and its state without a reason. Fields that repeat the text or could
// tell it, digests included, are gone. N is the nonce of the verdict where r
// has none, as it is in conflict.
func (r *Record) Forget(t Tombstone, n string) *Record {
	t.Fingerprint = Fingerprint(t.Salt, r.Kind, Normalize(r.Title))
	v := Verdict{State: r.Kind.Schema().Birth(), By: t.By, Actor: t.Actor, At: t.At, N: n}
	if r.Verdict != nil {
		was := r.Verdict
		v = Verdict{State: was.State, SupersededBy: was.SupersededBy, By: was.By, Actor: was.Actor, At: was.At, N: was.N}
	}
	return &Record{ID: r.ID, Kind: r.Kind, Verdict: &v, Tombstone: &t, Created: r.Created}
}
