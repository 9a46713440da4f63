package ledger

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
)

// An IndexCheck says whether the index of a context branch can be used.
type IndexCheck struct {
	Branch string
	Dir    string
	Gone   bool  // there is an index, and no such branch
	Err    error // why it cannot be used; git is read instead, which is slower
}

// CheckIndexes opens the index of every context branch that has one. A damaged
// one heals as it is opened.
func (l *Ledger) CheckIndexes(ctx context.Context) ([]IndexCheck, error) {
	top := filepath.Dir(l.indexDir("any"))
	dirs, err := os.ReadDir(top)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	checks := make([]IndexCheck, len(dirs))
	for i, d := range dirs {
		branch, err := url.PathUnescape(d.Name())
		if err != nil {
			branch = d.Name()
		}
		checks[i] = IndexCheck{Branch: branch, Dir: filepath.Join(top, d.Name())}
		if _, err := l.repo.Ref(ctx, l.HeadRefs()+branch); errors.Is(err, gitstore.ErrRefNotFound) {
			checks[i].Gone = true
			continue
		}
		checks[i].Err = l.tryIndex(ctx, branch)
		if checks[i].Err != nil && !errors.Is(checks[i].Err, index.ErrUnavailable) {
			return nil, checks[i].Err
		}
	}
	return checks, nil
}

func (l *Ledger) tryIndex(ctx context.Context, branch string) error {
	db, err := l.index(branch)
	if err != nil {
		return err
	}
	snap, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = snap.Counts()
	return errors.Join(err, snap.Close())
}

// RemoveIndex removes the index of a branch that is gone.
func (l *Ledger) RemoveIndex(c IndexCheck) error { return index.Remove(c.Dir) }
