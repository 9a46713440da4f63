package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/install"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
)

const (
	taskTrailer     = "Ctx-Task"
	decisionTrailer = "Ctx-Decision"
)

// prepareMessage adds trailers for the work in hand to the message of a new commit.
func prepareMessage(ctx context.Context, led *ledger.Ledger, c *Call) error {
	source := c.arg(1)
	if c.arg(0) == "" || source == "merge" || source == "commit" || inSequence(led.Repo().GitDir()) {
		return nil // a merge is no one's task; the others have the message of a commit that was made
	}
	m, err := openMessage(ctx, led.Repo(), c.arg(0))
	if err != nil {
		return err
	}
	if _, err := m.kept(); err != nil { // of a commit that was given up
		return err
	}
	for _, auto := range []string{"fixup!", "squash!", "amend!"} {
		if strings.HasPrefix(m.text, auto) {
			return nil // it becomes part of another commit, which has its own
		}
	}
	rd, err := query.Read(ctx, led, query.Clocks{})
	if err != nil {
		return err
	}
	work, err := query.WorkInHand(ctx, rd)
	if err != nil || work.Task == "" {
		return err
	}
	there := codelink.RecordsNamed(string(m.written()))
	var trailers []string
	if !slices.ContainsFunc(there, func(n codelink.NamedRecord) bool { return n.Key == taskTrailer }) {
		trailers = append(trailers, taskTrailer+": "+string(work.Task))
	}
	for _, id := range work.Decisions {
		if !slices.ContainsFunc(there, func(n codelink.NamedRecord) bool {
			return n.Key == decisionTrailer && strings.HasPrefix(string(id), n.Name)
		}) {
			trailers = append(trailers, decisionTrailer+": "+string(id))
		}
	}
	if len(trailers) == 0 {
		return nil
	}
	if err := m.add(ctx, trailers); err != nil {
		return err
	}
	if source == "message" || source == "squash" {
		return nil // there is a text already
	}
	return m.keep()
}

// judgeMessage looks for secrets in a commit on the context. It takes our trailers
// out of a message that nobody wrote anything into, so that git finds it as empty,
// or as like its template, as it is.
func judgeMessage(ctx context.Context, led *ledger.Ledger, c *Call) error {
	if c.arg(0) == "" {
		return nil
	}
	m, err := openMessage(ctx, led.Repo(), c.arg(0))
	if err != nil {
		return err
	}
	if err := refuseSecrets(ctx, led, c, m); err != nil {
		return err
	}
	prepared, err := m.kept()
	if err != nil || prepared == nil {
		return err
	}
	if !bytes.Equal(prepared, m.written()) && len(bytes.TrimSpace(withoutOurs(m.written()))) > 0 {
		return nil
	}
	return os.WriteFile(m.file, withoutOurs([]byte(m.text)), 0o666)
}

// inSequence reports whether a rebase, cherry-pick or the like is under way,
// which makes commits of ones that were made before.
func inSequence(gitDir string) bool {
	return slices.ContainsFunc([]string{"rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_HEAD"}, func(name string) bool {
		return install.Exists(filepath.Join(gitDir, name))
	})
}

// A message is the file in which git has a commit's message written.
type message struct {
	repo *gitstore.Repo
	file string
	text string
	// comment begins the lines that git takes out of it.
	comment string
}

func openMessage(ctx context.Context, repo *gitstore.Repo, file string) (*message, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(repo.Dir(), file)
	}
	m := &message{repo: repo, file: file, comment: "#"}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the message: %w", err)
	}
	m.text = string(data)
	for _, key := range []string{"core.commentChar", "core.commentString"} {
		value, ok, err := repo.Config(ctx, key)
		if err != nil {
			return nil, err
		}
		if ok && value != "auto" && value != "" {
			m.comment = value
		}
	}
	return m, nil
}

// written is what of the message git keeps: what stands over the scissors of
// commit.verbose, without comments and blank lines at the ends.
func (m *message) written() []byte {
	var out []byte
	for line := range strings.Lines(m.text) {
		if strings.HasPrefix(line, m.comment+" ------------------------ >8 ------------------------") {
			break
		}
		if !strings.HasPrefix(line, m.comment) {
			out = append(out, line...)
		}
	}
	return bytes.TrimSpace(out)
}

// add puts trailers where git interpret-trailers does. Trailers that the user's
// configuration makes by a command are not added with them.
func (m *message) add(ctx context.Context, trailers []string) error {
	keys, err := m.repo.ConfigKeys(ctx, "trailer.")
	if err != nil {
		return err
	}
	var args []string
	for _, key := range keys {
		if token, ok := strings.CutSuffix(key, ".command"); ok {
			args = append(args, "-c", token+".ifExists=doNothing", "-c", token+".ifMissing=doNothing")
		} else if token, ok := strings.CutSuffix(key, ".cmd"); ok {
			args = append(args, "-c", token+".ifExists=doNothing", "-c", token+".ifMissing=doNothing")
		}
	}
	args = append(args, "interpret-trailers", "--no-divider", "--where", "end", "--if-exists", "addIfDifferent", "--if-missing", "add")
	for _, t := range trailers {
		args = append(args, "--trailer", t)
	}
	out, err := m.repo.Git(ctx, strings.NewReader(m.text), args...)
	if err != nil {
		return fmt.Errorf("add trailers to the message: %w", err)
	}
	m.text = string(out)
	return os.WriteFile(m.file, out, 0o666)
}

// preparedFile holds what an editor was opened with, until its message is judged.
func (m *message) preparedFile() string { return filepath.Join(m.repo.GitDir(), "ctx", "message") }

func (m *message) keep() error {
	if err := os.MkdirAll(filepath.Dir(m.preparedFile()), 0o777); err != nil {
		return err
	}
	return os.WriteFile(m.preparedFile(), m.written(), 0o666)
}

// kept returns what keep kept, once; nil when that was nothing.
func (m *message) kept() ([]byte, error) {
	data, err := os.ReadFile(m.preparedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return data, os.Remove(m.preparedFile())
}

// withoutOurs takes the lines of our trailers out of a message.
func withoutOurs(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte(taskTrailer+": ")) && !bytes.HasPrefix(line, []byte(decisionTrailer+": ")) {
			out = append(out, line...)
		}
	}
	return out
}
