package gitstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The objects of a write are one pack whose .keep file is there before them and
// stays when the ref has moved. No 'git gc --prune=now', 'git prune' or
// 'git repack -ad' beside us can take them: repack spares a kept pack, and prune
// takes loose objects alone. The packs stay few, as many become one.
const (
	keepReason = "git ctx"           // what our .keep files hold
	keptPacks  = 32                  // so many become one
	keptSize   = 64 << 20            // a larger one is git's to repack
	keptAge    = 14 * 24 * time.Hour // and so is an older one, as loose garbage would be
)

// storePack places a pack. It first removes what a write that died left, and
// takes in the other kept packs when they have become many.
func (r *Repo) storePack(ctx context.Context, p *packWriter) error {
	many, err := r.tidyPacks()
	if err != nil {
		return writeFailure(r.objectsDir, fmt.Errorf("tidy packs: %w", err))
	}
	var merged []string
	for _, base := range many {
		if p.copyPack(base, nil) == nil { // else it is gone, or damaged and fsck's to tell
			merged = append(merged, base)
		}
	}
	if err := r.placePack(ctx, p); err != nil {
		return err
	}
	if len(merged) < 4*keptPacks && r.collecting() {
		return nil // it began meanwhile; what these hold stands twice until the next merge
	}
	for _, base := range merged {
		if err := removePack(base); err != nil {
			return writeFailure(r.objectsDir, fmt.Errorf("merge packs: %w", err))
		}
		FaultPoint("pack-merged")
	}
	return nil
}

// placePack places the files of a pack in the order that makes a death at any
// step harmless: .keep, .pack, .idx.
func (r *Repo) placePack(ctx context.Context, p *packWriter) (err error) {
	var base string
	defer func() {
		if err != nil {
			err = writeFailure(r.objectsDir, fmt.Errorf("write pack: %w", errors.Join(err, removePack(base))))
		}
	}()
	dir := filepath.Join(r.objectsDir, "pack")
	perm, err := mkdirLike(r.objectsDir, dir)
	if err != nil {
		return err
	}
	perm &= 0o444
	base, keep, err := r.startPack(dir, perm)
	if err != nil {
		return err
	}
	defer keep.Close()
	FaultPoint("pack-keep")
	synced, err := writeFile(base+".pack", p.finish(), perm)
	if err != nil {
		return err
	}
	FaultPoint("pack-file")
	// git sees a pack when its index is there, so that arrives at once.
	tmp := base + tmpIndex
	if err := r.writeIndex(ctx, p, base, perm); err != nil {
		return errors.Join(err, <-synced)
	}
	if err := <-synced; err != nil {
		return err
	}
	FaultPoint("pack-index")
	if err := os.Rename(tmp, base+".idx"); err != nil {
		return err
	}
	FaultPoint("packed")
	return nil
}

// writeIndex writes the index of a pack under its temporary name.
func (r *Repo) writeIndex(ctx context.Context, p *packWriter, base string, perm fs.FileMode) error {
	if r.objectFormat != formatSHA1 {
		_, err := r.Git(ctx, nil, "index-pack", "--no-rev-index", "-o", base+tmpIndex, base+".pack")
		return err
	}
	index, err := p.index()
	if err != nil {
		return err
	}
	synced, err := writeFile(base+tmpIndex, index, perm)
	if err != nil {
		return err
	}
	return <-synced
}

// tmpIndex ends the name of an index before it is complete. Names that begin
// with "tmp_" are 'git prune”s to delete.
const tmpIndex = ".idx-tmp"

// startPack chooses a name and creates the .keep file, locked for as long as it
// is open: so another writer sees that this one is at work. The name is random,
// since a pack of the same objects may be there that a repack is about to delete.
func (r *Repo) startPack(dir string, perm fs.FileMode) (base string, keep *os.File, err error) {
	for {
		id := make([]byte, hexLen(r.objectFormat)/2)
		_, _ = rand.Read(id)
		base = filepath.Join(dir, "pack-"+hex.EncodeToString(id))
		if keep, err = os.OpenFile(base+".keep", os.O_RDWR|os.O_CREATE|os.O_EXCL, perm|0o200); err != nil {
			return "", nil, err
		}
		_, err = keep.WriteString(keepReason + "\n")
		if err == nil {
			err = keep.Chmod(perm)
		}
		if err != nil {
			return "", nil, errors.Join(err, keep.Close(), os.Remove(base+".keep"))
		}
		// Who cleans up beside us may have taken it for a dead writer's.
		if locked, err := tryLock(keep); err != nil || locked && exists(base+".keep") {
			return base, keep, nil
		}
		_ = keep.Close()
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// writeFile writes a new file, and has it on the disk when synced answers, as git
// does with its packs. Two at once cost little more than one.
func writeFile(path string, data []byte, perm fs.FileMode) (synced <-chan error, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm|0o200)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(f.Sync(), f.Close()) }()
	return done, nil
}

