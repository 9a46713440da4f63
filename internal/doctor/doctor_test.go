package doctor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/doctor"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/records"
)

func finding(t testing.TB, s someone, fix bool, id string) doctor.Finding {
	t.Helper()
	all := doctor.Run(t.Context(), s.Ledger, fix)
	i := slices.IndexFunc(all, func(o doctor.Outcome) bool { return o.ID == id })
	if i < 0 {
		t.Fatalf("no check '%s'", id)
	}
	return all[i].Finding
}

// TestDoctorSeesEveryFault breaks one thing at a time: the check that is for it
// was fine before, and tells afterwards.
func TestDoctorSeesEveryFault(t *testing.T) {
	git := func(parts ...string) func(*gittest.Repo) string {
		return func(r *gittest.Repo) string { return filepath.Join(append([]string{r.Main, ".git"}, parts...)...) }
	}
	lockOn := func(path func(*gittest.Repo) string, old time.Duration) func(testing.TB, *gittest.Repo) {
		return func(t testing.TB, r *gittest.Repo) {
			writeFile(t, path(r), "")
			age(t, path(r), old)
		}
	}
	write := func(path func(*gittest.Repo) string, text string) func(testing.TB, *gittest.Repo) {
		return func(t testing.TB, r *gittest.Repo) { writeFile(t, path(r), text) }
	}
	run := func(args ...string) func(testing.TB, *gittest.Repo) {
		return func(_ testing.TB, r *gittest.Repo) { r.Git(args...) }
	}
	for _, c := range []struct {
		name, check string
		harm        func(testing.TB, *gittest.Repo)
		want        doctor.Health
		says        string
	}{
		{"empty ref", "store", write(git("refs", "ctx", "heads", "side"), ""), doctor.Fail, "refs/ctx/heads/side"},
		{"ref to nothing", "store", write(git("refs", "ctx", "heads", "side"), strings.Repeat("1", 40)+"\n"), doctor.Fail, "side"},
		{"no context", "store", run("update-ref", "-d", "refs/ctx/heads/main"), doctor.Warn, "no context"},
		{"torn HEAD", "branch", write(git("ctx", "HEAD"), "re"), doctor.Fail, "ctx/HEAD"},
		{"branch is gone", "branch", write(git("ctx", "HEAD"), "ref: refs/ctx/heads/gone\n"), doctor.Fail, "gone"},
		{"checked out", "branch", run("symbolic-ref", "HEAD", "refs/ctx/heads/main"), doctor.Warn, "checked out"},
		{"old lock", "locks", lockOn(git("refs", "ctx", "heads", "main.lock"), time.Hour), doctor.Fail, "main.lock' is 1h0m0s old"},
		{"young lock", "locks", lockOn(git("refs", "ctx", "heads", "main.lock"), time.Minute), doctor.Warn, "main.lock"},
		{"lock at work", "locks", lockOn(git("refs", "ctx", "heads", "main.lock"), 0), doctor.OK, "none"},
		{"packed-refs lock", "locks", lockOn(git("packed-refs.lock"), time.Hour), doctor.Fail, "packed-refs.lock"},
		{"attributes alone", "merge-driver", write(git("info", "attributes"), "*.ctx.yaml merge=ctx\n"), doctor.Fail, "merge.ctx.driver is not set"},
		{"driver alone", "merge-driver", run("config", "merge.ctx.driver", "true"), doctor.Warn, "info/attributes"},
		{"hook that cannot run", "hooks", write(git("hooks", "pre-commit"), "#!/bin/sh\ngit ctx hook pre-commit\n"), doctor.Warn, "pre-commit"},
		{"mirror fetch", "remotes", run("config", "remote.hub.fetch", "+refs/*:refs/*"), doctor.Fail, "hub"},
	} {
		t.Run(c.name, func(t *testing.T) {
			repo, _, a, _ := shop(t)
			repo.Git("remote", "add", "origin", "nowhere")
			if f := finding(t, a, false, c.check); f.Result != doctor.OK {
				t.Fatalf("before: %+v", f)
			}
			c.harm(t, repo)
			// The doctor does not mend these, and says what to do.
			for _, fix := range []bool{false, true} {
				f := finding(t, session(t, repo, repo.Dir, "one", "agent/a"), fix, c.check)
				if f.Result != c.want || !strings.Contains(f.Detail, c.says) {
					t.Errorf("fix %v: %+v, want %s and %q", fix, f, c.want, c.says)
				}
				if f.Result == doctor.Warn && f.Fix == "" {
					t.Errorf("no way out: %+v", f)
				}
			}
		})
	}
}

