package ledger_test

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/fsck"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// signedStore is a repository under review: signed with a key that counts, and
// a person's ledger on it.
func signedStore(t testing.TB) (*ledger.Ledger, *gittest.Repo) {
	t.Helper()
	l, repo := fresh(t, records.ReviewSigned, records.Human)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "key"), string(pem.EncodeToMemory(block)))
	writeFile(t, filepath.Join(dir, "allowed"), "ada@example.com "+string(ssh.MarshalAuthorizedKey(key)))
	repo.Git("config", "gpg.format", "ssh")
	repo.Git("config", "user.signingKey", filepath.Join(dir, "key"))
	repo.Git("config", "gpg.ssh.allowedSignersFile", filepath.Join(dir, "allowed"))
	_ = l.Close()
	return open(t, repo, records.Human), repo
}

// A key that only an ssh-agent holds signs, and the home directory is "~".
func TestTheAgentSigns(t *testing.T) {
	_, repo := signedStore(t)
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp("", "home") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	socket, err := net.Listen("unix", filepath.Join(home, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	go func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, conn) }()
		}
	}()
	signers, err := ring.Signers()
	if err != nil {
		t.Fatal(err)
	}
	public := string(ssh.MarshalAuthorizedKey(signers[0].PublicKey()))
	writeFile(t, filepath.Join(home, "allowed"), "ada@example.com "+public)
	repo.Git("config", "user.signingKey", "key::"+strings.TrimSpace(public))
	repo.Git("config", "gpg.ssh.allowedSignersFile", "~/allowed")
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	env := map[string]string{"HOME": home}
	l := ledger.Open(r, ledger.Options{Author: ledger.Author{Actor: records.Human}, Random: rand.Reader,
		Now: func() time.Time { return clock }, Getenv: func(name string) string { return env[name] }})
	dec := do(t, l, grammar.Op{Verb: "add", Kind: "decision", Title: "Mend it"})
	var signing *provenance.SigningError
	if _, err := try(t.Context(), l, grammar.Op{Verb: "accept", ID: string(dec)}); !errors.As(err, &signing) {
		t.Errorf("without an agent: %v", err)
	}
	env["SSH_AUTH_SOCK"] = filepath.Join(home, "agent")
	do(t, l, grammar.Op{Verb: "accept", ID: string(dec)})
	if st := standingIn(t, l, dec); st.Class != records.Asserted {
		t.Errorf("it is %s (%s)", st.Class, st.Why)
	}
}

func record(t testing.TB, l *ledger.Ledger, id records.ID) *records.Record {
	t.Helper()
	r, ok := view(t, l).Record(id)
	if !ok {
		t.Fatalf("there is no %s", id)
	}
	return r
}

