package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

// foldChunk is how many changed files are read and judged at a time.
const foldChunk = 4096

// A folding checks that each verdict in history came about by what its commit
// says was done: the state of a record is then the fold of its history.
type folding struct {
	f       *checking
	commits map[gitstore.OID]*Entry
	// named are the verdicts that persons' verbs named, over all refs.
	named map[string]string
	cut   *testimony
	// standing are the verdicts that some ref holds now: what was put right since
	// is no fault.
	standing map[string]bool
	pending  []foldChange
	sides    map[gitstore.OID]*records.Record
}

// A foldChange is a record file at which a commit differs from all its parents.
type foldChange struct {
	commit *Entry
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
		fo := &folding{f: f, commits: make(map[gitstore.OID]*Entry), named: make(map[string]string),
			cut: f.l.newTestimony(ctx, "", refs[0].OID), standing: f.standing()}
		var order strings.Builder
		for e, err := range f.l.History(ctx, HistoryQuery{From: oidsOf(refs)}) {
			if err != nil {
				return err
			}
			fo.commits[e.OID] = e
			e.vouch(fo.named)
			fmt.Fprintln(&order, e.OID)
		}
		out, err := f.l.repo.Git(ctx, strings.NewReader(order.String()), "diff-tree", "--stdin", "--root", "-r", "-c", "-z",
			"--raw", "--no-abbrev", "--no-renames", "--", recordsRoot)
		if err != nil {
			return err
		}
		return fo.read(ctx, string(out))
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
	var at *Entry
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
var free = []string{verbApply, verbRestore, "resolve", "import", "revert"}

// change checks the verdict that a commit gave a record, if it gave one.
func (fo *folding) change(c foldChange) error {
	now := fo.sides[c.now]
	if now == nil || now.Verdict == nil || now.Tombstone != nil {
		return nil
	}
	v, digest := now.Verdict, records.VerdictDigest(now.ID, now.Verdict)
	if !fo.standing[digest] {
		return nil
	}
	var old *records.Record
	disputed := false
	for _, oid := range c.old {
		o := fo.sides[oid]
		if o == nil {
			continue
		}
		old, disputed = o, disputed || o.Verdict == nil
		for _, was := range append(slices.Clone(o.Also), deref(o.Verdict)) {
			if records.VerdictDigest(o.ID, &was) == digest {
				return nil
			}
		}
	}
	for cl := range index.Claims(now) {
		if cl.Digest != digest {
			continue
		}
		if ok, err := fo.attested(cl); err != nil || ok {
			if ok {
				return fo.transition(c, old, disputed)
			}
			return err
		}
		fo.fault(c, records.Error, CheckUnattested, fmt.Sprintf("%s is %s by a person, it says, and no verb of a person gave that verdict", now.ID, v.State))
		return nil
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
