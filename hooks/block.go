package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The lines that enclose ours in a file that others write too. The second form
// of the first tells that the line before it did not end with a line feed.
const (
	blockStart   = "# >>> git ctx >>>\n"
	blockGlued   = "# >>> git ctx (after a line without an end) >>>\n"
	blockEnd     = "# <<< git ctx <<<\n"
	blockCreated = "# This file was made by git ctx.\n"
)

// marks are the lines that enclose ours, as comments of a file's language.
type marks struct{ start, glued, end string }

func shellMarks() marks { return marks{blockStart, blockGlued, blockEnd} }

func markdownMarks() marks {
	comment := func(line string) string {
		return "<!-- " + strings.TrimSuffix(strings.TrimPrefix(line, "# "), "\n") + " -->\n"
	}
	return marks{comment(blockStart), comment(blockGlued), comment(blockEnd)}
}

// find returns where our lines begin and end, markers included, and what is
// between the markers. A begin without an end is no block.
func (m marks) find(text string) (from, to int, body string, ok bool) {
	for _, start := range []string{m.start, m.glued} {
		i := strings.Index("\n"+text, "\n"+start)
		if i < 0 {
			continue
		}
		rest := text[i+len(start):]
		j := strings.Index("\n"+rest, "\n"+m.end)
		if j < 0 {
			continue
		}
		from, to = i, i+len(start)+j+len(m.end)
		if start == m.glued {
			from-- // the line feed that we added
		}
		return from, to, rest[:j], true
	}
	return 0, 0, "", false
}

// with puts body into text at an offset, or in place of the body that is there.
func (m marks) with(text, body string, at int) string {
	if _, to, old, ok := m.find(text); ok {
		end := to - len(m.end)
		return text[:end-len(old)] + body + text[end:]
	}
	start := m.start
	if at > 0 && text[at-1] != '\n' {
		start = "\n" + m.glued
	}
	return text[:at] + start + body + m.end + text[at:]
}

// without takes our lines out again.
func (m marks) without(text string) string {
	if from, to, _, ok := m.find(text); ok {
		return text[:from] + text[to:]
	}
	return text
}

func findBlock(text string) (from, to int, body string, ok bool) { return shellMarks().find(text) }
func withBlock(text, body string, at int) string                 { return shellMarks().with(text, body, at) }
func withoutBlock(text string) string                            { return shellMarks().without(text) }

// readText reads a file; absent is not there.
func readText(path string) (text string, there bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // core.hooksPath may be /dev/null
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
