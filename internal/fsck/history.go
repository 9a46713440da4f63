package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// walkChunk is how many changed files are read and checked at a time.
const walkChunk = 4096

// A historyWalk checks that each verdict in history came about by what its commit
// says was done: the state of a record is then the fold of its history.
type historyWalk struct {
	ck      *checker
	commits map[gitstore.OID]*commitmsg.LogEntry
	given   *provenance.VerdictLog // over all refs
	// standing are the verdicts that some ref holds now: what was put right since
	// is not a fault.
	standing map[string]bool
	graves   map[string]bool // the tombstones that some ref holds
	pending  []change
	sides    map[gitstore.OID]*records.Record
	// forgot are the commits that forgot a record, deleted those that removed a
	// record's file from the tree.
	forgot  map[records.ID][]gitstore.OID
	deleted []change
}

// A change is a record file at which a commit differs from all its parents.
type change struct {
	commit *commitmsg.LogEntry
	path   string
	old    []gitstore.OID // by parent, "" where that has none
	now    gitstore.OID
}

// verdicts folds the history of all refs.
func (ck *checker) verdicts(ctx context.Context) {
	ck.each(ck.sound, func(refs []gitstore.Ref) error {
		if len(refs) == 0 {
			return nil
		}
		w := &historyWalk{ck: ck, commits: make(map[gitstore.OID]*commitmsg.LogEntry), given: provenance.NewVerdictLog(ctx, ck.led.Repo()),
			standing: ck.standing(), graves: ck.graves(), forgot: make(map[records.ID][]gitstore.OID)}
		var order strings.Builder
		for e, err := range ck.led.History(ctx, ledger.HistoryQuery{From: oidsOf(refs)}) {
			if err != nil {
				return err
			}
			w.commits[e.OID] = e
			w.given.Add(e)
			fmt.Fprintln(&order, e.OID)
		}
		out, err := ck.repo().Git(ctx, strings.NewReader(order.String()), "diff-tree", "--stdin", "--root", "-r", "-c", "-z",
			"--raw", "--no-abbrev", "--no-renames", "--", records.RecordsDir)
		if err != nil {
			return err
		}
		if err := w.read(ctx, string(out)); err != nil {
			return err
		}
		return w.missing(ctx, refs)
	})
}

// standing collects the verdicts that the tips hold.
func (ck *checker) standing() map[string]bool {
	out := make(map[string]bool)
	for _, c := range ck.seen {
		if c.r == nil {
			continue
		}
		for _, v := range verdictsOf(c.r) {
			out[records.VerdictDigest(c.r.ID, &v)] = true
		}
	}
	return out
}

// graves collects the tombstones that the tips hold.
func (ck *checker) graves() map[string]bool {
	out := make(map[string]bool)
	for _, c := range ck.seen {
		if c.r != nil && c.r.Forgotten() {
			out[records.TombstoneDigest(c.r)] = true
		}
	}
	return out
}

