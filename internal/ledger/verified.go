package ledger

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

const (
	// coldMerges is how many merges are verified when none is known to be.
	coldMerges = 50
	// coldReads is the same for a command that only reads.
	coldReads = 10
	// warmMerges is how many new merges one command verifies.
	warmMerges = 500
	// seenTips is how many branch tips the file of verified merges remembers.
	seenTips = 32
)

// A MergeCheck is what a check of merge commits found.
type MergeCheck struct {
	Lost []LostSide // outstanding at the tip, by merge
	// Checked is how many merges were made again, Unverified how many that the
	// tip reaches never were.
	Checked, Unverified int
}

// verified is what is remembered of merges that were looked at: a file that
// may be deleted at any time. Every merge that a seen tip reaches was verified,
// but for a number of old ones; lossy are those that lost something.
type verified struct {
	seen, lossy, unverified []gitstore.OID
}

func (l *Ledger) verifiedFile() string { return filepath.Join(l.repo.CommonDir(), "ctx", "verified") }

// loadVerified reads the file; a damaged one counts as absent.
func (l *Ledger) loadVerified() (verified, error) {
	var v verified
	data, err := regfile.Read(l.verifiedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	for line := range strings.Lines(string(data)) {
		what, oid, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		list := map[string]*[]gitstore.OID{"seen": &v.seen, "lossy": &v.lossy, "unverified": &v.unverified}[what]
		if !ok || list == nil || !isOID(oid) {
			return verified{}, nil
		}
		*list = append(*list, gitstore.OID(oid))
	}
	return v, nil
}

func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// saveVerified is best effort: a repository that cannot be written is checked
// again the next time.
func (l *Ledger) saveVerified(v verified) {
	if n := len(v.seen) - seenTips; n > 0 {
		v.seen = v.seen[n:]
	}
	var b strings.Builder
	for _, list := range []struct {
		what string
		oids []gitstore.OID
	}{{"seen", v.seen}, {"lossy", v.lossy}, {"unverified", v.unverified}} {
		for _, oid := range list.oids {
			b.WriteString(list.what + " " + string(oid) + "\n")
		}
	}
	_ = gitstore.WriteFile(l.verifiedFile(), []byte(b.String()))
}

// VerifyMerges verifies the merges that tip reaches and that were not yet, and
// returns the losses that still stand there. Where nothing is known yet only the
// newest merges are verified and the rest is counted.
func (l *Ledger) VerifyMerges(ctx context.Context, tip gitstore.OID) (*MergeCheck, error) {
	v, res, err := l.verifyUpTo(ctx, tip, coldMerges)
	if err != nil {
		return nil, err
	}
	if err := l.findLost(ctx, &v, tip, res); err != nil {
		return nil, err
	}
	return res, l.countUnverified(ctx, &v, tip, res)
}

// verifyUpTo verifies the merges that tip reaches and that were not yet, at most
// cold of them where nothing is known.
func (l *Ledger) verifyUpTo(ctx context.Context, tip gitstore.OID, cold int) (verified, *MergeCheck, error) {
	res := &MergeCheck{}
	v, err := l.loadVerified()
	if err != nil || slices.Contains(v.seen, tip) {
		return v, res, err
	}
	limit := warmMerges
	if len(v.seen) == 0 {
		limit = cold
	}
	if err := l.verifyNew(ctx, &v, tip, limit, res); err != nil {
		return v, nil, err
	}
	if slices.Contains(v.seen, tip) {
		l.saveVerified(v)
	}
	return v, res, nil
}

// lossesAt returns what merges made without git ctx took from the records at a
// tip, by record, as far as merges were verified.
func (l *Ledger) lossesAt(ctx context.Context, tip gitstore.OID) (map[records.ID][]records.Loss, error) {
	v, res, err := l.verifyUpTo(ctx, tip, coldReads)
	if err == nil {
		err = l.findLost(ctx, &v, tip, res)
	}
	if err != nil || len(res.Lost) == 0 {
		return nil, err
	}
	losses := make(map[records.ID][]records.Loss)
	for _, lost := range res.Lost {
		loss := records.Loss{Rule: records.RuleLostSide, Commit: string(lost.Merge)}
		if !slices.Contains(losses[lost.ID], loss) {
			losses[lost.ID] = append(losses[lost.ID], loss)
		}
	}
	return losses, nil
}

// VerifyEveryMerge verifies all merges that the tips reach, whether they were
// before or not, and returns what was found at each.
func (l *Ledger) VerifyEveryMerge(ctx context.Context, tips []gitstore.OID) ([]*MergeCheck, error) {
	var v verified
	out := make([]*MergeCheck, len(tips))
	for i, tip := range tips {
		out[i] = &MergeCheck{}
		if err := l.verifyNew(ctx, &v, tip, -1, out[i]); err != nil {
			return nil, err
		}
	}
	l.saveVerified(v)
	for i, tip := range tips {
		if err := l.findLost(ctx, &v, tip, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (l *Ledger) verifyNew(ctx context.Context, v *verified, tip gitstore.OID, limit int, res *MergeCheck) error {
	var merges []gitstore.OID
	straight := l.straightFrom(ctx, tip, v.seen)
	if straight < fewBehind/2 {
		return nil // near enough to look again the next time, which spares a file
	}
	if straight == fewBehind {
		var err error
		if merges, err = l.mergesOf(ctx, []gitstore.OID{tip}, v.seen); err != nil {
			return err
		}
	}
	for i, m := range merges {
		if i == limit {
			v.unverified = append(v.unverified, merges[i:]...)
			break
		}
		lost, err := l.VerifyMerge(ctx, m)
		if err != nil {
			return err
		}
		res.Checked++
		if len(lost) > 0 && !slices.Contains(v.lossy, m) {
			v.lossy = append(v.lossy, m)
		}
	}
	v.seen = append(v.seen, tip)
	return nil
}

// straightFrom counts the commits without a merge from a seen tip, or the beginning,
// to this one: the usual case, in which git need not be asked. [fewBehind] says that
// it is not so.
func (l *Ledger) straightFrom(ctx context.Context, tip gitstore.OID, seen []gitstore.OID) int {
	for n := range fewBehind {
		if slices.Contains(seen, tip) {
			return n
		}
		c, err := l.repo.ReadCommit(ctx, tip)
		if err != nil || len(c.Parents) > 1 {
			return fewBehind // past a shallow boundary, say: git knows
		}
		if len(c.Parents) == 0 {
			return n
		}
		tip = c.Parents[0]
	}
	return fewBehind
}

// findLost fills in what is still lost at the tip.
func (l *Ledger) findLost(ctx context.Context, v *verified, tip gitstore.OID, res *MergeCheck) error {
	for _, m := range v.lossy {
		held, err := l.repo.IsAncestor(ctx, m, tip)
		if err != nil || !held {
			continue // of another branch, or purged
		}
		lost, err := l.VerifyMerge(ctx, m)
		if err != nil {
			return err
		}
		if lost, err = l.outstanding(ctx, tip, lost); err != nil {
			return err
		}
		res.Lost = append(res.Lost, lost...)
	}
	return nil
}

// countUnverified counts the merges that the tip reaches and that never were verified.
func (l *Ledger) countUnverified(ctx context.Context, v *verified, tip gitstore.OID, res *MergeCheck) error {
	if len(v.unverified) == 0 {
		return nil
	}
	reach, err := l.mergesOf(ctx, []gitstore.OID{tip}, nil)
	if err != nil {
		return err
	}
	for _, m := range v.unverified {
		if slices.Contains(reach, m) {
			res.Unverified++
		}
	}
	return nil
}
