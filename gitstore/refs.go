package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrRefNotFound reports a ref that does not exist.
var ErrRefNotFound = errors.New("ref not found")

// BrokenRefError reports a ref file whose content is not a ref, such as the
// empty file a crash leaves, or a symbolic ref that leads nowhere.
type BrokenRefError struct {
	Ref, File string
	Dangling  bool // it stands for a ref that does not exist
}

// Error names the ref and the file.
func (e *BrokenRefError) Error() string {
	if e.Dangling {
		return fmt.Sprintf("ref '%s' stands for a ref that does not exist: see '%s'", e.Ref, e.File)
	}
	return fmt.Sprintf("ref '%s' is broken: see '%s'", e.Ref, e.File)
}

// Ref is a ref's full name and the object it points at, symbolic refs followed.
type Ref struct {
	Name string
	OID  OID
}

const (
	refFormatFiles = "files"
	symrefDepth    = 5 // git's own limit
)

// Ref returns what a full ref name points at, or ErrRefNotFound. Files are
// read directly, as no process is as cheap; another ref storage is asked
// through git.
func (r *Repo) Ref(ctx context.Context, name string) (OID, error) {
	if r.Hides(name) {
		return "", fmt.Errorf("%w: '%s'", ErrRefNotFound, name)
	}
	return r.anyRef(ctx, name)
}

// anyRef is Ref, hidden refs included.
func (r *Repo) anyRef(ctx context.Context, name string) (OID, error) {
	if name != "HEAD" && !ValidRefName(name) {
		return "", fmt.Errorf("'%s' is not a full ref name", name)
	}
	if r.refFormat != refFormatFiles {
		return r.refByGit(ctx, name)
	}
	target := name
	for range symrefDepth {
		oid, next, err := r.rawRef(target)
		if err != nil {
			return "", err
		}
		if next == "" {
			return oid, nil
		}
		if target = next; r.Hides(target) && !r.Hides(name) {
			return "", fmt.Errorf("%w: '%s'", ErrRefNotFound, name)
		}
		if !ValidRefName(target) {
			return "", &BrokenRefError{Ref: name, File: r.refFile(name)}
		}
	}
	return "", fmt.Errorf("ref '%s': too many symbolic refs", name)
}

// rawRef reads one ref without following it. The loose file wins over
// packed-refs. When neither has the ref it may have moved from packed to
// loose in between, so the file is looked at once more.
func (r *Repo) rawRef(name string) (oid OID, target string, err error) {
	oid, target, err = r.looseRef(name)
	if !errors.Is(err, ErrRefNotFound) || perWorktree(name) {
		return oid, target, err
	}
	packed, perr := r.packed.load(r)
	if perr != nil {
		return "", "", perr
	}
	if oid, ok := packed.find(name); ok {
		return oid, "", nil
	}
	return r.looseRef(name)
}

func (r *Repo) refFile(name string) string {
	base := r.commonDir
	if perWorktree(name) {
		base = r.gitDir
	}
	return filepath.Join(base, filepath.FromSlash(name))
}

func (r *Repo) looseRef(name string) (OID, string, error) {
	file := r.refFile(name)
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) {
		return "", "", fmt.Errorf("%w: '%s'", ErrRefNotFound, name)
	}
	if err != nil {
		return "", "", fmt.Errorf("read ref '%s': %w", name, err)
	}
	s := strings.TrimRight(string(b), " \t\r\n")
	if target, ok := strings.CutPrefix(s, "ref:"); ok {
		return "", strings.TrimSpace(target), nil
	}
	if !validOID(r.objectFormat, s) {
		return "", "", &BrokenRefError{Ref: name, File: file}
	}
	return OID(s), "", nil
}

