package gittest

import (
	"path/filepath"
	"strings"
	"testing"
)

// Shape is a kind of repository.
type Shape string

// The shapes.
const (
	Plain          Shape = "plain"                // one commit, standing at the top
	Subdir         Shape = "sub-directory"        // standing in a/b
	Worktree       Shape = "linked worktree"      // standing in a linked worktree
	WorktreeConfig Shape = "worktreeConfig"       // linked worktree, extensions.worktreeConfig on
	Bare           Shape = "bare"                 // a bare clone
	BareWorktree   Shape = "worktree of bare"     // linked worktree of a bare repository
	Submodule      Shape = "submodule"            // standing in the submodule
	SeparateGitDir Shape = "separate git dir"     // git init --separate-git-dir
	GitDirEnv      Shape = "GIT_DIR"              // standing elsewhere, GIT_DIR and GIT_WORK_TREE set
	Shared         Shape = "shared clone"         // clone --shared: alternates by absolute path
	RelativeShared Shape = "relative shared"      // alternates by relative path
	Shallow        Shape = "shallow"              // clone --depth=1 of two commits
	Partial        Shape = "partial"              // clone --filter=blob:none, blobs still at the origin
	Sparse         Shape = "sparse"               // sparse checkout, cone mode
	SHA256         Shape = "SHA-256"              // object format sha256
	Detached       Shape = "detached HEAD"        // HEAD at a commit
	Unborn         Shape = "unborn HEAD"          // no commit at all
	Packed         Shape = "packed"               // refs and objects packed, nothing loose
	SplitIndex     Shape = "split index"          // the index in two files
	IncludeIf      Shape = "includeIf"            // another identity, by includeIf "gitdir:" of the user's configuration
	ObjectDirEnv   Shape = "GIT_OBJECT_DIRECTORY" // new objects go elsewhere, the repository's are alternates
	Reftable       Shape = "reftable"             // ref format reftable, where git has it
	RelativeTree   Shape = "relative worktree"    // a linked worktree by relative paths, where git has it
)

// Shapes returns every shape the installed git can make.
func Shapes(t testing.TB) []Shape {
	t.Helper()
	all := []Shape{Plain, Subdir, Worktree, WorktreeConfig, Bare, BareWorktree, Submodule, SeparateGitDir,
		GitDirEnv, Shared, RelativeShared, Shallow, Partial, Sparse, SHA256, Detached, Unborn, Packed,
		SplitIndex, IncludeIf, ObjectDirEnv}
	probe := &Repo{t: t, Dir: t.TempDir(), Env: Env(t.TempDir())}
	if _, err := probe.TryGit("init", "--quiet", "--ref-format=reftable", "probe"); err == nil {
		all = append(all, Reftable)
	}
	probe.Git("init", "--quiet", ".")
	if _, err := probe.TryGit("worktree", "add", "--quiet", "--orphan", "--relative-paths", "tree"); err == nil {
		all = append(all, RelativeTree)
	}
	return all
}

// WorkIdentity is the e-mail address that the shape IncludeIf commits with.
const WorkIdentity = "ada@work.example.com"

// build makes the repository below home.
func (r *Repo) build(home string) {
	r.t.Helper()
	switch r.Shape {
	case Bare, BareWorktree, Shared, RelativeShared, Shallow, Partial, Submodule:
		r.Other = filepath.Join(home, "origin")
		r.seed(r.Other)
		r.GitIn(r.Other, "config", "uploadpack.allowFilter", "true")
		r.GitIn(r.Other, "config", "uploadpack.allowAnySHA1InWant", "true")
		r.clone(home)
	case Unborn:
		r.GitIn(home, "init", "--quiet", r.Main)
	case SHA256:
		r.seed(r.Main, "--object-format=sha256")
	case Reftable:
		r.seed(r.Main, "--ref-format=reftable")
	case SeparateGitDir:
		r.seed(r.Main, "--separate-git-dir="+filepath.Join(home, "elsewhere.git"))
	default:
		r.seed(r.Main)
		r.vary(home)
	}
}