// Every verb by which a person moves a record signs its verdict, those that take out of force too.
func TestWhatIsSigned(t *testing.T) {
	l, repo := signedStore(t)
	goal := do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "A goal"})
	hyp := do(t, l, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It leaks"})
	dec := do(t, l, grammar.Op{Verb: "add", Kind: "decision", Title: "Mend it"})
	for _, step := range []struct {
		op      grammar.Op
		id      records.ID
		asserts bool
	}{
		{grammar.Op{Verb: "park", ID: string(goal)}, goal, false},
		{grammar.Op{Verb: "activate", ID: string(goal)}, goal, true},
		{grammar.Op{Verb: "evaluate", ID: string(hyp)}, hyp, false},
		{grammar.Op{Verb: "support", ID: string(hyp)}, hyp, true},
		{grammar.Op{Verb: "accept", ID: string(dec)}, dec, true},
		{grammar.Op{Verb: "reopen", ID: string(dec), Reason: "new facts"}, dec, false},
		{grammar.Op{Verb: "accept", ID: string(dec), Reason: "still"}, dec, true},
		{grammar.Op{Verb: "reject", ID: string(dec), Reason: "no"}, dec, false},
	} {
		do(t, l, step.op)
		r := record(t, l, step.id)
		if r.Verdict.Sig == "" {
			t.Errorf("%s %s: it is not signed", step.op.Verb, r.Kind)
		}
		if st := standingIn(t, l, step.id); step.asserts && st.Class != records.Asserted {
			t.Errorf("%s %s: it is %s (%s)", step.op.Verb, r.Kind, st.Class, st.Why)
		}
	}
	// A revert gives a verdict of its own.
	tip := view(t, l).Commit
	if _, err := l.Revert(t.Context(), string(tip), "it was right"); err != nil {
		t.Fatal(err)
	}
	if r := record(t, l, dec); r.State() != records.Accepted || r.Verdict.Sig == "" || standingIn(t, l, dec).Class != records.Asserted {
		t.Errorf("reverted: %s, signature %q", r.State(), r.Verdict.Sig)
	}
	// An agent's word is its own.
	program := open(t, repo, "agent/x")
	other := do(t, program, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is slow"})
	do(t, program, grammar.Op{Verb: "support", ID: string(other)})
	if record(t, program, other).Verdict.Sig != "" {
		t.Error("an agent signed")
	}
}

// A person without a key records goals as an agent does, and supports by evidence.
func TestWithoutAKeyNothingStandsOnAPersonsWord(t *testing.T) {
	l, _ := fresh(t, records.ReviewSigned, records.Human)
	goal := do(t, l, grammar.Op{Verb: "add", Kind: "goal", Title: "A goal"})
	if r := record(t, l, goal); r.State() != records.Proposed || r.Verdict.Asks != records.Active {
		t.Errorf("goal: %s, asks %q", r.State(), r.Verdict.Asks)
	}
	word := do(t, l, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It leaks"})
	do(t, l, grammar.Op{Verb: "support", ID: string(word)})
	shown := do(t, l, grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is slow"})
	do(t, l, grammar.Op{Verb: "support", ID: string(shown), Evidence: "It takes a minute", Source: "bench.txt"})
	if w, s := standingIn(t, l, word), standingIn(t, l, shown); w.Class == records.Asserted || s.Class != records.Asserted {
		t.Errorf("on a word: %s, on evidence: %s", w.Class, s.Class)
	}
	var signing *provenance.SigningError
	if _, err := try(t.Context(), l, grammar.Op{Verb: "activate", ID: string(goal)}); !errors.As(err, &signing) {
		t.Errorf("activate without a key: %v", err)
	}
}

// Two persons accept the same: one verdict stands, the other beside it, and the
// one that is signed counts wherever it is.
func TestASignatureCountsBesideAnEqualVerdict(t *testing.T) {
	l, repo := signedStore(t)
	const many = 24 // chance says which of two verdicts comes first
	var ids []records.ID
	for i := range many {
		ids = append(ids, do(t, l, grammar.Op{Verb: "add", Kind: "decision", Title: fmt.Sprintf("Mend part %d", i)}))
	}
	if _, err := l.CreateBranch(t.Context(), "side", ""); err != nil {
		t.Fatal(err)
	}
	acceptAll := func(l *ledger.Ledger) {
		for _, id := range ids {
			do(t, l, grammar.Op{Verb: "accept", ID: string(id)})
		}
	}
	acceptAll(l)
	if err := l.Switch(t.Context(), "side"); err != nil {
		t.Fatal(err)
	}
	unsigned(t, repo, ids)
	if err := l.Switch(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Merge(t.Context(), "side", ledger.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	first := 0
	for _, id := range ids {
		r := record(t, l, id)
		if len(r.Also) != 1 {
			t.Fatalf("%s has %d verdicts beside its own", id, len(r.Also))
		}
		if r.Verdict.Sig != "" {
			first++
		}
		if st := standingIn(t, l, id); st.Class != records.Asserted {
			t.Errorf("%s, signed verdict first %v: %s (%s)", id, r.Verdict.Sig != "", st.Class, st.Why)
		}
	}
	if first == 0 || first == many {
		t.Errorf("the signed verdict came first %d times of %d: the test sees one case only", first, many)
	}
	// What lists say is what each record's judgement says.
	v := view(t, l)
	j, err := l.EvalContext(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := v.Counts(j)
	if err != nil || counts[records.Asserted] != many {
		t.Errorf("the index counts %v, %v", counts, err)
	}
}

// unsigned accepts decisions on the current branch as a person did whose clone
// knew nothing of the policy.
func unsigned(t testing.TB, repo *gittest.Repo, ids []records.ID) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wt")
	repo.Git("worktree", "add", "-q", dir, "refs/ctx/heads/side")
	for _, id := range ids {
		file := filepath.Join(dir, records.IDPath(id))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := records.Parse("", data)
		if err != nil {
			t.Fatal(err)
		}
		random := make([]byte, 4)
		_, _ = rand.Read(random)
		r.Verdict = &records.Verdict{State: records.Accepted, Of: r.Digest(), By: "Ada Example", Actor: records.Human, At: clock, N: records.NewNonce(random)}
		if data, err = records.Format(r); err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, string(data))
	}
	repo.GitIn(dir, "commit", "-qam", "by hand")
	repo.Git("update-ref", "refs/ctx/heads/side", strings.TrimSpace(repo.GitIn(dir, "rev-parse", "HEAD")))
	repo.Git("worktree", "remove", "-f", dir)
}

// A person's resolution of a dispute is a verdict like any other.
func TestAResolutionIsSigned(t *testing.T) {
	l, _ := signedStore(t)
	dec := do(t, l, grammar.Op{Verb: "add", Kind: "decision", Title: "Mend it"})
	if _, err := l.CreateBranch(t.Context(), "side", ""); err != nil {
		t.Fatal(err)
	}
	do(t, l, grammar.Op{Verb: "accept", ID: string(dec)})
	if err := l.Switch(t.Context(), "side"); err != nil {
		t.Fatal(err)
	}
	do(t, l, grammar.Op{Verb: "reject", ID: string(dec), Reason: "no"})
	if _, err := l.Merge(t.Context(), "main", ledger.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if st := standingIn(t, l, dec); st.Class != records.InDoubt {
		t.Fatalf("it is %s", st.Class)
	}
	if err := l.Switch(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Merge(t.Context(), "side", ledger.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := l.Edit(t.Context(), func(tx *ledger.Tx) error {
		_, err := tx.Resolve(string(dec), []ledger.Settlement{{Field: "verdict", State: records.Accepted}}, "the team agreed")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := record(t, l, dec); r.Verdict.Sig == "" || standingIn(t, l, dec).Class != records.Asserted {
		t.Errorf("resolved: signature %q, standing %v", r.Verdict.Sig, standingIn(t, l, dec))
	}
}

// A read remembers what it verified, and the memory goes with the files it rests on.
func TestVerifiedSignaturesAreRemembered(t *testing.T) {
	l, repo := signedStore(t)
	dec := do(t, l, grammar.Op{Verb: "add", Kind: "decision", Title: "Mend it"})
	do(t, l, grammar.Op{Verb: "accept", ID: string(dec)})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(repo.Dir, ".git", "ctx", "signatures")
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// Damage is nothing to rely on: what is not found there is verified.
	writeFile(t, file, string(known[:len(known)-1]))
	if st := standingIn(t, open(t, repo, records.Human), dec); st.Class != records.Asserted {
		t.Errorf("with a damaged memory it is %s", st.Class)
	}
	writeFile(t, file, string(known))
	repo.Git("config", "gpg.ssh.allowedSignersFile", filepath.Join(t.TempDir(), "none"))
	if st := standingIn(t, open(t, repo, records.Human), dec); st.Class != records.AwaitingReview {
		t.Errorf("without allowed signers it is %s", st.Class)
	}
}

// Who writes into the memory of what was verified is believed by a read, and not by fsck.
func TestFsckBelievesNoMemory(t *testing.T) {
	l, repo := signedStore(t)
	dec := do(t, l, grammar.Op{Verb: "add", Kind: "decision", Title: "Mend it"})
	do(t, l, grammar.Op{Verb: "accept", ID: string(dec)})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(repo.Dir, ".git", "ctx", "signatures")
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(t.TempDir(), "none")
	writeFile(t, signers, "# nobody\n")
	repo.Git("config", "gpg.ssh.allowedSignersFile", signers)
	on := sha256.Sum256([]byte("9 # nobody\n"))
	at := bytes.IndexByte(known, '\n') + 1
	writeFile(t, file, string(slices.Concat(known[:at], on[:], known[at+len(on):])))
	l = open(t, repo, records.Human)
	if st := standingIn(t, l, dec); st.Class != records.Asserted {
		t.Fatalf("the memory that was written to is not read: %s", st.Class)
	}
	rep, err := fsck.Run(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rep.Faults, func(f fsck.Fault) bool { return f.Check == fsck.CheckSigner && f.ID == dec }) {
		t.Errorf("faults %v, want an unknown signer", rep.Faults)
	}
}

func BenchmarkVerify(b *testing.B) {
	l, _ := signedStore(b)
	dec := do(b, l, grammar.Op{Verb: "add", Kind: "decision", Title: "Mend it"})
	do(b, l, grammar.Op{Verb: "accept", ID: string(dec)})
	r := record(b, l, dec)
	b.ReportAllocs()
	for b.Loop() {
		if fault, err := l.Signatures().FaultOf(b.Context(), r); cmp.Or(err, fault) != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignedRead judges 10,000 signed decisions, when none was verified
// before and when all were.
func BenchmarkSignedRead(b *testing.B) {
	l, repo := signedStore(b)
	res, err := l.Edit(b.Context(), func(tx *ledger.Tx) error {
		for i := range 10_000 {
			r, _, err := tx.Do(grammar.Op{Verb: "add", Kind: "decision", Title: fmt.Sprintf("Decide %d", i), New: true})
			if err == nil {
				_, _, err = tx.Do(grammar.Op{Verb: "accept", ID: string(r.ID)})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(res.Changed) != 10_000 {
		b.Fatal(err)
	}
	_ = l.Close()
	memory := filepath.Join(repo.Dir, ".git", "ctx", "signatures")
	for _, known := range []bool{false, true} {
		b.Run(fmt.Sprintf("remembered=%v", known), func(b *testing.B) {
			for b.Loop() {
				if !known {
					b.StopTimer()
					_ = os.Remove(memory)
					b.StartTimer()
				}
				l := open(b, repo, records.Human)
				v := view(b, l)
				j, err := l.EvalContext(b.Context(), v)
				if err != nil {
					b.Fatal(err)
				}
				counts, err := v.Counts(j)
				if err != nil || counts[records.Asserted] != 10_000 {
					b.Fatal(counts, err)
				}
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
