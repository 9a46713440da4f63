package records

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
)

// Verdicts yields the verdicts that give a record its state: the verdict, and
// those beside it that agree.
func Verdicts(r *Record) iter.Seq[*Verdict] {
	return func(yield func(*Verdict) bool) {
		if r.Verdict == nil || !yield(r.Verdict) {
			return
		}
		for i := range r.Also {
			v := &r.Also[i]
			if v.State == r.Verdict.State && v.Of == r.Verdict.Of && !yield(v) {
				return
			}
		}
	}
}

// HumanVerdicts yields those of the [Verdicts] of r by which a person gave a state that
// is asserted on a person's word alone. That a person gave them is what the record
// claims; see [EvalContext].
func HumanVerdicts(r *Record) iter.Seq[*Verdict] {
	return func(yield func(*Verdict) bool) {
		for v := range Verdicts(r) {
			if v.Actor == Human && NeedsProvenance(r.Kind, v.State) && !yield(v) {
				return
			}
		}
	}
}

// VerdictDigest names a verdict on a record by its content. The commit that it
// takes back is left out: a purge renames commits.
func VerdictDigest(id ID, v *Verdict) string {
	c := *v
	c.Reverts = ""
	w := newYAMLWriter(512)
	w.openMap()
	putText(w, "id", id)
	w.key("verdict")
	putVerdict(w, &c)
	w.closeMap()
	sum := sha256.Sum256(w.buf)
	return hex.EncodeToString(sum[:verdictDigestLength/2])
}

// TombstoneDigest names the tombstone of a forgotten record, and the verdict under it,
// by their content.
func TombstoneDigest(r *Record) string {
	w := newYAMLWriter(512)
	w.openMap()
	putText(w, "id", r.ID)
	w.key("tombstone")
	putParts(w, r.Tombstone, tombstoneParts)
	if r.Verdict != nil {
		putText(w, "verdict", VerdictDigest(r.ID, r.Verdict))
	}
	w.closeMap()
	sum := sha256.Sum256(w.buf)
	return hex.EncodeToString(sum[:verdictDigestLength/2])
}

const verdictDigestLength = 16
