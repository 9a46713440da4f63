package ledger

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// FileChanges yields the record files that differ between two trees.
func (l *Ledger) FileChanges(ctx context.Context, from, to gitstore.OID) iter.Seq2[index.Change, error] {
	return func(yield func(index.Change, error) bool) {
		var gone, differ []index.Change
		err := l.repo.DiffTrees(ctx, from, to, func(path string, _, oid gitstore.OID) error {
			switch c := (index.Change{Path: path, OID: string(oid)}); {
			case !strings.HasPrefix(path, records.RecordsDir+"/"):
			case oid == "":
				gone = append(gone, c)
			default:
				differ = append(differ, c)
			}
			return nil
		})
		for _, c := range gone {
			if err == nil && !yield(c, nil) {
				return
			}
		}
		if err == nil {
			err = l.contents(ctx, differ, yield)
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(index.Change{}, err)
		}
	}
}

func (l *Ledger) contents(ctx context.Context, cs []index.Change, yield func(index.Change, error) bool) error {
	oids := make([]gitstore.OID, len(cs))
	for i, c := range cs {
		oids[i] = gitstore.OID(c.OID)
	}
	return l.readBlobs(ctx, oids, func(i int, data []byte) error {
		if data == nil {
			data = []byte{}
		}
		if !yield(index.Change{Path: cs[i].Path, OID: cs[i].OID, Data: data}, nil) {
			return errEnough
		}
		return nil
	})
}

func (l *Ledger) readBlobs(ctx context.Context, oids []gitstore.OID, fn func(i int, data []byte) error) error {
	if len(oids) > fewBlobs {
		return l.repo.ReadBlobs(ctx, oids, fn)
	}
	for i, oid := range oids {
		data, err := l.repo.ReadBlob(ctx, oid)
		if err != nil {
			return err
		}
		if err := fn(i, data); err != nil {
			return err
		}
	}
	return nil
}
