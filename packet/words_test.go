package packet

import "testing"

func TestStopWordsAreNoTerms(t *testing.T) {
	q := newQuery("why is the cache of that")
	if len(q.terms) != 1 || !q.has("caches") || q.has("the") || q.has("") {
		t.Errorf("terms %v, want the cache alone", q.terms)
	}
}

func TestPathsOverlap(t *testing.T) {
	for _, tt := range []struct {
		file, glob string
		want       float64
	}{
		{"internal/cache/lru.go", "internal/cache/**", belowMatch},
		{"internal/cache/lru.go", "internal/cache/lru.go", exactMatch},
		{"internal/cache/lru.go", "**/*.go", unboundMatch},
		{"internal/cache/lru.go", "internal/**/*.md", 0},
		{"internal/cache/", "internal/cache/*.go", belowMatch},
		{"internal", "internal/cache/lru.go", exactMatch},
		{"intern", "internal/cache/lru.go", 0},
		{".", "web/**", belowMatch},
	} {
		r := rec(decID, "accepted", "t", paths(tt.glob))
		if got := newPathMatcher([]string{tt.file}).overlap(r); got != tt.want {
			t.Errorf("%s with %s: %v, want %v", tt.glob, tt.file, got, tt.want)
		}
	}
}
