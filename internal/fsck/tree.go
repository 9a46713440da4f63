package fsck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/records"
)

// A file is one version of a file of a store tree.
type file struct {
	path string
	oid  gitstore.OID
}

// A treeFile is one line of a tree listing.
type treeFile struct {
	mode string
	file
}

func (ck *checker) tip(ctx context.Context, ref gitstore.Ref) error {
	files, err := ck.treeFiles(ctx, ref.OID)
	if err != nil {
		return err
	}
	policy := false
	var es, rs []file
	for _, file := range files {
		if fault := pathFault(file); fault != nil {
			ck.report(ref, *fault)
			continue
		}
		policy = policy || file.path == records.PolicyFile
		if strings.HasPrefix(file.path, records.RecordsDir+"/") {
			es = append(es, file.file)
		}
		if strings.HasPrefix(file.path, ledger.ReceiptsRoot+"/") {
			rs = append(rs, file.file)
		}
	}
	if !policy {
		ck.report(ref, Fault{Severity: records.Error, Check: CheckPolicy, Path: records.PolicyFile, Message: "it is missing"})
	} else if err := ck.policy(ctx, ref); err != nil {
		return err
	}
	if err := ck.records(ctx, es); err != nil {
		return err
	}
	ck.tipRecords(ref, es)
	return ck.receipts(ctx, ref, rs, es)
}

// treeFiles lists all files of a commit's tree with their modes.
func (ck *checker) treeFiles(ctx context.Context, commit gitstore.OID) ([]treeFile, error) {
	out, err := ck.repo().Git(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", string(commit))
	if err != nil {
		return nil, err
	}
	var files []treeFile
	for line := range strings.SplitSeq(string(out), "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(meta)
		if ok && len(words) == 3 {
			files = append(files, treeFile{words[0], file{name, gitstore.OID(words[2])}})
		}
	}
	return files, nil
}

var (
	receiptPath    = lazyregexp.New(`^purged/([a-z]+-[0-9a-z]{10})\.yaml$`)
	attachmentPath = lazyregexp.New(`^files/([0-9a-f]{2})/([0-9a-f]{2})[0-9a-f]{62}$`)
)

// pathFault says what is wrong with a file's place or mode; nil when nothing is.
func pathFault(file treeFile) *Fault {
	known := slices.Contains([]string{records.PolicyFile, ledger.ReadmeFile, ledger.AttributesFile}, file.path)
	var why string
	if strings.HasPrefix(file.path, records.RecordsDir+"/") {
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

func (ck *checker) policy(ctx context.Context, ref gitstore.Ref) error {
	snap, err := ck.repo().Snapshot(ctx, string(ref.OID))
	if err != nil {
		return err
	}
	policy, err := provenance.ReadPolicy(snap)
	var newer *records.NewerFormatError
	switch {
	case errors.As(err, &newer):
		ck.report(ref, Fault{Severity: records.Warning, Check: CheckNewer, Path: records.PolicyFile, Message: err.Error()})
	case err != nil:
		ck.report(ref, Fault{Severity: records.Error, Check: CheckPolicy, Path: records.PolicyFile, Message: err.Error()})
	default:
		return ck.loosened(ctx, ref, policy)
	}
	return nil
}

// loosened reports a policy that asks for less review than was decided.
func (ck *checker) loosened(ctx context.Context, ref gitstore.Ref, policy *records.Policy) error {
	was, err := ck.led.Policies().Loosening(ctx, ref.OID, policy)
	if was != nil {
		ck.report(ref, Fault{Severity: records.Error, Check: CheckLoosened, Path: records.PolicyFile,
			Message: fmt.Sprintf("commit %s made it review: %s, which no person decided; review: %s holds", was.Commit.Short(), was.Review, was.Held)})
	}
	return err
}

// records looks at those record files that no branch before held.
func (ck *checker) records(ctx context.Context, es []file) error {
	var fresh []file
	var oids []gitstore.OID
	for _, e := range es {
		if ck.seen[e] == nil {
			fresh, oids = append(fresh, e), append(oids, e.oid)
		}
	}
	for len(fresh) > 0 {
		done := 0
		err := ck.repo().ReadBlobs(ctx, oids, func(i int, data []byte) error {
			ck.seen[fresh[i]] = checkRecord(fresh[i].path, data)
			done = i + 1
			return nil
		})
		if err == nil || done == len(fresh) || ctx.Err() != nil || errors.Is(err, gitstore.ErrGitMissing) {
			return err
		}
		ck.seen[fresh[done]] = ck.unread(ctx, fresh[done])
		fresh, oids = fresh[done+1:], oids[done+1:]
	}
	return nil
}

// unread looks alone at a record file at which reading many ended.
func (ck *checker) unread(ctx context.Context, e file) *checkedRecord {
	data, err := ck.repo().ReadBlob(ctx, e.oid)
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
	if r.Forgotten() && !forgottenWhole(r) {
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
func (ck *checker) tipRecords(ref gitstore.Ref, es []file) {
	there := make(map[records.ID]bool, len(es))
	for _, e := range es {
		if id, err := records.PathID(e.path); err == nil {
			there[id] = true
		}
	}
	for _, e := range es {
		c := ck.seen[e]
		for _, fault := range c.faults {
			ck.report(ref, fault)
		}
		if c.r == nil {
			continue
		}
		if len(c.r.SignedVerdicts()) > 0 {
			ck.signed = append(ck.signed, signedAt{ref, c.r})
		}
		for _, rel := range records.Relations(c.r.Kind) {
			for _, id := range c.r.Links[rel] {
				if !there[id] {
					ck.report(ref, Fault{Severity: records.Warning, Check: CheckLink, Path: e.path, ID: c.r.ID,
						Message: fmt.Sprintf("%s leads to '%s', which is not on this branch", rel, id)})
				}
			}
		}
	}
}
