package index

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// Whatever happens to its files, an index either answers as before or says so
// and is empty the next time, ready to be built anew.
func TestDamageHeals(t *testing.T) {
	database := func(dir string) string {
		return databasePath(dir, must(readPointer(dir)))
	}
	overwrite := func(at int64, with []byte) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			f := must(os.OpenFile(database(dir), os.O_WRONLY, 0))
			defer f.Close()
			if at < 0 {
				at += must(f.Stat()).Size()
			}
			if _, err := f.WriteAt(with, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	resize := func(size func(int64) int64) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Truncate(database(dir), size(must(os.Stat(database(dir))).Size())); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(path func(dir string) string, data string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(path(dir), []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	pointer := func(dir string) string { return filepath.Join(dir, pointerName) }
	sql := func(script string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			c := must(connect(dir, must(readPointer(dir))))
			if err := c.script(script); err != nil {
				t.Fatal(err)
			}
			if err := c.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	garbage := make([]byte, 5000)
	for i := range garbage {
		garbage[i] = byte(i*7 + i>>8)
	}
	for name, damage := range map[string]func(t *testing.T, dir string){
		"none":              func(*testing.T, string) {},
		"empty":             resize(func(int64) int64 { return 0 }),
		"cut in the header": resize(func(int64) int64 { return 50 }),
		"cut in the middle": resize(func(n int64) int64 { return n / 2 }),
		"last page cut":     resize(func(n int64) int64 { return n - 4096 }),
		"garbage header":    overwrite(0, garbage),
		"garbage page":      overwrite(8192, garbage),
		"garbage end":       overwrite(-5000, garbage),
		"zero page":         overwrite(4096, make([]byte, 4096)),
		"not a database":    write(database, "this is not a database, but long enough to have the header of one, and then some more of it\n"),
		"old version":       sql("PRAGMA user_version=7"),
		"no table":          sql("DROP TABLE lookups"),
		"no meta row":       sql("DELETE FROM meta"),
		"wrong types":       sql("UPDATE contents SET data = 7; UPDATE records SET title = x'00'"),
		"other record":      sql("UPDATE contents SET data = (SELECT data FROM contents c WHERE c.rec <> contents.rec LIMIT 1)"),
		"no file":           func(t *testing.T, dir string) { discard(dir, must(readPointer(dir))) },
		"no pointer":        func(t *testing.T, dir string) { _ = os.Remove(pointer(dir)) },
		"bad pointer":       write(pointer, "../../elsewhere\n"),
		"pointer to none":   write(pointer, "0123456789abcdef\n"),
		"a file instead": func(t *testing.T, dir string) {
			if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, []byte("x"), 0o666)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "main")
			if err := countUp(dir, 1); err != nil {
				t.Fatal(err)
			}
			damage(t, dir)
			hurt := false
			for try := 0; ; try++ {
				n, err := use(dir)
				if n == 1 && err == nil {
					break
				}
				hurt = true
				if err != nil && !errors.Is(err, ErrUnavailable) {
					t.Fatalf("use %d: %v", try, err)
				}
				if try == 2 {
					t.Fatalf("not healed: %v", err)
				}
			}
			if hurt == (name == "none") && name != "garbage end" { // the end may be free space
				t.Errorf("hurt: %v", hurt)
			}
		})
	}
}

// use reads an index, and builds it if it is empty, as a reader does.
func use(dir string) (int, error) {
	db, err := Open(dir)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	n, err := holds(db)
	if n == 0 && err == nil {
		return 0, db.Update(background, "", Head{Commit: "1"}, records.ReviewAny, sequence(stateOf(1)))
	}
	return n, err
}

// An index that is removed under an open one is made anew by it.
func TestRemove(t *testing.T) {
	db := open(t)
	if err := db.Update(background, "", Head{Commit: "c1"}, records.ReviewAny, changes(t, rec("task-000000000a", records.Todo, "A"))); err != nil {
		t.Fatal(err)
	}
	for range 2 { // nothing there is no error
		if err := Remove(db.dir); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(db.dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("it is still there: %v", err)
	}
	s := begin(t, db)
	if s.Commit() != "" {
		t.Errorf("it still holds %s", s.Commit())
	}
	end(t, s)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Begin(background); !errors.Is(err, ErrUnavailable) {
		t.Errorf("begin on a closed index: %v", err)
	}
}
