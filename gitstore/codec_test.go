package gitstore

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"pgregory.net/rapid"
)

// TestTreeCodecAgainstGoGit holds our tree encoding against go-git's.
func TestTreeCodecAgainstGoGit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-c.\-0]{1,4}`), rapid.ID).Draw(rt, "names")
		var entries []treeEntry
		for _, n := range names {
			entries = append(entries, treeEntry{
				name: n,
				mode: rapid.SampledFrom([]uint32{modeFile, modeExec, modeSymlink, modeTree, modeGitlink}).Draw(rt, "mode"),
				oid:  hashObject(formatSHA1, kindBlob, []byte(n)),
			})
		}
		sortEntries(entries)
		got, err := formatTree(entries)
		if err != nil {
			rt.Fatal(err)
		}
		tree := &object.Tree{}
		for _, e := range entries {
			tree.Entries = append(tree.Entries, object.TreeEntry{
				Name: e.name, Mode: filemode.FileMode(e.mode), Hash: plumbing.NewHash(string(e.oid)),
			})
		}
		obj := &plumbing.MemoryObject{}
		if err := tree.Encode(obj); err != nil { // refuses entries out of order
			rt.Fatal(err)
		}
		if hashObject(formatSHA1, kindTree, got) != OID(obj.Hash().String()) {
			rt.Fatalf("go-git encodes %v differently", entries)
		}
		back, err := parseTree(formatSHA1, got)
		if err != nil || !slices.Equal(back, entries) {
			rt.Fatalf("parsed %v, %v", back, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("100644 a\x00aaaaaaaaaaaaaaaaaaaa"))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0100\ncommitter A <a@b> 1 -0130\n\nm"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if entries, err := parseTree(formatSHA1, b); err == nil {
			again, err := formatTree(entries)
			if err != nil {
				t.Fatal(err)
			}
			back, err := parseTree(formatSHA1, again)
			if err != nil || !slices.Equal(back, entries) {
				t.Fatalf("%q parses to %v, then %v (%v)", b, entries, back, err)
			}
		}
		if c, err := parseCommit(formatSHA1, string(b)); err == nil {
			if out, err := formatCommit(formatSHA1, c); err == nil {
				back, err := parseCommit(formatSHA1, string(out))
				if err != nil {
					t.Fatalf("%q: %v", out, err)
				}
				if again, err := formatCommit(formatSHA1, back); err != nil || !bytes.Equal(again, out) {
					t.Fatalf("%q then %q, %v", out, again, err)
				}
			}
		}
		_ = parsePackedRefs(formatSHA1, b).withPrefix("refs/")
	})
}

func TestRefNames(t *testing.T) {
	for name, want := range map[string]bool{
		"refs/ctx/heads/main": true, "refs/ctx/heads/feature/x-1": true, "refs/ctx/heads/é": true, "refs/a": true,
		"refs/": false, "refs": false, "HEAD": false, "refs/a..b": false, "refs/.a": false, "refs/a/.b": false,
		"refs/a.lock": false, "refs/a.lock/b": false, "refs/a.": false, "refs/a@{b": false, "refs//a": false,
		"refs/a b": false, "refs/a\x7f": false, "refs/a~": false, "refs/a\\b": false, "refs/a*": false, "refs/a/": false,
	} {
		if got := ValidRefName(name); got != want {
			t.Errorf("ValidRefName(%q) = %v", name, got)
		}
	}
}

func BenchmarkWriteTree(b *testing.B) {
	b.ReportAllocs()
	root, err := changeTree([]Change{{Path: "records/decision/a/b/x", Data: []byte("x")}})
	if err != nil {
		b.Fatal(err)
	}
	r := &Repo{objectFormat: formatSHA1}
	for i := 0; b.Loop(); i++ {
		w := &treeWriter{repo: r, out: newPackWriter(formatSHA1)}
		root.children["records"].children["decision"].children["a"].children["b"].children["x"].content = fmt.Appendf(nil, "%d", i)
		if _, err := w.apply(b.Context(), "", root, ""); err != nil {
			b.Fatal(err)
		}
	}
}
