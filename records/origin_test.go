package records

import (
	"slices"
	"strings"
	"testing"
)

// An origin keeps its first key first; a single one is read as it was written
// before, and neither other keys nor the digest are what a verdict judged.
func TestOriginKeys(t *testing.T) {
	const file = "id: task-2m8w3k5r7t\nkind: task\ntitle: T\nverdict:\n  state: todo\n  actor: human\n  at: 2026-01-01T00:00:00Z\n  n: 8f3k2m\norigin:\n  system: adr\n  keys:\n    - b\n    - a\n    - c\n  digest: d1\ncreated:\n  actor: human\n  at: 2026-01-01T00:00:00Z\n"
	r, err := Parse(IDPath("task-2m8w3k5r7t"), []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := Format(r); err != nil || string(out) != file {
		t.Errorf("written as %s, %v", out, err)
	}
	if r.Origin.Key != "b" || !slices.Equal(r.Origin.Keys(), []string{"b", "a", "c"}) || !r.Origin.Has("c") || r.Origin.Has("d") {
		t.Errorf("keys %v", r.Origin.Keys())
	}
	one := strings.Replace(file, "keys:\n    - b\n    - a\n    - c", "key: b", 1)
	old, err := Parse(IDPath("task-2m8w3k5r7t"), []byte(one))
	if err != nil || old.Origin.Key != "b" || len(old.Origin.Also) > 0 {
		t.Fatalf("one key: %+v, %v", old, err)
	}
	was := old.Digest()
	old.Origin = old.Origin.Renamed("d", "d2")
	if old.Digest() != was || !slices.Equal(old.Origin.Keys(), []string{"b", "d"}) {
		t.Errorf("renamed: %v, digest %s, was %s", old.Origin.Keys(), old.Digest(), was)
	}
	old.Origin.Key = "e"
	if old.Digest() == was {
		t.Error("another first key has the same digest")
	}
	if _, err := Parse(IDPath("task-2m8w3k5r7t"), []byte(strings.Replace(one, "  key: b\n", "", 1))); err == nil || !strings.Contains(err.Error(), "missing keys in origin") {
		t.Errorf("without a key: %v", err)
	}
}
