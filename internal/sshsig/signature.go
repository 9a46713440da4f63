// Package sshsig makes and checks signatures of data by OpenSSH keys, in the
// form of OpenSSH's PROTOCOL.sshsig: what 'ssh-keygen -Y sign' writes it checks,
// and the other way round. It also reads the two files that say whose
// signatures count: allowed signers and revoked keys.
//
// It refuses what it does not know: a key, hash or option that this package
// cannot judge never makes a signature count. It starts no process.
package sshsig

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

const (
	magic     = "SSHSIG"
	version   = 1
	armorHead = "-----BEGIN SSH SIGNATURE-----"
	armorTail = "-----END SSH SIGNATURE-----"
	lineWidth = 70
	// maxArmored bounds what is decoded: certificates with RSA keys stay far below.
	maxArmored = 64 << 10
)

// A Signature is one signature, decoded. That it decodes says nothing about
// what it signs: Verify does.
type Signature struct {
	// Key made it: a public key, or a certificate of one.
	Key       ssh.PublicKey
	Namespace string

	reserved, hash string
	sig            ssh.Signature
}

// wire is a signature's binary form after the magic and version.
type wire struct {
	Key, Namespace, Reserved, Hash string
	Sig                            []byte
}

// signed is what the key signs after the magic.
type signed struct{ Namespace, Reserved, Hash, Digest string }

// digest hashes a message by a name that signatures carry; nil for an unknown one.
func digest(hash string, message []byte) []byte {
	switch hash {
	case "sha256":
		sum := sha256.Sum256(message)
		return sum[:]
	case "sha512":
		sum := sha512.Sum512(message)
		return sum[:]
	}
	return nil
}

func signedData(namespace, reserved, hash string, sum []byte) []byte {
	return append([]byte(magic), ssh.Marshal(signed{namespace, reserved, hash, string(sum)})...)
}

// Sign returns an armored signature of a message. An RSA key signs with SHA-512.
func Sign(key ssh.Signer, random io.Reader, namespace string, message []byte) (string, error) {
	const hash = "sha512"
	data := signedData(namespace, "", hash, digest(hash, message))
	sig, err := signData(key, random, data)
	if err != nil {
		return "", fmt.Errorf("sign with key %s: %w", Fingerprint(key.PublicKey()), err)
	}
	blob := binaryForm(wire{string(key.PublicKey().Marshal()), namespace, "", hash, ssh.Marshal(sig)})
	return armor(blob), nil
}

func signData(key ssh.Signer, random io.Reader, data []byte) (*ssh.Signature, error) {
	if plainType(key.PublicKey()) != ssh.KeyAlgoRSA {
		return key.Sign(random, data)
	}
	rsa, ok := key.(ssh.AlgorithmSigner)
	if !ok {
		return nil, errors.New("it cannot sign with rsa-sha2-512")
	}
	return rsa.SignWithAlgorithm(random, data, ssh.KeyAlgoRSASHA512)
}

func binaryForm(w wire) []byte {
	head := append([]byte(magic), 0, 0, 0, version)
	return append(head, ssh.Marshal(w)...)
}

func armor(blob []byte) string {
	text := base64.StdEncoding.EncodeToString(blob)
	var b strings.Builder
	b.WriteString(armorHead + "\n")
	for line := range slices.Chunk([]byte(text), lineWidth) {
		b.Write(line)
		b.WriteByte('\n')
	}
	b.WriteString(armorTail + "\n")
	return b.String()
}

// Parse decodes an armored signature.
func Parse(armored string) (*Signature, error) {
	if len(armored) > maxArmored {
		return nil, errors.New("read the signature: it is too long")
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(armored), armorHead)
	if ok {
		text, ok = strings.CutSuffix(text, armorTail)
	}
	if !ok {
		return nil, errors.New("read the signature: it is not an armored SSH signature")
	}
	blob, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return nil, fmt.Errorf("read the signature: %w", err)
	}
	s, err := parseBlob(blob)
	if err != nil {
		return nil, fmt.Errorf("read the signature: %w", err)
	}
	return s, nil
}

func parseBlob(blob []byte) (*Signature, error) {
	rest, ok := bytes.CutPrefix(blob, []byte(magic))
	if !ok || len(rest) < 4 {
		return nil, errors.New("it does not begin as one")
	}
	if !bytes.Equal(rest[:4], []byte{0, 0, 0, version}) {
		return nil, fmt.Errorf("its version is not %d", version)
	}
	var w wire
	if err := ssh.Unmarshal(rest[4:], &w); err != nil {
		return nil, err
	}
	key, err := ssh.ParsePublicKey([]byte(w.Key))
	if err != nil {
		return nil, err
	}
	s := &Signature{Key: key, Namespace: w.Namespace, reserved: w.Reserved, hash: w.Hash}
	return s, ssh.Unmarshal(w.Sig, &s.sig)
}

// Verify returns nil when the signature's own key made it, for this namespace
// and of this message. Whose key that is it does not ask.
func (s *Signature) Verify(namespace string, message []byte) error {
	if s.Namespace != namespace {
		return fmt.Errorf("it is for namespace '%s', not '%s'", s.Namespace, namespace)
	}
	sum := digest(s.hash, message)
	if sum == nil {
		return fmt.Errorf("its hash '%s' is unknown", s.hash)
	}
	if err := soundAlgorithm(plainType(s.Key), s.sig.Format); err != nil {
		return err
	}
	if err := s.Key.Verify(signedData(namespace, s.reserved, s.hash, sum), &s.sig); err != nil {
		return errors.New("it does not fit what it stands on")
	}
	return nil
}

// soundAlgorithm refuses keys and algorithms that OpenSSH refuses for signatures of data.
func soundAlgorithm(key, algorithm string) error {
	switch key {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256,
		ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521:
		return nil // the key's own check wants its one algorithm
	case ssh.KeyAlgoRSA:
		if algorithm == ssh.KeyAlgoRSASHA512 || algorithm == ssh.KeyAlgoRSASHA256 {
			return nil
		}
		return fmt.Errorf("algorithm '%s' of an RSA key is not safe", algorithm)
	}
	return fmt.Errorf("a key of type '%s' is not taken", key)
}

// plainType is the type of a key, or of the key that a certificate is about.
func plainType(k ssh.PublicKey) string { return plainKey(k).Type() }

// plainKey is a key, or the one that a certificate is about.
func plainKey(k ssh.PublicKey) ssh.PublicKey {
	if cert, ok := k.(*ssh.Certificate); ok {
		return cert.Key
	}
	return k
}

// Fingerprint names a key as ssh-keygen does.
func Fingerprint(k ssh.PublicKey) string { return ssh.FingerprintSHA256(plainKey(k)) }
