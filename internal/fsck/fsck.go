// Package fsck checks a store whole: refs, trees, the form of every record, and
// that each verdict in history came about by what its commit says was done.
//
// It reads git and no index, believes nothing that was found good before, and
// changes nothing. It goes on behind damage, and names each fault by its place.
// Whether records agree with one another is for records/audit to say.
package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/salvage"
	"github.com/git-ctx/git-ctx/records"
)

// The checks of fsck, by the name that findings carry.
const (
	CheckRef       = "badRef"        // a ref that is torn, leads nowhere or names no commit
	CheckObject    = "badObject"     // an object that is missing or damaged
	CheckDead      = "deadRef"       // a ref that leads to such an object, with what still stands
	CheckPath      = "unknownPath"   // a file that the store does not know
	CheckMode      = "badMode"       // a record that is not a plain file
	CheckRecord    = "badRecord"     // a record that does not decode
	CheckCanonical = "notCanonical"  // a record that decodes, in another than its one form
	CheckPolicy    = "badPolicy"     // ctx.yaml is missing or does not decode
	CheckNewer     = "newerFormat"   // written by a newer version
	CheckLink      = "danglingLink"  // a link to a record that is not there
	CheckMessage   = "badMessage"    // trailers that do not parse
	CheckPoint     = "badCheckpoint" // a checkpoint that changes the tree
	CheckBranch    = "missingBranch" // a current or default branch that does not exist
	CheckMerge     = "lostSide"      // a merge that dropped a value
	CheckTombstone = "badTombstone"  // a forgotten record that still says something
	CheckReceipt   = "badReceipt"    // a receipt that does not decode, or stands for no tombstone
	CheckPurged    = "purged"        // history or objects hold what a receipt lists
	CheckScope     = "scopeLeak"     // the project's history holds a commit of a scope
	CheckSignature = "badSignature"  // a signature that does not fit what it stands on
	CheckSigner    = "unknownSigner" // a sound signature that does not count here, where the policy asks for one
	// CheckUnattested is a verdict that claims a person's word, which no verb of a person gave.
	CheckUnattested = "unattestedVerdict"
	// CheckVerdict is a verdict that is not what its commit says was done.
	CheckVerdict = "wrongVerdict"
	// CheckDeleted is a record whose file a commit removed: no verb does.
	CheckDeleted = "deletedRecord"
	// CheckLoosened is a review policy that nobody who may made looser.
	CheckLoosened = "loosenedPolicy"
)

// A Fault is one thing that fsck found.
type Fault struct {
	Severity records.Severity `json:"severity"` // error or warning
	Check    string           `json:"check"`
	Ref      string           `json:"ref,omitempty"`
	Commit   gitstore.OID     `json:"commit,omitempty"`
	Path     string           `json:"path,omitempty"`
	ID       records.ID       `json:"id,omitempty"`
	Message  string           `json:"message"`
}

// A Report is what a check of the store saw and found.
type Report struct {
	Refs             []gitstore.Ref
	Records, Commits int
	// Receipts counts those that decode, NotCheckable those that list nothing that is here.
	Receipts, NotCheckable int
	Faults                 []Fault // in the order of refs, then paths; those of commits last
}

// Run checks every branch of the store, imports and remote ones included:
// trees, encoding, policy and links at the tips, and the message of every
// commit. That objects are there and sound is git fsck's to say.
func Run(ctx context.Context, led *ledger.Ledger) (*Report, error) {
	refs, broken, err := led.Repo().SoundRefs(ctx, "refs/ctx/")
	if err != nil {
		return nil, err
	}
	refs = slices.DeleteFunc(refs, func(r gitstore.Ref) bool { return ledger.IsClaimRef(r.Name) })
	if len(refs)+len(broken) == 0 {
		return nil, ledger.ErrNotInitialised
	}
	ck := &checker{led: led, rep: &Report{Refs: refs}, seen: make(map[file]*checkedRecord)}
	for _, b := range broken {
		ck.report(gitstore.Ref{Name: b.Ref}, Fault{Severity: records.Error, Check: CheckRef, Message: b.Error()})
	}
	for _, ref := range refs {
		if _, err := led.Repo().ReadCommit(ctx, ref.OID); err != nil {
			ck.damage(ref, CheckRef, err)
			continue
		}
		ck.sound = append(ck.sound, ref)
		if err := ck.tip(ctx, ref); err != nil {
			ck.damage(ref, CheckObject, err)
		}
	}
	ck.rep.Records = len(ck.seen)
	if err := ck.dead(ctx); err != nil {
		return nil, err
	}
	if err := ck.branches(ctx); err != nil {
		return nil, err
	}
	ck.commits(ctx)
	ck.verdicts(ctx)
	ck.merges(ctx)
	ck.purged(ctx)
	ck.scopes(ctx)
	if err := ck.signatures(ctx); err != nil {
		return nil, err
	}
	return ck.rep, ctx.Err() // a check that was interrupted found faults that are none
}

// dead names the refs that lead to a missing object, and what still stands.
func (ck *checker) dead(ctx context.Context) error {
	dead, err := salvage.Find(ctx, ck.led)
	for _, d := range dead {
		ck.report(d.Ref, Fault{Severity: records.Error, Check: CheckDead, Message: d.String() + "; git ctx doctor says how to go on"})
	}
	return err
}