// read takes the answer of git diff-tree apart: a commit's id, and for each file
// the modes and ids by parent, then its name.
func (w *historyWalk) read(ctx context.Context, out string) error {
	var at *commitmsg.LogEntry
	for out != "" {
		var word, path string
		word, out, _ = strings.Cut(out, "\x00")
		if !strings.HasPrefix(word, ":") {
			at = w.commits[gitstore.OID(word)]
			continue
		}
		path, out, _ = strings.Cut(out, "\x00")
		parents := len(word) - len(strings.TrimLeft(word, ":"))
		fields := strings.Fields(strings.TrimLeft(word, ":"))
		if at == nil || len(fields) != 2*(parents+1)+1 {
			return fmt.Errorf("read history: git diff-tree answered %q", word)
		}
		if _, err := records.PathID(path); err != nil {
			continue
		}
		c := change{commit: at, path: path}
		for i, oid := range fields[parents+1 : 2*(parents+1)] {
			if strings.Trim(oid, "0") == "" {
				oid = ""
			}
			if i < parents {
				c.old = append(c.old, gitstore.OID(oid))
			} else {
				c.now = gitstore.OID(oid)
			}
		}
		if w.pending = append(w.pending, c); len(w.pending) == walkChunk {
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
	return w.flush(ctx)
}

// flush reads the files of the pending changes and checks them.
func (w *historyWalk) flush(ctx context.Context) error {
	w.sides = make(map[gitstore.OID]*records.Record)
	var oids []gitstore.OID
	var paths []string
	for _, c := range w.pending {
		for _, oid := range append(slices.Clone(c.old), c.now) {
			if _, seen := w.sides[oid]; oid == "" || seen {
				continue
			}
			w.sides[oid] = nil
			oids, paths = append(oids, oid), append(paths, c.path)
		}
	}
	err := w.ck.repo().ReadBlobs(ctx, oids, func(i int, data []byte) error {
		if r, err := records.Parse(paths[i], data); err == nil { // what does not decode is reported elsewhere
			w.sides[oids[i]] = r
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range w.pending {
		if err := w.change(c); err != nil {
			return err
		}
	}
	w.pending = w.pending[:0]
	return nil
}

// change checks what a commit gave a record, if it gave something.
func (w *historyWalk) change(c change) error {
	now := w.sides[c.now]
	switch {
	case c.now == "":
		w.deleted = append(w.deleted, c)
		return nil
	case now == nil:
		return nil
	case now.Forgotten():
		return w.tombstone(c, now)
	}
	if len(verdictSides(now)) > 0 {
		if err := w.dispute(c, now); err != nil {
			return err
		}
	}
	for i, v := range verdictsOf(now) {
		if err := w.verdict(c, now, &v, i == len(now.Also)); err != nil {
			return err
		}
	}
	return nil
}

// missing reports what no verb does: a tip that holds whole what its history
// forgot, and a record's file that was deleted and is at no tip.
func (w *historyWalk) missing(ctx context.Context, refs []gitstore.Ref) error {
	there, whole := make(map[records.ID]bool), make(map[records.ID]bool)
	for e, c := range w.ck.seen {
		id, _ := records.PathID(e.path)
		there[id] = true
		whole[id] = whole[id] || c.r != nil && !c.r.Forgotten()
	}
	for _, c := range w.deleted {
		if id, _ := records.PathID(c.path); !there[id] {
			there[id] = true // the commit that is reported is the last one that deleted it
			w.fault(c, records.Warning, CheckDeleted, fmt.Sprintf("%s was deleted, which no verb does, and is on no branch", id))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.forgot)) {
		if !whole[id] {
			continue
		}
		for _, ref := range refs {
			if err := w.broughtBack(ctx, ref, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// broughtBack reports a record that a tip holds whole although its history forgot it.
func (w *historyWalk) broughtBack(ctx context.Context, ref gitstore.Ref, id records.ID) error {
	r, err := w.ck.led.RecordAt(ctx, ref.OID, id)
	if err != nil || r == nil || r.Forgotten() {
		return err
	}
	for _, oid := range w.forgot[id] {
		if knew, err := w.ck.repo().IsAncestor(ctx, oid, ref.OID); err != nil || !knew {
			if err != nil {
				return err
			}
			continue
		}
		w.ck.report(ref, Fault{Severity: records.Error, Check: CheckTombstone, Path: records.IDPath(id), ID: id,
			Message: fmt.Sprintf("it was forgotten in commit %s, and stands here whole again", oid.Short())})
		return nil
	}
	return nil
}

func (w *historyWalk) fault(c change, s records.Severity, check, message string) {
	id, _ := records.PathID(c.path)
	w.ck.rep.Faults = append(w.ck.rep.Faults, Fault{Severity: s, Check: check, Commit: c.commit.OID, Path: c.path, ID: id, Message: message})
}
