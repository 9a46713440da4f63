package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// reflogAsked is how many entries of a reflog are asked for where it is not a file.
const reflogAsked = 256

// Reflog returns the values that a ref had by its reflog, newest first. They are
// told too where their objects are missing.
func (r *Repo) Reflog(ctx context.Context, ref string) ([]OID, error) {
	var words []string
	if r.refFormat == refFormatFiles {
		data, err := os.ReadFile(filepath.Join(r.commonDir, "logs", filepath.FromSlash(ref)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the reflog of '%s': %w", ref, err)
		}
		for line := range strings.Lines(string(data)) {
			if old, rest, ok := strings.Cut(line, " "); ok {
				now, _, _ := strings.Cut(rest, " ")
				words = append(words, old, now)
			}
		}
		slices.Reverse(words)
	} else {
		args := []string{"rev-parse"}
		for i := range reflogAsked {
			args = append(args, fmt.Sprintf("%s@{%d}", ref, i))
		}
		out, err := r.Git(ctx, nil, args...) // it answers up to the first that is not there
		if ctx.Err() != nil {
			return nil, err
		}
		words = strings.Fields(string(out))
	}
	var oids []OID
	for _, w := range words {
		if oid := OID(w); validOID(r.objectFormat, w) && !oid.IsZero() && !slices.Contains(oids, oid) {
			oids = append(oids, oid)
		}
	}
	return oids, nil
}
