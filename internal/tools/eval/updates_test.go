package main

import (
	"maps"
	"slices"
	"testing"
)

// TestUpdatesAreFound among the nearest records, and few writes are told of something in vain.
func TestUpdatesAreFound(t *testing.T) {
	us, err := readUpdates(updatesText)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLife(1, 1000)
	if err != nil {
		t.Fatal(err)
	}
	r := reconcile(slices.Collect(maps.Values(l.main)), us)
	if r.updates != 40 || r.idle != 60 {
		t.Fatalf("%+v: the file has other statements", r)
	}
	if r.near < 28 || r.passed < 12 || r.idleNoted > 12 {
		t.Errorf("%+v: want at least 28 near, 12 of them behind the gate, at most 12 told in vain", r)
	}
}
