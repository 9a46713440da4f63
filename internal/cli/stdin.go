package cli

import (
	"context"
	"io"
)

// input is standard input for what reads it whole: a read that waits for more
// ends when the command is told to stop.
func (e *Env) input() io.Reader { return &stoppable{e.Stdin, e.stop} }

// stoppable ends its reads with context.Canceled once stop is closed.
type stoppable struct {
	r    io.Reader
	stop <-chan struct{}
}

func (s *stoppable) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() { // one that is never answered ends with the process
		data := make([]byte, len(p))
		n, err := s.r.Read(data)
		done <- result{data[:n], err}
	}()
	select {
	case r := <-done:
		return copy(p, r.data), r.err
	case <-s.stop:
		return 0, context.Canceled
	}
}
