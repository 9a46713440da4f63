package ledger

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// Where things stand in a store tree.
const (
	ReadmeFile     = "README.md"
	AttributesFile = ".gitattributes"
)

// An Unreadable is a record file that does not decode. It is quarantined: its
// record is in no view, and every reader is told.
type Unreadable struct {
	Path string
	Err  error
}

// A View is the records of one store commit. Close it when it is done with.
type View struct {
	records.View
	Commit gitstore.OID
	Branch string // "" for a revision that was asked for by name
	// Default is the default branch, and Behind how many of its commits this view lacks.
	Default string
	Behind  int
	// Policy is in force for this view. An unreadable one is the strictest.
	Policy *records.Policy
	// Loosened says why Policy is stricter than the file; nil when it is not.
	Loosened *provenance.Loosened
	// PolicyErr says why the policy could not be read, if so.
	PolicyErr  error
	Unreadable []Unreadable // sorted by path
	When       time.Time    // of the commit
	// VetoTip is the commit whose dead records bear on this view: the tip of the
	// default branch, over a scope that of the project. It is "" for the view of the
	// branch that rules, and for that branch's past.
	VetoTip gitstore.OID

	snap *index.Snap // what View reads, nil when that was read from git
	laid bool        // records are laid over the snap, whose rows are behind
	// faults are what the history has against verdicts; where verdicts is set, that is
	// asked instead.
	faults   index.Faults
	verdicts *provenance.Verdicts
	anew     *provenance.Verdicts  // asked about verdicts that the view does not hold
	failed   atomic.Pointer[error] // of verdicts
	vetoed   map[records.ID]records.State
	lost     map[records.ID][]records.Loss // to merges made without git ctx
}

// Veto implements [records.View].
func (v *View) Veto(id records.ID) (records.State, bool) {
	s, ok := v.vetoed[id]
	return s, ok
}

// Abbreviate returns the shortest prefix of id that no other record's id has,
// with at least min random characters.
func (v *View) Abbreviate(id records.ID, min int) string {
	if a, ok := v.View.(interface {
		Abbreviate(records.ID, int) string
	}); ok {
		return a.Abbreviate(id, min)
	}
	return string(id) // an edit's view, whose ids are shown whole
}

// Err returns what went wrong with reading the view since it was loaded: what
// it answered may lack what could not be read. The next load reads git.
func (v *View) Err() error {
	if err := v.failed.Load(); err != nil {
		return *err
	}
	if v.snap == nil {
		return nil
	}
	return v.snap.Err()
}

// Close ends the use of the view, and returns what Err does. A second Close does nothing.
func (v *View) Close() error {
	if v.snap != nil && v.snap.Closed() {
		return nil // whoever closed it has verdicts
	}
	err := v.Err()
	if v.snap == nil {
		return err
	}
	return cmp.Or(v.snap.Close(), err)
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
	if err := l.keepUpToRead(ctx); err != nil {
		return nil, err
	}
	tip, _, err := l.BranchTip(ctx, branch)
	if err != nil {
		return nil, err
	}
	return l.Load(ctx, branch, tip)
}

// ViewAt reads the records as they were at a revision (see [Ledger.Resolve]), but for
// those that were forgotten since: their tombstones stand in their place.
func (l *Ledger) ViewAt(ctx context.Context, rev string) (*View, error) {
	if err := l.keepUpToRead(ctx); err != nil {
		return nil, err
	}
	oid, err := l.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	v, err := l.Load(ctx, "", oid)
	if err != nil {
		return nil, err
	}
	if err := l.leaveOutForgotten(ctx, v); err != nil {
		_ = v.Close() // the error that counts is the first
		return nil, err
	}
	return v, nil
}

// Load reads the records of a commit, through the index of the branch that it
// is the tip of, or from git. "" is not a branch.
func (l *Ledger) Load(ctx context.Context, branch string, commit gitstore.OID) (*View, error) {
	return l.loadView(ctx, &View{Commit: commit, Branch: branch}, false)
}

func (l *Ledger) loadView(ctx context.Context, v *View, forEdit bool) (*View, error) {
	indexed := false
	if v.Branch != "" && l.indexAllowed() {
		var err error
		if indexed, err = l.loadIndexed(ctx, v, forEdit); err != nil {
			return nil, fmt.Errorf("read store commit %s: %w", v.Commit, err)
		}
	}
	if !indexed {
		if err := l.loadTree(ctx, v); err != nil {
			return nil, fmt.Errorf("read store commit %s: %w", v.Commit, err)
		}
	}
	err := l.findVetoes(ctx, v)
	if err == nil {
		v.lost, err = l.lossesAt(ctx, v.Commit)
	}
	if err != nil {
		_ = v.Close() // the error that counts is the first
		return nil, err
	}
	l.track(v)
	return v, nil
}

// loadTree fills v from git's objects.
func (l *Ledger) loadTree(ctx context.Context, v *View) error {
	snap, err := l.repo.Snapshot(ctx, string(v.Commit))
	if err != nil {
		return err
	}
	c, err := l.repo.ReadCommit(ctx, v.Commit)
	if err != nil {
		return err
	}
	data, err := snap.Content(records.PolicyFile)
	if err != nil {
		return err
	}
	v.When = c.Committer.When
	v.Policy, v.PolicyErr = provenance.PolicyOf(data)
	if v.PolicyErr == nil {
		loosened, err := l.policies.Loosening(ctx, v.Commit, v.Policy)
		if err != nil {
			return err
		}
		v.hold(loosened)
	}
	if v.verdicts, err = l.verdictsOf(ctx, v.Policy, "", v.Commit); err != nil {
		return err
	}
	rs, bad, err := l.readAll(ctx, snap)
	v.Unreadable, v.View = bad, records.NewSet(rs, nil)
	return err
}

