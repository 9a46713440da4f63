package records

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
)

// HumanVerdicts yields the verdicts of r by which a person gave a state that is
// asserted on a person's word alone: the verdict, and those that agree with it.
// That a person gave them is what the record claims; see [EvalContext].
func HumanVerdicts(r *Record) iter.Seq[*Verdict] {
	return func(yield func(*Verdict) bool) {
		if r.Verdict == nil || !NeedsProvenance(r.Kind, r.Verdict.State) {
			return
		}
		if r.Verdict.Actor == Human && !yield(r.Verdict) {
			return
		}
		for i := range r.Also {
			v := &r.Also[i]
			if v.Actor == Human && v.State == r.Verdict.State && v.Of == r.Verdict.Of && !yield(v) {
				return
			}
		}
	}
}

// A HumanVerdict names one of [HumanVerdicts]: by its record, its digest and the
// name of the person who gave it, as the record has it.
type HumanVerdict struct {
	Record     ID
	Digest, By string
}

// HumanVerdictOf names a verdict on a record.
func HumanVerdictOf(id ID, v *Verdict) HumanVerdict {
	return HumanVerdict{id, VerdictDigest(id, v), v.By}
}

// HumanVerdictsOf names the [HumanVerdicts] of r.
func HumanVerdictsOf(r *Record) []HumanVerdict {
	var out []HumanVerdict
	for v := range HumanVerdicts(r) {
		out = append(out, HumanVerdictOf(r.ID, v))
	}
	return out
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

const verdictDigestLength = 16
