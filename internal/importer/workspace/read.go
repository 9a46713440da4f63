// Package workspace reads CTX workspaces: the folder .ctx and the file of a
// ctx export, with their history.
//
// It owns the mapping of CTX's entities, states and links. Its invariant is that
// one workspace gives the same records and commits in every clone, and that
// nothing CTX derives or stores twice is taken for a second fact.
package workspace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/internal/text"
)

// inner is the name of the folder that a workspace lies in.
const inner = ".ctx"

// System is the origin of these records, and begins the names of their branches.
const System = "ctx"

// Source reads CTX workspaces.
func Source() importer.Source {
	return importer.Source{Name: System, Short: "import a CTX workspace: the folder with .ctx, or a ctx export", File: ReadExport, Dir: ReadDir, Inner: inner}
}

// A state is all that a workspace holds at one moment.
type state struct {
	all []*entity
	// partial says that runbooks and triggers are not told: an older shape.
	partial bool
}

// A commit is one of the workspace's own.
type commit struct {
	id       string
	parents  []string
	message  string
	entity   *entity // for its trace
	raw      []byte  // the snapshot's text
	hash     string
	snapshot *state
}

type space struct {
	project     string // id
	name, about string
	head        string // the name of the branch
	tips        map[string]string
	commits     map[string]*commit
	present     *state
	notes       []importer.Skip
	// around is the folder that holds the workspace, and folder its name from the
	// worktree's top; nil where it is not in the worktree.
	around fs.FS
	folder string
}

var safeID = lazyregexp.New(`^[0-9a-f]{32}$`)

// ReadDir reads the workspace below the folder, or that the folder is.
func ReadDir(fsys fs.FS, folder string) (*importer.Result, error) {
	w := &space{tips: make(map[string]string), commits: make(map[string]*commit)}
	if sub, err := fs.Sub(fsys, inner); err == nil && exists(fsys, inner) {
		if fs.ValidPath(folder) || folder == "" {
			w.around, w.folder = fsys, folder
		}
		fsys = sub
	}
	w.countUnread(fsys)
	for _, read := range []func(fs.FS) error{w.readHead, w.readProject, w.readBranches, w.readCommits, w.readPresent} {
		if err := read(fsys); err != nil {
			return nil, err
		}
	}
	return w.result()
}

// ReadExport reads the file that ctx export writes.
func ReadExport(r io.Reader) (*importer.Result, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	var doc struct {
		Head     map[string]any
		Snapshot map[string]any
		Branches []map[string]any
		Commits  []json.RawMessage
	}
	if err := decodeJSON("", src, &doc); err != nil {
		return nil, err
	}
	if doc.Snapshot == nil {
		return nil, errors.New("no snapshot: this is not a ctx export")
	}
	w := &space{tips: make(map[string]string), commits: make(map[string]*commit)}
	w.head, _ = doc.Head["branch"].(string)
	w.tips[w.head] = idOf(doc.Head["commitId"])
	for _, b := range doc.Branches {
		if name, _ := b["name"].(string); name != "" && name == w.head {
			w.tips[name] = idOf(b["commitId"])
		}
	}
	for _, c := range doc.Commits {
		if err := w.addCommit("commits", c); err != nil {
			return nil, err
		}
	}
	if w.present, err = stateOf("snapshot", doc.Snapshot); err != nil {
		return nil, err
	}
	w.projectOf(doc.Snapshot)
	return w.result()
}

func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}

// readJSON reads a file into a map; nil where it is not there.
func readJSON(fsys fs.FS, name string) (map[string]any, []byte, error) {
	src, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read '%s': %w", name, err)
	}
	var m map[string]any
	return m, src, decodeJSON(name, src, &m)
}

// countUnread tells what of a workspace is not a record.
func (w *space) countUnread(fsys fs.FS) {
	for _, dir := range []string{"runs", "packets", "metrics", "staging"} {
		if names, err := fs.Glob(fsys, dir+"/*"); err == nil && len(names) > 0 {
			w.notes = append(w.notes, importer.Skip{Item: dir, Reason: text.Plural(len(names), "file") + ": not records"})
		}
	}
}

func (w *space) readHead(fsys fs.FS) error {
	src, err := fs.ReadFile(fsys, "HEAD")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read 'HEAD': %w", err)
	}
	said := strings.TrimSpace(string(bytes.TrimPrefix(src, []byte("\ufeff"))))
	i := strings.LastIndexByte(said, ':')
	if i < 0 {
		return &importer.SyntaxError{Path: "HEAD", Line: 1, Col: 1, Msg: "want branch:commit"}
	}
	w.head = said[:i]
	if id := said[i+1:]; id != "null" {
		w.tips[w.head] = id
	}
	return nil
}

func (w *space) readProject(fsys fs.FS) error {
	m, _, err := readJSON(fsys, "project.json")
	if m != nil {
		w.projectOf(map[string]any{"project": m})
	}
	return err
}

// projectOf takes the project's id and name from wherever they stand.
func (w *space) projectOf(m map[string]any) {
	if inner, ok := m["workingContext"].(map[string]any); ok {
		m = inner
	}
	p, _ := m["project"].(map[string]any)
	if p == nil || w.project != "" {
		return
	}
	w.project = idOf(p["id"])
	w.name, _ = p["name"].(string)
	w.about, _ = p["description"].(string)
}

