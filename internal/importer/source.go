package importer

import (
	"io"
	"io/fs"
)

// A Source is one importer: what the command line calls it, and how it is read.
// Adding one is a file with such a value and an entry in the command's list.
type Source struct {
	// Name is the word on the command line, and that of the source's branch.
	Name string
	// Short says what it reads.
	Short string
	// File reads one file or standard input, Dir a folder, whose name from the worktree's
	// top is given, or "../NAME" of one elsewhere; a source has either, or both. What cannot be taken is listed in the
	// result; an error is for what is no such file or folder at all.
	File func(r io.Reader) (*Result, error)
	Dir  func(fsys fs.FS, folder string) (*Result, error)
	// Inner is the name of a folder that is read from the one that holds it; "" for none.
	Inner string
}

// Arg is what the source is read from, as a usage line has it.
func (s Source) Arg() string {
	switch {
	case s.Dir == nil:
		return "FILE"
	case s.File == nil:
		return "DIR"
	}
	return "DIR|FILE"
}
