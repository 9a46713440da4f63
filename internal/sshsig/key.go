package sshsig

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// A Source says where a signing key is looked for.
type Source struct {
	// Key is a path, or a public key after "key::", as in git's user.signingKey.
	Key string
	// Agent is the socket of an ssh-agent, "" for none.
	Agent string
	// Passphrase asks for the passphrase of a key file; nil where nobody can be asked.
	Passphrase func(file string) ([]byte, error)
}

// A KeyError says why no key signs.
type KeyError struct {
	Key string
	Why string
	Err error // below Why, or nil
}

func (e *KeyError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("signing key '%s': %s: %v", e.Key, e.Why, e.Err)
	}
	return fmt.Sprintf("signing key '%s': %s", e.Key, e.Why)
}

func (e *KeyError) Unwrap() error { return e.Err }

// Open returns the signer of a key: the agent's when it holds the key, else
// that of the private key's file. The connection to the agent lives as long as
// the process. The error is a *[KeyError].
func (s Source) Open() (ssh.Signer, error) {
	literal, ok := strings.CutPrefix(s.Key, "key::")
	if !ok && looksLiteral(s.Key) {
		literal, ok = s.Key, true
	}
	if ok {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(literal))
		if err != nil {
			return nil, &KeyError{s.Key, "it is not a public key", nil}
		}
		return s.fromAgent(key)
	}
	data, err := os.ReadFile(s.Key)
	if err != nil {
		return nil, &KeyError{s.Key, "read it", errors.Unwrap(err)}
	}
	if key, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
		return s.fromPublicFile(key)
	}
	if pub, err := os.ReadFile(s.Key + ".pub"); err == nil {
		if key, _, _, _, err := ssh.ParseAuthorizedKey(pub); err == nil {
			if signer, err := s.fromAgent(key); err == nil {
				return signer, nil
			}
		}
	}
	return s.fromFile(s.Key, data)
}

// looksLiteral reports whether a key is a public key as such: git takes these
// without "key::" too.
func looksLiteral(key string) bool {
	return strings.HasPrefix(key, "ssh-") && strings.Contains(key, " ")
}

// fromPublicFile finds the signer of a public key's file: the agent's, else
// that of the private file beside it.
func (s Source) fromPublicFile(key ssh.PublicKey) (ssh.Signer, error) {
	signer, agentErr := s.fromAgent(key)
	private, ok := strings.CutSuffix(s.Key, ".pub")
	if agentErr == nil || !ok {
		return signer, agentErr
	}
	data, err := os.ReadFile(private)
	if err != nil {
		return nil, agentErr
	}
	signer, err = s.fromFile(private, data)
	if err == nil && !sameKey(signer.PublicKey(), plainKey(key)) {
		return nil, &KeyError{s.Key, "the private key beside it is another's", nil}
	}
	return signer, err
}

// fromFile reads a private key, asking for its passphrase where it has one.
func (s Source) fromFile(file string, data []byte) (ssh.Signer, error) {
	signer, err := ssh.ParsePrivateKey(data)
	var locked *ssh.PassphraseMissingError
	if !errors.As(err, &locked) {
		if err != nil {
			return nil, &KeyError{file, "it is not a private key that can sign here; one of a security key signs through ssh-agent", nil}
		}
		return signer, nil
	}
	if s.Passphrase == nil {
		return nil, &KeyError{file, "it has a passphrase, and there is no terminal to ask for it: ssh-add hands it to an agent", nil}
	}
	for range 3 {
		secret, err := s.Passphrase(file)
		if err != nil {
			return nil, &KeyError{file, "ask for the passphrase", err}
		}
		signer, err = ssh.ParsePrivateKeyWithPassphrase(data, secret)
		clear(secret)
		if err == nil {
			return signer, nil
		}
	}
	return nil, &KeyError{file, "the passphrase does not fit", nil}
}

// fromAgent finds a key in the agent.
func (s Source) fromAgent(key ssh.PublicKey) (ssh.Signer, error) {
	if s.Agent == "" {
		return nil, &KeyError{s.Key, "its private half is not at hand, and no ssh-agent runs", nil}
	}
	conn, err := net.Dial("unix", s.Agent)
	if err != nil {
		return nil, &KeyError{s.Key, "ask the ssh-agent", err}
	}
	signers, err := agent.NewClient(conn).Signers()
	if err == nil {
		for _, signer := range signers {
			if bytes.Equal(signer.PublicKey().Marshal(), key.Marshal()) {
				return signer, nil
			}
		}
		err = &KeyError{s.Key, "the ssh-agent does not hold it: ssh-add FILE hands it over", nil}
	} else {
		err = &KeyError{s.Key, "ask the ssh-agent", err}
	}
	_ = conn.Close() // nothing was left to say
	return nil, err
}