func (w *space) readBranches(fsys fs.FS) error {
	names, err := fs.Glob(fsys, "branches/*.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		m, _, err := readJSON(fsys, name)
		if err != nil {
			return err
		}
		if b, _ := m["name"].(string); b != "" {
			if id := idOf(m["commitId"]); id != "" {
				w.tips[b] = id
			}
		}
	}
	return nil
}

func (w *space) readCommits(fsys fs.FS) error {
	names, err := fs.Glob(fsys, "commits/*.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("read '%s': %w", name, err)
		}
		if err := w.addCommit(name, src); err != nil {
			return err
		}
	}
	for _, tip := range slices.Sorted(maps.Values(w.tips)) {
		if tip != "" && !safeID.MatchString(tip) {
			return fmt.Errorf("commit id '%s': want 32 hexadecimal digits", importer.Short(tip))
		}
	}
	return nil
}

func (w *space) addCommit(file string, src []byte) error {
	var doc map[string]json.RawMessage
	if err := decodeJSON(file, src, &doc); err != nil {
		return err
	}
	var m map[string]any
	if err := decodeJSON(file, src, &m); err != nil {
		return err
	}
	c := &commit{id: idOf(m["id"]), entity: &entity{kind: "commits", file: file, m: m}, raw: doc["snapshot"]}
	if !safeID.MatchString(c.id) {
		return fmt.Errorf("%s: commit id '%s': want 32 hexadecimal digits", file, importer.Short(c.id))
	}
	c.entity.id = c.id
	c.message, c.hash = c.entity.text("message"), c.entity.text("snapshotHash")
	c.parents = c.entity.refs("parentIds")
	for _, p := range c.parents {
		if !safeID.MatchString(p) {
			return fmt.Errorf("%s: parent id '%s': want 32 hexadecimal digits", file, importer.Short(p))
		}
	}
	snap, _ := m["snapshot"].(map[string]any)
	if snap == nil {
		return fmt.Errorf("%s: a snapshot of neither shape", file)
	}
	st, err := stateOf(file, snap)
	if err != nil {
		return err
	}
	c.snapshot = st
	w.projectOf(snap)
	if w.commits[c.id] != nil {
		return fmt.Errorf("%s: commit '%s' stands twice", file, c.id)
	}
	w.commits[c.id] = c
	return nil
}

// readPresent reads the working context, else the graph.
func (w *space) readPresent(fsys fs.FS) error {
	name := "working/working-context.json"
	m, _, err := readJSON(fsys, name)
	if err == nil && m == nil {
		name = "graph/current-graph.json"
		m, _, err = readJSON(fsys, name)
	}
	if err != nil {
		return err
	}
	if m == nil {
		return nil
	}
	if w.present, err = stateOf(name, map[string]any{"workingContext": m}); err != nil {
		return err
	}
	w.projectOf(m)
	for _, kind := range []string{"runbooks", "triggers"} {
		files, err := fs.Glob(fsys, kind+"/*.json")
		if err != nil {
			return err
		}
		for _, f := range files {
			m, _, err := readJSON(fsys, f)
			if err != nil {
				return err
			}
			if err := w.present.add(kind, f, m); err != nil {
				return err
			}
		}
	}
	return w.present.unique()
}

// arrays are the names that a kind's array may have.
var arrays = []struct {
	kind  string
	names []string
}{
	{"goals", []string{"goals"}}, {"epics", []string{"epics"}}, {"tasks", []string{"tasks"}}, {"hypotheses", []string{"hypotheses"}},
	{"evidence", []string{"evidence", "evidences"}}, {"decisions", []string{"decisions"}}, {"conclusions", []string{"conclusions"}},
	{"runbooks", []string{"runbooks", "operationalRunbooks"}}, {"triggers", []string{"triggers", "cognitiveTriggers"}},
}

// stateOf reads a snapshot of either shape: flat, or nested with runbooks and
// triggers beside the working context.
func stateOf(file string, snap map[string]any) (*state, error) {
	st := &state{}
	inner, nested := snap["workingContext"].(map[string]any)
	places := []map[string]any{snap}
	if nested {
		places = []map[string]any{inner, snap}
	}
	told := false
	for _, a := range arrays {
		for _, place := range places {
			for _, name := range a.names {
				list, ok := place[name].([]any)
				told = told || ok
				for _, v := range list {
					m, _ := v.(map[string]any)
					if err := st.add(a.kind, file, m); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	if !told {
		return nil, fmt.Errorf("%s: a snapshot of neither shape", file)
	}
	st.partial = !nested
	return st, st.unique()
}

func (st *state) add(kind, file string, m map[string]any) error {
	e := &entity{kind: kind, id: idOf(m["id"]), file: file, m: m}
	if !safeID.MatchString(e.id) {
		return fmt.Errorf("%s: id '%s' of %s: want 32 hexadecimal digits", file, importer.Short(e.id), kind)
	}
	if err := e.checkEnums(); err != nil {
		return err
	}
	st.all = append(st.all, e)
	return nil
}

// unique refuses two entities with one id.
func (st *state) unique() error {
	seen := make(map[string]*entity)
	for _, e := range st.all {
		if o := seen[e.id]; o != nil {
			return fmt.Errorf("%s: id '%s' is that of two of %s and %s", e.file, e.id, o.kind, e.kind)
		}
		seen[e.id] = e
	}
	slices.SortStableFunc(st.all, func(a, b *entity) int { return cmp.Compare(a.id, b.id) })
	return nil
}
