package cli

import "io"

// heldAtMost is how many bytes of an answer wait before it is let through.
const heldAtMost = 1 << 20

// A held keeps an answer back until the command has ended, as long as it is
// small, so that one that turns out wrong can be dropped unseen.
type held struct {
	w       io.Writer
	through bool // nothing is kept any more
	kept    []byte
}

func (h *held) Write(b []byte) (int, error) {
	if !h.through && len(h.kept)+len(b) <= heldAtMost {
		h.kept = append(h.kept, b...)
		return len(b), nil
	}
	if err := h.flush(); err != nil {
		return 0, err
	}
	h.through = true
	return h.w.Write(b)
}

// drop forgets the answer; false when some of it is out already.
func (h *held) drop() bool {
	h.kept = nil
	return !h.through
}

// flush lets through what is kept.
func (h *held) flush() error {
	if len(h.kept) == 0 {
		return nil
	}
	_, err := h.w.Write(h.kept)
	h.kept = nil
	return err
}
