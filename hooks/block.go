package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The lines that enclose ours in a file that others write too. The second form
// of the first tells that the line before it did not end with a line feed.
const (
	blockStart   = "# >>> git ctx >>>\n"
	blockGlued   = "# >>> git ctx (after a line without an end) >>>\n"
	blockEnd     = "# <<< git ctx <<<\n"
	blockCreated = "# This file was made by git ctx.\n"
)

// findBlock returns where our lines begin and end, markers included, and what
// is between the markers. A begin without an end is no block.
func findBlock(text string) (from, to int, body string, ok bool) {
	for _, start := range []string{blockStart, blockGlued} {
		i := strings.Index("\n"+text, "\n"+start)
		if i < 0 {
			continue
		}
		rest := text[i+len(start):]
		j := strings.Index("\n"+rest, "\n"+blockEnd)
		if j < 0 {
			continue
		}
		from, to = i, i+len(start)+j+len(blockEnd)
		if start == blockGlued {
			from-- // the line feed that we added
		}
		return from, to, rest[:j], true
	}
	return 0, 0, "", false
}

// withBlock puts body into text at an offset, or in place of the body that is there.
func withBlock(text, body string, at int) string {
	if _, to, old, ok := findBlock(text); ok {
		end := to - len(blockEnd)
		return text[:end-len(old)] + body + text[end:]
	}
	start := blockStart
	if at > 0 && text[at-1] != '\n' {
		start = "\n" + blockGlued
	}
	return text[:at] + start + body + blockEnd + text[at:]
}

// withoutBlock takes our lines out again.
func withoutBlock(text string) string {
	if from, to, _, ok := findBlock(text); ok {
		return text[:from] + text[to:]
	}
	return text
}

// readText reads a file; absent is not there.
func readText(path string) (text string, there bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(data), err == nil, err
}

// replaceFile puts text in a file's place at once, so that no git reads half of
// it. The mode is that of the file that was there, or mode less the umask.
func replaceFile(path, text string, mode os.FileMode) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".git-ctx-%016x", rand.Uint64()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if info, statErr := os.Stat(path); statErr == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	_, writeErr := f.WriteString(text)
	if err = errors.Join(err, writeErr, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}
