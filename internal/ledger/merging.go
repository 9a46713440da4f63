package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
	"github.com/git-ctx/git-ctx/records/standing"
)

// merging is one merge under way.
type merging struct {
	l            *Ledger
	res          *Merged
	ours, theirs gitstore.OID
	bases        []gitstore.OID
	// joins takes from theirs, the project, whatever it holds: a scope changes none of it.
	joins bool

	changes []gitstore.Change // over our tree
	taken   []treeFile        // theirs, which ours left as it was
	ourSnap *gitstore.Snapshot
	thSnap  *gitstore.Snapshot
	bSnaps  []*gitstore.Snapshot
}

func (m *merging) run(ctx context.Context, ff bool) error {
	var err error
	if m.ourSnap, err = m.l.repo.Snapshot(ctx, string(m.ours)); err != nil {
		return err
	}
	if m.thSnap, err = m.l.repo.Snapshot(ctx, string(m.theirs)); err != nil {
		return err
	}
	for _, b := range m.bases {
		s, err := m.l.repo.Snapshot(ctx, string(b))
		if err != nil {
			return err
		}
		m.bSnaps = append(m.bSnaps, s)
	}
	paths, err := m.candidates(ctx)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := m.path(p); err != nil {
			return err
		}
	}
	if err := m.takeOver(ctx); err != nil {
		return err
	}
	slices.Sort(m.res.Changed)
	if err := m.secrets(ctx); err != nil {
		return err
	}
	if ff {
		return nil // what theirs holds is theirs' own doing
	}
	return m.contradictions(ctx)
}

