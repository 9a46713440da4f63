package index

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/atomicfile"
)

// A database is never replaced under its name: SQLite keeps its log and its
// locks in files beside it, found by name, and those of a process that still
// has the old one open would be taken for the new one's. So each database made
// has a name of its own, its generation, and a pointer file, replaced by
// rename, says which one stands.
const (
	pointerName = "current"
	dbSuffix    = ".db"
	genLength   = 16 // hexadecimal digits
	// stale is the age at which a file that nothing points to is debris. A
	// database being built is younger.
	stale = time.Hour
)

func databasePath(dir, gen string) string { return filepath.Join(dir, gen+dbSuffix) }

// readPointer returns the generation that stands, "" for none.
func readPointer(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, pointerName))
	switch gen := strings.TrimSuffix(string(data), "\n"); {
	case err == nil && isGen(gen):
		return gen, nil
	case err == nil, missing(err):
		return "", nil
	default:
		return "", unavailable(err)
	}
}

// missing reports whether a file is not there. A file where the directory
// belongs comes to the same.
func missing(err error) bool {
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	var pe *os.PathError
	if !errors.As(err, &pe) {
		return false
	}
	info, serr := os.Stat(filepath.Dir(pe.Path))
	return serr == nil && !info.IsDir()
}

func isGen(s string) bool {
	_, err := hex.DecodeString(s)
	return len(s) == genLength && err == nil
}

func newGen() string {
	var b [genLength / 2]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// replace puts an empty database in the place of generation old, unless
// another process was faster.
func replace(dir, old string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		if err := os.Remove(dir); err != nil {
			return unavailable(err)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return unavailable(err)
	}
	if now, err := readPointer(dir); err != nil || now != old {
		return err
	}
	gen := newGen()
	c, err := create(dir, gen)
	if err != nil {
		return err
	}
	if err := c.finish(dir); err != nil {
		return err
	}
	_, err = publish(dir, gen, old)
	return err
}

// publish makes gen stand in the place of old, and reports whether old still
// stood; if not, gen is deleted.
func publish(dir, gen, old string) (bool, error) {
	now, err := readPointer(dir)
	if err != nil || now != old {
		discard(dir, gen)
		return false, err
	}
	if err := atomicfile.Replace(filepath.Join(dir, pointerName), []byte(gen+"\n"), atomicfile.Options{Perm: 0o666}); err != nil {
		discard(dir, gen)
		return false, unavailable(err)
	}
	if old != "" {
		discard(dir, old)
	}
	sweep(dir, gen)
	return true, nil
}

// discard deletes a generation. Whoever has it open goes on with it and
// notices at the next use; what cannot be deleted is swept another time.
func discard(dir, gen string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_ = os.Remove(databasePath(dir, gen) + suffix)
	}
}

// sweep deletes what killed processes left behind.
func sweep(dir, gen string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // debris costs space only
	}
	for _, e := range entries {
		if e.Name() == pointerName || strings.HasPrefix(e.Name(), gen) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }
