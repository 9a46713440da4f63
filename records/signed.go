package records

import (
	"crypto/sha256"
	"encoding/hex"
)

// SignedMessage returns the bytes that the signature of a verdict on r is over:
// the record's id, the digest of its whole content as it is now, and the verdict
// without the signature. It needs more than the verdict, because Of is too short
// to keep somebody who writes two contents from finding a pair that share it.
func SignedMessage(r *Record, v *Verdict) []byte {
	content := newYAMLWriter(1024 + len(r.Body))
	r.putCovered(content)
	sum := sha256.Sum256(content.buf)
	bare := *v
	bare.Sig = ""
	w := newYAMLWriter(512)
	w.openMap()
	putText(w, "signed", "git-ctx verdict 1")
	putText(w, "id", r.ID)
	putText(w, "content", hex.EncodeToString(sum[:]))
	w.key("verdict")
	putVerdict(w, &bare)
	w.closeMap()
	return w.buf
}

// SignedVerdicts returns those of the verdicts that give the record its state
// which carry a signature, whether it verifies or not: the verdict, and those
// beside it that agree.
func (r *Record) SignedVerdicts() []*Verdict {
	if r.Verdict == nil {
		return nil
	}
	var vs []*Verdict
	if r.Verdict.Sig != "" {
		vs = append(vs, r.Verdict)
	}
	for i := range r.Also {
		v := &r.Also[i]
		if v.Sig != "" && v.State == r.Verdict.State && v.Of == r.Verdict.Of {
			vs = append(vs, v)
		}
	}
	return vs
}
