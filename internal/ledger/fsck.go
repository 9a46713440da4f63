package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// The checks of fsck, by the name that findings carry.
const (
	CheckRef       = "badRef"        // a ref that is torn, leads nowhere or names no commit
	CheckObject    = "badObject"     // an object that is missing or damaged
	CheckPath      = "unknownPath"   // a file that the store does not know
	CheckMode      = "badMode"       // a record that is no plain file
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

// A FsckReport is what a check of the store saw and found.
type FsckReport struct {
	Refs             []gitstore.Ref
	Records, Commits int
	Faults           []Fault // in the order of refs, then paths; those of commits last
}

// claimsPrefix holds refs that are no record branches.
const claimsPrefix = "refs/ctx/claims/"

// Fsck checks every branch of the store, imports and remote ones included:
// trees, encoding, policy and links at the tips, and the message of every
// commit. That objects are there and sound is git fsck's to say.
func (l *Ledger) Fsck(ctx context.Context) (*FsckReport, error) {
	refs, broken, err := l.repo.SoundRefs(ctx, "refs/ctx/")
	if err != nil {
		return nil, err
	}
	refs = slices.DeleteFunc(refs, func(r gitstore.Ref) bool { return IsClaimRef(r.Name) })
	if len(refs)+len(broken) == 0 {
		return nil, ErrNotInitialised
	}
	f := &checking{l: l, rep: &FsckReport{Refs: refs}, seen: make(map[entry]*checkedRecord)}
	for _, b := range broken {
		f.report(gitstore.Ref{Name: b.Ref}, Fault{Severity: records.Error, Check: CheckRef, Message: b.Error()})
	}
	for _, ref := range refs {
		if _, err := l.repo.ReadCommit(ctx, ref.OID); err != nil {
			f.damage(ref, CheckRef, err)
			continue
		}
		f.sound = append(f.sound, ref)
		if err := f.tip(ctx, ref); err != nil {
			f.damage(ref, CheckObject, err)
		}
	}
	f.rep.Records = len(f.seen)
	if err := f.branches(ctx); err != nil {
		return nil, err
	}
	f.commits(ctx)
	f.verdicts(ctx)
	f.merges(ctx)
	f.purged(ctx)
	f.scopes(ctx)
	if err := f.signatures(ctx); err != nil {
		return nil, err
	}
	return f.rep, ctx.Err() // a check that was interrupted found faults that are none
}

// checking is one check under way.
type checking struct {
	l    *Ledger
	rep  *FsckReport
	seen map[entry]*checkedRecord // across branches, which share most records
	// signed are the records at tips that carry a signature, and where.
	signed []signedAt
	// sound are the refs whose commits can be read.
	sound []gitstore.Ref
	// listed are the receipts of all tips.
	listed []*records.Receipt
}

// damage reports what could not be read of a ref; the check goes on with others.
func (f *checking) damage(ref gitstore.Ref, check string, err error) {
	f.report(ref, Fault{Severity: records.Error, Check: check, Message: err.Error()})
}

// A checkedRecord is a record file that was looked at, with what is wrong with it.
type checkedRecord struct {
	r      *records.Record // nil when it does not decode
	faults []Fault
}

func (f *checking) report(ref gitstore.Ref, fault Fault) {
	fault.Ref, fault.Commit = ref.Name, ref.OID
	f.rep.Faults = append(f.rep.Faults, fault)
}

// treeFile is one line of a tree listing.
type treeFile struct {
	mode string
	entry
}

func (f *checking) tip(ctx context.Context, ref gitstore.Ref) error {
	files, err := f.l.treeFiles(ctx, ref.OID)
	if err != nil {
		return err
	}
	policy := false
	var es, rs []entry
	for _, file := range files {
		if fault := pathFault(file); fault != nil {
			f.report(ref, *fault)
			continue
		}
		policy = policy || file.path == records.PolicyFile
		if strings.HasPrefix(file.path, RecordsRoot+"/") {
			es = append(es, file.entry)
		}
		if strings.HasPrefix(file.path, ReceiptsRoot+"/") {
			rs = append(rs, file.entry)
		}
	}
	if !policy {
		f.report(ref, Fault{Severity: records.Error, Check: CheckPolicy, Path: records.PolicyFile, Message: "it is missing"})
	} else if err := f.policy(ctx, ref); err != nil {
		return err
	}
	if err := f.records(ctx, es); err != nil {
		return err
	}
	f.tipRecords(ref, es)
	return f.receipts(ctx, ref, rs, es)
}

// treeFiles lists all files of a commit's tree with their modes.
func (l *Ledger) treeFiles(ctx context.Context, commit gitstore.OID) ([]treeFile, error) {
	out, err := l.repo.Git(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", string(commit))
	if err != nil {
		return nil, err
	}
	var files []treeFile
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(meta)
		if ok && len(words) == 3 {
			files = append(files, treeFile{words[0], entry{name, gitstore.OID(words[2])}})
		}
	}
	return files, nil
}

var (
	receiptPath    = regexp.MustCompile(`^purged/([a-z]+-[0-9a-z]{10})\.yaml$`)
	attachmentPath = regexp.MustCompile(`^files/([0-9a-f]{2})/([0-9a-f]{2})[0-9a-f]{62}$`)
)

// pathFault says what is wrong with a file's place or mode; nil when nothing is.
func pathFault(file treeFile) *Fault {
	known := slices.Contains([]string{records.PolicyFile, ReadmeFile, AttributesFile}, file.path)
	var why string
	if strings.HasPrefix(file.path, RecordsRoot+"/") {
		_, err := records.PathID(file.path)
		if known = err == nil; !known {
			why = err.Error()
		}
	}
	if m := receiptPath.FindStringSubmatch(file.path); m != nil {
		_, err := records.ParseID(m[1])
		known = err == nil
	}
	if m := attachmentPath.FindStringSubmatch(file.path); m != nil {
		known = m[1] == m[2]
	}
	switch {
	case !known && why != "":
		return &Fault{Severity: records.Error, Check: CheckPath, Path: file.path, Message: why}
	case !known:
		return &Fault{Severity: records.Warning, Check: CheckPath, Path: file.path, Message: "the store knows no such file"}
	case file.mode != "100644":
		return &Fault{Severity: records.Error, Check: CheckMode, Path: file.path, Message: fmt.Sprintf("its mode is %s, not 100644", file.mode)}
	}
	return nil
}

func (f *checking) policy(ctx context.Context, ref gitstore.Ref) error {
	snap, err := f.l.repo.Snapshot(ctx, string(ref.OID))
	if err != nil {
		return err
	}
	policy, err := ReadPolicy(snap)
	var newer *records.NewerFormatError
	switch {
	case errors.As(err, &newer):
		f.report(ref, Fault{Severity: records.Warning, Check: CheckNewer, Path: records.PolicyFile, Message: err.Error()})
	case err != nil:
		f.report(ref, Fault{Severity: records.Error, Check: CheckPolicy, Path: records.PolicyFile, Message: err.Error()})
	default:
		return f.loosened(ctx, ref, policy)
	}
	return nil
}

// records looks at those record files that no branch before held.
func (f *checking) records(ctx context.Context, es []entry) error {
	var fresh []entry
	var oids []gitstore.OID
	for _, e := range es {
		if f.seen[e] == nil {
			fresh, oids = append(fresh, e), append(oids, e.oid)
		}
	}
	for len(fresh) > 0 {
		done := 0
		err := f.l.repo.ReadBlobs(ctx, oids, func(i int, data []byte) error {
			f.seen[fresh[i]] = checkRecord(fresh[i].path, data)
			done = i + 1
			return nil
		})
		if err == nil || done == len(fresh) || ctx.Err() != nil || errors.Is(err, gitstore.ErrGitMissing) {
			return err
		}
		f.seen[fresh[done]] = f.unread(ctx, fresh[done])
		fresh, oids = fresh[done+1:], oids[done+1:]
	}
	return nil
}

// unread looks alone at a record file at which reading many ended.
func (f *checking) unread(ctx context.Context, e entry) *checkedRecord {
	data, err := f.l.repo.ReadBlob(ctx, e.oid)
	if err == nil {
		return checkRecord(e.path, data)
	}
	id, _ := records.PathID(e.path)
	return &checkedRecord{faults: []Fault{{Severity: records.Error, Check: CheckObject, Path: e.path, ID: id, Message: err.Error()}}}
}

func checkRecord(path string, data []byte) *checkedRecord {
	c := &checkedRecord{}
	id, _ := records.PathID(path)
	r, err := records.Parse(path, data)
	if err != nil {
		c.faults = append(c.faults, Fault{Severity: records.Error, Check: CheckRecord, Path: path, ID: id, Message: err.Error()})
		return c
	}
	c.r = r
	if r.Tombstone != nil && !forgottenWhole(r) {
		c.faults = append(c.faults, Fault{Severity: records.Error, Check: CheckTombstone, Path: path, ID: id,
			Message: "it is forgotten, and still holds text"})
	}
	if canonical, err := records.Format(r); err != nil || !bytes.Equal(canonical, data) {
		c.faults = append(c.faults, Fault{Severity: records.Warning, Check: CheckCanonical, Path: path, ID: id,
			Message: "it is not in canonical form; the next edit writes it so"})
	}
	return c
}

// tipRecords reports the faults of a tip's records, and links that lead nowhere in it.
func (f *checking) tipRecords(ref gitstore.Ref, es []entry) {
	there := make(map[records.ID]bool, len(es))
	for _, e := range es {
		if id, err := records.PathID(e.path); err == nil {
			there[id] = true
		}
	}
	for _, e := range es {
		c := f.seen[e]
		for _, fault := range c.faults {
			f.report(ref, fault)
		}
		if c.r == nil {
			continue
		}
		if len(c.r.SignedVerdicts()) > 0 {
			f.signed = append(f.signed, signedAt{ref, c.r})
		}
		for _, rel := range records.Relations(c.r.Kind) {
			for _, id := range c.r.Links[rel] {
				if !there[id] {
					f.report(ref, Fault{Severity: records.Warning, Check: CheckLink, Path: e.path, ID: c.r.ID,
						Message: fmt.Sprintf("%s leads to '%s', which is not on this branch", rel, id)})
				}
			}
		}
	}
}

// branches checks that the current and the default branch exist.
func (f *checking) branches(ctx context.Context) error {
	def, err := f.l.DefaultBranch(ctx)
	if err != nil {
		return err
	}
	cur, err := f.l.Branch(ctx)
	var head *HeadError
	if errors.As(err, &head) {
		f.rep.Faults = append(f.rep.Faults, Fault{Severity: records.Error, Check: CheckBranch, Ref: "HEAD", Message: err.Error()})
		cur = def
	} else if err != nil {
		return err
	}
	follow, _, err := f.l.repo.Config(ctx, "ctx.follow")
	if err != nil {
		return err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(f.rep.Refs, func(r gitstore.Ref) bool { return r.Name == f.l.HeadRefs()+name })
	}
	if !has(def) {
		f.rep.Faults = append(f.rep.Faults, Fault{Severity: records.Error, Check: CheckBranch, Ref: f.l.HeadRefs() + def, Message: "it is the default branch, and does not exist"})
	}
	if cur != def && !has(cur) && follow != "true" {
		f.rep.Faults = append(f.rep.Faults, Fault{Severity: records.Error, Check: CheckBranch, Ref: f.l.HeadRefs() + cur, Message: "it is this worktree's current branch, and does not exist"})
	}
	return nil
}

// merges makes every merge that a local branch reaches again, and reports what
// is still lost there.
func (f *checking) merges(ctx context.Context) {
	heads := slices.DeleteFunc(slices.Clone(f.sound), func(r gitstore.Ref) bool { return !strings.HasPrefix(r.Name, f.l.HeadRefs()) })
	f.each(heads, func(refs []gitstore.Ref) error {
		checks, err := f.l.VerifyEveryMerge(ctx, oidsOf(refs))
		for i, check := range checks {
			for _, s := range check.Lost {
				f.report(refs[i], Fault{Severity: records.Error, Check: CheckMerge, ID: s.ID, Path: records.IDPath(s.ID),
					Message: fmt.Sprintf("merge %s lost what one side had; 'git ctx resolve --restore %s' puts it back", s.Merge.Short(), s.Merge.Short())})
			}
		}
		return err
	})
}

// each runs a check over all refs at once, and where that fails over each alone,
// so that the damage of one keeps no other from being looked at.
func (f *checking) each(refs []gitstore.Ref, check func([]gitstore.Ref) error) {
	err := check(refs)
	switch {
	case err == nil:
	case len(refs) == 1:
		f.damage(refs[0], CheckObject, err)
	default:
		for _, ref := range refs {
			if err := check([]gitstore.Ref{ref}); err != nil {
				f.damage(ref, CheckObject, err)
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
func (f *checking) commits(ctx context.Context) {
	trees := make(map[gitstore.OID]gitstore.OID)
	var checkpoints []*commitmsg.LogEntry
	f.each(f.sound, func(refs []gitstore.Ref) error {
		if len(refs) == 0 {
			return nil
		}
		for e, err := range f.l.History(ctx, HistoryQuery{From: oidsOf(refs)}) {
			if err != nil {
				return err
			}
			if trees[e.OID] != "" {
				continue // seen from another ref
			}
			trees[e.OID] = e.Tree
			f.rep.Commits++
			if e.MessageErr != nil {
				f.rep.Faults = append(f.rep.Faults, Fault{Severity: records.Error, Check: CheckMessage, Commit: e.OID, Message: e.MessageErr.Error()})
			}
			if e.Message.Signature != "" {
				f.policySignature(ctx, e)
			}
			if e.Message.Checkpoint != "" {
				checkpoints = append(checkpoints, e)
			}
		}
		return nil
	})
	for _, e := range checkpoints {
		if len(e.Parents) != 1 || trees[e.Parents[0]] != "" && trees[e.Parents[0]] != e.Tree {
			f.rep.Faults = append(f.rep.Faults, Fault{Severity: records.Error, Check: CheckPoint, Commit: e.OID,
				Message: "it is a checkpoint, and changes records or has not one parent"})
		}
	}
}