// packFiles are the files that a pack may have, in the order of deletion that
// lets git and us make sense of what a death leaves: the index first, by which
// git sees the pack, the .keep last, by which the next writer does.
func packFiles(base string) []string {
	files := []string{".idx", tmpIndex, ".rev", ".bitmap", ".mtimes", ".promisor", ".pack", ".keep"}
	for i, suffix := range files {
		files[i] = base + suffix
	}
	return files
}

func removePack(base string) error {
	if base == "" {
		return nil
	}
	for i, file := range packFiles(base) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if i == 0 {
			FaultPoint("index-removed")
		}
	}
	return nil
}

// keptPack is a pack with a .keep file of ours.
type keptPack struct {
	base string
	size int64
}

// tidyPacks removes packs that a dead writer left unfinished, gives up those
// that are large or old, and returns those that are to become one, if any.
func (r *Repo) tidyPacks() (merge []string, err error) {
	unfinished, err := r.UnfinishedPacks()
	if err != nil {
		return nil, err
	}
	for _, file := range unfinished {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	kept, err := r.keeps(true)
	if err != nil {
		return nil, err
	}
	var ours []keptPack
	var sum int64
	for _, base := range kept {
		info, err := os.Lstat(base + ".pack")
		if err != nil {
			continue
		}
		if info.Size() > keptSize || time.Since(info.ModTime()) > keptAge {
			if isOurs(base) {
				if err := os.Remove(base + ".keep"); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return nil, err
				}
			}
			continue
		}
		ours = append(ours, keptPack{base, info.Size()})
	}
	if len(ours) < keptPacks-1 { // the one that is being written makes 32
		return nil, nil
	}
	ours = slices.DeleteFunc(ours, func(k keptPack) bool { return !isOurs(k.base) })
	if len(ours) < keptPacks-1 || len(ours) < 4*keptPacks && r.collecting() {
		return nil, nil
	}
	slices.SortFunc(ours, func(a, b keptPack) int { return cmp.Compare(a.size, b.size) })
	for _, k := range ours {
		sum += k.size
	}
	// One that outweighs all smaller ones twice stays, so that a byte is copied
	// some ten times in its life and not with every 32nd write.
	for n := len(ours); n > 0; n-- {
		if sum -= ours[n-1].size; ours[n-1].size <= 2*sum {
			for _, k := range ours[:n] {
				merge = append(merge, k.base)
			}
			break
		}
	}
	return merge, nil
}

// collecting reports whether 'git gc' runs here now: it would fail over a pack that
// it listed and that is gone as it opens it. Like git, it believes no file of half a day ago.
func (r *Repo) collecting() bool {
	info, err := os.Lstat(filepath.Join(r.commonDir, "gc.pid"))
	return err == nil && time.Since(info.ModTime()) < 12*time.Hour
}

// keeps lists the packs that have a .keep file, anybody's, and are complete or not.
func (r *Repo) keeps(complete bool) ([]string, error) {
	dir := filepath.Join(r.objectsDir, "pack")
	names, err := dirNames(dir)
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	var bases []string
	slices.Sort(names)
	for _, name := range names {
		if base, ok := strings.CutSuffix(name, ".keep"); ok {
			if _, found := slices.BinarySearch(names, base+".idx"); found == complete {
				bases = append(bases, filepath.Join(dir, base))
			}
		}
	}
	return bases, nil
}

// UnfinishedPacks lists the files of packs of ours whose writer died before the
// index was there, in the order in which to delete them. No git sees such a
// pack; the next write removes it.
func (r *Repo) UnfinishedPacks() ([]string, error) {
	bases, err := r.keeps(false)
	var files []string
	for _, base := range bases {
		if isOurs(base) && abandoned(base) {
			files = append(files, packFiles(base)...)
		}
	}
	return slices.DeleteFunc(files, func(f string) bool { return !exists(f) }), err
}

func isOurs(base string) bool {
	text, err := os.ReadFile(base + ".keep")
	return err == nil && strings.HasPrefix(string(text), keepReason)
}

// abandoned reports whether nobody is at work on an unfinished pack.
func abandoned(base string) bool {
	f, err := os.Open(base + ".keep")
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := tryLock(f)
	return err == nil && free && !exists(base+".idx")
}
