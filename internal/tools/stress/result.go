package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const failuresShown = 10

// result gathers what happened in one scenario.
type result struct {
	name      string
	took      time.Duration
	reachable int // of the acknowledged writes, in the end

	mu         sync.Mutex
	acked      []acknowledged
	runs       map[string]int // of each neighbour and reader
	neighbours map[string]string
	failures   []string
}

func (r *result) acknowledge(a acknowledged) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acked = append(r.acked, a)
}

func (r *result) writes() []acknowledged {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.acked)
}

func (r *result) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[what]++
}

// neighbour returns where a neighbour ref was left, after setting it unless to is "".
func (r *result) neighbour(ref, to string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if to != "" {
		if r.neighbours == nil {
			r.neighbours = make(map[string]string)
		}
		r.neighbours[ref] = to
	}
	return r.neighbours[ref]
}

func (r *result) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// print writes the closing line, after what failed, and reports whether all was well.
func (r *result) print() bool {
	for i, f := range r.failures {
		if i == failuresShown {
			fmt.Printf("  and %d more\n", len(r.failures)-i)
			break
		}
		fmt.Println("  " + f)
	}
	var runs []string
	for _, what := range slices.Sorted(maps.Keys(r.runs)) {
		runs = append(runs, fmt.Sprintf("%d %s", r.runs[what], what))
	}
	verdict := "ok"
	if len(r.failures) > 0 {
		verdict = "FAILED"
	}
	fmt.Printf("%s %s: %d writes acknowledged, %d reachable, beside %s; %d failures, %s\n", verdict, r.name,
		len(r.acked), r.reachable, strings.Join(runs, ", "), len(r.failures), r.took.Round(time.Second))
	return len(r.failures) == 0
}