// candidates lists the paths at which theirs differs from ours and from some
// base: at all others our side stands.
func (m *merging) candidates(ctx context.Context) ([]string, error) {
	differ := make(map[string]bool)
	err := m.l.repo.DiffTrees(ctx, m.ourSnap.Tree(), m.thSnap.Tree(), func(path string, _, _ gitstore.OID) error {
		differ[path] = len(m.bases) == 0
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, b := range m.bSnaps {
		err := m.l.repo.DiffTrees(ctx, b.Tree(), m.thSnap.Tree(), func(path string, _, _ gitstore.OID) error {
			if _, ok := differ[path]; ok {
				differ[path] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(differ, func(_ string, wanted bool) bool { return !wanted })
	return slices.Sorted(maps.Keys(differ)), nil
}

// path merges one path.
func (m *merging) path(path string) error {
	ourOID, err := oidOf(m.ourSnap, path)
	if err != nil {
		return err
	}
	theirOID, err := oidOf(m.thSnap, path)
	if err != nil {
		return err
	}
	oursIsBase := true
	for _, s := range m.bSnaps {
		b, err := oidOf(s, path)
		if err != nil {
			return err
		}
		oursIsBase = oursIsBase && b == ourOID
	}
	if len(m.bSnaps) == 0 {
		oursIsBase = ourOID == ""
	}
	switch {
	case theirOID == "":
		return nil // verbs never delete files: a foreign deletion does not spread, and a change here stays
	case oursIsBase, m.joins && !strings.HasPrefix(path, ReceiptsRoot+"/"):
		m.taken = append(m.taken, treeFile{path, theirOID})
		return nil
	}
	return m.content(path)
}

// content merges one path that both sides changed.
func (m *merging) content(path string) error {
	ours, err := m.ourSnap.Content(path)
	if err != nil {
		return err
	}
	theirs, err := m.thSnap.Content(path)
	if err != nil {
		return err
	}
	var bases [][]byte
	for _, s := range m.bSnaps {
		b, err := s.Content(path)
		if err != nil {
			return err
		}
		bases = append(bases, b)
	}
	id, idErr := records.PathID(path)
	switch {
	case path == records.PolicyFile:
		return m.policy(bases, ours, theirs)
	case strings.HasPrefix(path, ReceiptsRoot+"/"):
		return m.receipt(path, ours, theirs)
	case idErr != nil || !strings.HasPrefix(path, records.RecordsDir+"/"):
		return fmt.Errorf("merge '%s': both sides changed it, and it is not a record; merge it with git in a worktree", path)
	}
	return m.record(path, id, bases, ours, theirs)
}

// oidOf returns the object ID of a path in a snapshot, "" when it is not there.
func oidOf(s *gitstore.Snapshot, path string) (gitstore.OID, error) {
	oid, err := s.OID(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return oid, err
}

// takeOver reads what is taken from their side as it stands.
func (m *merging) takeOver(ctx context.Context) error {
	oids := make([]gitstore.OID, len(m.taken))
	for i, e := range m.taken {
		oids[i] = e.oid
	}
	return m.l.readBlobs(ctx, oids, func(i int, data []byte) error {
		id, err := records.PathID(m.taken[i].path)
		if err != nil {
			id = "" // no record
		}
		m.take(m.taken[i].path, id, bytes.Clone(data))
		return nil
	})
}

func (m *merging) take(path string, id records.ID, data []byte) {
	m.changes = append(m.changes, gitstore.Change{Path: path, Data: data})
	if id != "" {
		m.res.Changed = append(m.res.Changed, id)
	}
}

func (m *merging) record(path string, id records.ID, bases [][]byte, ours, theirs []byte) error {
	parse := func(data []byte) (*records.Record, error) {
		if data == nil {
			return nil, nil
		}
		return records.Parse(path, data)
	}
	var bs []*records.Record
	for _, b := range bases {
		if r, err := parse(b); err == nil { // one that cannot be read is none: history cannot be mended
			bs = append(bs, r)
		}
	}
	o, err := parse(ours)
	if err != nil {
		return &UnreadableSideError{id, "our", err}
	}
	t, err := parse(theirs)
	if err != nil {
		return &UnreadableSideError{id, "their", err}
	}
	merged, report, err := merge.Records(bs, o, t)
	if err != nil {
		return fmt.Errorf("merge '%s': %w", id, err)
	}
	data, err := records.Format(merged)
	if err != nil {
		return fmt.Errorf("merge '%s': %w", id, err)
	}
	if len(report.Conflicts) > 0 {
		m.res.Disputed[id], m.res.Headings[id] = report.Conflicts, merged.Heading()
	}
	for _, d := range report.Dropped {
		m.res.Dropped = append(m.res.Dropped, Dropped{id, d})
	}
	if string(data) != string(ours) {
		m.take(path, id, data)
	}
	return nil
}

func (m *merging) policy(bases [][]byte, ours, theirs []byte) error {
	var ps []*records.Policy
	for i, data := range append(bases, ours, theirs) {
		if data == nil {
			ps = append(ps, nil)
			continue
		}
		p, err := records.ParsePolicy(data)
		if err != nil && i >= len(bases) {
			return fmt.Errorf("merge %s: %w", records.PolicyFile, err)
		}
		ps = append(ps, p)
	}
	n := len(ps)
	merged, report := merge.Policy(ps[:n-2], ps[n-2], ps[n-1])
	for _, d := range report.Dropped {
		m.res.Dropped = append(m.res.Dropped, Dropped{Drop: d})
	}
	m.take(records.PolicyFile, "", records.FormatPolicy(merged))
	return nil
}

// receipt joins two receipts of one record, which never shrink. One that does not
// read is set aside, ours where neither does.
func (m *merging) receipt(path string, ours, theirs []byte) error {
	rs := make(Receipts)
	for _, data := range [][]byte{ours, theirs} {
		if data == nil {
			continue
		}
		if r, err := records.ParseReceipt(path, data); err == nil {
			if err := rs.Add(r); err != nil {
				return fmt.Errorf("merge '%s': %w", path, err)
			}
		}
	}
	for _, r := range rs {
		m.take(path, "", records.FormatReceipt(r))
	}
	return nil
}

// contradictions finds those of the merged records that neither side had.
func (m *merging) contradictions(ctx context.Context) error {
	ours, err := m.l.loadTip(ctx, m.ours)
	if err != nil {
		return err
	}
	defer ours.Close()
	theirs := records.NewOverlay(ours)
	for c, err := range m.l.FileChanges(ctx, m.ourSnap.Tree(), m.thSnap.Tree()) {
		if err != nil {
			return err
		}
		if r, err := records.Parse(c.Path, c.Data); c.Data != nil && err == nil {
			theirs.Put(r)
		} else if id, err := records.PathID(c.Path); err == nil {
			theirs.Drop(id)
		}
	}
	merged := records.NewOverlay(ours)
	taken := make(map[string]bool, len(m.taken))
	for _, e := range m.taken {
		taken[e.path] = true
	}
	for _, c := range m.changes {
		id, err := records.PathID(c.Path)
		if err != nil {
			continue
		}
		if r, ok := theirs.Record(id); ok && taken[c.Path] {
			merged.Put(r)
		} else if r, err := records.Parse(c.Path, c.Data); err == nil {
			merged.Put(r)
		}
	}
	m.res.Made = standing.Made(merged, []records.View{ours, theirs}, merged.Changed())
	return ours.Err()
}

// commit writes the merge. Two sides that hold the same meet in a commit whose
// bytes depend on them alone, so that replicas settle.
func (m *merging) commit(ctx context.Context, o MergeOptions, move MoveFunc) (gitstore.OID, error) {
	if o.Canonical || m.ourSnap.Tree() == m.thSnap.Tree() {
		return m.canonicalMerge(ctx, move)
	}
	if o.join {
		return m.join(ctx, move)
	}
	msg, err := m.l.NewMessage(ctx)
	if err != nil {
		return "", err
	}
	msg.Subject, msg.Verb = o.Subject, "merge"
	var body strings.Builder
	for _, id := range slices.Sorted(maps.Keys(m.res.Disputed)) {
		fmt.Fprintf(&body, "disputed %s (%s)\n", id, strings.Join(m.res.Disputed[id], ", "))
		msg.Records = append(msg.Records, id)
	}
	for _, c := range m.res.Made {
		fmt.Fprintf(&body, "contradiction %s\n", c.Key())
	}
	msg.Body = body.String()
	c := gitstore.Commit{Parents: []gitstore.OID{m.ours, m.theirs}, Message: msg.Format()}
	if c.Author, c.Committer, err = m.l.Identity(ctx); err != nil {
		return "", err
	}
	return m.l.WriteCommit(ctx, c, m.ours, m.changes, "ctx: "+o.Subject, move)
}
