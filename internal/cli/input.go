package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
)

// maxInput bounds a batch or an import: what is larger is not a list of records
// that a person or a tool wrote, and the whole of it is held in memory.
const maxInput = 64 << 20

// readBody reads -F into the op's body.
func (e *Env) readBody(op *grammar.Op, file string) error {
	if file == "" {
		return nil
	}
	if op.Body != "" {
		return usagef("give one of them: git ctx show ID shows a body", "options '--body' and '--file' exclude each other")
	}
	data, err := e.readInput(file, records.MaxSize, "a record holds")
	if err != nil {
		return err
	}
	op.Body = string(data)
	return nil
}

// readInput reads a file the user names, - being standard input, of at most
// limit bytes; what holds no more is named in the error.
func (e *Env) readInput(file string, limit int64, holder string) ([]byte, error) {
	in, err := e.openInput(file, limit, holder)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// openInput opens a file the user names for reading, bounded as by [Env.readInput].
// A wait for a named pipe ends when the command is told to stop. Errors name the file.
func (e *Env) openInput(file string, limit int64, holder string) (io.ReadCloser, error) {
	b := &bounded{file: file, left: limit, limit: limit, holder: holder}
	if file == "-" {
		b.file, b.r = "standard input", e.input()
		return b, nil
	}
	name := e.path(file)
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, b.wrap(err)
	case info.IsDir():
		return nil, b.wrap(errors.New("it is a directory"))
	case info.Mode().IsRegular() && info.Size() > limit:
		return nil, b.tooLarge(info.Size())
	}
	f, err := e.openWaiting(name)
	if err != nil {
		return nil, b.wrap(err)
	}
	b.r, b.close = &ui.Stoppable{In: f, Stop: e.stop}, f.Close
	return b, nil
}

// openWaiting opens a file; a pipe that nobody writes to is waited for no
// longer than the command may run.
func (e *Env) openWaiting(name string) (*os.File, error) {
	type result struct {
		f   *os.File
		err error
	}
	done := make(chan result, 1)
	go func() { // one that is never answered ends with the process
		f, err := os.Open(name)
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		return r.f, r.err
	case <-e.stop:
		return nil, context.Canceled
	}
}

// bounded reads up to limit bytes; more is an error.
type bounded struct {
	file, holder string
	r            io.Reader
	close        func() error
	left, limit  int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	switch {
	case b.left < 0:
		return n, b.tooLarge(0)
	case err != nil && !errors.Is(err, io.EOF):
		return n, b.wrap(err)
	}
	return n, err
}

func (b *bounded) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

func (b *bounded) wrap(err error) error { return fmt.Errorf("read '%s': %w", b.file, trimPath(err)) }

// tooLarge refuses what is over the limit; its size is 0 where nobody knows it.
func (b *bounded) tooLarge(size int64) error {
	has := fmt.Sprintf("more than %d bytes", b.limit)
	if size > 0 {
		has = fmt.Sprintf("%d bytes", size)
	}
	return b.wrap(fmt.Errorf("it has %s, and %s at most %d", has, b.holder, b.limit))
}

// input is standard input for what reads it whole: a read that waits for more
// ends when the command is told to stop.
func (e *Env) input() io.Reader { return &ui.Stoppable{In: e.Stdin, Stop: e.stop} }
