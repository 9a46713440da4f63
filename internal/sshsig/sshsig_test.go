package sshsig_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/git-ctx/git-ctx/internal/sshsig"
)

const space = "git-ctx"

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// keys makes one private key of each sort.
func keys(t testing.TB) map[string]crypto.PrivateKey {
	t.Helper()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.PrivateKey{
		"ed25519": ed,
		"ecdsa":   must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t),
		"p521":    must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))(t),
		"rsa":     must(rsa.GenerateKey(rand.Reader, 2048))(t),
	}
}

func line(k ssh.PublicKey) string { return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k))) }

func trust(t testing.TB, allowed, revoked string) *sshsig.Trust {
	t.Helper()
	return must(sshsig.ParseTrust([]byte(allowed), []byte(revoked)))(t)
}

func TestSignedIsVerified(t *testing.T) {
	message := []byte("what was said")
	for name, private := range keys(t) {
		t.Run(name, func(t *testing.T) {
			signer := must(ssh.NewSignerFromKey(private))(t)
			armored := must(sshsig.Sign(signer, rand.Reader, space, message))(t)
			sig := must(sshsig.Parse(armored))(t)
			if err := sig.Verify(space, message); err != nil {
				t.Fatal(err)
			}
			if sig.Verify(space, []byte("something else")) == nil {
				t.Error("another message passes")
			}
			if sig.Verify("file", message) == nil {
				t.Error("another namespace passes")
			}
			allowed := trust(t, "ada@example.com "+line(signer.PublicKey()), "")
			if who, err := allowed.Check(sig, noon); who != "ada@example.com" || err != nil {
				t.Errorf("allowed: %q, %v", who, err)
			}
			if !allowed.Lists(signer.PublicKey()) {
				t.Error("the key is not listed")
			}
		})
	}
}

// Signatures that ssh-keygen made, checked in: this works where it is not installed.
func TestSignaturesOfOpenSSH(t *testing.T) {
	message := read(t, "message")
	for name, file := range map[string]string{"ed25519": "allowed", "ecdsa": "allowed", "rsa": "allowed", "cert": "authority"} {
		t.Run(name, func(t *testing.T) {
			sig := must(sshsig.Parse(string(read(t, name+".sig"))))(t)
			if err := sig.Verify(space, message); err != nil {
				t.Fatal(err)
			}
			who, err := trust(t, string(read(t, file)), "").Check(sig, noon)
			if who != "ada@example.com" || err != nil {
				t.Errorf("%q, %v", who, err)
			}
			message := append([]byte("x"), message...)
			if sig.Verify(space, message) == nil {
				t.Error("a changed message passes")
			}
		})
	}
}

