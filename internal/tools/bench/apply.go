package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

const (
	fewOps, manyOps = 1000, 4000
	applyRatio      = 6 // at most; a batch of four times the ops that takes 16 times as long is quadratic
)

// benchApply measures how the time of a batch grows with its ops. One that
// grows out of proportion is an error.
func (s *shop) benchApply() error {
	var few, many []time.Duration
	for range 3 {
		for _, size := range []struct {
			ops  int
			took *[]time.Duration
		}{{fewOps, &few}, {manyOps, &many}} {
			took, err := s.applyOnce(size.ops)
			if err != nil {
				return err
			}
			*size.took = append(*size.took, took)
		}
	}
	ratio := float64(slices.Min(many)) / float64(slices.Min(few))
	fmt.Printf("\napply of %d ops takes %s, %.1f times that of %d (at most %d)\n", manyOps, round(slices.Min(many)), ratio, fewOps, applyRatio)
	if ratio > applyRatio {
		return fmt.Errorf("apply: %d ops take %.1f times as long as %d, not %d at most", manyOps, ratio, fewOps, applyRatio)
	}
	return nil
}

// applyOnce applies a batch of new records without links, each of which asks
// what the session works on.
func (s *shop) applyOnce(n int) (time.Duration, error) {
	ops := make([]map[string]any, n)
	for i := range ops {
		s.serial++
		ops[i] = map[string]any{"verb": "add", "kind": "hypothesis", "title": fmt.Sprintf("Claim %d of a batch", s.serial)}
	}
	batch, err := json.Marshal(ops)
	if err != nil {
		return 0, err
	}
	return clock(func() error { return s.exec(batch, s.bin, "apply", "-") })
}
