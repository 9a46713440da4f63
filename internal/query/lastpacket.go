package query

import (
	"encoding/json"
	"path/filepath"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

// A LastPacket is the snapshot that this session's last packet was made of.
type LastPacket struct {
	ledger.Snapshot
	Branch string // the context branch
	Review records.Review
	// Goal, Task and Trigger are what the packet was about.
	Goal, Task, Trigger records.ID
	// Elsewhere are the records that other branches had ruled out.
	Elsewhere []records.ID
}

// lastPacketFile stands beside the session's own file, so that a packet and a write
// at the same time lose nothing of each other.
func lastPacketFile(l *ledger.Ledger) string {
	return filepath.Join(l.Repo().GitDir(), "ctx", "sessions", l.SessionKey()+".packet.json")
}

// LastPacket returns what the session remembers of its last packet; false when
// there is none, or none that can be read.
func LoadLastPacket(l *ledger.Ledger) (LastPacket, bool) {
	var m LastPacket
	data, err := regfile.Read(lastPacketFile(l))
	if err != nil || json.Unmarshal(data, &m) != nil || m.Commit == "" {
		return LastPacket{}, false
	}
	return m, true
}

// SaveLastPacket remembers a packet for the session's next one. Where it cannot be
// written the next packet is a whole one, or tells some changes again.
func SaveLastPacket(l *ledger.Ledger, m LastPacket) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return gitstore.WriteFile(lastPacketFile(l), append(data, '\n'))
}
