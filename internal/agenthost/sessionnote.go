package agenthost

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
)

// A session's notes are what was done in it once, such as telling it of a file's
// decisions. Each is a file of its own, so that of two processes one is the first.

func noteFile(l *ledger.Ledger, name string) string {
	return filepath.Join(l.Repo().GitDir(), "ctx", "sessions", fmt.Sprintf("%s.%s.json", l.SessionKey(), name))
}

// FirstNote leaves a note in the session, unless it has one of that name. It
// reports whether it left one, which of several callers at once only one does.
func FirstNote(l *ledger.Ledger, name, text string) (bool, error) {
	path := noteFile(l, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return false, gitstore.WriteFailure(path, err)
	}
	data, err := json.Marshal(text)
	if err != nil {
		return false, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		_, err = f.Write(append(data, '\n'))
		err = errors.Join(err, f.Close())
	}
	return err == nil, gitstore.WriteFailure(path, err)
}

// SetNote leaves a note in the session, in place of the one of that name.
func SetNote(l *ledger.Ledger, name, text string) error {
	data, err := json.Marshal(text)
	if err != nil {
		return err
	}
	return gitstore.WriteFile(noteFile(l, name), append(data, '\n'))
}

// Note returns a note of the session; false when there is none.
func Note(l *ledger.Ledger, name string) (string, bool) {
	data, err := regfile.Read(noteFile(l, name))
	if err != nil {
		return "", false
	}
	var text string
	_ = json.Unmarshal(data, &text) // one that is half written is there, and says nothing
	return text, true
}

// DropNote takes a note out of the session.
func DropNote(l *ledger.Ledger, name string) error {
	if err := os.Remove(noteFile(l, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
