package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A ReceiptFault says why a receipt, or what it lists of some blobs, counts for nothing.
type ReceiptFault struct {
	Path  string
	Blobs []gitstore.OID // none where the whole receipt is meant
	Why   string
}

func (f *ReceiptFault) Error() string { return fmt.Sprintf("receipt '%s': %s", f.Path, f.What()) }

// What says what is wrong with it, without its path.
func (f *ReceiptFault) What() string {
	if len(f.Blobs) == 0 {
		return f.Why
	}
	return fmt.Sprintf("it lists %s: %s", shortOIDs(f.Blobs), f.Why)
}

// shortOIDs names the first of some objects and how many more there are.
func shortOIDs(oids []gitstore.OID) string {
	if len(oids) == 1 {
		return oids[0].Short()
	}
	return fmt.Sprintf("%s and %d more", oids[0].Short(), len(oids)-1)
}

// SoundReceipts returns, of receipts that the trees of some commits hold, what
// counts: what a purge verb of somebody who may listed, of blobs that say that
// they are that record where they are here to be read. Whether such a blob stood
// under the record's own path is for the caller to see. The rest is named.
func (l *Ledger) SoundReceipts(ctx context.Context, rs Receipts, commits ...gitstore.OID) (Receipts, []*ReceiptFault, error) {
	if len(rs) == 0 {
		return rs, nil, nil
	}
	made, err := l.madeReceipts(ctx, commits)
	if err != nil {
		return nil, nil, err
	}
	present, err := l.repo.Present(ctx, rs.Blobs())
	if err != nil {
		return nil, nil, err
	}
	sound := make(Receipts)
	var faults []*ReceiptFault
	for _, id := range rs.IDs() {
		r := *rs[id]
		r.Blobs = nil
		var unmade, others []gitstore.OID
		for _, b := range rs[id].Blobs {
			oid := gitstore.OID(b)
			says := true
			if slices.Contains(present, oid) {
				if says, err = l.versionOf(ctx, id, oid); err != nil {
					return nil, nil, err
				}
			}
			switch {
			case !made[id][oid]:
				unmade = append(unmade, oid)
			case !says:
				others = append(others, oid)
			default:
				r.Blobs = append(r.Blobs, b)
			}
		}
		if len(unmade) > 0 {
			faults = append(faults, &ReceiptFault{records.ReceiptPath(id), unmade, "no purge of a person's listed it"})
		}
		if len(others) > 0 {
			faults = append(faults, &ReceiptFault{records.ReceiptPath(id), others, fmt.Sprintf("it is not a version of %s", id)})
		}
		if len(r.Blobs) > 0 {
			sound[id] = &r
		}
	}
	return sound, faults, nil
}

func (l *Ledger) versionOf(ctx context.Context, id records.ID, blob gitstore.OID) (bool, error) {
	data, err := l.repo.ReadBlob(ctx, blob)
	var kind *gitstore.WrongKindError
	if errors.As(err, &kind) {
		return false, nil
	}
	return IsVersion(id, data), err
}

// IsVersion reports whether a file says that it is that record, even where it
// does not decode.
func IsVersion(id records.ID, data []byte) bool {
	if r, err := records.Parse("", data); err == nil {
		return r.ID == id
	}
	return slices.ContainsFunc(bytes.Split(data, []byte("\n")), func(line []byte) bool {
		return string(bytes.TrimRight(line, "\r ")) == "id: "+string(id)
	})
}

// madeReceipts collects what purge verbs listed in the histories of some
// commits, by record: of persons', unless the policy that was in force let
// anybody; and with a signature where one is asked for, then or now.
func (l *Ledger) madeReceipts(ctx context.Context, commits []gitstore.OID) (map[records.ID]map[gitstore.OID]bool, error) {
	made := make(map[records.ID]map[gitstore.OID]bool)
	now := records.ReviewAny
	for _, c := range commits {
		at, err := l.policies.ReviewAt(ctx, c)
		if err != nil {
			return nil, err
		}
		now = records.Stricter(now, at)
	}
	for c, err := range l.repo.Log(ctx, gitstore.LogOptions{Tips: commits, Grep: "^Ctx-Verb: " + VerbPurge + "$"}) {
		if err != nil {
			return nil, err
		}
		e := commitmsg.NewLogEntry(c)
		if ok, err := l.madeByVerb(ctx, e, now); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, id := range e.Message.Records {
			was, err := l.receiptAt(ctx, c.Parents[0], id)
			if err != nil {
				return nil, err
			}
			is, err := l.receiptAt(ctx, c.OID, id)
			if err != nil {
				return nil, err
			}
			if is == nil || was != nil && bytes.Equal(records.FormatReceipt(was), records.FormatReceipt(is)) {
				continue
			}
			if made[id] == nil {
				made[id] = make(map[gitstore.OID]bool)
			}
			// The verb writes of an older receipt only what counted.
			for _, b := range is.Blobs {
				made[id][gitstore.OID(b)] = true
			}
		}
	}
	return made, nil
}

