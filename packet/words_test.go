package packet

import (
	"slices"
	"testing"
)

func TestWordsFoldToOneForm(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"cache Caches CACHED caching", []string{"cach", "cach", "cach", "cach"}},
		{"retry retries retried", []string{"retry", "retry", "retry"}},
		{"running stopped", []string{"run", "stop"}},
		{"bus class analysis string", []string{"bus", "class", "analysis", "string"}},
		{"max_chars a p99", []string{"max", "char", "p99"}},
		{"\u00c4ra\u017eas \u6f22\u5b57", []string{"\u00e4ra\u017ea", "\u6f22", "\u5b57"}},
	} {
		var got []string
		n := eachWord(tt.in, nil, func(w []byte) { got = append(got, string(w)) })
		if !slices.Equal(got, tt.want) || n != len(got) {
			t.Errorf("words of %q: %d %q, want %q", tt.in, n, got, tt.want)
		}
	}
}

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
