package sync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// A line is a local ref that is kept in step with a remote: a branch or an
// import.
type refSync struct {
	local string       // its full name here
	old   gitstore.OID // what it is here; "" when it is to be created
	// tip is old with what the remote has merged in.
	tip gitstore.OID
	// tips are what the remote has of it, by the tracking ref.
	tips []gitstore.Ref

	there  string       // the remote's ref that is pushed to
	tracks string       // and the one that tracks it here
	known  gitstore.OID // what that one is

	canonical bool   // whoever merges it makes the same commit
	blocked   string // why it may not move; "" when it may
	// inTheWay is a branch of the remote's that this one cannot stand beside.
	inTheWay string
	// forward merges only what needs no merge commit.
	forward bool

	merged     *ledger.Merged
	mergedFrom string
	failed     bool // it could not be merged, or what the remote has is set aside
	equivalent bool // the remote's ref differs in settling merges alone, and is left alone
	sent, lost bool // what became of the push
}

// pushable reports whether the remote should be asked to take the line.
// fetched says that known is what the remote has now.
func (ln *refSync) pushable(fetched bool) bool {
	return !ln.failed && !ln.equivalent && ln.tip != "" && (ln.tip != ln.known || !fetched)
}

// lines lists what is kept in step with the remote. With no local branch at
// all, every branch of the remote becomes one; else only the current and the
// default one are created where they lack here.
func (s *exchange) refSyncs(ctx context.Context, forward bool) ([]*refSync, error) {
	heads, err := s.l.RefsBelow(ctx, s.l.HeadRefs())
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*refSync)
	at := func(name string) *refSync {
		if byName[name] == nil {
			byName[name] = &refSync{local: s.l.HeadRefs() + name, old: heads[name], tip: heads[name]}
		}
		return byName[name]
	}
	for name := range heads {
		at(name)
	}
	current, err := s.l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	def, err := s.l.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range s.remote.Heads {
		tips, err := s.l.RefsBelow(ctx, p.Here)
		if err != nil {
			return nil, err
		}
		for name, oid := range tips {
			if byName[name] != nil || len(heads) == 0 || name == current || name == def {
				ln := at(name)
				ln.tips = append(ln.tips, gitstore.Ref{Name: p.Here + name, OID: oid})
			}
		}
		for name, ln := range byName {
			ln.there, ln.tracks, ln.known, ln.inTheWay = p.There+name, p.Here+name, tips[name], nested(name, tips)
			_, ln.failed = s.aside[ln.tracks]
		}
	}
	if len(byName) == 0 {
		return nil, &ledger.RemoteError{Remote: s.remote.Name, Why: "neither it nor this repository has context yet", Hint: "git ctx init"}
	}
	if len(byName) > 1 && byName[def] == nil {
		s.note("the remote's default branch is not known here: git ctx init --default-branch NAME")
	}
	var lines []*refSync
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		ln := byName[name]
		ln.forward = forward && name != current
		if err := s.findBlocked(ctx, name, ln); err != nil {
			return nil, err
		}
		lines = append(lines, ln)
	}
	imports, err := s.importSyncs(ctx)
	return append(lines, imports...), err
}

// partClashing takes out the lines that the remote could not keep beside what
// it has, as one name is a directory of the other.
func (s *exchange) setAsideClashing(lines []*refSync) error {
	var errs []error
	for _, ln := range lines {
		if ln.inTheWay == "" || ln.known != "" {
			continue
		}
		ln.failed = true
		name := ledger.ShortRef(ln.local)
		errs = append(errs, &ledger.BranchError{Branch: name,
			Why:  fmt.Sprintf("remote '%s' cannot keep it beside its own '%s', as one name is a directory of the other", s.remote.Name, ln.inTheWay),
			Hint: fmt.Sprintf("give it another name: git ctx switch -c NEW-NAME %s, then git ctx branch -d %s", name, name)})
	}
	return errors.Join(errs...)
}

// nested returns a name among names that is a directory of name or below it.
func nested(name string, names map[string]gitstore.OID) string {
	for _, other := range slices.Sorted(maps.Keys(names)) {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return other
		}
	}
	return ""
}

// hold marks a branch that must not be moved.
func (s *exchange) findBlocked(ctx context.Context, name string, ln *refSync) error {
	var held *ledger.BranchError
	if err := s.l.Writable(ctx, name, ln.old != ""); errors.As(err, &held) {
		ln.blocked = held.Error()
	} else if err != nil {
		return err
	}
	return nil
}

