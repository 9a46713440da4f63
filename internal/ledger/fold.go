package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// foldChunk is how many changed files are read and judged at a time.
const foldChunk = 4096

// A folding checks that each verdict in history came about by what its commit
// says was done: the state of a record is then the fold of its history.
type folding struct {
	f       *checking
	commits map[gitstore.OID]*commitmsg.LogEntry
	// named are the verdicts that persons' verbs named, over all refs.
	named map[string]string
	cut   *testimony
	// standing are the verdicts that some ref holds now: what was put right since
	// is no fault.
	standing map[string]bool
	pending  []foldChange
	sides    map[gitstore.OID]*records.Record
	// forgot are the commits that forgot a record, deleted those that removed a
	// record's file from the tree.
	forgot  map[records.ID][]gitstore.OID
	deleted []foldChange
}

// A foldChange is a record file at which a commit differs from all its parents.
type foldChange struct {
	commit *commitmsg.LogEntry
	path   string
	old    []gitstore.OID // by parent, "" where that has none
	now    gitstore.OID
}

// verdicts folds the history of all refs.
func (f *checking) verdicts(ctx context.Context) {
	f.each(f.sound, func(refs []gitstore.Ref) error {
		if len(refs) == 0 {
			return nil
		}
		fo := &folding{f: f, commits: make(map[gitstore.OID]*commitmsg.LogEntry), named: make(map[string]string),
			cut: f.l.newTestimony(ctx, "", refs[0].OID), standing: f.standing(),
			forgot: make(map[records.ID][]gitstore.OID)}
		var order strings.Builder
		for e, err := range f.l.History(ctx, HistoryQuery{From: oidsOf(refs)}) {
			if err != nil {
				return err
			}
			fo.commits[e.OID] = e
			addVerdicts(fo.named, e)
			fmt.Fprintln(&order, e.OID)
		}
		out, err := f.l.repo.Git(ctx, strings.NewReader(order.String()), "diff-tree", "--stdin", "--root", "-r", "-c", "-z",
			"--raw", "--no-abbrev", "--no-renames", "--", RecordsRoot)
		if err != nil {
			return err
		}
		if err := fo.read(ctx, string(out)); err != nil {
			return err
		}
		return fo.missing(ctx, refs)
	})
}

// standing collects the verdicts that the tips hold.
func (f *checking) standing() map[string]bool {
	out := make(map[string]bool)
	for _, c := range f.seen {
		if c.r == nil {
			continue
		}
		for _, v := range append(slices.Clone(c.r.Also), deref(c.r.Verdict)) {
			out[records.VerdictDigest(c.r.ID, &v)] = true
		}
	}
	return out
}

