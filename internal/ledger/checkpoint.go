package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
)

// ErrNothingNew says that nothing was recorded since the last checkpoint.
var ErrNothingNew = errors.New("nothing to checkpoint: no change since the last one")

// Working is the working context: what was recorded since the checkpoints that
// the branch can reach.
type Working struct {
	Tip gitstore.OID
	// Since are the checkpoints bounding it; none when there are none yet.
	Since []gitstore.OID
	// Entries are its commits, children first.
	Entries []*commitmsg.LogEntry
	// Changed is how many records differ from what those checkpoints hold, and
	// Changes the differences, as many as were asked for.
	Changed int
	Changes []Difference
}

// Working computes the working context of the current branch: the commits
// reachable from its tip and from no checkpoint, and of the changes the first
// limit, all when limit is negative.
func (l *Ledger) Working(ctx context.Context, limit int) (*Working, error) {
	branch, err := l.Branch(ctx)
	if err != nil {
		return nil, err
	}
	tip, _, err := l.BranchTip(ctx, branch)
	if err != nil {
		return nil, err
	}
	w := &Working{Tip: tip}
	if w.Since, err = l.frontier(ctx, tip); err != nil {
		return nil, err
	}
	for e, err := range l.History(ctx, HistoryQuery{From: []gitstore.OID{tip}, Exclude: w.Since}) {
		if err != nil {
			return nil, err
		}
		if len(e.Parents) == 0 {
			continue // the constant root says nothing
		}
		w.Entries = append(w.Entries, e)
	}
	if len(w.Entries) == 0 {
		return w, nil
	}
	p, err := l.changesSince(ctx, w)
	if err != nil {
		return nil, err
	}
	w.Changed = len(p.paths)
	w.Changes, err = p.compare(limit)
	return w, err
}

// frontier finds the nearest checkpoints below a tip, and walks little further
// than them. Below a checkpoint everything is hidden, whichever way it is reached.
func (l *Ledger) frontier(ctx context.Context, tip gitstore.OID) ([]gitstore.OID, error) {
	var found []gitstore.OID
	hidden := make(map[gitstore.OID]bool)       // to come, below a checkpoint
	visible := map[gitstore.OID]bool{tip: true} // to come, and so far not hidden
	hide := func(c *gitstore.Commit) {
		for _, p := range c.Parents {
			hidden[p] = true
			delete(visible, p)
		}
	}
	for c, err := range l.repo.Log(ctx, gitstore.LogOptions{Tips: []gitstore.OID{tip}}) {
		if err != nil {
			return nil, err
		}
		delete(visible, c.OID)
		switch {
		case hidden[c.OID]:
			hide(c)
		case commitmsg.NewLogEntry(c).Message.Checkpoint != "":
			found = append(found, c.OID)
			hide(c)
		default:
			for _, p := range c.Parents {
				if !hidden[p] {
					visible[p] = true
				}
			}
		}
		if len(visible) == 0 {
			break
		}
	}
	return found, nil
}

// changesSince compares the tip with the checkpoints: a record counts as
// changed when it differs from what every one of them holds.
func (l *Ledger) changesSince(ctx context.Context, w *Working) (*pair, error) {
	if len(w.Since) == 0 {
		return l.pair(ctx, "", w.Tip)
	}
	common, err := l.pair(ctx, w.Since[0], w.Tip)
	if err != nil {
		return nil, err
	}
	for _, b := range w.Since[1:] {
		p, err := l.pair(ctx, b, w.Tip)
		if err != nil {
			return nil, err
		}
		in := make(map[string]bool)
		for _, c := range p.paths {
			in[c.path] = true
		}
		common.paths = slices.DeleteFunc(common.paths, func(c changedPath) bool { return !in[c.path] })
	}
	return common, nil
}

// checkpointLines is how many changes the message of a checkpoint lists: a big
// import is told by its number, not line by line.
const checkpointLines = 500

// Checkpoint commits the current tree again under a message, listing what
// changed since the checkpoints before. With nothing new it returns [ErrNothingNew];
// the author's request answered before, the checkpoint that it made then.
func (l *Ledger) Checkpoint(ctx context.Context, message string) (*commitmsg.LogEntry, *Working, error) {
	if strings.TrimSpace(message) == "" {
		return nil, nil, errors.New("the checkpoint's message is empty: say what was learned or done, with -m")
	}
	branch, err := l.Branch(ctx)
	if err != nil {
		return nil, nil, err
	}
	unlock, err := l.repo.Lock(ctx, LockWait)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	w, err := l.Working(ctx, -1)
	if err != nil {
		return nil, nil, err
	}
	if e, err := l.answered(ctx, w.Tip); err != nil || e != nil {
		return e, w, err
	}
	if len(w.Entries) == 0 {
		return nil, w, ErrNothingNew
	}
	if err := l.Writable(ctx, branch, true); err != nil {
		return nil, nil, err
	}
	if err := l.policies.AllowWrites(ctx, w.Tip); err != nil {
		return nil, nil, err
	}
	m, err := l.NewMessage(ctx)
	if err != nil {
		return nil, nil, err
	}
	subject, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	m.Verb, m.Subject, m.Body = "commit", subject, strings.TrimSpace(body)
	if err := l.RefuseSecrets(m); err != nil {
		return nil, nil, err
	}
	var list strings.Builder
	for i, d := range w.Changes {
		if i == checkpointLines {
			fmt.Fprintf(&list, "and %d more\n", w.Changed-i)
			break
		}
		list.WriteString(d.Line() + "\n")
		if d.ID != "" {
			m.Records = append(m.Records, d.ID)
		}
	}
	m.Body = strings.TrimSpace(m.Body + "\n\n" + list.String())
	m.Checkpoint = strconv.Itoa(w.Changed)
	e, err := l.commitSameTree(ctx, branch, w.Tip, m)
	return e, w, err
}

func (l *Ledger) commitSameTree(ctx context.Context, branch string, tip gitstore.OID, m *commitmsg.Message) (*commitmsg.LogEntry, error) {
	parent, err := l.repo.ReadCommit(ctx, tip)
	if err != nil {
		return nil, err
	}
	c := gitstore.Commit{Tree: parent.Tree, Parents: []gitstore.OID{tip}, Message: m.Format()}
	if c.Author, c.Committer, err = l.Identity(ctx); err != nil {
		return nil, err
	}
	c.OID, err = l.Publish(ctx, c, tip, nil, "ctx: "+m.Subject, gitstore.RefUpdate{Name: l.HeadRefs() + branch, Old: tip})
	return commitmsg.NewLogEntry(&c), err
}
