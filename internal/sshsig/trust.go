package sshsig

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// Trust says whose signatures count.
type Trust struct {
	allowed []allowed
	revoked map[string]bool // by wire form of the plain key
}

// An allowed is one line of an allowed signers file.
type allowed struct {
	principals    string // patterns, separated by commas
	key           ssh.PublicKey
	authority     bool     // key signs certificates
	namespaces    []string // patterns; nil allows all
	after, before time.Time
}

// A DistrustError says why a sound signature does not count.
type DistrustError struct{ Key, Why string }

func (e *DistrustError) Error() string { return fmt.Sprintf("key %s %s", e.Key, e.Why) }

// Check returns the principal for whom the key of a signature stands, when it
// may sign in this namespace and might at that instant. The error is a
// *[DistrustError]. Whether the signature itself is sound, Verify says.
func (t *Trust) Check(s *Signature, at time.Time) (principal string, err error) {
	key := Fingerprint(s.Key)
	if t.isRevoked(s.Key) {
		return "", &DistrustError{key, "is revoked"}
	}
	why := "is not among the allowed signers"
	for _, a := range t.allowed {
		principal, reason := a.admits(s, at)
		if reason == "" {
			return principal, nil
		}
		if reason != noMatch {
			why = reason
		}
	}
	return "", &DistrustError{key, why}
}

// Lists reports whether a key stands among the allowed signers and is not revoked.
func (t *Trust) Lists(key ssh.PublicKey) bool {
	return !t.isRevoked(key) && slices.ContainsFunc(t.allowed, func(a allowed) bool {
		return sameKey(a.key, a.subject(key))
	})
}

func (t *Trust) isRevoked(key ssh.PublicKey) bool {
	if t.revoked[string(plainKey(key).Marshal())] {
		return true
	}
	cert, ok := key.(*ssh.Certificate)
	return ok && t.revoked[string(cert.SignatureKey.Marshal())]
}

const noMatch = "no match"

// admits returns the principal, or why the line does not admit the signature.
func (a *allowed) admits(s *Signature, at time.Time) (principal, reason string) {
	subject := a.subject(s.Key)
	if subject == nil || !sameKey(a.key, subject) {
		return "", noMatch
	}
	if a.namespaces != nil && !slices.ContainsFunc(a.namespaces, func(p string) bool { return matches(p, s.Namespace) }) {
		return "", fmt.Sprintf("is not allowed in namespace '%s'", s.Namespace)
	}
	switch {
	case !a.after.IsZero() && at.Before(a.after):
		return "", "was not valid yet then"
	case !a.before.IsZero() && !at.Before(a.before):
		return "", "was not valid any more then"
	}
	if !a.authority {
		return a.principals, ""
	}
	return a.certified(s.Key.(*ssh.Certificate), at)
}

// subject is the key of a signature that the line's own key must equal; nil
// when the line is about signatures of the other sort.
func (a *allowed) subject(key ssh.PublicKey) ssh.PublicKey {
	cert, ok := key.(*ssh.Certificate)
	switch {
	case ok != a.authority:
		return nil
	case ok:
		return cert.SignatureKey
	}
	return key
}

// certified checks a certificate: a user's, sound, in time, and for a principal
// that the line allows.
func (a *allowed) certified(cert *ssh.Certificate, at time.Time) (principal, reason string) {
	if cert.CertType != ssh.UserCert {
		return "", "has a certificate that is not a user's"
	}
	checker := ssh.CertChecker{Clock: func() time.Time { return at }}
	for _, p := range cert.ValidPrincipals {
		if !matchesList(a.principals, p) {
			continue
		}
		if err := checker.CheckCert(p, cert); err != nil {
			return "", "has a certificate that does not hold: " + strings.TrimPrefix(err.Error(), "ssh: ")
		}
		return p, ""
	}
	return "", "has a certificate for none of the allowed principals"
}

func sameKey(a, b ssh.PublicKey) bool { return b != nil && bytes.Equal(a.Marshal(), b.Marshal()) }

// matchesList matches as ssh's lists of patterns do: one that begins with "!"
// and fits forbids.
func matchesList(list, s string) bool {
	found := false
	for p := range strings.SplitSeq(list, ",") {
		if q, negated := strings.CutPrefix(p, "!"); negated && matches(q, s) {
			return false
		} else if !negated && matches(p, s) {
			found = true
		}
	}
	return found
}

// matches reports whether s fits a pattern in which "*" is any text and "?" any
// one character.
func matches(pattern, s string) bool {
	star, from := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, from = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == s[j]):
			i, j = i+1, j+1
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
