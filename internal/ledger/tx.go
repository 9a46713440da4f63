package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A Tx is one edit of the current branch in the making. What it Puts is seen
// by its own reads; nothing reaches the store before [Ledger.Edit] returns.
type Tx struct {
	*records.Overlay
	Eval records.EvalContext

	l        *Ledger
	ctx      context.Context // of the edit this transaction lives in
	before   *View
	now      time.Time
	by       string
	touched  []records.ID // in the order of the verbs
	created  []records.ID
	named    map[string]records.ID // $names of a batch
	given    map[records.ID]string // nonces of the verdicts that this edit gives
	steps    []step
	session  Session
	notes    []string
	compared int // additions compared with what stands
	allowed  []commitmsg.AllowedSecret
	cited    map[string]citedFile
}

// A step is one verb of the edit, for the commit message.
type step struct {
	verb   string
	id     records.ID
	reason string
}

// A Result tells what an edit did.
type Result struct {
	Commit gitstore.OID // "" when nothing changed
	Tip    gitstore.OID // of the branch, after it
	Branch string
	// Changed are the records written, in the order of the verbs; Created those of them that are new.
	Changed, Created []records.ID
	// Named are the records that a batch gave a name of its own, by that name.
	Named map[string]records.ID
	// Notes are things the user should know: implied links, proposals, duplicates.
	Notes []string
	// Made are the contradictions this edit brought about.
	Made []standing.Contradiction
	// Near are the standing records about the same things as what was written.
	Near []Near
	// View is what the branch holds after the edit, until the result is closed.
	View records.View
	// Repeated tells that the author's request was answered before, by Commit: the
	// edit did not run.
	Repeated bool

	read *View
}

// Close ends the use of the result's View.
func (r *Result) Close() error { return r.read.Close() }

// An edit describes a commit beyond what its steps say.
type editOptions struct {
	subject string
	body    string
	verb    string
	dry     bool // validate, and write nothing
	// branch is edited instead of the current one, "" for that; from is the scope
	// that the records are promoted from.
	branch, from string
	// head is the record that names a commit of several steps, "" counts them.
	head records.ID
	// anchors are those that fn's ops name.
	anchors []string
}

// Edit runs fn in a transaction on the current branch and commits what it Put:
// it loads, applies, validates the whole, writes objects, and moves the ref
// from the commit that was loaded. When another writer was faster, fn runs
// again on what that writer left; so fn must check its preconditions each time.
// On any error the ref is unmoved. The files that the anchors of the ops which fn
// applies name are read before the lock is taken, and once.
func (l *Ledger) Edit(ctx context.Context, fn func(*Tx) error, ops ...grammar.Op) (*Result, error) {
	return l.edit(ctx, editOptions{anchors: anchorsOf(ops)}, fn)
}

func (l *Ledger) edit(ctx context.Context, o editOptions, fn func(*Tx) error) (*Result, error) {
	cited, err := l.cite(ctx, o.anchors)
	if err != nil {
		return nil, err
	}
	do := func(tx *Tx) error {
		tx.cited = cited
		return fn(tx)
	}
	res, err := l.editLocked(ctx, o, do)
	if errors.Is(err, errSignerClosed) {
		if err := l.signatures.OpenKey(ctx); err != nil {
			return nil, err
		}
		res, err = l.editLocked(ctx, o, do)
	}
	if !o.dry {
		l.noteRefusal(err)
	}
	return res, err
}

