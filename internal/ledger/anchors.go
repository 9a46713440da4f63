package ledger

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// A citedFile is what an anchor's PATH[:A-B] was read to be. The error is for the
// op that names it to return, at the place where that op is applied.
type citedFile struct {
	anchor records.Anchor
	err    error
}

// anchorsOf lists the anchors that ops name.
func anchorsOf(ops []grammar.Op) []string {
	var specs []string
	for _, op := range ops {
		specs = append(specs, op.Anchors...)
	}
	return specs
}

// cite reads the files that anchors name. It runs before the writers' lock is taken:
// a file may be large or slow to read, and git runs the project's filters on it.
func (l *Ledger) cite(ctx context.Context, specs []string) (map[string]citedFile, error) {
	cited := make(map[string]citedFile, len(specs))
	for _, spec := range specs {
		if _, ok := cited[spec]; ok {
			continue
		}
		anchor, err := codelink.NewAnchor(ctx, l.repo, spec)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cited[spec] = citedFile{anchor, err}
	}
	return cited, nil
}

// anchor returns what an anchor was read to be before the edit.
func (tx *Tx) anchor(spec string) (records.Anchor, error) {
	c, ok := tx.cited[spec]
	if !ok {
		return records.Anchor{}, fmt.Errorf("anchor '%s': the edit was not told of it before it took the lock", spec)
	}
	return c.anchor, c.err
}

// movedTo is the anchor to make of one whose cited lines moved, "" where they did not.
func (l *Ledger) movedTo(c codelink.Check) string {
	if c.State != codelink.Moved {
		return ""
	}
	spec := filepath.Join(l.repo.WorkTree(), filepath.FromSlash(c.Path))
	if c.Lines != "" {
		spec += ":" + c.Lines
	}
	return spec
}