func TestDoctorReadsThePolicy(t *testing.T) {
	for text, says := range map[string]string{"format: 99\n": "format", "format: [\n": "ctx.yaml"} {
		repo, _, a, _ := shop(t)
		blob := repo.GitInput(text, "hash-object", "-w", "--stdin")
		tree := repo.GitInput("100644 blob "+blob+"\tctx.yaml\n", "mktree")
		repo.Git("update-ref", "refs/ctx/heads/main", repo.Git("commit-tree", "-m", "x", tree))
		if f := finding(t, a, true, "policy"); f.Result != doctor.Fail || !strings.Contains(f.Detail, says) || f.Fix == "" {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

// TestDoctorFixesWhatIsSafe: old leftovers go, what may be in use stays.
func TestDoctorFixesWhatIsSafe(t *testing.T) {
	repo, task, a, b := shop(t)
	git := filepath.Join(repo.Main, ".git")
	tree := repo.Main + "-tree"
	repo.Git("worktree", "add", "--quiet", "-b", "side", tree)
	session(t, repo, tree, "", "agent/a").claim(t, task)
	orphan := filepath.Join(git, "worktrees", filepath.Base(tree), "ctx", "sessions")
	gone := map[string]string{
		"temporary file":     filepath.Join(git, "ctx", "sessions", ".tmp-1"),
		"keep of ours":       filepath.Join(git, "objects", "pack", "pack-1.keep"),
		"worktree's session": orphan,
	}
	stay := map[string]string{
		"young temporary file": filepath.Join(git, "ctx", ".tmp-2"),
		"somebody's keep":      filepath.Join(git, "objects", "pack", "pack-2.keep"),
		"young keep":           filepath.Join(git, "objects", "pack", "pack-3.keep"),
		"a session in use":     filepath.Join(git, "ctx", "sessions", "0123456789ab.json"),
	}
	for _, f := range []string{gone["temporary file"], stay["young temporary file"], stay["a session in use"]} {
		writeFile(t, f, "{}\n")
	}
	writeFile(t, gone["keep of ours"], "git ctx bulk write\n")
	writeFile(t, stay["young keep"], "git ctx bulk write\n")
	writeFile(t, stay["somebody's keep"], "mine\n")
	for _, f := range []string{gone["temporary file"], gone["keep of ours"], stay["somebody's keep"]} {
		age(t, f, 2*time.Hour)
	}
	if f := finding(t, a, false, "sessions"); f.Result != doctor.OK {
		t.Fatalf("sessions with the worktree there: %+v", f)
	}
	if err := os.RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"leftovers", "sessions"} {
		if f := finding(t, a, false, id); f.Result != doctor.Warn || f.Fix == "" {
			t.Errorf("%s before: %+v", id, f)
		}
	}
	for _, c := range doctor.Run(t.Context(), a.Ledger, true) {
		if want := c.ID == "leftovers" || c.ID == "sessions"; c.Result != doctor.OK || want != (c.Fixed != "") {
			t.Errorf("%s with --fix: %+v", c.ID, c.Finding)
		}
	}
	for what, f := range stay {
		if !exists(f) {
			t.Errorf("%s was deleted", what)
		}
	}
	delete(gone, "worktree's session")
	for what, f := range gone {
		if exists(f) {
			t.Errorf("%s is still there", what)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(orphan, "*")); len(left) > 0 {
		t.Errorf("sessions of the gone worktree: %q", left)
	}

	// A claim that ended long ago goes; one that ended just now is still news.
	late := claim.Usual + time.Minute
	if f := finding(t, b.after(late), true, "claims"); f.Fixed != "" || !strings.Contains(f.Detail, "1 expired,") {
		t.Errorf("just expired: %+v", f)
	}
	if f := finding(t, b.after(late+8*24*time.Hour), true, "claims"); f.Fixed == "" {
		t.Errorf("long expired: %+v", f)
	}
	if out := repo.Git("for-each-ref", "refs/ctx/claims"); out != "" {
		t.Errorf("claims left: %s", out)
	}
	repo.Fsck()
}

// A ref that holds no claim blocks its own task; the doctor removes it.
func TestDoctorRemovesARefThatIsNoClaim(t *testing.T) {
	repo, task, a, _ := shop(t)
	repo.Git("update-ref", "refs/ctx/claims/"+string(task), "HEAD")
	if f := finding(t, a, false, "claims"); f.Result != doctor.Warn || !strings.Contains(f.Detail, "1 unreadable") {
		t.Errorf("doctor: %+v", f)
	}
	if f := finding(t, a, true, "claims"); f.Result != doctor.OK || f.Fixed == "" {
		t.Errorf("doctor --fix: %+v", f)
	}
	a.claim(t, task)
}

// The doctor's look changes nothing, and every shape passes.
func TestDoctorInEveryShape(t *testing.T) {
	for _, shape := range gittest.Shapes(t) {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t, shape)
			l := session(t, repo, repo.Dir, "", records.Human).Ledger
			if _, err := setup.Init(t.Context(), l, setup.InitOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, c := range doctor.Run(t.Context(), l, false) {
				if c.Result != doctor.OK && !(shape == gittest.Bare && c.ID == "remotes") {
					t.Errorf("%s: %+v", c.ID, c.Finding)
				}
			}
			repo.Untouched()
		})
	}
}
