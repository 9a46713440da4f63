package index

import (
	"errors"
	"fmt"
	"os"
)

const (
	modeCreate = "mode=rwc"
	// synchronous: SQLite syncs when it moves its log into the database, so
	// that a power cut cannot leave a database that answers wrongly.
	synchronous = "NORMAL"
	// buildCache is the page cache for a build, in KiB.
	buildCache = 16 << 10
	// The text index merges its parts as it grows, over and over. A build does
	// it once, at the end: left to later, it would all fall on one update.
	mergeLater = "INSERT INTO search (search, rank) VALUES ('automerge', 0), ('crisismerge', 1999);"
	mergeNow   = "INSERT INTO search (search) VALUES ('optimize'); INSERT INTO search (search, rank) VALUES ('automerge', 4), ('crisismerge', 64);"
)

// create makes an empty database nobody knows of yet, on a connection that is
// fast because a crash may leave anything: only finish makes a database of it.
func create(dir, gen string) (*conn, error) {
	c, err := dial(databasePath(dir, gen), gen, modeCreate,
		fmt.Sprintf("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-%d; BEGIN; %s %s",
			buildCache, schema, mergeLater))
	if err != nil {
		discard(dir, gen)
		return nil, fmt.Errorf("make index: %w", err)
	}
	return c, nil
}

// finish completes a database made by create: it closes the connection and
// sees to it that all of the file is on disk before anybody relies on it.
func (c *conn) finish(dir string) error {
	err := c.script(fmt.Sprintf("%s %s PRAGMA user_version=%d; COMMIT; PRAGMA locking_mode=NORMAL; PRAGMA journal_mode=WAL;",
		indexes, mergeNow, version()))
	if cerr := c.close(); err == nil {
		err = fault(cerr)
	}
	if err == nil {
		err = syncFile(databasePath(dir, c.gen))
	}
	if err != nil {
		discard(dir, c.gen)
		return fmt.Errorf("make index: %w", err)
	}
	return nil
}

// syncFile must not be used on a database that is open: closing any file of it
// would drop the locks that SQLite holds.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return unavailable(err)
	}
	return nil
}
