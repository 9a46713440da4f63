package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// inEditor lets the user change text in git's editor, and hands what is left
// without comment lines to use. Where that fails, the text stays in its file
// and the error names it.
func (e *Env) inEditor(ctx context.Context, text []byte, use func([]byte) error) error {
	if _, err := e.ledger(ctx); err != nil {
		return err
	}
	file := filepath.Join(e.repo.GitDir(), "ctx", "EDIT_RECORD")
	if err := keepOld(file); err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("write the text to edit: %w", err)
	}
	if err := e.runEditor(ctx, file); err != nil {
		return err
	}
	edited, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the edited text: %w", err)
	}
	stripped, above := withoutComments(edited)
	if err := use(stripped); err != nil {
		if errors.Is(err, errNo) {
			return errors.Join(err, os.Remove(file))
		}
		var at *records.SyntaxError
		if errors.As(err, &at) && at.Line > 0 {
			at.Path, at.Line = filepath.Base(file), at.Line+above
		}
		if kept := keepWithoutSecrets(file, err); kept != nil {
			return errors.Join(err, kept)
		}
		if _, gone := os.Stat(file); gone != nil {
			return err
		}
		return &hintedError{err, strings.Join(append(hints(err), "your text is kept in "+file), "\n")}
	}
	return os.Remove(file)
}

// keepOld sets the text of an earlier edit that failed aside once more, so
// that a new one does not overwrite it.
func keepOld(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("make a place for the text to edit: %w", err)
	}
	if err := os.Rename(file, file+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("keep the text of an earlier edit: %w", err)
	}
	return nil
}

// runEditor opens a file in the editor that git would use, as git does.
func (e *Env) runEditor(ctx context.Context, file string) error {
	out, err := e.repo.Git(ctx, nil, "var", "GIT_EDITOR")
	if err != nil {
		return fmt.Errorf("find the editor: %w", err)
	}
	editor := strings.TrimSpace(string(out))
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file)
	cmd.Env = e.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Stdin, e.Stderr, e.Stderr
	if e.StdoutTTY {
		cmd.Stdout = e.unheld()
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("editor '%s': %w", editor, err)
	}
	return nil
}

// withoutComments drops the lines that start with '#', and tells how many
// stood above the first other one.
func withoutComments(text []byte) (stripped []byte, above int) {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		if line[0] == '#' {
			if b.Len() == 0 {
				above++
			}
			continue
		}
		b.Write(line)
	}
	return b.Bytes(), above
}
