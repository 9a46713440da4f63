package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// result maps the workspace: the present of its current branch, with that
// branch's commits, and every other branch for whoever asks for it.
func (w *space) result() (*importer.Result, error) {
	if w.present == nil && len(w.commits) == 0 {
		return nil, errors.New("no records here: it has neither a working context, nor a graph, nor commits")
	}
	if w.head == "" {
		w.head = "main"
	}
	for name, tip := range w.tips {
		if tip != "" && w.commits[tip] == nil {
			w.note("branch "+name, "its commit %s is not here: history begins after it", tip[:8])
		}
	}
	w.checkHashes()
	w.checkMerges()
	res, err := w.branch(w.head, w.present)
	if err != nil {
		return nil, err
	}
	res.Skipped = append(slices.Clone(w.notes), res.Skipped...)
	for _, name := range slices.Sorted(maps.Keys(w.tips)) {
		if name == w.head || w.commits[w.tips[name]] == nil {
			continue
		}
		other, err := w.branch(name, nil)
		if err != nil {
			return nil, err
		}
		only := 0
		for _, r := range other.Records {
			if !slices.ContainsFunc(res.Records, func(o *records.Record) bool { return o.ID == r.ID }) {
				only++
			}
		}
		res.Skipped = append(res.Skipped, importer.Skip{Item: "branch " + name, Reason: fmt.Sprintf("not merged: --branch %s or --all-branches takes it, with %s that the current one lacks", name, text.Plural(only, "record"))})
		res.Others = append(res.Others, other)
	}
	return res, nil
}

func (w *space) note(item, format string, args ...any) {
	w.notes = append(w.notes, importer.Skip{Item: item, Reason: fmt.Sprintf(format, args...), Note: true})
}

// branch maps one branch: its commits in the order of their parents, then the
// present where it differs from the last of them.
func (w *space) branch(name string, present *state) (*importer.Result, error) {
	var steps []importer.Step
	at := make(map[string]int)
	var err error
	var walk func(id string)
	walk = func(id string) {
		c := w.commits[id]
		if _, done := at[id]; done || c == nil || err != nil {
			return
		}
		at[id] = -1 // a cycle ends here
		var parents []int
		for _, p := range c.parents {
			walk(p)
			if i, ok := at[p]; ok && i >= 0 {
				parents = append(parents, i)
			}
		}
		_, res, mapErr := recordsOf(c.snapshot)
		if mapErr != nil {
			err = mapErr
			return
		}
		tr := c.entity.trace()
		when := c.entity.when("createdAtUtc")
		if when.IsZero() {
			when = tr.when("createdAtUtc")
		}
		if when.IsZero() {
			when = res.Time
		}
		at[id] = len(steps)
		steps = append(steps, importer.Step{
			Records: res.Records, Parents: parents, Time: when, Author: importer.OneLine(tr.text("createdBy")), ID: "ctx commit " + id, Message: importer.Clean(c.message),
		})
	}
	walk(w.tips[name])
	if err != nil {
		return nil, err
	}
	last := w.commits[w.tips[name]]
	if present == nil && last != nil {
		present = last.snapshot
	}
	if present == nil {
		return nil, fmt.Errorf("branch '%s': no records here", name)
	}
	_, res, err := recordsOf(present)
	if err != nil {
		return nil, err
	}
	w.withPaths(res.Records)
	if last == nil || !sameRecords(res, steps[len(steps)-1]) {
		_, now, err := recordsOf(present)
		if err != nil {
			return nil, err
		}
		step := importer.Step{Records: now.Records, Time: res.Time, Message: importer.BodyOf("uncommitted in the source", importer.OneLine(w.name), importer.Clean(w.about))}
		if len(steps) > 0 {
			step.Parents = []int{len(steps) - 1}
		}
		steps = append(steps, step)
	}
	res.Source = System + "/" + segment(short(w.project)) + "/" + segment(name)
	res.History = steps
	return res, nil
}

