package purge

import (
	"slices"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// Whatever somebody wrote into a record is looked for after its purge, fields that
// only a newer version knows included; what is too
// short to tell is not, nor are names of code.
func TestTextLinesOfEveryField(t *testing.T) {
	r, err := records.Parse("", []byte(`id: ev-7k3m9q2x4w
kind: evidence
title: The title is long enough
verdict:
  state: recorded
  actor: human
  at: 2026-11-30T10:12:31Z
  n: 8f3k2m
tags:
  - a-tag-that-is-long-enough
  - short
paths:
  - a/path/long/enough/**
created:
  actor: human
  at: 2026-11-30T09:00:00Z
x-note: a custom value long enough
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"The title is long enough", "a custom value long enough", "a-tag-that-is-long-enough"}
	got := textLines(r)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("lines are %q, want %q", got, want)
	}
}