// madeByVerb reports whether a commit is a purge verb's, of somebody who might.
func (l *Ledger) madeByVerb(ctx context.Context, e *commitmsg.LogEntry, now records.Review) (bool, error) {
	if e.MessageErr != nil || e.Message.Verb != VerbPurge || len(e.Parents) != 1 {
		return false, nil
	}
	then, err := l.policies.ReviewAt(ctx, e.Parents[0])
	if err != nil {
		return false, err
	}
	switch {
	case then == records.ReviewSigned || now == records.ReviewSigned:
		err := l.ReceiptsSigned(ctx, e)
		return err == nil && e.Message.Actor == records.Human, nil
	case then == records.ReviewAny:
		return true, nil
	}
	return e.Message.Actor == records.Human, nil
}

// AsksSignature reports whether the policy of the current branch asks for signatures.
func (l *Ledger) AsksSignature(ctx context.Context) (bool, error) {
	review, err := l.reviewHere(ctx)
	return review == records.ReviewSigned, err
}

// reviewHere is the review policy of the current branch; none where there is none.
func (l *Ledger) reviewHere(ctx context.Context) (records.Review, error) {
	branch, err := l.Branch(ctx)
	if err != nil {
		return "", err
	}
	tip, _, err := l.BranchTip(ctx, branch)
	if errors.Is(err, ErrNotInitialised) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return l.policies.ReviewAt(ctx, tip)
}

// PersonOnly refuses a verb on records to everyone but a person, unless the
// policy lets anybody. The error is a *[PersonError].
func (l *Ledger) PersonOnly(ctx context.Context, verb string, ids []records.ID) error {
	review, err := l.reviewHere(ctx)
	if err != nil || review == records.ReviewAny || l.opts.Author.Actor == records.Human {
		return err
	}
	return &PersonError{verb, slices.Concat(ids, []records.ID{""})[0]}
}

// SignsPurges opens the key of a person whom the policy asks for a signature,
// and reports whether it does.
func (l *Ledger) SignsPurges(ctx context.Context) (bool, error) {
	asks, err := l.AsksSignature(ctx)
	if err != nil || !asks || l.opts.Author.Actor != records.Human {
		return false, err
	}
	return true, l.signatures.OpenKey(ctx)
}

// receiptAt reads the receipt of a record in a commit; nil when there is none
// that can be read.
func (l *Ledger) receiptAt(ctx context.Context, commit gitstore.OID, id records.ID) (*records.Receipt, error) {
	snap, err := l.repo.Snapshot(ctx, string(commit))
	if err != nil {
		return nil, err
	}
	data, err := snap.Content(records.ReceiptPath(id))
	if err != nil || data == nil {
		return nil, err
	}
	r, err := records.ParseReceipt(records.ReceiptPath(id), data)
	if err != nil {
		return nil, nil
	}
	return r, nil
}

// receiptsMessage is what the signature of a purge is over: all of its receipts.
// Commits get other ids in a rewrite, so that it names none.
func receiptsMessage(rs []*records.Receipt) []byte {
	m := []byte("signed: git-ctx receipts 1\n")
	for _, r := range rs {
		m = append(m, records.FormatReceipt(r)...)
	}
	return m
}

// SignReceipts signs the receipts of a purge into its message, and refuses a
// signature that would not count here. [provenance.Signatures.OpenKey] comes first.
func (l *Ledger) SignReceipts(ctx context.Context, m *commitmsg.Message, rs []*records.Receipt, at time.Time) error {
	line, err := l.signatures.SignLine(receiptsMessage(rs))
	if err != nil {
		return err
	}
	m.Signature = line
	if err := l.signatures.LineSigned(ctx, receiptsMessage(rs), m.Signature, at); err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	return nil
}

// ReceiptsSigned returns nil when a commit of a purge carries a reviewer's
// signature on the receipts that it holds.
func (l *Ledger) ReceiptsSigned(ctx context.Context, e *commitmsg.LogEntry) error {
	if e.Message.Signature == "" {
		return fmt.Errorf("commit %s carries no signature of its receipts", e.OID.Short())
	}
	var rs []*records.Receipt
	for _, id := range e.Message.Records {
		r, err := l.receiptAt(ctx, e.OID, id)
		if err != nil {
			return err
		}
		if r == nil {
			return fmt.Errorf("commit %s has no receipt of %s", e.OID.Short(), id)
		}
		rs = append(rs, r)
	}
	return l.signatures.LineSigned(ctx, receiptsMessage(rs), e.Message.Signature, e.Author.When)
}
