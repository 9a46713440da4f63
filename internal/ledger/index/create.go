package index

import "fmt"

const (
	modeCreate = "mode=rwc"
	// synchronous: SQLite syncs when it moves its log into the database, so
	// that a power cut cannot leave a database that answers wrongly.
	synchronous = "NORMAL"
	// buildCache is the page cache for a build, in KiB.
	buildCache = 16 << 10
	// The text index merges its parts as it grows: a third of a build's time,
	// for which updates have time later.
	mergeLater = "INSERT INTO search (search, rank) VALUES ('automerge', 0);"
	mergeAgain = "INSERT INTO search (search, rank) VALUES ('automerge', 4);"
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

// finish completes a database made by create and closes the connection.
func (c *conn) finish() error {
	err := c.script(fmt.Sprintf("%s %s PRAGMA user_version=%d; COMMIT; PRAGMA locking_mode=NORMAL; PRAGMA journal_mode=WAL;",
		indexes, mergeAgain, version()))
	if cerr := c.close(); err == nil {
		err = fault(cerr)
	}
	if err != nil {
		return fmt.Errorf("make index: %w", err)
	}
	return nil
}
