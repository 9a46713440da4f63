package purge

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// keyReceived is the setting that lets machines drop what was purged elsewhere.
const keyReceived = "ctx.purgeReceived"

// confirmedFile lists the blobs, one a line, that somebody purged here or, purged
// elsewhere, confirmed here. Without it a person is asked again.
func confirmedFile(l *ledger.Ledger) string {
	return filepath.Join(l.Repo().CommonDir(), "ctx", "purged")
}

func confirmed(l *ledger.Ledger) ([]gitstore.OID, error) {
	data, err := os.ReadFile(confirmedFile(l))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var oids []gitstore.OID
	for _, line := range strings.Fields(string(data)) {
		oids = append(oids, gitstore.OID(line))
	}
	return oids, nil
}

// confirm adds blobs to those that may be dropped here whoever brings them back.
func confirm(l *ledger.Ledger, blobs []gitstore.OID) error {
	have, err := confirmed(l)
	if err != nil {
		return err
	}
	all := append(have, blobs...)
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == len(have) {
		return nil
	}
	var b strings.Builder
	for _, oid := range all {
		b.WriteString(string(oid) + "\n")
	}
	return gitstore.WriteFile(confirmedFile(l), []byte(b.String()))
}

// waiting returns the records of which a receipt lists what is here, and may not
// be dropped yet: it came from elsewhere, its commit proves nothing, and no
// person here confirmed it.
func waiting(ctx context.Context, l *ledger.Ledger, sound ledger.Receipts) ([]records.ID, error) {
	if len(sound) == 0 {
		return nil, nil
	}
	switch how, ok, err := l.Repo().Config(ctx, keyReceived); {
	case err != nil:
		return nil, err
	case ok && how == "auto":
		return nil, nil
	case ok && how != "ask":
		return nil, &gitstore.ConfigError{Key: keyReceived, Value: how, Want: "ask or auto", Usual: "ask"}
	}
	if signed, err := l.AsksSignature(ctx); err != nil || signed {
		return nil, err // what is sound is signed
	}
	known, err := confirmed(l)
	if err != nil {
		return nil, err
	}
	present, err := l.Repo().Present(ctx, sound.Blobs())
	if err != nil {
		return nil, err
	}
	var ids []records.ID
	for _, id := range sound.IDs() {
		if slices.ContainsFunc(sound[id].Blobs, func(b string) bool {
			return slices.Contains(present, gitstore.OID(b)) && !slices.Contains(known, gitstore.OID(b))
		}) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
