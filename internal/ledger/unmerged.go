package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/provenance"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/merge"
)

// An UnmergedFile is a record's file that git's own merge, rebase, cherry-pick,
// revert or stash left unmerged in this work tree.
type UnmergedFile struct {
	Path   string // in the store's tree
	Record *records.Record
	// Err says why there is no Record: the file cannot be read.
	Err error
	// Remade says that no driver ran: the file holds our side alone, and Record is
	// what the driver would have made.
	Remade bool

	stages [3]gitstore.OID // base, ours, theirs; "" where that side has no such file
}

// UnmergedFiles lists the records that stand unmerged in this work tree, by
// path; none where it holds no checkout of context.
func (l *Ledger) UnmergedFiles(ctx context.Context) ([]UnmergedFile, error) {
	if l.repo.Bare() || l.repo.WorkTree() == "" {
		return nil, nil
	}
	// Asked first, so that a command in a tree of code pays no git process for it.
	if _, err := os.Lstat(filepath.Join(l.repo.WorkTree(), records.PolicyFile)); err != nil {
		return nil, nil
	}
	out, err := l.gitInTree(ctx, "ls-files", "--unmerged", "-z", "--", records.RecordsDir)
	if err != nil {
		return nil, fmt.Errorf("list unmerged records: %w", err)
	}
	var files []UnmergedFile
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, path, ok := strings.Cut(line, "\t") // MODE OID STAGE
		words := strings.Fields(about)
		if _, err := records.PathID(path); !ok || len(words) != 3 || err != nil {
			continue
		}
		if n := len(files); n == 0 || files[n-1].Path != path {
			files = append(files, UnmergedFile{Path: path})
		}
		if stage := int(words[2][0] - '1'); stage >= 0 && stage < 3 {
			files[len(files)-1].stages[stage] = gitstore.OID(words[1])
		}
	}
	for i := range files {
		f := &files[i]
		if f.Record, f.Err = l.readUnmerged(ctx, f); f.Err != nil {
			f.Err = fmt.Errorf("read unmerged '%s': %w", f.Path, f.Err)
		}
	}
	return files, nil
}

// gitInTree runs git at the top of this work tree, where paths are the store's.
func (l *Ledger) gitInTree(ctx context.Context, args ...string) ([]byte, error) {
	return l.repo.Git(ctx, nil, append([]string{"-C", l.repo.WorkTree()}, args...)...)
}

// readUnmerged reads the file as the driver and the user left it. Where no driver
// ran, git left our side there: then the three sides are merged anew.
func (l *Ledger) readUnmerged(ctx context.Context, f *UnmergedFile) (*records.Record, error) {
	data, err := regfile.Read(filepath.Join(l.repo.WorkTree(), filepath.FromSlash(f.Path)))
	if err != nil {
		return nil, err
	}
	r, parseErr := records.Parse(f.Path, data)
	if parseErr == nil && r.Disputed() || f.stages[1] == "" || f.stages[2] == "" {
		return r, parseErr
	}
	var sides [3][]byte
	for i, oid := range f.stages {
		if oid == "" {
			continue
		}
		if sides[i], err = l.repo.ReadBlob(ctx, oid); err != nil {
			return nil, err
		}
	}
	if string(sides[1]) != string(data) {
		return r, parseErr // edited since: that is the user's
	}
	again, _, err := merge.File(f.Path, sides[0], sides[1], sides[2])
	if err != nil {
		return nil, err
	}
	f.Remade = true
	return records.Parse(f.Path, again)
}

// UnmergedDispute takes an unmerged record's conflicts apart, as [Ledger.Dispute]
// does, and looks in the history of both sides of the merge.
func (l *Ledger) UnmergedDispute(ctx context.Context, f UnmergedFile) (*Dispute, error) {
	_, head, err := l.repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	from := []gitstore.OID{head}
	for _, ref := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"} {
		if out, err := l.gitInTree(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err == nil {
			from = append(from, gitstore.OID(strings.TrimSpace(string(out))))
		}
	}
	d, err := l.dispute(ctx, from, f.Record)
	if d != nil {
		d.Path = f.Path
	}
	return d, err
}

// SettleUnmerged runs fn in a transaction on what the work tree holds, and writes
// what it made of the file's record there. When nothing of that is in dispute any
// more the file is added to git's index. No commit is made: that is git's.
func (l *Ledger) SettleUnmerged(ctx context.Context, f UnmergedFile, fn func(*Tx) error) (*Result, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	view, err := l.viewTree(ctx, f)
	if err != nil {
		return nil, err
	}
	res, tx, err := l.attempt(ctx, view, fn)
	if err == nil {
		err = tx.sign(res)
	}
	if errors.Is(err, errSignerClosed) {
		_ = view.Close() // it is read again once the key is open
		if err := l.signatures.OpenKey(ctx); err != nil {
			return nil, err
		}
		return l.SettleUnmerged(ctx, f, fn)
	}
	if readErr := view.Err(); readErr != nil {
		err = readErr
	}
	if err == nil {
		res.Branch = view.Branch
		if err = l.stage(ctx, f, tx); err == nil && !tx.unsettled(f.Record.ID) {
			res.Notes = append(res.Notes, fmt.Sprintf("%s is settled in '%s' and added to git's index: git commits it", f.Record.ID, f.Path))
		}
	}
	if err != nil {
		_ = view.Close() // the error that counts is the first
		return nil, err
	}
	return res, nil
}

