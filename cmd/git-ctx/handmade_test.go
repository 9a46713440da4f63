package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// handmadeRef is the branch that [handmade] commits to, whatever the current one is.
const handmadeRef = "refs/ctx/heads/main"

// handmade is `handmade FILE EDIT [ARG...]`: it commits a change of one file to the
// context branch main with git's plumbing alone, as one does who goes past git ctx.
// FILE is a path in the store, or part of the path of one that is there. EDIT is a
// sed script, or `<` and a file with the new content, or `-` to delete it. ARGs go
// to git commit-tree, -m 'by hand' where there is none.
func handmade() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: handmade FILE EDIT [ARG...]")
		os.Exit(3)
	}
	if err := commitByHand(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "handmade:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

func commitByHand(path, edit string, args []string) error {
	index, err := os.CreateTemp("", "index")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(index.Name()) }()
	if err := os.Remove(index.Name()); err != nil { // git makes it, and takes no empty one
		return err
	}
	h := &byHandEdit{env: append(os.Environ(), "GIT_INDEX_FILE="+index.Name())}
	files := strings.Fields(h.run(nil, "git", "ls-tree", "-r", "--name-only", handmadeRef))
	if i := slices.IndexFunc(files, func(f string) bool { return strings.Contains(f, path) }); i >= 0 && !slices.Contains(files, path) {
		path = files[i]
	}
	h.run(nil, "git", "read-tree", handmadeRef)
	if edit == "-" {
		h.run(nil, "git", "update-index", "--force-remove", path)
	} else {
		content := h.content(path, edit)
		oid := h.run(content, "git", "hash-object", "-w", "--stdin")
		h.run(nil, "git", "update-index", "--add", "--cacheinfo", "100644,"+oid+","+path)
	}
	if len(args) == 0 {
		args = []string{"-m", "by hand"}
	}
	commit := h.run(nil, "git", append([]string{"commit-tree", "-p", handmadeRef, h.run(nil, "git", "write-tree")}, args...)...)
	h.run(nil, "git", "update-ref", handmadeRef, commit)
	return h.err
}

// byHandEdit runs programs until one fails.
type byHandEdit struct {
	env []string
	err error
}

func (h *byHandEdit) content(path, edit string) []byte {
	if file, ok := strings.CutPrefix(edit, "<"); ok && h.err == nil {
		var data []byte
		data, h.err = os.ReadFile(file)
		return data
	}
	return []byte(h.run([]byte(h.run(nil, "git", "show", handmadeRef+":"+path)+"\n"), "sed", "-e", edit) + "\n")
}

// run returns what a program prints, without the last line feed.
func (h *byHandEdit) run(stdin []byte, name string, args ...string) string {
	if h.err != nil {
		return ""
	}
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stdin, cmd.Stderr = h.env, bytes.NewReader(stdin), os.Stderr
	var out []byte
	if out, h.err = cmd.Output(); h.err != nil {
		h.err = fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), h.err)
	}
	return strings.TrimSuffix(string(out), "\n")
}
