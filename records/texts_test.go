package records_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

const textsFile = `id: rb-7k3m9q2x4w
kind: runbook
title: the title
body: |
  the body
  of two lines
type: procedure
when: the when
signals:
  - one signal
preconditions:
  - one precondition
steps:
  - id: s1
    do: the do
    verify: the verify
escalation: the escalation
verdict:
  state: draft
  reason: the reason
  by: Ada Example
  actor: human
  at: 2026-11-30T10:12:31Z
  n: 8f3k2m
tags:
  - one-tag
paths:
  - one/path/**
anchors:
  - path: an/anchor.go
    sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
origin:
  system: the-system
  keys:
    - the-key
created:
  by: Ada Example
  actor: human
  at: 2026-11-30T09:00:00Z
x-api-key:
  inner:
    - an extra value
`

func TestTexts(t *testing.T) {
	r, err := records.Parse("", []byte(textsFile))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for field, text := range r.Texts() {
		got = append(got, field+"|"+strings.ReplaceAll(text, "\n", "/"))
	}
	want := []string{
		"title|the title", "body|the body/of two lines/", "when|the when", "signals|one signal", "preconditions|one precondition",
		"steps.do|the do", "steps.verify|the verify", "escalation|the escalation", "verdict.reason|the reason", "tags|one-tag",
		"paths|one/path/**", "anchors.path|an/anchor.go", "origin.system|the-system", "origin.keys|the-key",
		"x-api-key|inner: an extra value",
	}
	if !slices.Equal(got, want) {
		t.Errorf("texts are\n%q\nwant\n%q", got, want)
	}
	for field := range r.Texts() { // a caller may stop anywhere
		if field == "signals" {
			break
		}
	}
}

// The sides of a conflict are texts; what programs wrote beside them is none.
func TestTextsOfConflicts(t *testing.T) {
	const file = `id: hyp-7k3m9q2x4w
kind: hypothesis
title: the title
conflicts:
  - field: body
    bases:
      - the base
    sides:
      - our side
      - their side
  - field: verdict
    bases: []
    sides:
      - state: proposed
        reason: our reason
        by: Ada Example
        actor: human
        at: 2026-11-30T10:12:31Z
        n: 8f3k2m
      - state: refuted
        of: 5b1e7a0c93d2
        reason: their reason
        cites:
          - ev-9f2c4d7a1b
        by: Ada Example
        actor: human
        at: 2026-11-30T10:12:32Z
        n: 8f3k2n
        after: 8f3k2q
created:
  by: Ada Example
  actor: human
  at: 2026-11-30T09:00:00Z
`
	r, err := records.Parse("", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for field, text := range r.Texts() {
		got = append(got, field+"|"+text)
	}
	want := []string{"title|the title", "body|the base", "body|our side", "body|their side", "verdict|our reason", "verdict|their reason"}
	if !slices.Equal(got, want) {
		t.Errorf("texts are\n%q\nwant\n%q", got, want)
	}
}
