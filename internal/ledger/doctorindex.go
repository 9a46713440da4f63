package ledger

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
)

// index opens the index of every context branch that has one. A damaged one
// heals as it is opened; those of branches that are gone are removed with fix.
func (p *patient) index(ctx context.Context) (Finding, error) {
	dir := filepath.Join(p.l.scopeDir(p.l.repo.CommonDir()), "index")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return healthy("none yet; the first read makes it")
	}
	if err != nil {
		return Finding{}, err
	}
	var gone []string
	for _, e := range entries {
		branch, err := url.PathUnescape(e.Name())
		if err != nil {
			branch = e.Name()
		}
		if _, err := p.l.repo.Ref(ctx, p.l.HeadRefs()+branch); errors.Is(err, gitstore.ErrRefNotFound) {
			gone = append(gone, e.Name())
			continue
		}
		if f, err := p.openIndex(ctx, branch); err != nil || f.Result != HealthOK {
			return f, err
		}
	}
	switch {
	case len(gone) == 0:
		return healthy("%d usable", len(entries))
	case !p.fix:
		return Finding{Result: HealthWarn, Detail: "branches are gone whose index is still there: " + gone[0], Fix: "git ctx doctor --fix"}, nil
	}
	for _, name := range gone {
		if err := index.Remove(filepath.Join(dir, name)); err != nil {
			return Finding{}, err
		}
	}
	return Finding{Result: HealthOK, Detail: fmt.Sprintf("%d usable", len(entries)-len(gone)), Fixed: fmt.Sprintf("%d of branches that are gone removed", len(gone))}, nil
}

func (p *patient) openIndex(ctx context.Context, branch string) (Finding, error) {
	db, err := p.l.index(branch)
	if err == nil {
		var snap *index.Snap
		if snap, err = db.Begin(ctx); err == nil {
			_, err = snap.Counts()
			err = errors.Join(err, snap.Close())
		}
	}
	if errors.Is(err, index.ErrUnavailable) {
		return Finding{Result: HealthWarn, Detail: err.Error() + "; git is read instead, which is slower",
			Fix: "see that " + p.l.indexDir(branch) + " can be written"}, nil
	}
	return Finding{Result: HealthOK}, err
}