// viewTree reads the records as they stand in the work tree: those of the commit
// checked out, and over them what the merge under way brought.
func (l *Ledger) viewTree(ctx context.Context, f UnmergedFile) (*View, error) {
	_, head, err := l.repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	view, err := l.loadTip(ctx, head)
	if err != nil {
		return nil, err
	}
	if err := provenance.PolicyAllowsWrites(view.PolicyErr); err != nil {
		return nil, errors.Join(err, view.Close())
	}
	out, err := l.gitInTree(ctx, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "HEAD", "--", records.RecordsDir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("list what the merge changed: %w", err), view.Close())
	}
	tree := records.NewOverlay(view.View)
	for path := range strings.SplitSeq(string(out), "\x00") {
		id, err := records.PathID(path)
		if err != nil {
			continue
		}
		data, err := regfile.Read(filepath.Join(l.repo.WorkTree(), filepath.FromSlash(path)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, view.Close())
		}
		if err != nil {
			tree.Drop(id)
		} else if r, err := records.Parse(path, data); err == nil {
			tree.Put(r)
		}
	}
	tree.Put(f.Record)
	view.View = tree
	return view, nil
}

// stage writes the records of a transaction to the work tree, and the settled
// ones to git's index.
func (l *Ledger) stage(ctx context.Context, f UnmergedFile, tx *Tx) error {
	for _, id := range tx.Changed() {
		if id != f.Record.ID {
			return fmt.Errorf("settle '%s': it would change '%s' too, which is not to be merged", f.Record.ID, id)
		}
		r, _ := tx.Overlay.Record(id)
		data, err := records.Format(r)
		if err != nil {
			return fmt.Errorf("%s '%s': %w", r.Kind, r.ID, err)
		}
		if err := gitstore.WriteFile(filepath.Join(l.repo.WorkTree(), filepath.FromSlash(f.Path)), data); err != nil {
			return err
		}
		if tx.unsettled(id) {
			continue // still unmerged, to git as well
		}
		if _, err := l.gitInTree(ctx, "add", "--", f.Path); err != nil {
			return fmt.Errorf("add '%s' to git's index: %w", f.Path, err)
		}
	}
	return l.tellCommit(ctx, tx)
}

// unsettled reports whether the transaction leaves a record in dispute.
func (tx *Tx) unsettled(id records.ID) bool {
	r, ok := tx.Overlay.Record(id)
	return ok && r.Disputed()
}

// tellCommit writes into the message of the commit that git will make what was
// settled and why, with the trailers by which a later check knows it for a
// decision. Without such a message, as after a stash, only the verdict says why.
func (l *Ledger) tellCommit(ctx context.Context, tx *Tx) error {
	for _, name := range []string{"MERGE_MSG", "rebase-merge/message"} {
		path := filepath.Join(l.repo.GitDir(), filepath.FromSlash(name))
		data, err := regfile.Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		m, err := l.NewMessage(ctx)
		if err == nil {
			m.Verdicts, err = l.bundles(tx)
		}
		if err != nil {
			return err
		}
		if err := gitstore.WriteFile(path, withSettled(string(data), m, tx.steps)); err != nil {
			return err
		}
	}
	return nil
}

// withSettled adds steps to a commit message that git keeps, after what earlier
// calls added. The trailers stay the last paragraph.
func withSettled(text string, m *commitmsg.Message, steps []step) []byte {
	m.Verb = "resolve"
	was, err := commitmsg.Parse(text)
	if err == nil && was.Actor == m.Actor {
		m.Verdicts = append(was.Verdicts, m.Verdicts...) // of a commit picked, and of earlier calls
	}
	if err == nil && was.Verb == m.Verb {
		m.Records = was.Records
		text = text[:strings.LastIndex(strings.TrimRight(text, "\n"), "\n\n")]
	}
	var body strings.Builder
	for _, s := range steps {
		if !slices.Contains(m.Records, s.id) {
			m.Records = append(m.Records, s.id)
		}
		fmt.Fprintf(&body, "%s %s: %s\n", s.verb, s.id, s.reason)
	}
	m.Body = body.String()
	// Format puts a subject first, and the message has git's.
	added := strings.TrimLeft(m.Format(), "\n")
	return []byte(strings.TrimRight(text, "\n") + "\n\n" + added)
}
