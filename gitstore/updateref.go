package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// RefUpdate is one ref move. Old is the value the caller has seen, "" when the
// ref must not exist; New "" deletes the ref.
type RefUpdate struct {
	Name     string
	Old, New OID
}

// RefChangedError reports a ref that no longer had the value the caller saw:
// the update lost a race and nothing was moved.
type RefChangedError struct {
	Ref       string
	Want, Got OID // "" is "does not exist"
}

// Error names the ref and both values.
func (e *RefChangedError) Error() string {
	switch {
	case e.Want == "":
		return fmt.Sprintf("ref '%s' exists already at %s", e.Ref, e.Got.Short())
	case e.Got == "":
		return fmt.Sprintf("ref '%s' is gone, expected %s", e.Ref, e.Want.Short())
	}
	return fmt.Sprintf("ref '%s' moved to %s, expected %s", e.Ref, e.Got.Short(), e.Want.Short())
}

// RefLockedError reports a lock file of git's that did not go away: another
// git is at work, or one died and left it.
type RefLockedError struct {
	Ref, File string
	Age       time.Duration // of the lock file; 0 when it is gone meanwhile
}

// Error names the ref, the lock file and its age.
func (e *RefLockedError) Error() string {
	age := ""
	if e.Age > 0 {
		age = fmt.Sprintf(", which is %s old", e.Age.Round(time.Second))
	}
	return fmt.Sprintf("ref '%s' is locked by '%s'%s", e.Ref, e.File, age)
}

// RefConflictError reports a ref that cannot exist beside another, because one
// name is a directory of the other.
type RefConflictError struct{ Ref, Existing string }

// Error names both refs.
func (e *RefConflictError) Error() string {
	return fmt.Sprintf("ref '%s' cannot exist beside '%s'", e.Ref, e.Existing)
}

// UpdateRefs moves refs in one transaction of git's: all of them or none, each
// only from its old value, each with a reflog entry. It is the package's only
// ref writer. A symbolic ref is not followed: it is deleted or replaced itself,
// and its old value is that of the ref it stands for. Errors: *RefChangedError,
// *RefLockedError, *RefConflictError, *ReadOnlyError, *DiskFullError,
// *GitError.
func (r *Repo) UpdateRefs(ctx context.Context, message string, updates ...RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, u := range updates {
		if err := r.checkUpdate(u); err != nil {
			return err
		}
		switch {
		case u.New.IsZero():
			fmt.Fprintf(&in, "delete %s\x00%s\x00", u.Name, u.Old)
		case u.Old.IsZero():
			fmt.Fprintf(&in, "create %s\x00%s\x00", u.Name, u.New)
		default:
			fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", u.Name, u.New, u.Old)
		}
	}
	if message = strings.Join(strings.Fields(message), " "); message == "" {
		message = "update" // git refuses an empty reflog message
	}
	// git retries for these times itself; its defaults of 0.1 s and 1 s are
	// short beside a pack-refs of a large host repository.
	FaultPoint("before-ref")
	_, err := r.Git(ctx, &in, "-c", "core.filesRefLockTimeout=1000", "-c", "core.packedRefsTimeout=5000",
		"-c", "reftable.lockTimeout=5000", "update-ref", "--no-deref", "--create-reflog", "-m", message, "-z", "--stdin")
	if err != nil && ctx.Err() != nil && r.haveMoved(context.WithoutCancel(ctx), updates) {
		err = nil // we were told to stop when git had done it
	}
	if err != nil {
		return r.updateFailure(ctx, updates, err)
	}
	FaultPoint("after-ref")
	r.moved.Store(true)
	return nil
}

// haveMoved reports whether every ref is where the updates were to bring it.
func (r *Repo) haveMoved(ctx context.Context, updates []RefUpdate) bool {
	for _, u := range updates {
		got, err := r.anyRef(ctx, u.Name)
		if err != nil && !errors.Is(err, ErrRefNotFound) || got != u.New && !(got.IsZero() && u.New.IsZero()) {
			return false
		}
	}
	return true
}

// MovedRefs reports whether UpdateRefs has moved a ref.
func (r *Repo) MovedRefs() bool { return r.moved.Load() }

func (r *Repo) checkUpdate(u RefUpdate) error {
	if !ValidRefName(u.Name) {
		return fmt.Errorf("'%s' is not a full ref name", u.Name)
	}
	if u.Old.IsZero() && u.New.IsZero() {
		return fmt.Errorf("update of ref '%s' has neither an old nor a new value", u.Name)
	}
	for _, oid := range []OID{u.Old, u.New} {
		if !oid.IsZero() && !validOID(r.objectFormat, string(oid)) {
			return fmt.Errorf("update of ref '%s': '%s' is not a %s object ID", u.Name, oid, r.objectFormat)
		}
	}
	return nil
}

// updateFailure finds out why git refused. What the refs are now says more,
// and more reliably, than git's message; the message decides only about locks.
func (r *Repo) updateFailure(ctx context.Context, updates []RefUpdate, err error) error {
	var ge *GitError
	if !errors.As(err, &ge) {
		return fmt.Errorf("update ref '%s': %w", updates[0].Name, err)
	}
	if m := regexp.MustCompile(`Unable to create '(.+\.lock)': File exists`).FindStringSubmatch(ge.Stderr); m != nil {
		e := &RefLockedError{Ref: lockedRef(updates, m[1]), File: m[1]}
		if info, serr := os.Stat(e.File); serr == nil {
			e.Age = time.Since(info.ModTime())
		}
		return e
	}
	for _, u := range updates {
		got, rerr := r.anyRef(ctx, u.Name)
		if rerr != nil && !errors.Is(rerr, ErrRefNotFound) {
			return fmt.Errorf("update ref '%s': %w", u.Name, rerr)
		}
		want := u.Old
		if want.IsZero() {
			want = ""
		}
		if got != want {
			return &RefChangedError{Ref: u.Name, Want: want, Got: got}
		}
	}
	for _, u := range updates {
		if other := r.refInTheWay(ctx, u.Name); other != "" && !u.New.IsZero() {
			return &RefConflictError{Ref: u.Name, Existing: other}
		}
	}
	if err := writeFailure(r.commonDir, ge); err != error(ge) {
		return err
	}
	return fmt.Errorf("update ref '%s': %w", updates[0].Name, ge)
}

func lockedRef(updates []RefUpdate, file string) string {
	for _, u := range updates {
		if strings.HasSuffix(file, u.Name+".lock") {
			return u.Name
		}
	}
	return updates[0].Name
}

// refInTheWay returns a ref that is a directory of name or below it.
func (r *Repo) refInTheWay(ctx context.Context, name string) string {
	for i, c := range name {
		if c == '/' && ValidRefName(name[:i]) {
			if _, err := r.anyRef(ctx, name[:i]); err == nil {
				return name[:i]
			}
		}
	}
	if below, err := r.AllRefs(ctx, name+"/"); err == nil && len(below) > 0 {
		return below[0].Name
	}
	return ""
}
