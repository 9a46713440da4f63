package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// LockedError reports that another writer held the lock for the whole wait.
type LockedError struct {
	File   string
	Waited time.Duration
	PID    int // the holder as it announced itself, 0 when unknown
}

// Error says who holds the lock and for how long we waited.
func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = "process " + strconv.Itoa(e.PID)
	}
	return fmt.Sprintf("%s is at work (waited %s for '%s')", who, e.Waited.Round(time.Millisecond), e.File)
}

// ErrQuarantine reports that the caller stands in a hook of a receiving git that
// has not accepted the push yet: no ref can be moved there.
var ErrQuarantine = errors.New("git holds a push in quarantine here and lets no ref move until it is accepted; write from a post-receive hook instead")

// Lock takes the writers' lock of the repository, shared by all its worktrees,
// waiting at most that long; unlock may be called more than once. The kernel
// drops the lock with its holder, so it is never stale. The lock only queues
// writers: correctness rests on UpdateRefs. Errors: *LockedError, *ReadOnlyError,
// ErrQuarantine.
func (r *Repo) Lock(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	return r.lockFile(ctx, "lock", wait)
}

// LockTransport takes the lock of those who talk to remotes, as [Repo.Lock]
// does that of the writers, who write on while it is held.
func (r *Repo) LockTransport(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	return r.lockFile(ctx, "transport-lock", wait)
}

func (r *Repo) lockFile(ctx context.Context, name string, wait time.Duration) (unlock func(), err error) {
	// Before the first object is written, not when the ref is to move.
	if _, set := lookupEnv(r.env, "GIT_QUARANTINE_PATH"); set {
		return nil, ErrQuarantine
	}
	dir := filepath.Join(r.commonDir, "ctx")
	perm, err := mkdirLike(r.commonDir, dir)
	if err != nil {
		return nil, writeFailure(r.commonDir, fmt.Errorf("lock repository: %w", err))
	}
	file := filepath.Join(dir, name)
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, writeFailure(dir, fmt.Errorf("lock repository: %w", err))
	}
	if info, err := f.Stat(); err == nil && info.Mode().Perm() != perm&0o666 {
		_ = f.Chmod(perm & 0o666) // fails for another user's file, which is then right already
	}
	start := time.Now()
	for pause := time.Millisecond; ; pause = min(pause*2, 32*time.Millisecond) {
		ok, err := tryLock(f)
		if err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("lock '%s': %w", file, err)
		}
		if ok {
			announce(f)
			FaultPoint("locked")
			return func() { _ = f.Close() }, nil
		}
		waited := time.Since(start)
		if waited >= wait {
			holder := readPID(f)
			_ = f.Close()
			return nil, &LockedError{File: file, Waited: waited, PID: holder}
		}
		// Jitter, or writers that started together keep meeting.
		pause := pause/2 + rand.N(pause)
		select {
		case <-time.After(min(pause, wait-waited)):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}

// announce writes our process ID for the message of those who wait in vain.
func announce(f *os.File) {
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
}

func readPID(f *os.File) int {
	b, _ := io.ReadAll(io.NewSectionReader(f, 0, 32))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid
}

// mkdirLike makes dir with the permissions of the directory model, which git
// set up by core.sharedRepository and the umask; it returns them.
func mkdirLike(model, dir string) (fs.FileMode, error) {
	info, err := os.Stat(model)
	if err != nil {
		return 0, err
	}
	perm := info.Mode() & (fs.ModePerm | fs.ModeSetgid)
	switch err := os.Mkdir(dir, 0o777); {
	case errors.Is(err, fs.ErrExist):
		return perm, nil
	case err != nil:
		return 0, err
	}
	if made, err := os.Stat(dir); err == nil && made.Mode()&perm != perm {
		if err := os.Chmod(dir, perm); err != nil {
			return 0, err
		}
	}
	return perm, nil
}