// checking is one check under way.
type checker struct {
	led  *ledger.Ledger
	rep  *Report
	seen map[file]*checkedRecord // across branches, which share most records
	// signed are the records at tips that carry a signature, and where.
	signed []signedAt
	// sound are the refs whose commits can be read.
	sound []gitstore.Ref
	// listed are the receipts of all tips.
	listed []*records.Receipt
	// untombed are records with a receipt that are not tombstones.
	untombed []standsPurged
}

func (ck *checker) repo() *gitstore.Repo { return ck.led.Repo() }

// damage reports what could not be read of a ref; the check goes on with others.
func (ck *checker) damage(ref gitstore.Ref, check string, err error) {
	ck.report(ref, Fault{Severity: records.Error, Check: check, Message: err.Error()})
}

// A checkedRecord is a record file that was looked at, with what is wrong with it.
type checkedRecord struct {
	r      *records.Record // nil when it does not decode
	faults []Fault
}

func (ck *checker) report(ref gitstore.Ref, fault Fault) {
	fault.Ref, fault.Commit = ref.Name, ref.OID
	ck.rep.Faults = append(ck.rep.Faults, fault)
}

// branches checks that the current and the default branch exist.
func (ck *checker) branches(ctx context.Context) error {
	def, err := ck.led.DefaultBranch(ctx)
	if err != nil {
		return err
	}
	cur, err := ck.led.Branch(ctx)
	var head *ledger.HeadError
	if errors.As(err, &head) {
		ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Error, Check: CheckBranch, Ref: "HEAD", Message: err.Error()})
		cur = def
	} else if err != nil {
		return err
	}
	follow, _, err := ck.repo().Config(ctx, "ctx.follow")
	if err != nil {
		return err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(ck.rep.Refs, func(r gitstore.Ref) bool { return r.Name == ck.led.HeadRefs()+name })
	}
	if !has(def) {
		ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Error, Check: CheckBranch, Ref: ck.led.HeadRefs() + def, Message: "it is the default branch, and does not exist"})
	}
	if cur != def && !has(cur) && follow != "true" {
		ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Error, Check: CheckBranch, Ref: ck.led.HeadRefs() + cur, Message: "it is this worktree's current branch, and does not exist"})
	}
	return nil
}

// merges makes every merge that a local branch reaches again, and reports what
// is still lost there.
func (ck *checker) merges(ctx context.Context) {
	heads := slices.DeleteFunc(slices.Clone(ck.sound), func(r gitstore.Ref) bool { return !strings.HasPrefix(r.Name, ck.led.HeadRefs()) })
	ck.each(heads, func(refs []gitstore.Ref) error {
		checks, err := ck.led.VerifyEveryMerge(ctx, oidsOf(refs))
		for i, check := range checks {
			for _, s := range check.Lost {
				ck.report(refs[i], Fault{Severity: records.Error, Check: CheckMerge, ID: s.ID, Path: records.IDPath(s.ID),
					Message: fmt.Sprintf("merge %s lost what one side had; 'git ctx resolve --restore %s' puts it back", s.Merge.Short(), s.Merge.Short())})
			}
		}
		return err
	})
}

// each runs a check over all refs at once, and where that fails over each alone,
// so that the damage of one keeps no other from being looked at.
func (ck *checker) each(refs []gitstore.Ref, check func([]gitstore.Ref) error) {
	err := check(refs)
	switch {
	case err == nil:
	case len(refs) == 1:
		ck.damage(refs[0], CheckObject, err)
	default:
		for _, ref := range refs {
			if err := check([]gitstore.Ref{ref}); err != nil {
				ck.damage(ref, CheckObject, err)
			}
		}
	}
}

func oidsOf(refs []gitstore.Ref) []gitstore.OID {
	oids := make([]gitstore.OID, len(refs))
	for i, r := range refs {
		oids[i] = r.OID
	}
	return oids
}

// commits checks the message of every commit that a branch reaches.
func (ck *checker) commits(ctx context.Context) {
	trees := make(map[gitstore.OID]gitstore.OID)
	var checkpoints []*commitmsg.LogEntry
	ck.each(ck.sound, func(refs []gitstore.Ref) error {
		if len(refs) == 0 {
			return nil
		}
		for e, err := range ck.led.History(ctx, ledger.HistoryQuery{From: oidsOf(refs)}) {
			if err != nil {
				return err
			}
			if trees[e.OID] != "" {
				continue // seen from another ref
			}
			trees[e.OID] = e.Tree
			ck.rep.Commits++
			if e.MessageErr != nil {
				ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Error, Check: CheckMessage, Commit: e.OID, Message: e.MessageErr.Error()})
			}
			if e.Message.Signature != "" && e.Message.Verb != ledger.VerbPurge { // a purge signs its receipts
				ck.policySignature(ctx, e)
			}
			if e.Message.Checkpoint != "" {
				checkpoints = append(checkpoints, e)
			}
		}
		return nil
	})
	for _, e := range checkpoints {
		if len(e.Parents) != 1 || trees[e.Parents[0]] != "" && trees[e.Parents[0]] != e.Tree {
			ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Error, Check: CheckPoint, Commit: e.OID,
				Message: "it is a checkpoint, and changes records or has not one parent"})
		}
	}
}
