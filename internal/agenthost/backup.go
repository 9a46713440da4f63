package agenthost

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-ctx/git-ctx/internal/install"
)

// A backup is what a file was before git ctx wrote to it.
type backup struct {
	Path   string `json:"path"`
	There  bool   `json:"there"` // whether there was a file
	Before []byte `json:"before"`
	After  string `json:"after"` // the digest of what was written
}

// holds reports whether a text is the one that was written.
func (b backup) holds(text string) bool { return b.After == digest(text) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (o Options) backupFile(path string) string {
	return filepath.Join(o.Backups, digest(path)[:16]+".json")
}

// backup returns what is kept of a file; false when nothing is that can be read.
func (o Options) backup(path string) (backup, bool) {
	var b backup
	data, err := os.ReadFile(o.backupFile(path))
	if err != nil || json.Unmarshal(data, &b) != nil || b.Path != path {
		return backup{}, false
	}
	return b, true
}

func (o Options) saveBackup(path string, there bool, before, after string) error {
	data, err := json.Marshal(backup{path, there, []byte(before), digest(after)})
	if err != nil {
		return err
	}
	return install.ReplaceFile(o.backupFile(path), string(data)+"\n", 0o600)
}

func (o Options) dropBackup(path string) error {
	if err := os.Remove(o.backupFile(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
