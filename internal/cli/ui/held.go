package ui

import "io"

// heldAtMost is how many bytes of an answer wait before it is let through.
const heldAtMost = 1 << 20

// A Held keeps an answer back until the command has ended, as long as it is
// small, so that one that turns out wrong can be dropped unseen.
type Held struct {
	Out     io.Writer
	Through bool // nothing is kept any more
	kept    []byte
}

func (h *Held) Write(b []byte) (int, error) {
	if !h.Through && len(h.kept)+len(b) <= heldAtMost {
		h.kept = append(h.kept, b...)
		return len(b), nil
	}
	if err := h.Flush(); err != nil {
		return 0, err
	}
	h.Through = true
	return h.Out.Write(b)
}

// Drop forgets the answer; false when some of it is out already.
func (h *Held) Drop() bool {
	h.kept = nil
	return !h.Through
}

// Flush lets through what is kept.
func (h *Held) Flush() error {
	if len(h.kept) == 0 {
		return nil
	}
	_, err := h.Out.Write(h.kept)
	h.kept = nil
	return err
}

// Release lets through what is kept and all that comes, and returns where it goes.
func (h *Held) Release() io.Writer {
	_ = h.Flush() // where this fails, so does the next write
	h.Through = true
	return h.Out
}
