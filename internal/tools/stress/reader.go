package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// longReader is a process that keeps the ledger open, as a server does.
type longReader struct {
	cmd      *exec.Cmd
	in       io.Closer
	out, err strings.Builder
}

func startReader(ctx context.Context, dir string) (*longReader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &longReader{cmd: exec.CommandContext(ctx, self, "-read", dir)}
	l.cmd.Stdout, l.cmd.Stderr = &l.out, &l.err
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return l, l.cmd.Start()
}

// end stops the reader and takes down how often it read, and what went wrong.
func (l *longReader) end(r *result) {
	if l == nil {
		return
	}
	_ = l.in.Close()
	if err := l.cmd.Wait(); err != nil {
		r.fail("long-lived reader: %v: %s", err, strings.TrimSpace(l.err.String()))
	}
	n, _ := strconv.Atoi(strings.TrimSpace(l.out.String()))
	if n == 0 {
		r.fail("long-lived reader: it read nothing")
	}
	r.runs["long-lived read"] = n
}

// readLong reads the records of a repository through one open ledger until
// standard input ends, and prints how often. The records may only grow.
func readLong(dir string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	repo, err := gitstore.Open(ctx, gitstore.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer repo.Close()
	l := ledger.Open(repo, ledger.Options{Now: time.Now, Random: rand.Reader})
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	most := 0
	for n := 0; ; n++ {
		select {
		case <-ended:
			fmt.Println(n)
			return nil
		default:
		}
		v, err := l.View(ctx)
		if err != nil {
			return fmt.Errorf("read %d: %w", n, err)
		}
		have := 0
		for range v.All() {
			have++
		}
		if have < most || len(v.Unreadable) > 0 {
			return errors.New("records went away: " + fmt.Sprint(most, have, v.Unreadable))
		}
		most = have
	}
}
