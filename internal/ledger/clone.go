package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// CloneKey tells this clone from all others, without telling where it is. Two
// machines may well have the same worktree path, and so the same session; a
// copied directory has the same file, and on another machine another name.
func (l *Ledger) CloneKey(create bool) (string, error) {
	file := filepath.Join(l.repo.CommonDir(), "ctx", "clone")
	id, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		if !create {
			return "", nil
		}
		b, err := l.random(8)
		if err != nil {
			return "", err
		}
		id = []byte(hex.EncodeToString(b) + "\n")
		if err := gitstore.WriteFile(file, id); err != nil { // the writers' lock is held: nobody else makes it
			return "", fmt.Errorf("name this clone: %w", err)
		}
	} else if err != nil {
		return "", fmt.Errorf("read this clone's name: %w", err)
	}
	host, _ := os.Hostname() // without one, the file alone must do
	sum := sha256.Sum256([]byte(host + "\x00" + strings.TrimSpace(string(id))))
	return hex.EncodeToString(sum[:6]), nil
}