func (s *exchange) importSyncs(ctx context.Context) ([]*refSync, error) {
	if s.remote.Namespaced {
		return nil, nil
	}
	p := s.remote.Imports
	here, err := s.l.RefsBelow(ctx, p.There)
	if err != nil {
		return nil, err
	}
	known, err := s.l.RefsBelow(ctx, p.Here)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(here)
	maps.Copy(names, known)
	var lines []*refSync
	for _, name := range slices.Sorted(maps.Keys(names)) {
		ln := &refSync{local: p.There + name, old: here[name], tip: here[name], canonical: true,
			there: p.There + name, tracks: p.Here + name, known: known[name]}
		_, ln.failed = s.aside[ln.tracks]
		if ln.known != "" {
			ln.tips = []gitstore.Ref{{Name: ln.tracks, OID: ln.known}}
		}
		lines = append(lines, ln)
	}
	return lines, nil
}

// join merges what the remote has into every line, without moving a ref. What
// keeps one line back does not keep the others.
func (s *exchange) mergeAll(ctx context.Context, lines []*refSync) error {
	var errs []error
	for _, ln := range lines {
		if ln.failed {
			continue
		}
		if err := s.mergeTips(ctx, ln); err != nil {
			ln.tip, ln.merged, ln.failed = ln.old, nil, true
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// joinTips merges what the remote has of a line. What was even before another
// tip was merged in is looked at again.
func (s *exchange) mergeTips(ctx context.Context, ln *refSync) error {
	for again := true; again; {
		again, ln.equivalent = false, false
		for _, theirs := range ln.tips {
			before := ln.tip
			if err := s.mergeTip(ctx, ln, theirs); err != nil {
				return fmt.Errorf("merge '%s': %w", theirs.Name, err)
			}
			again = again || ln.equivalent && ln.tip != before
		}
	}
	if ln.equivalent {
		delete(s.pushed, ln.there) // a push that was tried before the fetch need not succeed
	}
	return nil
}

func (s *exchange) mergeTip(ctx context.Context, ln *refSync, theirs gitstore.Ref) error {
	if ln.tip == theirs.OID {
		return nil
	}
	// Whatever was pushed there, only a store's commit may become ours.
	if _, err := s.l.Commitish(ctx, theirs.Name, string(theirs.OID)); err != nil {
		return err
	}
	if ln.tip == "" {
		if ln.blocked != "" {
			s.note("%s", ln.blocked)
			return nil
		}
		ln.tip, ln.mergedFrom = theirs.OID, theirs.Name
		ln.merged = &ledger.Merged{Commit: theirs.OID, FastForward: true}
		return nil
	}
	if ln.blocked != "" || ln.forward {
		return s.forwardOnly(ctx, ln, theirs)
	}
	m, err := s.merge(ctx, ln, ln.tip, theirs, func(string, gitstore.OID) error { return nil })
	if err != nil || m.UpToDate {
		ln.equivalent = ln.equivalent || m != nil && m.Equivalent && theirs.Name == ln.tracks
		return err
	}
	ln.tip, ln.merged, ln.mergedFrom = m.Commit, m, theirs.Name
	return nil
}

// joinHeld is for a line that is not to get a merge commit: it may be behind
// the remote, or apart from it, and the user is told.
func (s *exchange) forwardOnly(ctx context.Context, ln *refSync, theirs gitstore.Ref) error {
	if has, err := s.l.Repo().IsAncestor(ctx, theirs.OID, ln.tip); err != nil || has {
		return err
	}
	if ln.blocked != "" {
		return fmt.Errorf("it has commits that are not here, but %s; merge them there with 'git merge %s'", ln.blocked, theirs.Name)
	}
	behind, err := s.l.Repo().IsAncestor(ctx, ln.tip, theirs.OID)
	if err != nil {
		return err
	}
	if !behind {
		s.note("%s and %s have both moved on: git ctx sync merges them", ledger.ShortRef(ln.local), ledger.ShortRef(theirs.Name))
		return nil
	}
	if err := s.l.Policies().AllowTaking(ctx, theirs.OID); err != nil {
		return err
	}
	ln.tip, ln.mergedFrom = theirs.OID, theirs.Name
	ln.merged = &ledger.Merged{Commit: theirs.OID, FastForward: true}
	return nil
}

// merge merges a remote's tip into a commit of the line's.
func (s *exchange) merge(ctx context.Context, ln *refSync, ours gitstore.OID, theirs gitstore.Ref, move ledger.MoveFunc) (*ledger.Merged, error) {
	o := ledger.MergeOptions{Subject: fmt.Sprintf("merge: %s into %s", ledger.ShortRef(theirs.Name), ledger.ShortRef(ln.local)), Canonical: ln.canonical}
	return s.l.MergeCommits(ctx, ours, theirs.OID, o, move)
}

// land moves the local refs to what was merged, and the tracking refs to what
// the remote took.
func (s *exchange) updateRefs(ctx context.Context, lines []*refSync) error {
	unlock, err := s.l.Repo().Lock(ctx, ledger.LockWait)
	if err != nil {
		return err
	}
	defer unlock()
	var updates []gitstore.RefUpdate
	for _, ln := range lines {
		if ln.tip != ln.old {
			updates = append(updates, gitstore.RefUpdate{Name: ln.local, Old: ln.old, New: ln.tip})
		}
		if ln.sent && ln.tip != ln.known {
			updates = append(updates, gitstore.RefUpdate{Name: ln.tracks, Old: ln.known, New: ln.tip})
		}
	}
	err = s.l.Repo().UpdateRefs(ctx, "ctx: sync with "+s.remote.Name, updates...)
	var changed *gitstore.RefChangedError
	if errors.As(err, &changed) {
		err = s.updateEachRef(ctx, lines)
	}
	if err != nil {
		return err
	}
	for _, ln := range lines {
		if ln.merged != nil {
			s.res.Branches = append(s.res.Branches, BranchMove{Ref: ln.local, From: ln.mergedFrom, Created: ln.old == "", Merged: ln.merged})
		}
	}
	return nil
}

// landEach is land where somebody wrote meanwhile: what was built for a branch
// is merged with what it holds now.
func (s *exchange) updateEachRef(ctx context.Context, lines []*refSync) error {
	for _, ln := range lines {
		if ln.sent && ln.tip != ln.known {
			err := s.l.Repo().UpdateRefs(ctx, "ctx: push to "+s.remote.Name, gitstore.RefUpdate{Name: ln.tracks, Old: ln.known, New: ln.tip})
			var changed *gitstore.RefChangedError
			if err != nil && !errors.As(err, &changed) {
				return err
			}
			// A fetch of git's own moved it: that is as true.
		}
		if ln.tip == ln.old {
			continue
		}
		if err := s.updateChangedRef(ctx, ln); err != nil {
			return err
		}
	}
	return nil
}

func (s *exchange) updateChangedRef(ctx context.Context, ln *refSync) error {
	built := gitstore.Ref{Name: ln.mergedFrom, OID: ln.tip}
	for range ledger.UpdateTries {
		now, err := s.l.Repo().Ref(ctx, ln.local)
		switch {
		case errors.Is(err, gitstore.ErrRefNotFound):
			now = ""
		case err != nil:
			return err
		}
		move := func(reflog string, oid gitstore.OID) error {
			return s.l.Repo().UpdateRefs(ctx, reflog, gitstore.RefUpdate{Name: ln.local, Old: now, New: oid})
		}
		m := ln.merged
		if now == "" || now == ln.old {
			err = move("ctx: sync with "+s.remote.Name, ln.tip)
		} else if m, err = s.merge(ctx, ln, now, built, move); err == nil {
			m = combined(ln.merged, m)
		}
		var changed *gitstore.RefChangedError
		if errors.As(err, &changed) {
			continue
		}
		ln.merged = m
		return err
	}
	return fmt.Errorf("'%s' keeps changing under this sync: gave up after %d tries", ln.local, ledger.UpdateTries)
}

// joinReports is the report of two merges in a row.
func combined(a, b *ledger.Merged) *ledger.Merged {
	if a == nil {
		return b
	}
	m := *b
	m.UpToDate, m.FastForward = false, false
	m.Changed = append(slices.Clone(a.Changed), b.Changed...)
	slices.Sort(m.Changed)
	m.Changed = slices.Compact(m.Changed)
	m.Disputed = maps.Clone(a.Disputed)
	if m.Disputed == nil {
		m.Disputed = b.Disputed
	} else {
		maps.Copy(m.Disputed, b.Disputed)
	}
	m.Dropped = append(slices.Clone(a.Dropped), b.Dropped...)
	m.Made = append(slices.Clone(a.Made), b.Made...)
	m.Secrets = append(slices.Clone(a.Secrets), b.Secrets...)
	return &m
}

func (s *exchange) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(s.res.Notes, text) {
		s.res.Notes = append(s.res.Notes, text)
	}
}
