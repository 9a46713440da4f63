package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
)

// A line is a local ref that is kept in step with a remote: a branch or an
// import.
type line struct {
	local string       // its full name here
	old   gitstore.OID // what it is here; "" when it is to be created
	// tip is old with what the remote has merged in.
	tip gitstore.OID
	// tips are what the remote has of it, by the tracking ref.
	tips []gitstore.Ref

	there  string       // the remote's ref that is pushed to
	tracks string       // and the one that tracks it here
	known  gitstore.OID // what that one is

	settle bool   // whoever merges it makes the same commit
	held   string // why it may not move; "" when it may
	// inTheWay is a branch of the remote's that this one cannot stand beside.
	inTheWay string
	// forward merges only what needs no merge commit.
	forward bool

	merged     *Merged
	mergedFrom string
	failed     bool // it could not be merged
	even       bool // the remote's ref differs in settling merges alone, and is left alone
	sent, lost bool // what became of the push
}

// pushable reports whether the remote should be asked to take the line.
// fetched says that known is what the remote has now.
func (ln *line) pushable(fetched bool) bool {
	return !ln.failed && !ln.even && ln.tip != "" && (ln.tip != ln.known || !fetched)
}

// lines lists what is kept in step with the remote. With no local branch at
// all, every branch of the remote becomes one; else only the current and the
// default one are created where they lack here.
func (s *syncing) lines(ctx context.Context, forward bool) ([]*line, error) {
	heads, err := s.l.refsBelow(ctx, s.l.HeadRefs())
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*line)
	at := func(name string) *line {
		if byName[name] == nil {
			byName[name] = &line{local: s.l.HeadRefs() + name, old: heads[name], tip: heads[name]}
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
	for _, p := range s.remote.heads {
		tips, err := s.l.refsBelow(ctx, p.here)
		if err != nil {
			return nil, err
		}
		for name, oid := range tips {
			if byName[name] != nil || len(heads) == 0 || name == current || name == def {
				ln := at(name)
				ln.tips = append(ln.tips, gitstore.Ref{Name: p.here + name, OID: oid})
			}
		}
		for name, ln := range byName {
			ln.there, ln.tracks, ln.known, ln.inTheWay = p.there+name, p.here+name, tips[name], nested(name, tips)
		}
	}
	if len(byName) == 0 {
		return nil, &RemoteError{Remote: s.remote.name, Why: "neither it nor this repository has context yet", Hint: "git ctx init"}
	}
	if len(byName) > 1 && byName[def] == nil {
		s.note("the remote's default branch is not known here: git ctx init --default-branch NAME")
	}
	var lines []*line
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		ln := byName[name]
		ln.forward = forward && name != current
		if err := s.hold(ctx, name, ln); err != nil {
			return nil, err
		}
		lines = append(lines, ln)
	}
	imports, err := s.importLines(ctx)
	return append(lines, imports...), err
}

