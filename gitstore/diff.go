package gitstore

import "context"

// DiffTrees calls fn for every file that differs between the trees a and b, in
// bytewise order of path; old or new is "" when one side has no file there.
// Equal sub-trees are skipped unread; a change of mode alone is not reported,
// nor are submodule entries. "" stands for the empty tree. An error of fn ends
// the walk and is returned.
func (r *Repo) DiffTrees(ctx context.Context, a, b OID, fn func(path string, old, new OID) error) error {
	return r.diffTrees(ctx, a, b, "", fn)
}

func (r *Repo) diffTrees(ctx context.Context, a, b OID, prefix string, fn func(string, OID, OID) error) error {
	if a == b {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	as, err := r.readTree(ctx, a)
	if err != nil {
		return err
	}
	bs, err := r.readTree(ctx, b)
	if err != nil {
		return err
	}
	for len(as) > 0 || len(bs) > 0 {
		var old, now treeEntry
		switch {
		case len(bs) == 0 || len(as) > 0 && as[0].key() < bs[0].key():
			old, as = as[0], as[1:]
		case len(as) == 0 || as[0].key() > bs[0].key():
			now, bs = bs[0], bs[1:]
		default: // one name, and both directories or both not
			old, now, as, bs = as[0], bs[0], as[1:], bs[1:]
		}
		if err := r.diffEntry(ctx, old, now, prefix, fn); err != nil {
			return err
		}
	}
	return nil
}

// diffEntry compares two entries of one key; a zero entry is an absent one.
func (r *Repo) diffEntry(ctx context.Context, old, now treeEntry, prefix string, fn func(string, OID, OID) error) error {
	if old.isTree() || now.isTree() {
		return r.diffTrees(ctx, old.oid, now.oid, prefix+max(old.name, now.name)+"/", fn)
	}
	if !old.isBlob() {
		old.oid = ""
	}
	if !now.isBlob() {
		now.oid = ""
	}
	if old.oid == now.oid {
		return nil
	}
	return fn(prefix+max(old.name, now.name), old.oid, now.oid)
}
