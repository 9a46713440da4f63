package vendorbranch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A pastTree is what the branch of a source holds after a step.
type pastTree struct {
	commit gitstore.OID
	files  map[string][]byte
}

// withHistory makes the source's own history what the import builds on. A history
// that goes on from the last import moves the branch; another one is joined.
func withHistory(ctx context.Context, l *ledger.Ledger, w *vendorBranch, o ImportOptions, res *Imported) error {
	if o.DryRun {
		return nil
	}
	gone := make(map[records.ID]bool)
	for _, x := range res.LeftOut {
		gone[x.ID] = true
	}
	for _, id := range res.Forgotten {
		gone[id] = true
	}
	last, err := history(ctx, l, w, o.History, gone)
	if err != nil || last.commit == w.old {
		return err
	}
	next := w.old == ""
	if !next {
		if ok, err := l.Repo().IsAncestor(ctx, last.commit, w.old); ok || err != nil {
			return err // all of it is there
		}
		if next, err = l.Repo().IsAncestor(ctx, w.old, last.commit); err != nil {
			return err
		}
	}
	if !next {
		w.parents = append(w.parents, last.commit)
		w.joined = make(map[string]bool, len(last.files))
		for path, data := range last.files {
			w.taken[path], w.joined[path] = data, true
		}
		return nil
	}
	w.past, w.base = last.commit, last.commit
	w.held, err = l.Repo().Snapshot(ctx, string(last.commit))
	return err
}

// history commits the steps of a source's history, each as an import and the
// checkpoint with its message, and returns the last. The commits depend on the
// steps alone, so that the same history gives the same ones again.
func history(ctx context.Context, l *ledger.Ledger, w *vendorBranch, steps []importer.Step, gone map[records.ID]bool) (*pastTree, error) {
	root, _, err := vendorBase(ctx, l, "")
	if err != nil {
		return nil, err
	}
	done := make([]*pastTree, len(steps))
	for i, s := range steps {
		now := &pastTree{commit: root, files: make(map[string][]byte)}
		var parents []gitstore.OID
		for n, p := range s.Parents {
			if n == 0 {
				now.commit = done[p].commit
			}
			parents = append(parents, done[p].commit)
			for path, data := range done[p].files {
				if _, ok := now.files[path]; !ok {
					now.files[path] = data
				}
			}
		}
		if len(parents) == 0 {
			parents = []gitstore.OID{root}
		}
		changes, err := stepChanges(l, now, s, gone)
		if err != nil {
			return nil, err
		}
		if len(parents) > 1 { // the tree is built over the first parent's
			changes = allFiles(now.files)
		}
		if err := commitStep(ctx, l, now, s, parents, changes, w.source); err != nil {
			return nil, err
		}
		done[i] = now
	}
	return done[len(done)-1], nil
}

// stepChanges writes a step's records over what stood before it. One with a
// secret is left out of it.
func stepChanges(l *ledger.Ledger, now *pastTree, s importer.Step, gone map[records.ID]bool) ([]gitstore.Change, error) {
	var changes []gitstore.Change
	for _, r := range s.Records {
		scan := l.ScanSecrets()
		if scan.Record(r, nil); gone[r.ID] || scan.Err() != nil {
			continue
		}
		r = r.Clone()
		r.Unlink(gone)
		data, err := records.Format(r)
		if err != nil {
			return nil, fmt.Errorf("import %s '%s': %w", r.Kind, r.ID, err)
		}
		path := records.IDPath(r.ID)
		if string(now.files[path]) == string(data) {
			continue
		}
		now.files[path] = data
		changes = append(changes, gitstore.Change{Path: path, Data: data})
	}
	return changes, nil
}

func allFiles(files map[string][]byte) []gitstore.Change {
	var out []gitstore.Change
	for _, path := range slices.Sorted(maps.Keys(files)) {
		out = append(out, gitstore.Change{Path: path, Data: files[path]})
	}
	return out
}

// commitStep makes the commits of a step. Where nothing changed it is a checkpoint alone.
func commitStep(ctx context.Context, l *ledger.Ledger, now *pastTree, s importer.Step, parents []gitstore.OID, changes []gitstore.Change, source string) error {
	unmoved := func(string, gitstore.OID) error { return nil }
	who := ledger.StoreIdentity(s.Time)
	author := who
	if s.Author != "" {
		author.Name = s.Author
	}
	body := s.ID
	if s.ID == "" {
		body = s.Message
	}
	if len(changes) > 0 || s.ID == "" {
		m := &commitmsg.Message{Subject: fmt.Sprintf("import: %d records from %s", len(changes), source), Body: body, Verb: "import", Actor: "agent/import"}
		c := gitstore.Commit{Parents: parents, Author: author, Committer: who, Message: m.Format()}
		oid, err := l.WriteCommit(ctx, c, now.commit, changes, "", unmoved)
		if err != nil {
			return err
		}
		now.commit, parents = oid, []gitstore.OID{oid}
	}
	if s.ID == "" {
		return nil
	}
	subject, rest, _ := strings.Cut(strings.TrimSpace(s.Message), "\n")
	m := &commitmsg.Message{
		Subject: cmp.Or(strings.TrimSpace(subject), s.ID), Body: strings.TrimSpace(rest + "\n\n" + s.ID), Verb: "import", Actor: "agent/import", Checkpoint: strconv.Itoa(len(changes)),
	}
	if l.RefuseSecrets(m) != nil {
		m.Subject, m.Body = s.ID, "The message is left out, as it holds a secret."
	}
	c := gitstore.Commit{Parents: parents, Author: author, Committer: who, Message: m.Format()}
	oid, err := l.WriteCommit(ctx, c, now.commit, nil, "", unmoved)
	now.commit = oid
	return err
}