// partClashing takes out the lines that the remote could not keep beside what
// it has, as one name is a directory of the other.
func (s *syncing) partClashing(lines []*line) error {
	var errs []error
	for _, ln := range lines {
		if ln.inTheWay == "" || ln.known != "" {
			continue
		}
		ln.failed = true
		name := ShortRef(ln.local)
		errs = append(errs, &BranchError{Branch: name,
			Why:  fmt.Sprintf("remote '%s' cannot keep it beside its own '%s', as one name is a directory of the other", s.remote.name, ln.inTheWay),
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
func (s *syncing) hold(ctx context.Context, name string, ln *line) error {
	var held *BranchError
	if err := s.l.Writable(ctx, name, ln.old != ""); errors.As(err, &held) {
		ln.held = held.Error()
	} else if err != nil {
		return err
	}
	return nil
}

func (s *syncing) importLines(ctx context.Context) ([]*line, error) {
	if s.remote.namespaced {
		return nil, nil
	}
	p := s.remote.imports
	here, err := s.l.refsBelow(ctx, p.there)
	if err != nil {
		return nil, err
	}
	known, err := s.l.refsBelow(ctx, p.here)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(here)
	maps.Copy(names, known)
	var lines []*line
	for _, name := range slices.Sorted(maps.Keys(names)) {
		ln := &line{local: p.there + name, old: here[name], tip: here[name], settle: true,
			there: p.there + name, tracks: p.here + name, known: known[name]}
		if ln.known != "" {
			ln.tips = []gitstore.Ref{{Name: ln.tracks, OID: ln.known}}
		}
		lines = append(lines, ln)
	}
	return lines, nil
}

// join merges what the remote has into every line, without moving a ref. What
// keeps one line back does not keep the others.
func (s *syncing) join(ctx context.Context, lines []*line) error {
	var errs []error
	for _, ln := range lines {
		if err := s.joinTips(ctx, ln); err != nil {
			ln.tip, ln.merged, ln.failed = ln.old, nil, true
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// joinTips merges what the remote has of a line. What was even before another
// tip was merged in is looked at again.
func (s *syncing) joinTips(ctx context.Context, ln *line) error {
	for again := true; again; {
		again, ln.even = false, false
		for _, theirs := range ln.tips {
			before := ln.tip
			if err := s.joinOne(ctx, ln, theirs); err != nil {
				return fmt.Errorf("merge '%s': %w", theirs.Name, err)
			}
			again = again || ln.even && ln.tip != before
		}
	}
	if ln.even {
		delete(s.pushed, ln.there) // a push that was tried before the fetch need not succeed
	}
	return nil
}

func (s *syncing) joinOne(ctx context.Context, ln *line, theirs gitstore.Ref) error {
	if ln.tip == theirs.OID {
		return nil
	}
	// Whatever was pushed there, only a store's commit may become ours.
	if _, err := s.l.commitish(ctx, theirs.Name, string(theirs.OID)); err != nil {
		return err
	}
	if ln.tip == "" {
		if ln.held != "" {
			s.note("%s", ln.held)
			return nil
		}
		ln.tip, ln.mergedFrom = theirs.OID, theirs.Name
		ln.merged = &Merged{Commit: theirs.OID, FastForward: true}
		return nil
	}
	if ln.held != "" || ln.forward {
		return s.joinHeld(ctx, ln, theirs)
	}
	m, err := s.merge(ctx, ln, ln.tip, theirs, func(string, gitstore.OID) error { return nil })
	if err != nil || m.UpToDate {
		ln.even = ln.even || m != nil && m.even && theirs.Name == ln.tracks
		return err
	}
	ln.tip, ln.merged, ln.mergedFrom = m.Commit, m, theirs.Name
	return nil
}

// joinHeld is for a line that is not to get a merge commit: it may be behind
// the remote, or apart from it, and the user is told.
func (s *syncing) joinHeld(ctx context.Context, ln *line, theirs gitstore.Ref) error {
	if has, err := s.l.repo.IsAncestor(ctx, theirs.OID, ln.tip); err != nil || has {
		return err
	}
	if ln.held != "" {
		return fmt.Errorf("it has commits that are not here, but %s; merge them there with 'git merge %s'", ln.held, theirs.Name)
	}
	behind, err := s.l.repo.IsAncestor(ctx, ln.tip, theirs.OID)
	if err != nil {
		return err
	}
	if !behind {
		s.note("%s and %s have both moved on: git ctx sync merges them", ShortRef(ln.local), ShortRef(theirs.Name))
		return nil
	}
	if err := s.l.formatAllowsTaking(ctx, theirs.OID); err != nil {
		return err
	}
	ln.tip, ln.mergedFrom = theirs.OID, theirs.Name
	ln.merged = &Merged{Commit: theirs.OID, FastForward: true}
	return nil
}

// merge merges a remote's tip into a commit of the line's.
func (s *syncing) merge(ctx context.Context, ln *line, ours gitstore.OID, theirs gitstore.Ref, move moveFunc) (*Merged, error) {
	o := MergeOptions{Subject: fmt.Sprintf("merge: %s into %s", ShortRef(theirs.Name), ShortRef(ln.local)), settle: ln.settle}
	return s.l.mergeCommits(ctx, ours, theirs.OID, o, move)
}

// land moves the local refs to what was merged, and the tracking refs to what
// the remote took.
func (s *syncing) land(ctx context.Context, lines []*line) error {
	unlock, err := s.l.repo.Lock(ctx, LockWait)
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
	err = s.l.repo.UpdateRefs(ctx, "ctx: sync with "+s.remote.name, updates...)
	var changed *gitstore.RefChangedError
	if errors.As(err, &changed) {
		err = s.landEach(ctx, lines)
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
func (s *syncing) landEach(ctx context.Context, lines []*line) error {
	for _, ln := range lines {
		if ln.sent && ln.tip != ln.known {
			err := s.l.repo.UpdateRefs(ctx, "ctx: push to "+s.remote.name, gitstore.RefUpdate{Name: ln.tracks, Old: ln.known, New: ln.tip})
			var changed *gitstore.RefChangedError
			if err != nil && !errors.As(err, &changed) {
				return err
			}
			// A fetch of git's own moved it: that is as true.
		}
		if ln.tip == ln.old {
			continue
		}
		if err := s.landLate(ctx, ln); err != nil {
			return err
		}
	}
	return nil
}

func (s *syncing) landLate(ctx context.Context, ln *line) error {
	built := gitstore.Ref{Name: ln.mergedFrom, OID: ln.tip}
	for range tries {
		now, err := s.l.repo.Ref(ctx, ln.local)
		switch {
		case errors.Is(err, gitstore.ErrRefNotFound):
			now = ""
		case err != nil:
			return err
		}
		move := func(reflog string, oid gitstore.OID) error {
			return s.l.repo.UpdateRefs(ctx, reflog, gitstore.RefUpdate{Name: ln.local, Old: now, New: oid})
		}
		m := ln.merged
		if now == "" || now == ln.old {
			err = move("ctx: sync with "+s.remote.name, ln.tip)
		} else if m, err = s.merge(ctx, ln, now, built, move); err == nil {
			m = joinReports(ln.merged, m)
		}
		var changed *gitstore.RefChangedError
		if errors.As(err, &changed) {
			continue
		}
		ln.merged = m
		return err
	}
	return fmt.Errorf("'%s' keeps changing under this sync: gave up after %d tries", ln.local, tries)
}

// joinReports is the report of two merges in a row.
func joinReports(a, b *Merged) *Merged {
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

func (s *syncing) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(s.res.Notes, text) {
		s.res.Notes = append(s.res.Notes, text)
	}
}

// ShortRef names a ref of ours as [Ledger.Resolve] takes it.
func ShortRef(ref string) string {
	for _, prefix := range []string{headsPrefix, remotesPrefix, "refs/ctx/"} {
		if name, ok := strings.CutPrefix(unscoped(ref), prefix); ok {
			return name
		}
	}
	return ref
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