// read takes the answer of git diff-tree apart: a commit's id, and for each file
// the modes and ids by parent, then its name.
func (fo *folding) read(ctx context.Context, out string) error {
	var at *commitmsg.LogEntry
	for out != "" {
		var word, path string
		word, out, _ = strings.Cut(out, "\x00")
		if !strings.HasPrefix(word, ":") {
			at = fo.commits[gitstore.OID(word)]
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
		c := foldChange{commit: at, path: path}
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
		if fo.pending = append(fo.pending, c); len(fo.pending) == foldChunk {
			if err := fo.judge(ctx); err != nil {
				return err
			}
		}
	}
	return fo.judge(ctx)
}

// judge reads the files of the pending changes and checks them.
func (fo *folding) judge(ctx context.Context) error {
	fo.sides = make(map[gitstore.OID]*records.Record)
	var oids []gitstore.OID
	var paths []string
	for _, c := range fo.pending {
		for _, oid := range append(slices.Clone(c.old), c.now) {
			if _, seen := fo.sides[oid]; oid == "" || seen {
				continue
			}
			fo.sides[oid] = nil
			oids, paths = append(oids, oid), append(paths, c.path)
		}
	}
	err := fo.f.l.repo.ReadBlobs(ctx, oids, func(i int, data []byte) error {
		if r, err := records.Parse(paths[i], data); err == nil { // what does not decode is reported elsewhere
			fo.sides[oids[i]] = r
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range fo.pending {
		if err := fo.change(c); err != nil {
			return err
		}
	}
	fo.pending = fo.pending[:0]
	return nil
}

// free are the verbs that bring verdicts of others, or several at once.
var free = []string{VerbApply, VerbPromote, VerbRestore, "resolve", "import", "revert"}

// change checks the verdict that a commit gave a record, if it gave one.
func (fo *folding) change(c foldChange) error {
	now := fo.sides[c.now]
	switch {
	case c.now == "":
		fo.deleted = append(fo.deleted, c)
		return nil
	case now == nil:
		return nil
	case now.Tombstone != nil:
		fo.forgot[now.ID] = append(fo.forgot[now.ID], c.commit.OID)
		return nil
	case now.Verdict == nil:
		return nil
	}
	v, digest := now.Verdict, records.VerdictDigest(now.ID, now.Verdict)
	if !fo.standing[digest] {
		return nil
	}
	var old *records.Record
	disputed, held := false, false
	for _, oid := range c.old {
		o := fo.sides[oid]
		if o == nil {
			continue
		}
		old, disputed = o, disputed || o.Verdict == nil
		for _, was := range append(slices.Clone(o.Also), deref(o.Verdict)) {
			held = held || records.VerdictDigest(o.ID, &was) == digest
		}
	}
	if held {
		return nil
	}
	for cl := range index.Claims(now) {
		if cl.Digest == digest {
			return fo.claim(c, cl, old, disputed)
		}
	}
	e := c.commit.Message
	switch {
	case disputed || slices.Contains(free, e.Verb):
		return nil
	case v.Actor != e.Actor:
		fo.fault(c, records.Warning, CheckVerdict, fmt.Sprintf("%s is %s by %s, it says, and %s made the commit that says so", now.ID, v.State, v.Actor, e.Actor))
		return nil
	case e.Verb != "" && !vouches(c.commit.Author.Name, v.By):
		fo.fault(c, records.Warning, CheckVerdict, fmt.Sprintf("%s is %s by '%s', it says, and the commit's author is '%s'", now.ID, v.State, v.By, c.commit.Author.Name))
		return nil
	}
	return fo.transition(c, old, disputed)
}

// claim checks a verdict that claims a person's word: a person's verb gave it, and
// gave it here. One that stood before, was taken back since and is put there again
// by hand is a person's too, but of another time.
func (fo *folding) claim(c foldChange, cl index.Claim, old *records.Record, disputed bool) error {
	state := fo.sides[c.now].State()
	ok, err := fo.attested(cl)
	if err != nil {
		return err
	}
	if !ok {
		fo.fault(c, records.Error, CheckUnattested, fmt.Sprintf("%s is %s by a person, it says, and no verb of a person gave that verdict", cl.Record, state))
		return nil
	}
	here := make(map[string]string)
	addVerdicts(here, c.commit)
	if _, given := here[cl.Digest]; given || disputed {
		return fo.transition(c, old, disputed)
	}
	if stood, err := fo.cut.beforeCut(cl); err != nil || stood {
		return err
	}
	fo.fault(c, records.Error, CheckUnattested, fmt.Sprintf("%s is %s by a verdict that a person gave at another time, and no verb of a person gave it anew", cl.Record, state))
	return nil
}

// transition checks that some verb leads from the one state to the other.
func (fo *folding) transition(c foldChange, old *records.Record, disputed bool) error {
	now, verb := fo.sides[c.now], c.commit.Message.Verb
	if old == nil || old.Verdict == nil || disputed || c.commit.IsMerge() || now.Verdict.Reverts != "" || slices.Contains(free, verb) {
		return nil
	}
	if verb == string(records.VerbReopen) && records.CheckReopen(old.Kind, old.State()) == nil {
		return nil
	}
	if err := records.CheckTransition(old.Kind, old.State(), now.State()); err != nil {
		fo.fault(c, records.Warning, CheckVerdict, fmt.Sprintf("%s: %v", now.ID, err))
	}
	return nil
}

// missing reports what no verb does: a tip that holds whole what its history
// forgot, and a record's file that was deleted and is at no tip.
func (fo *folding) missing(ctx context.Context, refs []gitstore.Ref) error {
	there, whole := make(map[records.ID]bool), make(map[records.ID]bool)
	for e, c := range fo.f.seen {
		id, _ := records.PathID(e.path)
		there[id] = true
		whole[id] = whole[id] || c.r != nil && c.r.Tombstone == nil
	}
	for _, c := range fo.deleted {
		if id, _ := records.PathID(c.path); !there[id] {
			there[id] = true // the commit that is reported is the last one that deleted it
			fo.fault(c, records.Warning, CheckDeleted, fmt.Sprintf("%s was deleted, which no verb does, and is on no branch", id))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(fo.forgot)) {
		if !whole[id] {
			continue
		}
		for _, ref := range refs {
			if err := fo.broughtBack(ctx, ref, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// broughtBack reports a record that a tip holds whole although its history forgot it.
func (fo *folding) broughtBack(ctx context.Context, ref gitstore.Ref, id records.ID) error {
	r, err := fo.f.l.RecordAt(ctx, ref.OID, id)
	if err != nil || r == nil || r.Tombstone != nil {
		return err
	}
	for _, oid := range fo.forgot[id] {
		if knew, err := fo.f.l.repo.IsAncestor(ctx, oid, ref.OID); err != nil || !knew {
			if err != nil {
				return err
			}
			continue
		}
		fo.f.report(ref, Fault{Severity: records.Error, Check: CheckTombstone, Path: records.IDPath(id), ID: id,
			Message: fmt.Sprintf("it was forgotten in commit %s, and stands here whole again", oid.Short())})
		return nil
	}
	return nil
}

func (fo *folding) fault(c foldChange, s records.Severity, check, message string) {
	id, _ := records.PathID(c.path)
	fo.f.rep.Faults = append(fo.f.rep.Faults, Fault{Severity: s, Check: check, Commit: c.commit.OID, Path: c.path, ID: id, Message: message})
}

func (fo *folding) attested(c index.Claim) (bool, error) {
	if author, ok := fo.named[c.Digest]; ok && vouches(author, c.By) {
		return true, nil
	}
	return fo.cut.beforeCut(c)
}

func deref(v *records.Verdict) records.Verdict {
	if v == nil {
		return records.Verdict{}
	}
	return *v
}
