package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Remote is a remote as the configuration describes it.
type Remote struct {
	Name string
	// Fetch are its configured refspecs, with their signs.
	Fetch []string
	// Mirror says that a push to it carries every ref and takes no refspecs.
	Mirror bool
}

// Remotes lists the configured remotes by name.
func (r *Repo) Remotes(ctx context.Context) ([]Remote, error) {
	all, err := r.loadConfig(ctx)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]Remote)
	for key, values := range all {
		rest, ok := strings.CutPrefix(key, "remote.")
		dot := strings.LastIndexByte(rest, '.')
		if !ok || dot < 1 {
			continue
		}
		m := byName[rest[:dot]]
		m.Name = rest[:dot]
		switch rest[dot+1:] {
		case "fetch":
			m.Fetch = values
		case "mirror":
			m.Mirror = isTrue(values[len(values)-1])
		case "url", "pushurl", "vcs":
		default:
			continue // such settings alone make no remote
		}
		byName[m.Name] = m
	}
	rs := make([]Remote, 0, len(byName))
	for _, m := range byName {
		rs = append(rs, m)
	}
	slices.SortFunc(rs, func(a, b Remote) int { return strings.Compare(a.Name, b.Name) })
	return rs, nil
}

// isTrue reads a boolean as git does.
func isTrue(v string) bool {
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true
	}
	return strings.Trim(v, "0123456789") == "" && strings.Trim(v, "0") != ""
}

// WritesRef reports whether a plain `git fetch` from the remote may write or
// prune refs below prefix (which ends in a slash) in this repository. A
// negative refspec for them makes it leave them alone.
func (m Remote) WritesRef(prefix string) bool {
	writes := false
	for _, spec := range m.Fetch {
		if except, ok := strings.CutPrefix(spec, "^"); ok {
			if under(prefix, except) {
				return false
			}
			continue
		}
		_, dst, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		writes = writes || dst != "" && (under(prefix, dst) || strings.HasPrefix(dst, prefix))
	}
	return writes
}

// under reports whether every ref below prefix matches a refspec's pattern.
func under(prefix, pattern string) bool {
	head, star, ok := strings.Cut(pattern, "*")
	return ok && star == "" && strings.HasPrefix(prefix, head)
}

// FetchOptions say what to fetch.
type FetchOptions struct {
	Remote   string
	Refspecs []string
	// Prune deletes what the refspecs' right sides hold and the remote no longer has.
	Prune bool
	// Progress takes git's progress lines; nil for none.
	Progress io.Writer
}

// Fetch runs git fetch for the given refspecs and nothing else: no tags, no
// submodules, no FETCH_HEAD, no refspec of the user's. A refspec without + that
// could not fast-forward leaves its ref and is a *GitError with status 1.
func (r *Repo) Fetch(ctx context.Context, o FetchOptions) error {
	// A partial clone would get the records without their content, and then
	// fetch that one by one.
	args := []string{"-c", "core.filesRefLockTimeout=1000", "fetch", "--no-tags", "--no-write-fetch-head", "--refmap=", "--no-recurse-submodules", "--no-filter"}
	if o.Prune {
		args = append(args, "--prune")
	} else {
		args = append(args, "--no-prune")
	}
	args = append(progressFlag(args, o.Progress), "--", o.Remote)
	_, _, err := r.overNetwork(ctx, o.Progress, append(args, o.Refspecs...))
	return err
}

