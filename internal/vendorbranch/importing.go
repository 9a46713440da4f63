// Package vendorbranch takes what an importer read into the store: on the source's own
// branch, as it is there, and from there by a merge into the branch that is worked on, so
// that what a person changed here survives the next import. A record that is refused is
// left out and named; what fails as a whole moves no branch.
package vendorbranch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// An Imported tells what an import did.
type Imported struct {
	// Vendor is the tip of refs/ctx/imports/<source> after it.
	Vendor gitstore.OID
	// New and Changed count the records against the source's last import.
	New, Changed, Same int
	// Records are those that the import committed or would commit.
	Records []*records.Record
	// Forgotten are the records that were left out, as they are forgotten here.
	Forgotten []records.ID
	// Twins are those that were left out as the branch holds their text already;
	// see [ImportOptions.SkipTwins].
	Twins []Twin
	// LeftOut are those that were refused by themselves.
	LeftOut []LeftOut
	// Merged is nil in a dry run, and where the source has never given a record.
	*ledger.Merged
}

var sourceName = lazyregexp.New(`^[a-z0-9][a-z0-9-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

// A Twin is a record that an import left out, and the one that has its text.
type Twin struct {
	ID, Of records.ID
	State  records.State // of the latter; records.Forgotten when it is forgotten
}

// LeftOut is a record of a source that is not taken, while the others are: its
// text was ruled out here, or holds a secret.
type LeftOut struct {
	ID  records.ID
	Key string
	Err error
}

// ImportOptions are the choices of an import.
type ImportOptions struct {
	DryRun bool
	// Again is the reason to take over what was ruled out here, AgainKeys the
	// reasons for single keys.
	Again     string
	AgainKeys map[string]string
	// Actor is who imports; "" is agent/import.
	Actor records.Actor
	// SkipTwins leaves new records out whose text another record of their kind has
	// on the branch, in force or ruled out, and those that another source gave.
	SkipTwins bool
	// Reconcile gives what to commit, from what the source's last import held. Nil
	// takes the records as they are.
	Reconcile func(held, now []*records.Record) []*records.Record
	// Renew gives what to commit of a record that the source's last import gave
	// before: was itself when there is nothing new. Nil takes the new one as it is.
	Renew func(was, now *records.Record) *records.Record
	// History is the source's own, of which the records are the last; nil where it has none.
	History []importer.Step
	// Progress is told how many records of all are done; nil for nobody.
	Progress func(done, all int)
}

// again is the reason to take over a record that was ruled out here, or "".
func (o *ImportOptions) again(r *records.Record) string {
	if r.Origin != nil && o.AgainKeys[r.Origin.Key] != "" {
		return o.AgainKeys[r.Origin.Key]
	}
	return o.Again
}

// Import commits records on their source's vendor branch, with the source's
// own time, and merges that branch into the current one. The same records
// change nothing; a record changed at the source meets local edits in the merge.
// The vendor commit depends on the records and on the imports before it alone, so
// clones that import the same agree.
func Import(ctx context.Context, l *ledger.Ledger, source string, rs []*records.Record, when time.Time, o ImportOptions) (*Imported, error) {
	if !sourceName.MatchString(source) {
		return nil, fmt.Errorf("import source '%s': a name is of small letters, digits and hyphens", source)
	}
	branch, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	tip, _, err := l.BranchTip(ctx, branch)
	if err != nil {
		return nil, err
	}
	if err := l.Policies().AllowWrites(ctx, tip); err != nil { // before anything is written, the source's branch included
		return nil, err
	}
	res := &Imported{}
	v, err := l.Load(ctx, branch, tip)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	if err := vendor(ctx, l, v, source, rs, when, o, res); err != nil {
		return nil, err
	}
	if o.DryRun || res.Vendor == "" { // the source gave nothing, and never did
		return res, nil
	}
	res.Merged, err = l.Merge(ctx, l.ImportRefs()+source, ledger.MergeOptions{Subject: fmt.Sprintf("import: %s into %s", source, branch)})
	return res, err
}

// importable leaves out the records that are forgotten on the branch, so that
// their text does not come back by the vendor branch either, those that are new
// and say what was ruled out, and those with a secret. Nothing leads to them.
func importable(l *ledger.Ledger, v records.View, w *vendorBranch, rs []*records.Record, o ImportOptions, res *Imported) []*records.Record {
	var kept []*records.Record
	gone := make(map[records.ID]bool)
	leave := func(r *records.Record, err error) {
		gone[r.ID] = true
		key := ""
		if r.Origin != nil {
			key = r.Origin.Key
		}
		res.LeftOut = append(res.LeftOut, LeftOut{r.ID, key, err})
	}
	for _, r := range rs {
		old, known := v.Record(r.ID)
		if known && old.Forgotten() {
			res.Forgotten = append(res.Forgotten, r.ID)
			continue
		}
		if o.SkipTwins && known && w.elsewhere(r.ID) {
			res.Twins = append(res.Twins, Twin{r.ID, r.ID, ledger.StateIn(v, old)})
			continue
		}
		if !known && o.SkipTwins {
			if twin := twinOf(v, r); twin != nil {
				res.Twins = append(res.Twins, *twin)
				gone[r.ID] = true
				continue
			}
		}
		if !known {
			if err := w.reopened(v, r, o.again(r)); err != nil {
				leave(r, err)
				continue
			}
		}
		scan := l.ScanSecrets()
		if scan.Record(r, w.before(r.ID)); scan.Err() != nil {
			leave(r, scan.Err())
			continue
		}
		w.allowed = append(w.allowed, scan.Allowed...)
		kept = append(kept, r)
	}
	for _, r := range kept {
		if len(gone) > 0 {
			r.Unlink(gone)
		}
	}
	return kept
}

// reopened refuses a record whose text was ruled out here, or, with a reason to take it
// over again, makes it reopen what was.
func (w *vendorBranch) reopened(v records.View, r *records.Record, reason string) error {
	for {
		err := ledger.RefuseRuledOut(v, r, records.Human)
		var dead *ledger.DeadTwinError
		if reason == "" || !errors.As(err, &dead) {
			return err
		}
		if r.Links == nil {
			r.Links = make(map[records.Relation][]records.ID)
		}
		r.Links[records.Reopens] = append(r.Links[records.Reopens], dead.Twin)
		slices.Sort(r.Links[records.Reopens])
		if err := w.carry(v, dead.Twin); err != nil {
			return err
		}
		if r.Verdict != nil && r.Verdict.Of != "" {
			r.Verdict.Of = r.Digest()
		}
	}
}

// carry has the branch hold a record of the store as it is, with all that it leads
// to, so that a link from the source's own records leads somewhere there too.
func (w *vendorBranch) carry(v records.View, id records.ID) error {
	path := records.IDPath(id)
	r, ok := v.Record(id)
	if !ok || w.before(id) != nil || w.taken[path] != nil {
		return nil
	}
	data, err := records.Format(r)
	if err != nil {
		return err
	}
	w.taken[path] = data
	next := slices.Concat(slices.Collect(maps.Values(r.Links))...)
	if r.Verdict != nil {
		next = append(append(next, r.Verdict.Cites...), r.Verdict.SupersededBy)
	}
	for _, id := range next {
		if err := w.carry(v, id); err != nil {
			return err
		}
	}
	return nil
}

// twinOf finds another record with the text of r, one that is ruled out first; nil when there is none.
func twinOf(v records.View, r *records.Record) *Twin {
	if dead := ledger.RuledOut(v, r, records.Human); len(dead) > 0 {
		if dead[0].Forgotten() {
			return &Twin{r.ID, dead[0].ID, records.Forgotten}
		}
		return &Twin{r.ID, dead[0].ID, ledger.StateIn(v, dead[0])}
	}
	for _, id := range v.Titled(r.Kind, records.Normalize(r.Title)) {
		if o, ok := v.Record(id); ok && id != r.ID && !o.Forgotten() {
			return &Twin{r.ID, id, ledger.StateIn(v, o)}
		}
	}
	return nil
}
