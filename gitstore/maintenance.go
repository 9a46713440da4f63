package gitstore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// git's own defaults of gc.auto and gc.autoPackLimit.
const (
	gcAuto          = 6700
	gcAutoPackLimit = 50
)

// maintainEvery is how many writes pass, on average, between two looks at the
// object directory: a look costs a directory read.
const maintainEvery = 32

// MaintainAfter starts `git maintenance run --auto` in the background when a
// write that made this commit has brought the repository over git's own
// thresholds, as git does after its writes. About one commit in 32 looks, which
// one follows from its ID. It is best effort: a failure is the next write's to
// meet. Reads never call it.
func (r *Repo) MaintainAfter(ctx context.Context, commit OID) {
	if !looksAt(commit) {
		return
	}
	if due, err := r.maintenanceDue(ctx); err == nil && due {
		r.startMaintenance()
	}
}

// looksAt picks one commit in 32 by the last digits of its ID.
func looksAt(commit OID) bool {
	if len(commit) < 2 {
		return false
	}
	n, err := strconv.ParseUint(string(commit[len(commit)-2:]), 16, 8)
	return err == nil && n%maintainEvery == 0
}

// maintenanceDue estimates as git does: the loose objects from the one
// directory 17, the packs that nobody keeps by their number.
func (r *Repo) maintenanceDue(ctx context.Context) (bool, error) {
	// A hook runs inside a git command, which does this itself at its end; and
	// objects in quarantine are not the repository's yet.
	for _, name := range []string{"GIT_INDEX_FILE", "GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY"} {
		if _, set := lookupEnv(r.env, name); set {
			return false, nil
		}
	}
	auto, ok, err := r.Config(ctx, "maintenance.auto")
	if err != nil || ok && isFalse(auto) {
		return false, err
	}
	objects, err := r.configInt(ctx, "gc.auto", gcAuto)
	if err != nil || objects <= 0 {
		return false, err
	}
	names, err := dirNames(filepath.Join(r.objectsDir, "17"))
	if err != nil {
		return false, err
	}
	loose := 0
	for _, name := range names {
		if len(name) == hexLen(r.objectFormat)-2 {
			loose++
		}
	}
	if loose > (objects+255)/256 {
		return true, nil
	}
	packs, err := r.configInt(ctx, "gc.autopacklimit", gcAutoPackLimit)
	if err != nil || packs <= 0 {
		return false, err
	}
	names, err = dirNames(filepath.Join(r.objectsDir, "pack"))
	if err != nil {
		return false, err
	}
	loosePacks := 0
	for _, name := range names {
		if base, ok := strings.CutSuffix(name, ".pack"); ok && !slices.Contains(names, base+".keep") {
			loosePacks++
		}
	}
	return loosePacks > packs, nil
}

// startMaintenance leaves git to work on its own: in a process group of its
// own, so that no interrupt of ours reaches it, and without our streams, so
// that nobody who reads them waits for it.
func (r *Repo) startMaintenance() {
	cmd := exec.Command("git", "--git-dir="+r.gitDir, "maintenance", "run", "--auto", "--quiet")
	cmd.Dir, cmd.Env = r.dir, r.env
	detach(cmd)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // a long-lived process leaves no zombie
	}
}

func (r *Repo) configInt(ctx context.Context, key string, usual int) (int, error) {
	v, ok, err := r.Config(ctx, key)
	if err != nil || !ok {
		return usual, err
	}
	factor := 1
	switch {
	case strings.HasSuffix(strings.ToLower(v), "k"):
		factor = 1 << 10
	case strings.HasSuffix(strings.ToLower(v), "m"):
		factor = 1 << 20
	case strings.HasSuffix(strings.ToLower(v), "g"):
		factor = 1 << 30
	}
	if factor > 1 {
		v = v[:len(v)-1]
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, nil // git refuses such a value itself: nothing is started
	}
	return n * factor, nil
}

// isFalse reads a boolean as git does.
func isFalse(v string) bool {
	switch strings.ToLower(v) {
	case "", "false", "no", "off", "0":
		return true
	}
	return false
}

// dirNames lists a directory; one that is not there is empty.
func dirNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