// RemoteRefs lists the refs of a remote that match any of git's patterns, by name.
func (r *Repo) RemoteRefs(ctx context.Context, remote string, patterns ...string) ([]Ref, error) {
	out, err := r.Git(ctx, nil, append([]string{"ls-remote", "--quiet", "--", remote}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) {
		oid, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || !validOID(r.objectFormat, oid) {
			return nil, fmt.Errorf("unexpected answer of git ls-remote: %q", line)
		}
		refs = append(refs, Ref{name, OID(oid)})
	}
	slices.SortFunc(refs, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return refs, nil
}

// A RefPush asks a remote to move one ref.
type RefPush struct {
	Ref string
	New OID // "" deletes it
	// Lease moves the ref only from the value Old, "" being "it does not
	// exist", but then anywhere; without it only forward.
	Lease bool
	Old   OID
}

// PushStatus says what became of one ref of a push.
type PushStatus string

// The outcomes of a push.
const (
	PushDone    PushStatus = "pushed"
	PushSame    PushStatus = "up-to-date"
	PushLost    PushStatus = "lost"    // the remote has moved it meanwhile
	PushRefused PushStatus = "refused" // the remote does not want it; Reason says why
)

// A PushResult is what the remote answered for one ref.
type PushResult struct {
	Ref    string
	Status PushStatus
	Reason string // the remote's or git's words; "" when all went well
	// Said are the lines that a remote which refused the ref wrote beside it: its own, not to be trusted.
	Said string
}

// Push asks a remote to move refs, each on its own: one that is refused does
// not hold the others back. The results are in the order of the requests. The
// user's pre-push hook is not run, for it checks code. An error means that the
// remote could not be asked.
func (r *Repo) Push(ctx context.Context, remote string, pushes []RefPush, progress io.Writer) ([]PushResult, error) {
	if len(pushes) == 0 {
		return nil, nil
	}
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"}
	var specs []string
	for _, p := range pushes {
		if p.Lease {
			args = append(args, "--force-with-lease="+p.Ref+":"+string(p.Old))
		}
		specs = append(specs, string(p.New)+":"+p.Ref)
	}
	args = append(progressFlag(args, progress), "--", remote)
	out, said, err := r.overNetwork(ctx, progress, append(args, specs...))
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	answers := parsePush(string(out))
	results := make([]PushResult, len(pushes))
	for i, p := range pushes {
		a, ok := answers[p.Ref]
		if !ok {
			if err == nil {
				err = errors.New("unexpected answer of git push: it does not name the ref")
			}
			return nil, fmt.Errorf("push '%s' to '%s': %w", p.Ref, remote, err)
		}
		if a.Status == PushRefused {
			a.Said = strings.Join(said, "\n")
		}
		results[i] = a
	}
	return results, nil
}

// mostSaid is how many lines of a remote are handed on.
const mostSaid = 20

// overNetwork runs a git command that talks to a remote.
func (r *Repo) overNetwork(ctx context.Context, progress io.Writer, args []string) (answer []byte, said []string, err error) {
	cmd := r.command(ctx, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if progress != nil {
		cmd.Stderr = io.MultiWriter(&stderr, progress)
	}
	err = gitFailure(ctx, args, cmd.Run(), stderr.String())
	for line := range strings.Lines(stderr.String()) {
		if line, remotes := strings.CutPrefix(line, "remote: "); remotes && len(said) < mostSaid {
			said = append(said, strings.TrimSpace(line))
		}
	}
	return out.Bytes(), said, err
}

func progressFlag(args []string, progress io.Writer) []string {
	if progress == nil {
		return args
	}
	return append(args, "--progress")
}

// parsePush reads `git push --porcelain`: a line is a flag, the two sides of
// the refspec, and a summary with the reason in parentheses. A remote with
// several URLs answers several times; the worst answer counts.
func parsePush(out string) map[string]PushResult {
	results := make(map[string]PushResult)
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 3 || len(f[0]) != 1 {
			continue // "To <url>", "Done"
		}
		_, ref, _ := strings.Cut(f[1], ":")
		res := PushResult{Ref: ref, Status: PushDone}
		switch f[0] {
		case "=":
			res.Status = PushSame
		case "!":
			res.Status, res.Reason = pushFailure(f[2])
		}
		if old, ok := results[ref]; ok && old.Reason != "" {
			continue
		}
		results[ref] = res
	}
	return results
}

func pushFailure(summary string) (PushStatus, string) {
	reason := summary
	if i := strings.IndexByte(summary, '('); i >= 0 {
		reason = strings.TrimSuffix(summary[i+1:], ")")
	}
	// The words with which git, here or there, says that the ref moved while we pushed.
	for _, lost := range []string{
		"non-fast-forward", "fetch first", "stale info", "remote ref updated since checkout",
		"cannot lock ref", "failed to lock", "failed to update ref", "reference already exists", "incorrect old value",
	} {
		if strings.Contains(reason, lost) {
			return PushLost, reason
		}
	}
	return PushRefused, reason
}
