package gitstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// errClosed reports use after Close.
var errClosed = errors.New("repository is closed")

// catFile is one `git cat-file --batch` child, started at the first need and
// again after it dies. git rescans packs on a miss, so the child survives a
// repack; where it does not, a fresh one is asked once more.
type catFile struct {
	repo *Repo

	mu     sync.Mutex
	closed bool
	proc   *batchProcess
}

type batchProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr tail
}

// read returns an object of any type; one that git does not have either is a
// *MissingObjectError.
func (c *catFile) read(ctx context.Context, oid OID) (objectKind, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for fresh := false; ; {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		if c.closed {
			return "", nil, errClosed
		}
		if c.proc == nil {
			p, err := startBatch(c.repo, "--batch")
			if err != nil {
				return "", nil, err
			}
			c.proc, fresh = p, true
		}
		kind, content, err := c.proc.ask(ctx, oid)
		if err == nil {
			return kind, content, nil
		}
		// Never leave a half-read answer for the next caller.
		err = withLastWords(err, oid, c.stopLocked())
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		if fresh {
			return "", nil, err
		}
	}
}

func (c *catFile) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	_ = c.stopLocked()
	return nil
}

// restart ends the child, and with it the packs it has open; the next read
// starts another.
func (c *catFile) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.stopLocked()
}

// stopLocked ends the child and returns what it said on standard error, if
// anything.
func (c *catFile) stopLocked() error {
	if c.proc == nil {
		return nil
	}
	p := c.proc
	c.proc = nil
	return p.stop()
}

func startBatch(r *Repo, flags ...string) (*batchProcess, error) {
	// Not bound to the caller's context: the child outlives the call.
	p := &batchProcess{cmd: r.command(context.Background(), append([]string{"cat-file"}, flags...)...)}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, ErrGitMissing
		}
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

func (p *batchProcess) ask(ctx context.Context, oid OID) (objectKind, []byte, error) {
	defer context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })()
	if _, err := io.WriteString(p.in, string(oid)+"\n"); err != nil {
		return "", nil, fmt.Errorf("object %s: git cat-file ended: %w", oid, err)
	}
	return p.answer(oid, nil)
}

// answer reads one reply, into buf when it is large enough.
func (p *batchProcess) answer(oid OID, buf []byte) (objectKind, []byte, error) {
	header, err := p.out.ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("object %s: git cat-file ended: %w", oid, err)
	}
	f := strings.Fields(header)
	if len(f) == 2 && f[1] == "missing" {
		return "", nil, &MissingObjectError{OID: oid}
	}
	if len(f) != 3 || f[0] != string(oid) {
		return "", nil, fmt.Errorf("object %s: unexpected answer of git cat-file: %q", oid, header)
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size < 0 {
		return "", nil, fmt.Errorf("object %s: unexpected answer of git cat-file: %q", oid, header)
	}
	if cap(buf) < size+1 {
		buf = make([]byte, size+1)
	}
	buf = buf[:size+1]
	if _, err := io.ReadFull(p.out, buf); err != nil {
		return "", nil, fmt.Errorf("object %s: %w", oid, err)
	}
	return objectKind(f[1]), buf[:size], nil
}

// stop closes the pipes, waits, and returns what the child complained about.
func (p *batchProcess) stop() error {
	_ = p.in.Close()
	_, _ = io.Copy(io.Discard, p.out)
	_ = p.cmd.Wait()
	if s := strings.TrimSpace(p.stderr.String()); s != "" {
		return errors.New(s)
	}
	return nil
}

// withLastWords adds to a failed read what the child said, in one line. A child
// that ended because the promisor remote did not give it the object is how git
// reports that the object is missing.
func withLastWords(err error, oid OID, said error) error {
	if said == nil {
		return err
	}
	lines := strings.FieldsFunc(said.Error(), func(c rune) bool { return c == '\n' })
	why := strings.TrimPrefix(lines[0], "fatal: ")
	if strings.Contains(said.Error(), "could not fetch "+string(oid)) {
		return &MissingObjectError{OID: oid, Why: why}
	}
	return fmt.Errorf("%w (%s)", err, why)
}

// ReadBlobs reads many blobs through one pipelined child and calls fn in the
// order asked; content is valid only during the call. An error of fn or a
// missing object ends the walk and is returned.
func (r *Repo) ReadBlobs(ctx context.Context, oids []OID, fn func(i int, content []byte) error) (err error) {
	if len(oids) == 0 {
		return nil
	}
	p, err := startBatch(r, "--batch", "--buffer")
	if err != nil {
		return err
	}
	var asked OID
	stopKill := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		w := bufio.NewWriterSize(p.in, 32<<10)
		for _, oid := range oids {
			// A failed write means the child ended; the reader reports it.
			if _, err := w.WriteString(string(oid) + "\n"); err != nil {
				break
			}
		}
		_ = w.Flush()
		_ = p.in.Close()
	}()
	defer func() {
		stopKill()
		if err != nil {
			_ = p.cmd.Process.Kill()
		}
		stopErr := p.stop()
		<-fed
		if ctx.Err() != nil {
			err = ctx.Err()
		} else if err != nil {
			err = withLastWords(err, asked, stopErr)
		}
	}()
	var buf []byte
	for i, oid := range oids {
		asked = oid
		kind, content, err := p.answer(oid, buf)
		if err != nil {
			return fmt.Errorf("read blob: %w", err)
		}
		if kind != kindBlob {
			return fmt.Errorf("read blob: %w", &WrongKindError{OID: oid, Want: string(kindBlob), Got: string(kind)})
		}
		if err := fn(i, content); err != nil {
			return err
		}
		buf = content
	}
	return nil
}

// tail keeps the end of what a child writes to standard error.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4 << 10

// Write never fails; it drops the oldest bytes.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if n := len(t.buf) - tailSize; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(p), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
