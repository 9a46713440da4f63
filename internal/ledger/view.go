package ledger

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
)

// Where things stand in a store tree.
const (
	policyFile  = "ctx.yaml"
	readmeFile  = "README.md"
	attrsFile   = ".gitattributes"
	recordsRoot = "records"
)

// An Unreadable is a record file that does not decode. It is quarantined: its
// record is in no view, and every reader is told.
type Unreadable struct {
	Path string
	Err  error
}

// A View is the records of one store commit.
type View struct {
	*records.Set
	Commit gitstore.OID
	Branch string // "" for a revision that was asked for by name
	// Default is the default branch, and Behind how many of its commits this view lacks.
	Default string
	Behind  int
	// Policy is in force for this view. An unreadable one is the strictest.
	Policy *records.Policy
	// PolicyErr says why the policy could not be read, if so.
	PolicyErr  error
	Unreadable []Unreadable // sorted by path
	When       gitstore.Signature
}

// View reads the current branch's records.
func (l *Ledger) View(ctx context.Context) (*View, error) {
	branch, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	return l.ViewBranch(ctx, branch)
}

// ViewBranch reads the records of a context branch.
func (l *Ledger) ViewBranch(ctx context.Context, branch string) (*View, error) {
	tip, _, err := l.tip(ctx, branch)
	if err != nil {
		return nil, err
	}
	return l.load(ctx, branch, tip)
}

// ViewAt reads the records as they were at a revision (see [Ledger.Resolve]).
func (l *Ledger) ViewAt(ctx context.Context, rev string) (*View, error) {
	oid, err := l.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	return l.load(ctx, "", oid)
}

func (l *Ledger) load(ctx context.Context, branch string, commit gitstore.OID) (*View, error) {
	snap, err := l.repo.Snapshot(ctx, string(commit))
	if err != nil {
		return nil, fmt.Errorf("read store commit %s: %w", commit, err)
	}
	v := &View{Commit: commit, Branch: branch}
	c, err := l.repo.ReadCommit(ctx, commit)
	if err != nil {
		return nil, err
	}
	v.When = c.Committer
	v.Policy, v.PolicyErr = readPolicy(snap)
	rs, bad, err := l.readAll(ctx, snap)
	if err != nil {
		return nil, fmt.Errorf("read store commit %s: %w", commit, err)
	}
	v.Unreadable = bad
	vetoes, err := l.vetoes(ctx, v)
	if err != nil {
		return nil, err
	}
	v.Set = records.NewSet(rs, vetoes)
	return v, nil
}

// readPolicy reads ctx.yaml. Whatever is wrong with it, the policy returned is usable and no looser.
func readPolicy(snap *gitstore.Snapshot) (*records.Policy, error) {
	strictest := &records.Policy{Format: records.FormatVersion, Review: records.ReviewSigned}
	data, err := fs.ReadFile(snap, policyFile)
	if err != nil {
		return strictest, fmt.Errorf("read %s: %w", policyFile, err)
	}
	p, err := records.ParsePolicy(data)
	if p == nil || (err != nil && p.Review == "") {
		p = strictest
	}
	return p, err
}

// entry is one record file of a tree.
type entry struct {
	path string
	oid  gitstore.OID
}

// entries lists the record files of a snapshot, sorted by path.
func (l *Ledger) entries(ctx context.Context, tree gitstore.OID) ([]entry, error) {
	var es []entry
	err := l.repo.DiffTrees(ctx, "", tree, func(path string, _, oid gitstore.OID) error {
		if strings.HasPrefix(path, recordsRoot+"/") {
			es = append(es, entry{path, oid})
		}
		return nil
	})
	return es, err
}

// readAll decodes every record of a snapshot.
func (l *Ledger) readAll(ctx context.Context, snap *gitstore.Snapshot) ([]*records.Record, []Unreadable, error) {
	es, err := l.entries(ctx, snap.Tree())
	if err != nil {
		return nil, nil, err
	}
	return l.decode(ctx, es)
}

// decode reads and decodes record files, a share on each processor. The files
// that do not decode are returned apart.
func (l *Ledger) decode(ctx context.Context, es []entry) ([]*records.Record, []Unreadable, error) {
	out := make([]*records.Record, len(es))
	errs := make([]error, len(es))
	oids := make([]gitstore.OID, len(es))
	for i, e := range es {
		oids[i] = e.oid
	}
	type blob struct {
		i    int
		data []byte
	}
	next := make(chan blob, 64)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for b := range next {
				out[b.i], errs[b.i] = records.Parse(es[b.i].path, b.data)
			}
		})
	}
	err := l.repo.ReadBlobs(ctx, oids, func(i int, data []byte) error {
		next <- blob{i, bytes.Clone(data)}
		return nil
	})
	close(next)
	wg.Wait()
	if err != nil {
		return nil, nil, err
	}
	var bad []Unreadable
	rs := out[:0]
	for i, r := range out {
		if errs[i] != nil {
			bad = append(bad, Unreadable{Path: es[i].path, Err: errs[i]})
			continue
		}
		rs = append(rs, r)
	}
	return rs, bad, nil
}

// vetoes finds the records of v that are dead on the default branch, and fills
// in how far v is behind it. Only what differs between the two is read.
func (l *Ledger) vetoes(ctx context.Context, v *View) (map[records.ID]records.State, error) {
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	v.Default = def
	if v.Branch == def || v.Branch == "" {
		return nil, nil
	}
	tip, _, err := l.tip(ctx, def)
	if err != nil {
		return nil, err
	}
	if tip == v.Commit {
		return nil, nil
	}
	if v.Behind, err = l.lacks(ctx, v.Commit, tip); err != nil {
		return nil, err
	}
	mine, err := l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return nil, err
	}
	theirs, err := l.repo.Snapshot(ctx, string(tip))
	if err != nil {
		return nil, err
	}
	var differ []entry
	err = l.repo.DiffTrees(ctx, mine.Tree(), theirs.Tree(), func(path string, old, new gitstore.OID) error {
		if new != "" && strings.HasPrefix(path, recordsRoot+"/") {
			differ = append(differ, entry{path, new})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rs, _, err := l.decode(ctx, differ)
	if err != nil {
		return nil, err
	}
	vs := make(map[records.ID]records.State)
	for _, r := range rs {
		if records.Vetoes(r) {
			vs[r.ID] = r.State()
		}
	}
	return vs, nil
}

// lacks counts the commits of other that commit does not reach.
func (l *Ledger) lacks(ctx context.Context, commit, other gitstore.OID) (int, error) {
	out, err := l.repo.Git(ctx, nil, "rev-list", "--count", string(other), "^"+string(commit))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// Judge returns what [records.Effective] needs for this view. The local
// ctx.review can only tighten the project's policy.
func (l *Ledger) Judge(ctx context.Context, v *View) (records.Judge, error) {
	review := v.Policy.Review
	local, ok, err := l.repo.Config(ctx, "ctx.review")
	if err != nil {
		return records.Judge{}, err
	}
	if ok {
		review = records.Stricter(review, records.Review(local))
	}
	return records.Judge{Review: review, ValidAt: l.Now()}, nil
}
