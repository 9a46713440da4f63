package ledger

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/git-ctx/git-ctx/records"
)

// A Mark is the reading that this session's last packet was made of.
type Mark struct {
	Then
	Branch string // the context branch
	Review records.Review
	// Goal, Task and Trigger are what the packet was about.
	Goal, Task, Trigger records.ID
	// Elsewhere are the records that other branches had ruled out.
	Elsewhere []records.ID
}

// markFile stands beside the session's own file, so that a packet and a write
// at the same time lose nothing of each other.
func (l *Ledger) markFile() string {
	return filepath.Join(l.repo.GitDir(), "ctx", "sessions", l.SessionKey()+".packet.json")
}

// PacketMark returns the mark that the session's last packet left; false when
// there is none, or none that can be read.
func (l *Ledger) PacketMark() (Mark, bool) {
	var m Mark
	data, err := os.ReadFile(l.markFile())
	if err != nil || json.Unmarshal(data, &m) != nil || m.Commit == "" {
		return Mark{}, false
	}
	return m, true
}

// SetPacketMark leaves a mark for the session's next packet. Where it cannot be
// written the next packet is a whole one, or tells some changes again.
func (l *Ledger) SetPacketMark(m Mark) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return WriteFile(l.markFile(), append(data, '\n'))
}