// withPaths gives evidence the file that its source names, if it is there. The steps
// of the history have none, as they do not depend on what is checked out.
func (w *space) withPaths(rs []*records.Record) {
	for _, r := range rs {
		name := strings.TrimPrefix(r.Source, "file:")
		if w.around == nil || r.Kind != records.Evidence || !fs.ValidPath(name) || strings.ContainsAny(name, `*?[]{}\!`) {
			continue
		}
		if info, err := fs.Stat(w.around, name); err == nil && info.Mode().IsRegular() {
			r.Paths = []string{path.Join(w.folder, name)}
			importer.Seal(r)
		}
	}
}

func short(id string) string {
	if len(id) < 8 {
		return "workspace"
	}
	return id[:8]
}

var unsafeInRef = lazyregexp.New(`[^A-Za-z0-9._/-]+|\.\.+|//+|\.lock\b|@`)

// segment makes the name of a branch one that a ref may have.
func segment(name string) string {
	var parts []string
	for p := range strings.SplitSeq(unsafeInRef.ReplaceAllString(name, "-"), "/") {
		if p = strings.Trim(p, ".-"); p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return "main"
	}
	return strings.Join(parts, "/")
}

// sameRecords compares by content: what the workspace says of itself being dirty is not believed.
func sameRecords(res *importer.Result, s importer.Step) bool {
	digests := make(map[string]string)
	for _, r := range s.Records {
		digests[string(r.ID)] = r.Origin.Digest
	}
	for _, r := range res.Records {
		if digests[string(r.ID)] != r.Origin.Digest {
			return false
		}
	}
	return true
}

// checkMerges tells commits that look like a merge and record one parent: they
// add what stands on the tip of another branch.
func (w *space) checkMerges() {
	for _, id := range slices.Sorted(maps.Keys(w.commits)) {
		c := w.commits[id]
		if len(c.parents) != 1 || w.commits[c.parents[0]] == nil {
			continue
		}
		had := make(map[string]bool)
		for _, e := range w.commits[c.parents[0]].snapshot.all {
			had[e.id] = true
		}
		for _, name := range slices.Sorted(maps.Keys(w.tips)) {
			tip := w.commits[w.tips[name]]
			if tip == nil || tip == c || w.reaches(tip.id, c.id) {
				continue
			}
			if slices.ContainsFunc(c.snapshot.all, func(e *entity) bool {
				return !had[e.id] && slices.ContainsFunc(tip.snapshot.all, func(o *entity) bool { return o.id == e.id })
			}) {
				w.note("commit "+id[:8], "looks like a merge of branch %s with one parent", name)
				break
			}
		}
	}
}

// reaches reports whether a commit is the other or comes after it.
func (w *space) reaches(from, to string) bool {
	seen := make(map[string]bool)
	todo := []string{from}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if id == to {
			return true
		}
		if c := w.commits[id]; c != nil && !seen[id] {
			seen[id] = true
			todo = append(todo, c.parents...)
		}
	}
	return false
}

// checkHashes tells commits whose snapshot was changed after they were made.
func (w *space) checkHashes() {
	for _, id := range slices.Sorted(maps.Keys(w.commits)) {
		if c := w.commits[id]; c.hash != "" && c.hash != snapshotHash(c) {
			w.note("commit "+id[:8], "its snapshot does not have the hash that it names: changed after it was made")
		}
	}
}

var headCommit = lazyregexp.New(`( *)"headCommitId": (?:null|\{[^{}]*\})`)

// snapshotHash is what CTX calculates: SHA-256 of the snapshot's own text, with the
// parent as the head that it was made on, and lines that end in CR and LF.
func snapshotHash(c *commit) string {
	text := strings.ReplaceAll(string(c.raw), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\n  ", "\n")
	parent := "null"
	if len(c.parents) > 0 {
		parent = c.parents[0]
	}
	done := false
	text = headCommit.ReplaceAllStringFunc(text, func(m string) string {
		if done {
			return m
		}
		done = true
		indent := headCommit.FindStringSubmatch(m)[1]
		if parent == "null" {
			return indent + `"headCommitId": null`
		}
		return indent + "\"headCommitId\": {\n" + indent + "  \"value\": \"" + parent + "\"\n" + indent + "}"
	})
	sum := sha256.Sum256(bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n")))
	return hex.EncodeToString(sum[:])
}