func (l *Ledger) editLocked(ctx context.Context, o editOptions, fn func(*Tx) error) (*Result, error) {
	if err := l.SyncFromProject(ctx); err != nil {
		return nil, err
	}
	branch, err := o.branch, error(nil)
	if branch == "" {
		branch, err = l.Branch(ctx)
	}
	if err != nil {
		return nil, err
	}
	if _, _, err := l.BranchTip(ctx, branch); err != nil {
		return nil, err
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	overtaken := false
	for range UpdateTries {
		res, err := l.editOnce(ctx, branch, o, fn)
		var lost *gitstore.RefChangedError
		switch {
		case errors.Is(err, index.ErrUnavailable):
			l.withoutIndex() // it failed under the edit; git is slower and sure
		case errors.As(err, &lost):
			overtaken = true
		case err != nil && overtaken:
			return nil, fmt.Errorf("context branch '%s' changed since you read it: %w", branch, err)
		default:
			return res, err
		}
	}
	return nil, fmt.Errorf("context branch '%s' keeps changing under this edit: gave up after %d tries", branch, UpdateTries)
}

func (l *Ledger) editOnce(ctx context.Context, branch string, o editOptions, fn func(*Tx) error) (*Result, error) {
	tip, born, err := l.BranchTip(ctx, branch)
	if err != nil {
		return nil, err
	}
	if err := l.Writable(ctx, branch, born); err != nil {
		return nil, err
	}
	if !o.dry {
		if e, err := l.answered(ctx, tip); err != nil {
			return nil, err
		} else if e != nil {
			return l.again(ctx, e, branch, tip)
		}
	}
	view, err := l.loadView(ctx, &View{Commit: tip, Branch: branch}, true)
	if err != nil {
		return nil, err
	}
	if err := provenance.PolicyAllowsWrites(view.PolicyErr); err != nil {
		return nil, err
	}
	res, tx, err := l.attempt(ctx, view, fn)
	if err == nil && !o.dry {
		err = tx.sign(res)
	}
	if readErr := view.Err(); readErr != nil {
		err = readErr // whatever fn made of it, it saw less than there is
	}
	if err != nil {
		_ = view.Close() // the error that counts is the first
		return nil, err
	}
	res.Branch, res.Tip = branch, tip
	if len(tx.touched) == 0 && !o.dry {
		l.keepSession(tx, res) // to start what is started makes it @task
	}
	if len(tx.touched) == 0 || o.dry {
		return res, nil
	}
	old := tip
	if !born {
		old = ""
	}
	if res.Commit, err = l.commit(ctx, tx, o, branch, old); err != nil {
		return nil, err
	}
	res.Tip = res.Commit
	l.keepSession(tx, res)
	l.releaseClosed(ctx, tx)
	return res, nil
}

func (l *Ledger) keepSession(tx *Tx, res *Result) {
	if err := l.SaveSession(tx.session); err != nil {
		res.Notes = append(res.Notes, fmt.Sprintf("@task and @last are not remembered: %v", err))
	}
}

// Writable refuses a branch that git has checked out somewhere, one whose name
// clashes with another's, and all where a fetch would undo the write.
func (l *Ledger) Writable(ctx context.Context, branch string, born bool) error {
	if err := l.RefuseMirror(ctx); err != nil {
		return err
	}
	dir, err := l.repo.CheckedOut(ctx, l.HeadRefs()+branch)
	if err != nil {
		return err
	}
	if dir != "" {
		return &BranchError{Branch: branch, Why: fmt.Sprintf("it is checked out in '%s', and moving it would undo work there", dir),
			Hint: "commit there with git, then on another context branch: git ctx merge " + branch}
	}
	if born {
		return nil
	}
	refs, err := l.repo.Refs(ctx, l.HeadRefs())
	if err != nil {
		return err
	}
	return l.clash(branch, refs)
}

// clash refuses a new branch that git could not keep beside those there are:
// a name that is another's directory, or the other way round.
func (l *Ledger) clash(branch string, refs []gitstore.Ref) error {
	for _, r := range refs {
		other := strings.TrimPrefix(r.Name, l.HeadRefs())
		if strings.HasPrefix(other, branch+"/") || strings.HasPrefix(branch, other+"/") {
			return &BranchError{Branch: branch, Why: fmt.Sprintf("it cannot stand beside context branch '%s', as one name is a directory of the other", other),
				Hint: "git ctx switch " + other}
		}
	}
	return nil
}

// attempt runs fn on a view and validates what it leaves.
func (l *Ledger) attempt(ctx context.Context, view *View, fn func(*Tx) error) (*Result, *Tx, error) {
	tx, err := l.begin(ctx, view)
	if err != nil {
		return nil, nil, err
	}
	if err := fn(tx); err != nil {
		return nil, nil, err
	}
	res := &Result{Changed: tx.touched, Created: tx.created, Named: tx.named, Notes: tx.notes, View: tx.Overlay, read: view}
	if len(tx.touched) == 0 {
		res.View = view
		return res, tx, nil
	}
	if err := tx.validate(); err != nil {
		return nil, nil, err
	}
	res.Made = standing.Made(tx.Overlay, []records.View{tx.before}, tx.Changed())
	res.Near = tx.near()
	return res, tx, nil
}

func (l *Ledger) begin(ctx context.Context, view *View) (*Tx, error) {
	eval, err := l.EvalContext(ctx, view)
	if err != nil {
		return nil, err
	}
	author, _, err := l.Identity(ctx)
	if err != nil {
		return nil, err
	}
	tx := &Tx{
		Overlay: records.NewOverlay(view), Eval: eval, l: l, ctx: ctx, before: view, now: l.Now(),
		by: author.Name, session: l.Session(), named: make(map[string]records.ID), given: make(map[records.ID]string),
	}
	tx.Eval.Provenance = tx.provenance
	return tx, nil
}

// Note tells the user something beside the answer.
func (tx *Tx) Note(format string, args ...any) {
	tx.notes = append(tx.notes, fmt.Sprintf(format, args...))
}

// put lays r into the transaction as the work of a verb.
func (tx *Tx) put(verb string, r *records.Record, reason string) {
	if _, ok := tx.Overlay.Record(r.ID); !ok {
		tx.created = append(tx.created, r.ID)
	}
	if !tx.Overlay.Contains(r.ID) { // every change comes through here
		tx.touched = append(tx.touched, r.ID)
	}
	tx.Overlay.Put(r)
	if verb != "" {
		tx.steps = append(tx.steps, step{verb, r.ID, reason})
		tx.session.Last = r.ID
	}
}

// Find resolves what a user typed for a record, the batch's own $names included.
func (tx *Tx) Find(name string) (*records.Record, error) {
	if strings.HasPrefix(name, "$") {
		if id, ok := tx.named[name[1:]]; ok {
			r, _ := tx.Overlay.Record(id)
			return r, nil
		}
		return nil, &NotFoundError{Name: name, Why: "no earlier item of this batch has 'as' with that name"}
	}
	if strings.HasPrefix(name, "@") {
		return tx.l.currentOf(tx.Overlay, tx.session, name)
	}
	return tx.l.Find(tx.Overlay, name)
}

// FindKind is Find, refusing another kind of record.
func (tx *Tx) FindKind(name string, k records.Kind) (*records.Record, error) {
	r, err := tx.Find(name)
	if err == nil && r.Kind != k {
		return nil, fmt.Errorf("'%s' is %s, not %s", r.ID, r.Kind.Phrase(), k.Phrase())
	}
	return r, err
}

// validate checks the whole of what the transaction would leave behind.
func (tx *Tx) validate() error {
	if err := tx.l.refuseProjects(tx.ctx, tx.Changed()); err != nil {
		return err
	}
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		if err := r.Check(); err != nil {
			return fmt.Errorf("%s '%s': %w", r.Kind, r.ID, err)
		}
		if err := tx.validateLinks(r); err != nil {
			return err
		}
	}
	return tx.refuseSecrets()
}

