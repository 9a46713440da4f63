package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
)

// A Rewrite says how to rewrite history. Its result depends on what it is given
// and on the commits alone, so that whoever makes it gets the same.
type Rewrite struct {
	// Tips reach the commits to rewrite.
	Tips []OID
	// Blobs are replaced by content, at whatever path a tree holds them.
	Blobs map[OID][]byte
	// Message returns what becomes of a commit's message.
	Message func(string) string
}

// Rewrite rewrites history: trees that hold one of the blobs, messages, the
// commits above them, and object IDs of rewritten commits in messages, whole or
// of 12 digits. Author, committer and other headers stay; signatures, which
// would not hold, go. It maps each commit that changed to its new one, and
// hands that to publish when the new objects are stored; without publish
// nothing is written. No ref moves.
func (r *Repo) Rewrite(ctx context.Context, rw Rewrite, publish func(map[OID]OID) error) (map[OID]OID, error) {
	w := &rewriter{repo: r, rw: rw, out: newPackWriter(r.objectFormat), trees: make(map[OID]OID),
		commits: make(map[OID]OID), known: make(map[OID]bool), short: make(map[string]OID)}
	order, err := w.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("rewrite history: %w", err)
	}
	for _, oid := range order {
		if _, err := w.commit(ctx, oid); err != nil {
			return nil, fmt.Errorf("rewrite history: commit %s: %w", oid, err)
		}
	}
	moved := make(map[OID]OID)
	for old, now := range w.commits {
		if old != now {
			moved[old] = now
		}
	}
	if publish == nil || len(moved) == 0 {
		return moved, nil
	}
	if err := r.storePack(ctx, w.out); err != nil {
		return nil, err
	}
	FaultPoint("rewritten")
	return moved, publish(moved)
}

type rewriter struct {
	repo    *Repo
	rw      Rewrite
	out     *packWriter
	trees   map[OID]OID
	commits map[OID]OID
	known   map[OID]bool   // commits to rewrite
	short   map[string]OID // by their first 12 digits
}

// list returns the commits to rewrite, parents first.
func (w *rewriter) list(ctx context.Context) ([]OID, error) {
	var in bytes.Buffer
	for _, t := range w.rw.Tips {
		fmt.Fprintln(&in, t)
	}
	if in.Len() == 0 {
		return nil, nil
	}
	out, err := w.repo.Git(ctx, &in, "rev-list", "--topo-order", "--reverse", "--stdin")
	if err != nil {
		return nil, err
	}
	var order []OID
	for _, s := range strings.Fields(string(out)) {
		oid := OID(s)
		order, w.known[oid], w.short[oid.Short()] = append(order, oid), true, oid
	}
	return order, nil
}

// commit returns what becomes of a commit.
func (w *rewriter) commit(ctx context.Context, oid OID) (OID, error) {
	if now, ok := w.commits[oid]; ok {
		return now, nil
	}
	if !w.known[oid] {
		return oid, nil // below a shallow boundary
	}
	raw, err := w.repo.readObject(ctx, oid, kindCommit)
	if err != nil {
		return "", err
	}
	now, err := w.rewriteCommit(ctx, raw)
	if err != nil {
		return "", err
	}
	if bytes.Equal(now, raw) {
		w.commits[oid] = oid
		return oid, nil
	}
	w.commits[oid], err = w.out.write(kindCommit, now)
	return w.commits[oid], err
}

// rewriteCommit returns a commit's new bytes, the old ones where nothing changes.
func (w *rewriter) rewriteCommit(ctx context.Context, raw []byte) ([]byte, error) {
	head, message, ok := bytes.Cut(raw, []byte("\n\n"))
	if !ok {
		head, message = bytes.TrimSuffix(raw, []byte("\n")), nil
	}
	var out bytes.Buffer
	inSignature, changed := false, false
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		name, value, _ := strings.Cut(string(line), " ")
		if name != "" {
			inSignature = name == "gpgsig" || name == "gpgsig-sha256" || name == "mergetag"
		}
		now, err := OID(value), error(nil)
		switch {
		case inSignature:
			continue
		case name == "tree":
			now, err = w.tree(ctx, OID(value))
		case name == "parent":
			now, err = w.commit(ctx, OID(value))
		}
		if err != nil {
			return nil, err
		}
		changed = changed || string(now) != value
		if name == "tree" || name == "parent" {
			line = []byte(name + " " + string(now))
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	said, err := w.message(ctx, string(message))
	if err != nil {
		return nil, err
	}
	if !changed && said == string(message) {
		return raw, nil
	}
	out.WriteString("\n" + said)
	return out.Bytes(), nil
}

var hexWord = regexp.MustCompile(`\b[0-9a-f]{12,64}\b`)

// message returns a commit's new message. Commits that it names are rewritten
// first; none can name one that names it.
func (w *rewriter) message(ctx context.Context, m string) (string, error) {
	if w.rw.Message != nil {
		m = w.rw.Message(m)
	}
	var failed error
	m = hexWord.ReplaceAllStringFunc(m, func(word string) string {
		named, short := OID(word), false
		if len(word) == len(named.Short()) {
			named, short = w.short[word], true
		}
		if !w.known[named] {
			return word
		}
		now, err := w.commit(ctx, named)
		if err != nil {
			failed = err
			return word
		}
		if short {
			return now.Short()
		}
		return string(now)
	})
	return m, failed
}

// tree returns what becomes of a tree.
func (w *rewriter) tree(ctx context.Context, oid OID) (OID, error) {
	if now, ok := w.trees[oid]; ok {
		return now, nil
	}
	old, err := w.repo.readTree(ctx, oid)
	if err != nil {
		return "", err
	}
	var entries []treeEntry
	for i, e := range old {
		now := e.oid
		if data, doomed := w.rw.Blobs[e.oid]; doomed && e.isBlob() {
			now, err = w.out.write(kindBlob, data)
		} else if e.isTree() {
			now, err = w.tree(ctx, e.oid)
		}
		if err != nil {
			return "", err
		}
		if now == e.oid {
			continue
		}
		if entries == nil {
			entries = append(entries, old...)
		}
		entries[i].oid = now
	}
	now := oid
	if entries != nil {
		b, err := formatTree(entries)
		if err != nil {
			return "", err
		}
		if now, err = w.out.write(kindTree, b); err != nil {
			return "", err
		}
	}
	w.trees[oid] = now
	return now, nil
}
