package records

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// whole is a hypothesis with every field that kind has, in canonical form.
const whole = `id: hyp-7k3m9q2x4w
kind: hypothesis
title: Cache stampedes cause the p99 spikes
body: |
  Every deploy empties the cache,
  and then:

  	go test ./...
verdict:
  state: refuted
  of: 5b1e7a0c93d2
  reason: p99 unchanged with a warm cache
  cites:
    - ev-9f2c4d7a1b
  despite:
    - id: dec-4k2p9x0000
      state: accepted
      of: 9b1e7a0c93d2
  by: Ada Example
  actor: human
  at: 2026-11-30T10:12:31Z
  n: 8f3k2m
also:
  - state: refuted
    of: 5b1e7a0c93d2
    actor: agent/claude-code
    at: 2026-11-30T10:12:32Z
    n: 8f3k2n
conflicts:
  - field: confidence
    bases:
      - 0.5
    sides:
      - 0.75
      - null
  - field: x-team
    sides:
      - a: 1
        b:
          - - true
            - "true"
          - []
          - {}
      - |
        two
        lines
impact: 1
cost: 0
tags:
  - latency
  - p99
links:
  about:
    - task-2m8w3k5r7t
  relates-to:
    - ev-9f2c4d7a1b
    - goal-2m8w3k5r7t
paths:
  - "**/*.go"
  - internal/cache/**
anchors:
  - path: internal/cache/lru.go
    lines: 40-58
    sha256: 77ab5b1e7a0c93d25b1e7a0c93d25b1e7a0c93d25b1e7a0c93d25b1e7a0c93d2
    blob: 3fe15b1e7a0c93d25b1e7a0c93d25b1e7a0c93d2
    commit: 9c0d5b1e7a0c93d25b1e7a0c93d25b1e7a0c93d2
files:
  - name: trace.json
    sha256: 77ab5b1e7a0c93d25b1e7a0c93d25b1e7a0c93d25b1e7a0c93d25b1e7a0c93d2
    size: 4096
valid:
  from: 2026-11-01T00:00:00Z
  until: 2027-11-01T00:00:00Z
origin:
  system: beads
  keys:
    - bd-12
  digest: 77ab5b1e
created:
  by: Ada Example
  actor: agent/claude-code
  at: 2026-11-30T09:00:00Z
unknown-key: 2026-11-30
x-note: "1.0"
x-num: 1.0
`

const wholePath = "records/hypothesis/7/k/hyp-7k3m9q2x4w.ctx.yaml"

