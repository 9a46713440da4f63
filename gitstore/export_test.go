package gitstore

import "context"

// TryLock is what a writer does with its .keep file.
var TryLock = tryLock

// WriteTree stores a tree alone, as a pack of its own.
func (r *Repo) WriteTree(ctx context.Context, base OID, changes []Change) (OID, error) {
	p := newPackWriter(r.objectFormat)
	oid, err := (&treeWriter{repo: r, out: p}).writeRoot(ctx, base, changes)
	if err != nil || len(p.entries) == 0 {
		return oid, err
	}
	return oid, r.storePack(ctx, p)
}

// WriteBlob stores a blob alone, as a pack of its own.
func (r *Repo) WriteBlob(ctx context.Context, content []byte) (OID, error) {
	p := newPackWriter(r.objectFormat)
	oid, err := p.write(kindBlob, content)
	if err != nil {
		return "", err
	}
	return oid, r.storePack(ctx, p)
}
