package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// maxInPlay bounds the changed files that say what a session works on: beyond
// it a rebase or a mass rename is under way, and the files say nothing.
const maxInPlay = 50

// InPlay is what this session and worktree work on, as far as it shows.
type InPlay struct {
	// Task and Goal are @task and, without a task, @goal; nil when neither is known.
	Task, Goal *records.Record
	Branch     string   // code branch; "" when HEAD is detached
	Paths      []string // files that differ from HEAD, from the top, sorted
	// Notes say how these were found, or why not.
	Notes []string
}

// CurrentWork finds the record this session works on: @task, else @goal.
func CurrentWork(l *ledger.Ledger, v records.View) *InPlay {
	w := &InPlay{}
	for _, c := range []struct {
		name string
		to   **records.Record
	}{{"@task", &w.Task}, {"@goal", &w.Goal}} {
		r, err := l.Find(v, c.name)
		var amb *ledger.AmbiguousError
		switch {
		case err == nil:
			*c.to = r
			w.Notes = append(w.Notes, fmt.Sprintf("the %s is this session's %s", r.Kind, c.name))
			return w
		case errors.As(err, &amb):
			w.Notes = append(w.Notes, fmt.Sprintf("no %s assumed: %d records could be %s", strings.TrimPrefix(c.name, "@"), len(amb.Candidates), c.name))
			return w
		}
	}
	return w
}

// CodeInPlay fills in the code branch and, with files, the files that differ
// from HEAD. A bare repository has none.
func CodeInPlay(ctx context.Context, l *ledger.Ledger, w *InPlay, files bool) error {
	branch, head, err := l.Repo().Head(ctx)
	if err != nil {
		return err
	}
	w.Branch = branch
	if !files || l.Repo().WorkTree() == "" || head == "" {
		return nil
	}
	out, err := l.Repo().Git(ctx, nil, "diff", "--name-only", "-z", "--no-relative", "--no-renames", "--ignore-submodules=dirty", "HEAD", "--")
	if err != nil {
		return fmt.Errorf("find the changed files: %w", err)
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			w.Paths = append(w.Paths, name)
		}
	}
	slices.Sort(w.Paths)
	switch n := len(w.Paths); {
	case n > maxInPlay:
		w.Paths = nil
		w.Notes = append(w.Notes, fmt.Sprintf("the changed files are left aside: there are %d", n))
	case n > 0:
		w.Notes = append(w.Notes, "the paths are the files that differ from HEAD")
	}
	return nil
}
