package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// The test binary started with childVar set works on the index in childDir
// instead of testing.
const (
	childVar = "INDEX_TEST_CHILD"
	childDir = "INDEX_TEST_DIR"
)

func TestMain(m *testing.M) {
	var err error
	switch dir := os.Getenv(childDir); os.Getenv(childVar) {
	case "":
		os.Exit(m.Run())
	case "count":
		err = countUp(dir, 25)
	case "forever":
		err = countUp(dir, 1<<30)
	case "rebuild":
		for err == nil {
			err = rebuild(dir)
		}
	case "read":
		err = readOnly(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(t *testing.T, dir, what string) *exec.Cmd {
	cmd := exec.Command(must(os.Executable()))
	cmd.Env = append(os.Environ(), childVar+"="+what, childDir+"="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// crowd is the number of records whose titles name the commit they belong to.
const crowd = 40

// stateOf returns the record files of the n-th commit.
func stateOf(n int) []Change {
	var cs []Change
	for i := range crowd {
		r := rec(records.ID(fmt.Sprintf("dec-%010d", i)), records.Accepted, fmt.Sprint("at ", n), func(r *records.Record) {
			r.Question, r.Body = fmt.Sprint("q ", n, i), strings.Repeat("words of some length\n", 20)
		})
		cs = append(cs, Change{Path: records.IDPath(r.ID), OID: fmt.Sprint(n), Data: must(records.Format(r))})
	}
	return cs
}

// holds reads the commit held and checks that the records, rows, lookups and
// texts are all of that commit.
func holds(db *DB) (n int, err error) {
	s, err := db.Begin(context.Background())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.Commit() == "" {
		if s.Len() > 0 {
			return 0, fmt.Errorf("%d records at no commit", s.Len())
		}
		return 0, nil
	}
	if n, err = strconv.Atoi(s.Commit()); err != nil {
		return 0, err
	}
	want := fmt.Sprint("at ", n)
	seen := 0
	for r := range s.All() {
		seen++
		if r.Title != want {
			return n, fmt.Errorf("record %s is '%s' in commit %d", r.ID, r.Title, n)
		}
	}
	for r, err := range s.Rows(Query{Classes: []records.Class{records.Asserted}}) {
		seen++
		if err != nil || r.Title != want {
			return n, fmt.Errorf("row %s is '%s' in commit %d: %v", r.ID, r.Title, n, err)
		}
	}
	hits, err := s.Search(fmt.Sprintf("%q", want), Query{})
	seen += len(hits) + len(s.Titled(records.Decision, want))
	for i := range crowd {
		seen += len(s.OnQuestion(records.QuestionKey(fmt.Sprint("q ", n, i))))
	}
	if err == nil && s.Err() == nil && seen != 5*crowd {
		err = fmt.Errorf("commit %d: found %d of %d", n, seen, 5*crowd)
	}
	return n, errors.Join(err, s.Err())
}

// countUp moves the index a commit further some times, whoever else does.
func countUp(dir string, times int) error {
	db, err := Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	for done := 0; done < times; {
		n, err := holds(db)
		if err != nil {
			return err
		}
		from := ""
		if n > 0 {
			from = fmt.Sprint(n)
		}
		switch err := db.Update(context.Background(), from, Head{Commit: fmt.Sprint(n + 1)}, records.ReviewAny, sequence(stateOf(n+1))); {
		case err == nil:
			done++
		case !errors.Is(err, ErrMoved):
			return err
		}
	}
	return nil
}

// rebuild builds the index of the next commit from nothing.
func rebuild(dir string) error {
	db, err := Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	n, err := holds(db)
	if err != nil {
		return err
	}
	if err := db.Reset(); err != nil {
		return err
	}
	return db.Update(context.Background(), "", Head{Commit: fmt.Sprint(n + 1)}, records.ReviewAny, sequence(stateOf(n+1)))
}

// Processes that update one index at once lose no update, and none ever sees
// half of one.
func TestProcessesShareAnIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "main")
	var cmds []*exec.Cmd
	for range 4 {
		cmds = append(cmds, child(t, dir, "count"))
	}
	for _, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	db, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Databases made at the same moment may each have had their first commit
	// before one of them stood, so that a few counts happen twice.
	if n, err := holds(db); err != nil || n < 100-4 || n > 100 {
		t.Errorf("after 100 updates the index holds commit %d, %v", n, err)
	}
}

// A process killed at any moment leaves the index as it was before or after
// what it was doing.
func TestKilledProcessLeavesAWholeIndex(t *testing.T) {
	for _, what := range []string{"forever", "rebuild"} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "main")
			last := 0
			for n := 0; n < 8 || last == 0 && n < 20; n++ { // a busy machine needs more time for the first update
				cmd := child(t, dir, what)
				time.Sleep(time.Duration((n/8+1)*(40+rand.IntN(120))) * time.Millisecond)
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Wait(); cmd.ProcessState.Exited() {
					t.Fatalf("it ended before it was killed: %v", err)
				}
				db, err := Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				n, err := holds(db)
				if err != nil || n < last && what == "forever" {
					t.Fatalf("after commit %d: %d, %v", last, n, err)
				}
				last = max(n, last)
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if last == 0 {
				t.Error("no update was ever done")
			}
			if err := countUp(dir, 1); err != nil {
				t.Errorf("the next update: %v", err)
			}
		})
	}
}

// readOnly checks what a user may do who may only read.
func readOnly(dir string) error {
	db, err := Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	if n, err := holds(db); err != nil || n != 1 {
		return fmt.Errorf("it holds %d: %w", n, err)
	}
	if err := db.Update(context.Background(), "1", Head{Commit: "2"}, records.ReviewAny, sequence(nil)); !errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("update: %w", err)
	}
	if _, err := Open(filepath.Join(filepath.Dir(dir), "other")); !errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("make another: %w", err)
	}
	return nil
}