func (r *Repo) refByGit(ctx context.Context, name string) (OID, error) {
	out, err := r.Git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
	if exitCode(err) == 1 {
		return "", fmt.Errorf("%w: '%s'", ErrRefNotFound, name)
	}
	if err != nil {
		return "", fmt.Errorf("read ref '%s': %w", name, err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}

// Refs returns every ref whose full name starts with prefix, in bytewise order.
// A broken one is an error that names it: a listing must not lose a branch.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Ref, error) {
	refs, broken, err := r.SoundRefs(ctx, prefix)
	return unbroken(refs, broken, err)
}

// AllRefs is [Repo.Refs], hidden refs included: for what must reach every ref,
// as a purge must.
func (r *Repo) AllRefs(ctx context.Context, prefix string) ([]Ref, error) {
	return unbroken(r.anyRefs(ctx, prefix))
}

func unbroken(refs []Ref, broken []*BrokenRefError, err error) ([]Ref, error) {
	for _, b := range broken {
		if !b.Dangling {
			return nil, b
		}
	}
	return refs, err
}

// SoundRefs is [Repo.Refs] for those who look for damage: it returns apart the
// refs that are broken, and symbolic refs that lead nowhere.
func (r *Repo) SoundRefs(ctx context.Context, prefix string) ([]Ref, []*BrokenRefError, error) {
	refs, broken, err := r.anyRefs(ctx, prefix)
	refs = slices.DeleteFunc(refs, func(ref Ref) bool { return r.Hides(ref.Name) })
	broken = slices.DeleteFunc(broken, func(b *BrokenRefError) bool { return r.Hides(b.Ref) })
	return refs, broken, err
}

func (r *Repo) anyRefs(ctx context.Context, prefix string) ([]Ref, []*BrokenRefError, error) {
	if !strings.HasPrefix(prefix, "refs/") || strings.Contains(prefix, "..") {
		return nil, nil, fmt.Errorf("'%s' is not a ref prefix", prefix)
	}
	if r.refFormat != refFormatFiles {
		refs, err := r.refsByGit(ctx, prefix)
		return refs, nil, err
	}
	found := make(map[string]OID)
	var broken []*BrokenRefError
	// Loose first: a ref that is packed while we walk is then in packed-refs.
	loose, err := r.looseNames(prefix)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range loose {
		oid, err := r.anyRef(ctx, name)
		var torn *BrokenRefError
		switch {
		case errors.As(err, &torn):
			broken = append(broken, torn)
		case errors.Is(err, ErrRefNotFound):
			if _, target, rerr := r.looseRef(name); rerr == nil && target != "" {
				broken = append(broken, &BrokenRefError{Ref: name, File: r.refFile(name), Dangling: true})
			} // else it was deleted meanwhile
		case err != nil:
			return nil, nil, err
		default:
			found[name] = oid
		}
	}
	packed, err := r.packed.load(r)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range packed.withPrefix(prefix) {
		if _, ok := found[ref.Name]; !ok {
			found[ref.Name] = ref.OID
		}
	}
	refs := make([]Ref, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		refs = append(refs, Ref{name, found[name]})
	}
	return refs, broken, nil
}

func (r *Repo) looseNames(prefix string) ([]string, error) {
	dir := prefix[:strings.LastIndexByte(prefix, '/')]
	var names []string
	root := filepath.Dir(r.refFile(dir + "/x"))
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil // git removes empty directories under us
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name := path.Join(dir, filepath.ToSlash(rel))
		if d.IsDir() || !strings.HasPrefix(name, prefix) || !ValidRefName(name) {
			return nil
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list refs '%s': %w", prefix, err)
	}
	return names, nil
}

func (r *Repo) refsByGit(ctx context.Context, prefix string) ([]Ref, error) {
	dir := prefix[:strings.LastIndexByte(prefix, '/')]
	out, err := r.Git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", "--", dir)
	if err != nil {
		return nil, fmt.Errorf("list refs '%s': %w", prefix, err)
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		oid, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && strings.HasPrefix(name, prefix) {
			refs = append(refs, Ref{name, OID(oid)})
		}
	}
	slices.SortFunc(refs, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return refs, nil
}
