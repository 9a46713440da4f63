package ui

import (
	"context"
	"io"
)

// Stoppable ends its reads with context.Canceled once Stop is closed.
type Stoppable struct {
	In   io.Reader
	Stop <-chan struct{}
}

func (s *Stoppable) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() { // one that is never answered ends with the process
		data := make([]byte, len(p))
		n, err := s.In.Read(data)
		done <- result{data[:n], err}
	}()
	select {
	case r := <-done:
		return copy(p, r.data), r.err
	case <-s.Stop:
		return 0, context.Canceled
	}
}