// hold keeps the policy at what was decided.
func (v *View) hold(loosened *provenance.Loosened) {
	if v.Loosened = loosened; loosened != nil {
		v.Policy.Review = loosened.Held
	}
}

// treeFile is one record file of a tree.
type treeFile struct {
	path string
	oid  gitstore.OID
}

// entries lists the record files of a snapshot, sorted by path.
func (l *Ledger) entries(ctx context.Context, tree gitstore.OID) ([]treeFile, error) {
	var es []treeFile
	err := l.repo.DiffTrees(ctx, "", tree, func(path string, _, oid gitstore.OID) error {
		if strings.HasPrefix(path, records.RecordsDir+"/") {
			es = append(es, treeFile{path, oid})
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

// ParseFile decodes a record file. One that does not stand where its id
// belongs is unreadable: it would pass for the record that does.
func ParseFile(path string, data []byte) (*records.Record, error) {
	if _, err := records.PathID(path); err != nil {
		return nil, err
	}
	return records.Parse(path, data)
}

// decode reads and decodes record files, a share on each processor. The files
// that do not decode are returned apart.
func (l *Ledger) decode(ctx context.Context, es []treeFile) ([]*records.Record, []Unreadable, error) {
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
				out[b.i], errs[b.i] = ParseFile(es[b.i].path, b.data)
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

// findVetoes finds the records of v that are dead on the default branch, and
// how far v is behind it. Only what differs between the two is read.
func (l *Ledger) findVetoes(ctx context.Context, v *View) error {
	def, err := l.DefaultBranch(ctx)
	if err != nil {
		return err
	}
	v.Default = def
	tip, err := l.ruling(ctx, v, def)
	if err != nil || tip == "" {
		return err
	}
	if v.Branch == "" {
		// The default branch's own past is told as it was.
		if past, err := l.repo.IsAncestor(ctx, v.Commit, tip); err != nil || past {
			return err
		}
	}
	if v.VetoTip = tip; tip == v.Commit {
		return nil
	}
	if v.Behind, err = l.CountLacking(ctx, v.Commit, tip); err != nil {
		return err
	}
	v.vetoed, err = l.vetoesOf(ctx, v.Commit, tip)
	return err
}

// ruling returns the commit whose dead records veto those of v; "" when v is of
// the branch that rules. Over a scope's branch the project's default branch does.
func (l *Ledger) ruling(ctx context.Context, v *View, def string) (gitstore.OID, error) {
	if l.opts.Scope != "" && v.Branch != "" {
		return l.projectAhead(ctx, v.Branch)
	}
	if v.Branch == def {
		return "", nil
	}
	tip, _, err := l.BranchTip(ctx, def)
	return tip, err
}

// vetoesOf returns the records that are dead at the default branch's commit and
// not the same at another, by the state they have there.
func (l *Ledger) vetoesOf(ctx context.Context, commit, def gitstore.OID) (map[records.ID]records.State, error) {
	mine, err := l.repo.Snapshot(ctx, string(commit))
	if err != nil {
		return nil, err
	}
	theirs, err := l.repo.Snapshot(ctx, string(def))
	if err != nil {
		return nil, err
	}
	vetoed := make(map[records.ID]records.State)
	for c, err := range l.FileChanges(ctx, mine.Tree(), theirs.Tree()) {
		if err != nil {
			return nil, err
		}
		if c.Data == nil {
			continue
		}
		r, err := records.Parse(c.Path, c.Data)
		switch id, perr := records.PathID(c.Path); {
		case perr != nil:
		case err != nil:
			vetoed[id] = "" // what it says there nobody knows: it must not be asserted here
		case r.Forgotten():
			vetoed[id] = records.Forgotten
		case r.Vetoes():
			vetoed[id] = r.State()
		}
	}
	return vetoed, nil
}

// lacks counts the commits of other that commit does not reach.
func (l *Ledger) CountLacking(ctx context.Context, commit, other gitstore.OID) (int, error) {
	out, err := l.repo.Git(ctx, nil, "rev-list", "--count", string(other), "^"+string(commit))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// EvalContext returns what package standing needs for this view.
func (l *Ledger) EvalContext(ctx context.Context, v *View) (records.EvalContext, error) {
	review, err := l.policies.InForce(ctx, v.Policy)
	j := records.EvalContext{Review: review, ValidAt: l.Now(), Provenance: v.provenance, Lost: v.lostBy}
	if err == nil {
		_, j.Signed, err = l.signatures.Counting(ctx, review)
	}
	return j, err
}

// CountRecords counts the record files of a store commit.
func (l *Ledger) CountRecords(ctx context.Context, commit gitstore.OID) (int, error) {
	c, err := l.repo.ReadCommit(ctx, commit)
	if err != nil {
		return 0, err
	}
	es, err := l.entries(ctx, c.Tree)
	return len(es), err
}
