package gitstore_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
)

// BenchmarkLayout measures what one write costs at 100k records of four kinds
// under ways to shard their folders: time and loose bytes. docs/design/storage.md
// keeps the result.
func BenchmarkLayout(b *testing.B) {
	const records = 100_000
	for _, layout := range []struct {
		name string
		path func(kind int, id string) string
	}{
		{"flat", func(k int, id string) string { return fmt.Sprintf("records/kind%d/%s", k, id) }},
		{"one character", func(k int, id string) string { return fmt.Sprintf("records/kind%d/%s/%s", k, id[:1], id) }},
		{"two characters", func(k int, id string) string { return fmt.Sprintf("records/kind%d/%s/%s", k, id[:2], id) }},
		{"one and one, nested", func(k int, id string) string { return fmt.Sprintf("records/kind%d/%s/%s/%s", k, id[:1], id[1:2], id) }},
		{"three, nested", func(k int, id string) string {
			return fmt.Sprintf("records/kind%d/%s/%s/%s/%s", k, id[:1], id[1:2], id[2:3], id)
		}},
	} {
		b.Run(layout.name, func(b *testing.B) {
			repo := gittest.New(b, gittest.Plain)
			r, err := gitstore.Open(b.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			rnd := rand.New(rand.NewPCG(1, 2))
			id := func() string {
				const digits = "0123456789abcdefghjkmnpqrstvwxyz"
				s := make([]byte, 10)
				for i := range s {
					s[i] = digits[rnd.IntN(32)]
				}
				return string(s)
			}
			var changes []gitstore.Change
			for i := range records {
				changes = append(changes, gitstore.Change{Path: layout.path(i%4, id()), Data: fmt.Appendf(nil, "record %d\n", i)})
			}
			who := gitstore.Signature{Name: "Ada Example", Email: "ada@example.com", When: time.Unix(1.8e9, 0)}
			commit, err := r.WriteCommit(b.Context(), "", changes, gitstore.Commit{Author: who, Committer: who, Message: "all\n"})
			if err != nil {
				b.Fatal(err)
			}
			c, err := r.ReadCommit(b.Context(), commit)
			if err != nil {
				b.Fatal(err)
			}
			before := looseBytes(b, repo)
			n := 0
			for b.Loop() {
				n++
				change := gitstore.Change{Path: layout.path(n%4, id()), Data: fmt.Appendf(nil, "another %d\n", n)}
				if _, err := r.WriteTree(b.Context(), c.Tree, []gitstore.Change{change}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(looseBytes(b, repo)-before)/float64(n), "loose-B/op")
		})
	}
}

func looseBytes(b *testing.B, repo *gittest.Repo) int64 {
	b.Helper()
	var sum int64
	err := filepath.WalkDir(filepath.Join(repo.Dir, ".git", "objects"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if name := filepath.Base(filepath.Dir(path)); len(name) != 2 {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return sum
}
