package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	purgeCommits = 5000
	purgeEvery   = 10 // commits between two edits of the record to be purged
	purgeWord    = "zebrafinch"
)

// benchPurge purges one record that was edited over thousands of commits, and
// looks for its word in every object and file of the repository.
func (s *shop) benchPurge(records int) error {
	id, err := s.outputOf(s.bin, "evidence", "add", "The "+purgeWord+" sings at five")
	if err != nil {
		return err
	}
	if err := s.history(strings.TrimSpace(id)); err != nil {
		return err
	}
	if err := s.git("repack", "-adq"); err != nil {
		return err
	}
	before, err := s.remains()
	if err != nil {
		return err
	}
	if before == 0 {
		return errors.New("purge: there is nothing to purge")
	}
	took, err := clock(func() error { return s.ctx("purge", strings.TrimSpace(id), "--reason", "private", "--yes") })
	if err != nil {
		return err
	}
	gone, err := clock(func() error { return s.git("cat-file", "--batch-all-objects", "--batch", "--buffer") })
	if err != nil {
		return err
	}
	left, err := s.remains()
	if err != nil {
		return err
	}
	if err := s.git("fsck", "--strict"); err != nil {
		return err
	}
	if err := s.ctx("fsck", "--strict"); err != nil {
		return err
	}
	fmt.Printf("\npurge of a record with %d versions from %d records and %d commits takes %s, %.1f times a read of all objects; %d objects and files held it before, %d after\n",
		purgeCommits/purgeEvery+1, records, purgeCommits, round(took), float64(took)/float64(gone), before, left)
	if left > 0 {
		return fmt.Errorf("purge: %d objects or files still hold the record's word", left)
	}
	return nil
}

// history makes commits that edit records by turns, and every so often the one named.
func (s *shop) history(id string) error {
	list, err := s.output("ls-tree", "-r", "--name-only", "refs/ctx/heads/main", "records/")
	if err != nil {
		return err
	}
	paths := strings.Fields(list)
	mine := ""
	for _, p := range paths {
		if strings.HasSuffix(p, "/"+id+".ctx.yaml") {
			mine = p
		}
	}
	var in bytes.Buffer
	now := time.Now().Unix()
	for i := range purgeCommits {
		path := paths[i%len(paths)]
		if i%purgeEvery == 0 {
			path = mine
		}
		old, err := s.output("show", "refs/ctx/heads/main:"+path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ctx.yaml")
		data := withTurn(old, i)
		title := ""
		if path == mine {
			title = " \"The " + purgeWord + " sings\""
		}
		msg := fmt.Sprintf("record: edit %s%s\n\nCtx-Verb: edit\nCtx-Record: %s\nCtx-Actor: agent/bench\n", name, title, name)
		fmt.Fprintf(&in, "commit refs/ctx/heads/main\ncommitter Ada Example <ada@example.com> %d +0000\ndata %d\n%s\n", now+int64(i), len(msg), msg)
		if i == 0 {
			in.WriteString("from refs/ctx/heads/main^0\n")
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(data), data)
	}
	return s.exec(in.Bytes(), "git", "fast-import", "--quiet")
}

// withTurn gives a record other bytes: a custom field at its end.
func withTurn(record string, n int) string {
	return strings.TrimRight(record, "\n") + fmt.Sprintf("\nx-turn: %d\n", n)
}

// remains counts the objects and the files of the git directory that hold the word.
func (s *shop) remains() (int, error) {
	var out bytes.Buffer
	if err := s.run(nil, &out, "git", "cat-file", "--batch-all-objects", "--batch", "--buffer"); err != nil {
		return 0, err
	}
	n := bytes.Count(bytes.ToLower(out.Bytes()), []byte(purgeWord))
	err := filepath.WalkDir(filepath.Join(s.dir, ".git"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(bytes.ToLower(data), []byte(purgeWord)) {
			n++
		}
		return err
	})
	return n, err
}