func TestSSHKeygenAgrees(t *testing.T) {
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Log("no ssh-keygen here: testdata stands in for it")
		return
	}
	message := []byte("said\n")
	for name, private := range keys(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			signer := must(ssh.NewSignerFromKey(private))(t)
			write := func(name, content string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			sig := write("sig", must(sshsig.Sign(signer, rand.Reader, space, message))(t))
			allowed := write("allowed", "ada@example.com "+line(signer.PublicKey())+"\n")
			cmd := exec.Command(keygen, "-Y", "verify", "-f", allowed, "-I", "ada@example.com", "-n", space, "-s", sig)
			cmd.Stdin = strings.NewReader(string(message))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("verify: %v\n%s", err, out)
			}
			key := write("key", string(pem.EncodeToMemory(must(ssh.MarshalPrivateKey(private, ""))(t))))
			cmd = exec.Command(keygen, "-Y", "sign", "-q", "-n", space, "-f", key)
			cmd.Stdin = strings.NewReader(string(message))
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("sign: %v", err)
			}
			if err := must(sshsig.Parse(string(out)))(t).Verify(space, message); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTrust(t *testing.T) {
	signer := must(ssh.NewSignerFromKey(keys(t)["ed25519"]))(t)
	other := must(ssh.NewSignerFromKey(keys(t)["ed25519"]))(t)
	key := line(signer.PublicKey())
	sig := must(sshsig.Parse(must(sshsig.Sign(signer, rand.Reader, space, []byte("m")))(t)))(t)
	for _, tc := range []struct{ name, allowed, revoked, want string }{
		{"plain", "ada@example.com " + key, "", ""},
		{"second line", "eve@example.com " + line(other.PublicKey()) + "\n# note\n\nada@example.com " + key, "", ""},
		{"nobody", "", "", "is not among the allowed signers"},
		{"another key", "ada@example.com " + line(other.PublicKey()), "", "is not among the allowed signers"},
		{"namespace", `ada@example.com namespaces="git-ctx,file" ` + key, "", ""},
		{"namespace pattern", `ada@example.com namespaces="git-*" ` + key, "", ""},
		{"another namespace", `ada@example.com namespaces="git" ` + key, "", "is not allowed in namespace 'git-ctx'"},
		{"in time", `ada@example.com valid-after="20260101Z",valid-before="20270101Z" ` + key, "", ""},
		{"too early", `ada@example.com valid-after="20260701Z" ` + key, "", "was not valid yet then"},
		{"too late", `ada@example.com valid-before="20260601120000Z" ` + key, "", "was not valid any more then"},
		{"too late here, allowed there", `ada@example.com valid-before="20260101Z" ` + key + "\nada@example.com " + key, "", ""},
		{"revoked", "ada@example.com " + key, key, "is revoked"},
		{"another revoked", "ada@example.com " + key, line(other.PublicKey()), ""},
		{"a key is not an authority", "ada@example.com cert-authority " + key, "", "is not among the allowed signers"},
		{"quoted principals", `"ada@example.com, eve@example.com" ` + key, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := trust(t, tc.allowed, tc.revoked).Check(sig, noon)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	sig := must(sshsig.Parse(string(read(t, "cert.sig"))))(t)
	authority := string(read(t, "authority"))
	_, rest, _ := strings.Cut(authority, " ")
	for _, tc := range []struct {
		name, allowed string
		at            time.Time
		want          string
	}{
		{"sound", authority, noon, ""},
		{"expired", authority, noon.AddDate(1, 0, 0), "does not hold"},
		{"another principal", "eve@example.com " + rest, noon, "none of the allowed principals"},
		{"forbidden principal", "*,!ada@example.com " + rest, noon, "none of the allowed principals"},
		{"plain line of the certified key", string(read(t, "allowed")), noon, "is not among"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := trust(t, tc.allowed, "").Check(sig, tc.at)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	cert := sig.Key.(*ssh.Certificate)
	for name, key := range map[string]ssh.PublicKey{"key": cert.Key, "authority": cert.SignatureKey} {
		if _, err := trust(t, authority, line(key)).Check(sig, noon); err == nil {
			t.Errorf("revoked %s passes", name)
		}
	}
}

func TestTrustFilesAreRefused(t *testing.T) {
	key := line(must(ssh.NewSignerFromKey(keys(t)["ed25519"]))(t).PublicKey())
	for _, tc := range []struct{ allowed, revoked, want string }{
		{"ada@example.com", "", "line 1"},
		{"# c\nada@example.com ssh-ed25519 AAAA", "", "line 2: it holds no public key"},
		{"ada@example.com no-such-option " + key, "", "unknown option 'no-such-option'"},
		{"ada@example.com valid-before=soon " + key, "", "'soon' is not a time"},
		{`"ada@example.com ` + key, "", "a quote is not closed"},
		{"", "SSHKRL\n\x00", "binary list"},
		{"", "nonsense", "revocation file, line 1"},
	} {
		if _, err := sshsig.ParseTrust([]byte(tc.allowed), []byte(tc.revoked)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q %q: %v, want %q", tc.allowed, tc.revoked, err, tc.want)
		}
	}
	if _, err := sshsig.ParseTrust([]byte("ada@example.com "+key), []byte(key)); err != nil {
		t.Errorf("sound files: %v", err)
	}
}

// A token signs as a FIDO security key does, with the flags it is told.
type token struct {
	flags   byte
	pub     ssh.PublicKey
	private ed25519.PrivateKey
}

func newToken(t testing.TB, flags byte) *token {
	t.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key := ssh.Marshal(struct{ Type, Key, App string }{ssh.KeyAlgoSKED25519, string(pub), "ssh:"})
	return &token{flags, must(ssh.ParsePublicKey(key))(t), private}
}

func (k *token) PublicKey() ssh.PublicKey { return k.pub }

func (k *token) Sign(_ io.Reader, data []byte) (*ssh.Signature, error) {
	app, sum := sha256.Sum256([]byte("ssh:")), sha256.Sum256(data)
	rest := []byte{k.flags, 0, 0, 0, 7}
	blob := ed25519.Sign(k.private, slices.Concat(app[:], rest, sum[:]))
	return &ssh.Signature{Format: ssh.KeyAlgoSKED25519, Blob: blob, Rest: rest}, nil
}

func TestSecurityKeyMustBeTouched(t *testing.T) {
	for flags, want := range map[byte]bool{1: true, 0: false} {
		armored := must(sshsig.Sign(newToken(t, flags), rand.Reader, space, []byte("m")))(t)
		sig := must(sshsig.Parse(armored))(t)
		if err := sig.Verify(space, []byte("m")); (err == nil) != want {
			t.Errorf("flags %d: %v", flags, err)
		}
	}
}

func TestWeakSignaturesAreRefused(t *testing.T) {
	signer := must(ssh.NewSignerFromKey(keys(t)["rsa"]))(t)
	for algorithm, want := range map[string]bool{ssh.KeyAlgoRSASHA256: true, ssh.KeyAlgoRSA: false} {
		armored := must(sshsig.Sign(weak{signer.(ssh.AlgorithmSigner), algorithm}, rand.Reader, space, []byte("m")))(t)
		if err := must(sshsig.Parse(armored))(t).Verify(space, []byte("m")); (err == nil) != want {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

// weak signs with another algorithm than it is asked for.
type weak struct {
	ssh.AlgorithmSigner
	algorithm string
}

func (w weak) SignWithAlgorithm(r io.Reader, data []byte, _ string) (*ssh.Signature, error) {
	return w.AlgorithmSigner.SignWithAlgorithm(r, data, w.algorithm)
}

// serve runs an agent that holds a key, and returns its socket.
func serve(t testing.TB, private crypto.PrivateKey) string {
	t.Helper()
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	dir := must(os.MkdirTemp("", "ag"))(t) // a socket's path must be short
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l := must(net.Listen("unix", socket))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, conn) }()
		}
	}()
	return socket
}

func TestWhereTheKeyComesFrom(t *testing.T) {
	all := keys(t)
	private := all["ed25519"]
	signer := must(ssh.NewSignerFromKey(private))(t)
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", pem.EncodeToMemory(must(ssh.MarshalPrivateKey(private, ""))(t)))
	write("plain.pub", ssh.MarshalAuthorizedKey(signer.PublicKey()))
	locked := write("locked", pem.EncodeToMemory(must(ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("open sesame")))(t)))
	lonely := write("lonely.pub", ssh.MarshalAuthorizedKey(signer.PublicKey()))
	stray := write("stray.pub", ssh.MarshalAuthorizedKey(signer.PublicKey()))
	write("stray", pem.EncodeToMemory(must(ssh.MarshalPrivateKey(all["ecdsa"], ""))(t)))
	literal := "key::" + line(signer.PublicKey())
	ours, others := serve(t, private), serve(t, all["ecdsa"])
	say := func(words ...string) func(string) ([]byte, error) {
		return func(string) ([]byte, error) {
			if len(words) == 0 {
				return nil, errors.New("asked too often")
			}
			w := words[0]
			words = words[1:]
			return []byte(w), nil
		}
	}
	for _, tc := range []struct {
		name string
		from sshsig.Source
		want string
	}{
		{"file", sshsig.Source{Key: plain}, ""},
		{"public file", sshsig.Source{Key: plain + ".pub"}, ""},
		{"public file, agent", sshsig.Source{Key: lonely, Agent: ours}, ""},
		{"literal, agent", sshsig.Source{Key: literal, Agent: ours}, ""},
		{"bare literal, agent", sshsig.Source{Key: line(signer.PublicKey()), Agent: ours}, ""},
		{"passphrase", sshsig.Source{Key: locked, Passphrase: say("open sesame")}, ""},
		{"passphrase, second try", sshsig.Source{Key: locked, Passphrase: say("open", "open sesame")}, ""},
		{"passphrase, nobody to ask", sshsig.Source{Key: locked}, "no terminal to ask"},
		{"wrong passphrases", sshsig.Source{Key: locked, Passphrase: say("a", "b", "c")}, "does not fit"},
		{"no file", sshsig.Source{Key: filepath.Join(dir, "none")}, "no such file"},
		{"no private half", sshsig.Source{Key: lonely}, "no ssh-agent runs"},
		{"agent without it", sshsig.Source{Key: literal, Agent: others}, "does not hold it"},
		{"agent gone", sshsig.Source{Key: literal, Agent: filepath.Join(dir, "gone")}, "ask the ssh-agent"},
		{"another's private half", sshsig.Source{Key: stray}, "another's"},
		{"nonsense", sshsig.Source{Key: "key::nonsense"}, "not a public key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.from.Open()
			if tc.want != "" {
				var key *sshsig.KeyError
				if !errors.As(err, &key) || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("got %v, want %q", err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if line(got.PublicKey()) != line(signer.PublicKey()) {
				t.Error("it is another key")
			}
			armored := must(sshsig.Sign(got, rand.Reader, space, []byte("m")))(t)
			if err := must(sshsig.Parse(armored))(t).Verify(space, []byte("m")); err != nil {
				t.Error(err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"ed25519.sig", "ecdsa.sig", "rsa.sig", "cert.sig"} {
		f.Add(string(read(f, name)))
	}
	f.Add("-----BEGIN SSH SIGNATURE----- -----END SSH SIGNATURE-----")
	f.Fuzz(func(t *testing.T, s string) {
		if sig, err := sshsig.Parse(s); err == nil {
			_ = sig.Verify(space, []byte("m"))
		}
	})
}

func FuzzParseTrust(f *testing.F) {
	f.Add(read(f, "allowed"), []byte{})
	f.Add(read(f, "authority"), read(f, "allowed"))
	f.Fuzz(func(t *testing.T, allowed, revoked []byte) {
		_, _ = sshsig.ParseTrust(allowed, revoked)
	})
}