func (tx *Tx) validateLinks(r *records.Record) error {
	old, _ := tx.before.Record(r.ID)
	for _, rel := range records.Relations(r.Kind) {
		for _, id := range r.Links[rel] {
			if old != nil && slices.Contains(old.Links[rel], id) {
				continue // it stood already: audit speaks of it, an unrelated edit may pass
			}
			target, ok := tx.Overlay.Record(id)
			if !ok {
				return &NotFoundError{Name: string(id), Hint: "git ctx list", Why: fmt.Sprintf("%s of %s leads to no record", rel, r.ID)}
			}
			if err := records.CheckLink(r.Kind, rel, target.Kind); err != nil {
				return fmt.Errorf("link %s '%s' of '%s': %w", rel, id, r.ID, err)
			}
			if id == r.ID {
				return fmt.Errorf("link %s '%s': a record does not link to itself", rel, id)
			}
			if rel.Acyclic() && tx.reaches(id, rel, r.ID) {
				return fmt.Errorf("link %s '%s' of '%s': it would close a circle", rel, id, r.ID)
			}
		}
	}
	return nil
}

// reaches reports whether following rel from a leads to b.
func (tx *Tx) reaches(a records.ID, rel records.Relation, b records.ID) bool {
	seen := map[records.ID]bool{}
	stack := []records.ID{a}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if id == b {
			return true
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		if r, ok := tx.Overlay.Record(id); ok {
			stack = append(stack, r.Links[rel]...)
		}
	}
	return false
}