func mustParse(t testing.TB, s string) *Record {
	t.Helper()
	r, err := Parse("", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCanonicalFormSurvives(t *testing.T) {
	r, err := Parse(wholePath, []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Format(r)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != whole {
		t.Errorf("format(parse(b)) differs from b:\n%s", got)
	}
	if !Canonical([]byte(whole)) {
		t.Error("Canonical(b) is false")
	}
	back, err := FromFields(wholePath, r.Fields())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, r) {
		t.Errorf("FromFields(Fields(r)) differs from r")
	}
	if err := r.Check(); err != nil {
		t.Errorf("Check: %v", err)
	}
}

func TestFormatStyles(t *testing.T) {
	for text, want := range map[string]string{
		"":                           `""`,
		"a plain title":              `a plain title`,
		"5b1e7a0c93d2":               `5b1e7a0c93d2`,
		"40-58":                      `40-58`,
		"*/5 * * * *":                `"*/5 * * * *"`,
		"null":                       `"null"`,
		"Yes":                        `"Yes"`,
		"~":                          `"~"`,
		"1.0":                        `"1.0"`,
		"12e4567890":                 `"12e4567890"`,
		"0x1f":                       `"0x1f"`,
		".inf":                       `".inf"`,
		"12:30:45":                   `"12:30:45"`,
		"2026-11-30":                 `"2026-11-30"`,
		"- x":                        `"- x"`,
		"# x":                        `"# x"`,
		"x # y":                      `"x # y"`,
		"x#y":                        `x#y`,
		"a: b":                       `"a: b"`,
		"a:":                         `"a:"`,
		"a:b":                        `a:b`,
		" lead":                      `" lead"`,
		"trail ":                     `"trail "`,
		"tab\tbed":                   `"tab\tbed"`,
		"a\rb":                       `"a\rb"`,
		"say \"x\" \\":               `say "x" \`,
		"\"quoted\"":                 `"\"quoted\""`,
		"<<":                         `"<<"`,
		"---":                        `"---"`,
		"...":                        `"..."`,
		"line\u2028sep":              `"line\u2028sep"`,
		"bidi\u202eoverride":         `"bidi\u202Eoverride"`,
		"\U000e0041":                 `"\U000E0041"`,
		"\u00e9t\u00e9":              "\u00e9t\u00e9",
		"e\u0301":                    "\u00e9",
		"\U0001f468\u200d\U0001f469": "\U0001f468\u200d\U0001f469",
		"one\n":                      "|\n  one",
		"one\n\n  two":               "|-\n  one\n\n    two",
		"one\n\n":                    "|+\n  one\n",
		"\none":                      `"\none"`,
		" one\ntwo":                  `" one\ntwo"`,
		"one\r\ntwo":                 `"one\r\ntwo"`,
		"one  \n   \ntwo":            "|-\n  one  \n     \n  two",
	} {
		if got := FormatValue(NewText(text)); got != want {
			t.Errorf("FormatValue(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestEveryRecordSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		data, err := Format(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("", data)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, r) {
			t.Fatalf("parse(format(r)) differs from r:\n%s", data)
		}
		again, err := FromFields("", r.Fields())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("FromFields(Fields(r)) differs from r: %v", err)
		}
		if !reflect.DeepEqual(r.Clone(), r) {
			t.Fatal("clone differs")
		}
		if !Canonical(data) || Canonical(append([]byte("\n"), data...)) {
			t.Fatal("Canonical is wrong")
		}
		var m map[string]any
		js, err := json.Marshal(r)
		if err != nil || json.Unmarshal(js, &m) != nil {
			t.Fatalf("JSON: %v: %s", err, js)
		}
		if m["body"] != nil && m["body"] != r.Body && r.Body != "" && !strings.ContainsRune(r.Body, '\ufffd') {
			t.Fatalf("JSON body is %q", m["body"])
		}
	})
}

func TestFormatMakesCanonical(t *testing.T) {
	r := mustParse(t, whole)
	want := r.Digest()
	messy := r.Clone()
	messy.Conflicts, messy.Also = nil, nil
	messy.Tags = []string{"p99", "latency", "p99"}
	messy.Paths = []string{"internal/cache/**", "**/*.go"}
	messy.Links[RelatesTo] = []ID{"goal-2m8w3k5r7t", "ev-9f2c4d7a1b", "goal-2m8w3k5r7t"}
	messy.Valid.From = messy.Valid.From.In(time.FixedZone("", 3600))
	messy.Verdict.Reason = "changed"
	messy.Extra[0], messy.Extra[2] = messy.Extra[2], messy.Extra[0]
	if got := messy.Digest(); got != want {
		t.Errorf("the digest depends on order, verdict, also, conflicts or zone: %s, want %s", got, want)
	}
	data, err := Format(messy)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("tags:\n  - latency\n  - p99\nlinks:")) {
		t.Errorf("tags not sorted:\n%s", data)
	}
	tagged := r.Clone()
	tagged.Tags = nil
	if tagged.Digest() != want {
		t.Error("the digest covers tags")
	}
	rebased := mustParse(t, whole)
	rebased.Anchors[0].Commit = "1111111111111111111111111111111111111111"
	if rebased.Digest() != want {
		t.Error("the digest covers the commit of an anchor")
	}
}

func TestDigestCoversContent(t *testing.T) {
	base := mustParse(t, whole)
	seen := map[string]string{base.Digest(): "the record"}
	for name, change := range map[string]func(*Record){
		"title":   func(r *Record) { r.Title += "x" },
		"body":    func(r *Record) { r.Body += "x" },
		"impact":  func(r *Record) { *r.Impact = 99 },
		"links":   func(r *Record) { r.Links[About] = nil },
		"paths":   func(r *Record) { r.Paths = r.Paths[:1] },
		"anchors": func(r *Record) { r.Anchors[0].Lines = "40-59" },
		"valid":   func(r *Record) { r.Valid.Until = time.Time{} },
		"origin":  func(r *Record) { r.Origin.Key += "x" },
		"created": func(r *Record) { r.Created.By = "" },
		"extra":   func(r *Record) { r.Extra[0].Value.Text = "2026-12-01" },
	} {
		r := base.Clone()
		change(r)
		if other, ok := seen[r.Digest()]; ok {
			t.Errorf("changing %s gives the digest of %s", name, other)
		}
		seen[r.Digest()] = name
	}
	if d := mustParse(t, whole).Digest(); seen[d] != "the record" || len(d) != 12 {
		t.Error("a clone shares memory with its original")
	}
}

func TestJSONKeepsKeysAndOrder(t *testing.T) {
	r := mustParse(t, whole)
	js, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, f := range r.Fields() {
		i := bytes.Index(js, []byte(`"`+f.Name+`":`))
		if i <= at {
			t.Errorf("key %s is missing or out of order", f.Name)
		}
		at = i
	}
	for _, want := range []string{
		`"title":"Cache stampedes cause the p99 spikes"`, `"impact":1,`, `"x-num":1.0`, `"x-note":"1.0"`,
		`{"field":"confidence","bases":[0.5],"sides":[0.75,null]}`, `"at":"2026-11-30T09:00:00Z"`,
	} {
		if !bytes.Contains(js, []byte(want)) {
			t.Errorf("JSON lacks %s:\n%s", want, js)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(wholePath, []byte(whole)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	r := mustParse(b, whole)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Format(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	r := mustParse(b, whole)
	b.ReportAllocs()
	for b.Loop() {
		r.Digest()
	}
}