// seed makes a repository with two commits.
func (r *Repo) seed(dir string, initFlags ...string) {
	r.t.Helper()
	r.GitIn(filepath.Dir(dir), append(append([]string{"init", "--quiet"}, initFlags...), dir)...)
	for i, content := range []string{"first\n", "second\n"} {
		writeFile(r.t, filepath.Join(dir, "a", "b", "code.txt"), content)
		writeFile(r.t, filepath.Join(dir, "top.txt"), content)
		r.GitIn(dir, "add", "a", "top.txt")
		r.GitIn(dir, "commit", "--quiet", "-m", []string{"first", "second"}[i])
	}
}

// vary turns a plain repository into the shapes that need no second one.
func (r *Repo) vary(home string) {
	r.t.Helper()
	tree := filepath.Join(home, "tree")
	switch r.Shape {
	case Subdir:
		r.Dir = filepath.Join(r.Main, "a", "b")
	case Worktree:
		r.GitIn(r.Main, "worktree", "add", "--quiet", "-b", "side", tree)
		r.Dir = tree
	case WorktreeConfig:
		r.GitIn(r.Main, "worktree", "add", "--quiet", "-b", "side", tree)
		r.GitIn(r.Main, "config", "extensions.worktreeConfig", "true")
		r.GitIn(tree, "config", "--worktree", "ctx.shape", "own")
		r.Dir = tree
	case GitDirEnv:
		r.Dir = home
		r.Env = append(r.Env, "GIT_DIR="+filepath.Join(r.Main, ".git"), "GIT_WORK_TREE="+r.Main)
	case RelativeTree:
		r.GitIn(r.Main, "worktree", "add", "--quiet", "--relative-paths", "-b", "side", tree)
		r.Dir = tree
	case SplitIndex:
		r.GitIn(r.Main, "update-index", "--split-index")
	case IncludeIf:
		r.GitIn(r.Main, "config", "--global", "includeIf.gitdir:"+filepath.ToSlash(r.Main)+"/.path", filepath.Join(home, "work.gitconfig"))
		writeFile(r.t, filepath.Join(home, "work.gitconfig"), "[user]\n\temail = "+WorkIdentity+"\n")
	case ObjectDirEnv:
		objects := filepath.Join(home, "objects")
		writeFile(r.t, filepath.Join(objects, "info", "empty"), "")
		r.Env = append(r.Env, "GIT_OBJECT_DIRECTORY="+objects,
			"GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(r.Main, ".git", "objects"))
	case Sparse:
		r.GitIn(r.Main, "sparse-checkout", "set", "a")
	case Detached:
		r.GitIn(r.Main, "checkout", "--quiet", "--detach")
	case Packed:
		r.GitIn(r.Main, "pack-refs", "--all")
		r.GitIn(r.Main, "repack", "-adq")
	}
}

// clone makes the shapes that come from another repository.
func (r *Repo) clone(home string) {
	r.t.Helper()
	switch r.Shape {
	case Bare:
		r.GitIn(home, "clone", "--quiet", "--bare", r.Other, r.Main)
	case BareWorktree:
		r.GitIn(home, "clone", "--quiet", "--bare", r.Other, r.Main)
		r.Dir = filepath.Join(home, "tree")
		r.GitIn(r.Main, "worktree", "add", "--quiet", "-b", "side", r.Dir)
	case Shared:
		r.GitIn(home, "clone", "--quiet", "--shared", r.Other, r.Main)
	case RelativeShared:
		r.GitIn(home, "clone", "--quiet", "--shared", r.Other, r.Main)
		writeFile(r.t, filepath.Join(r.Main, ".git", "objects", "info", "alternates"), "../../../origin/.git/objects\n")
	case Shallow:
		r.GitIn(home, "clone", "--quiet", "--depth=1", fileURL(r.Other), r.Main)
	case Partial:
		r.GitIn(home, "clone", "--quiet", "--no-checkout", "--filter=blob:none", fileURL(r.Other), r.Main)
		// A work tree that wants no file: to check one out would fetch it.
		r.GitIn(r.Main, "sparse-checkout", "set", "--no-cone", "none")
		r.GitIn(r.Main, "read-tree", "-m", "-u", "HEAD")
	case Submodule:
		super := filepath.Join(home, "super")
		r.seed(super)
		r.GitIn(super, "submodule", "--quiet", "add", r.Other, "sub")
		r.GitIn(super, "commit", "--quiet", "-m", "add submodule")
		r.Main, r.Other = filepath.Join(super, "sub"), super
		r.Dir = r.Main
	}
}

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}
