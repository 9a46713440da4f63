package records

import (
	"strings"
	"testing"
)

// What is left of a forgotten record tells its text to who has it, and holds no word of it.
func TestForget(t *testing.T) {
	r := verdictOn("hyp-0000000003", Hypothesis, Refuted)
	r.Created = Created{By: "Ada Example", Actor: Human, At: noon}
	r.Title, r.Body, r.Tags, r.Paths = "Ada's number is 5", "secret body", []string{"secret-tag"}, []string{"secret/**"}
	r.Origin = &Origin{System: "secret", Key: "secret", Digest: "secret"}
	r.Links = map[Relation][]ID{About: {"task-0000000004"}}
	r.Verdict.Reason, r.Verdict.Cites = "secret reason", []ID{"ev-0000000005"}
	if data, err := Format(r); err != nil || !strings.Contains(string(data), "secret") {
		t.Fatalf("the test has nothing to forget: %v", err)
	}
	gone := r.Forget(Tombstone{Salt: "s1", Reason: "private", By: "Ada Example", Actor: Human, At: noon}, "000000")
	data, err := Format(gone)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"secret", "number", "task-", "ev-", "of:"} {
		if strings.Contains(string(data), word) {
			t.Errorf("it still holds %q:\n%s", word, data)
		}
	}
	if gone.State() != Refuted || gone.Verdict.N != r.Verdict.N || gone.Created != r.Created {
		t.Errorf("state, nonce or creation changed:\n%s", data)
	}
	if !gone.Recalls(Normalize("ADAs  number, is 5!")) || gone.Recalls(Normalize("Ada's number is 6")) || gone.Recalls("") {
		t.Error("it does not tell the forgotten text from others")
	}
	other := r.Forget(Tombstone{Salt: "s2"}, "")
	if other.Tombstone.Fingerprint == gone.Tombstone.Fingerprint {
		t.Error("two salts give one fingerprint")
	}
	disputed := r.Clone()
	disputed.Title, disputed.Verdict = "", nil
	if d := disputed.Forget(Tombstone{Salt: "s"}, "8f3k2m"); d.State() != Proposed || d.Verdict.N != "8f3k2m" || d.Recalls("") {
		t.Errorf("a disputed record leaves %+v", d)
	}
}

func TestLikeness(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		alike bool
	}{
		{"Cache stampedes cause the p99 spikes", "Cache stampede causes p99 spikes", true},
		{"Cache stampedes cause the p99 spikes", "The p99 spikes are caused by cache stampedes", true},
		{"The disk is slow", "Disk is slow", true},
		{"Use Redis for sessions", "Use Redis for the session store", true},
		{"The disk is slow", "The network is slow", false},
		{"Use Postgres for the queue", "Use MySQL for the queue", false},
		{"Migrate step 1", "Migrate step 2", false},
		{"Phase one", "Phase two", false},
		{"...", "...", false},
	} {
		if n := Likeness(c.a, c.b); (n >= NearlyAlike) != c.alike || n != Likeness(c.b, c.a) {
			t.Errorf("%q and %q are %d%% alike, and %d%% the other way", c.a, c.b, n, Likeness(c.b, c.a))
		}
	}
	if n := Likeness("The disk is slow", "the disk, IS slow"); n != 100 {
		t.Errorf("one text is %d%% alike itself", n)
	}
}
