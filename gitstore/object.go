package gitstore

import (
	"context"
	"errors"
	"fmt"
)

// objectKind is git's name of an object type.
type objectKind string

const (
	kindBlob   objectKind = "blob"
	kindTree   objectKind = "tree"
	kindCommit objectKind = "commit"
)

// MissingObjectError reports an object that neither the loose store nor git
// itself can produce. It never means that a path or record is absent.
type MissingObjectError struct {
	OID OID
	Why string // why git could not fetch it, where it tried
}

// Error names the object.
func (e *MissingObjectError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("object %s is missing and could not be fetched: %s", e.OID, e.Why)
	}
	return fmt.Sprintf("object %s is missing", e.OID)
}

// WrongKindError reports an object that is there and of another type than was
// expected, as when a branch's ref names a tag or a tree.
type WrongKindError struct {
	OID       OID
	Want, Got string // git's names of the types
}

// Error names the object and both types.
func (e *WrongKindError) Error() string {
	return fmt.Sprintf("object %s is a %s, not a %s", e.OID, e.Got, e.Want)
}

// errNotLoose says that the loose store does not hold an object.
var errNotLoose = errors.New("no loose object")

// readObject reads loose and packed objects directly and leaves everything else
// to one `git cat-file --batch` child: alternates, objects to fetch, SHA-256.
func (r *Repo) readObject(ctx context.Context, oid OID, want objectKind) ([]byte, error) {
	if !validOID(r.objectFormat, string(oid)) {
		return nil, fmt.Errorf("read %s: '%s' is not a %s object ID", want, oid, r.objectFormat)
	}
	kind, content, err := r.loose.read(oid)
	if err != nil { // a damaged loose file may have a good copy in a pack
		kind, content, err = r.packs.read(oid)
	}
	if err != nil {
		kind, content, err = r.child.read(ctx, oid)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", want, err)
	}
	if kind != want {
		return nil, fmt.Errorf("read %s: %w", want, &WrongKindError{OID: oid, Want: string(want), Got: string(kind)})
	}
	return content, nil
}

// ReadBlob returns a blob's content. An object that cannot be found or fetched
// is a *MissingObjectError.
func (r *Repo) ReadBlob(ctx context.Context, oid OID) ([]byte, error) {
	return r.readObject(ctx, oid, kindBlob)
}
