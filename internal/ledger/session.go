package ledger

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

// A Session remembers what this session in this worktree is working on. It is
// a convenience kept beside the worktree: losing it loses no fact.
type Session struct {
	Task records.ID `json:"task,omitempty"`
	Goal records.ID `json:"goal,omitempty"`
	Last records.ID `json:"last,omitempty"`
}

func (l *Ledger) sessionFile() string {
	return filepath.Join(l.repo.GitDir(), "ctx", "sessions", l.SessionKey()+".json")
}

// Session returns what the session remembers; nothing, when it is new or its file is unreadable.
func (l *Ledger) Session() Session {
	var s Session
	data, err := regfile.Read(l.sessionFile())
	if err == nil {
		_ = json.Unmarshal(data, &s) // a damaged file is a session that forgot
	}
	return s
}

// SaveSession writes the session's memory. Best effort: a read-only worktree
// still records, it only cannot remember @task.
func (l *Ledger) SaveSession(s Session) error {
	if s == l.Session() {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return gitstore.WriteFile(l.sessionFile(), append(data, '\n'))
}

// An AmbiguousError says that a name stands for several records, or that an
// @name has no one record to stand for.
type AmbiguousError struct {
	Name       string
	Candidates []*records.Record
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("ambiguous id '%s': it matches %d records", e.Name, len(e.Candidates))
}

// A NotFoundError says that no record has the id, prefix or @name.
type NotFoundError struct {
	Name string
	Why  string // "" for a plain unknown id
	Hint string
}

func (e *NotFoundError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("'%s': %s", e.Name, e.Why)
	}
	return fmt.Sprintf("unknown id '%s': no record on this branch has it", e.Name)
}

// Find resolves what a user typed for a record: a full id, a unique prefix of
// four or more random characters, or @task, @goal, @last. The error is a
// *[NotFoundError] or *[AmbiguousError], or says that the text is not an id.
func (l *Ledger) Find(v records.View, name string) (*records.Record, error) {
	switch name {
	case "@task", "@goal", "@last":
		return l.currentOf(v, l.Session(), name)
	}
	if r, ok := v.Record(records.ID(name)); ok {
		return r, nil
	}
	matches, err := v.Match(name)
	if err != nil {
		return nil, err
	}
	switch len(matches) {
	case 0:
		return nil, &NotFoundError{Name: name, Hint: "git ctx list"}
	case 1:
		r, _ := v.Record(matches[0])
		return r, nil
	}
	e := &AmbiguousError{Name: name}
	for _, id := range matches {
		r, _ := v.Record(id)
		e.Candidates = append(e.Candidates, r)
	}
	return nil, e
}

// currentOf resolves an @name: the session's own record, else the only one that it could
// mean. A task is never assumed to be this session's because somebody somewhere began it: it is one
// that a session in this worktree started.
func (l *Ledger) currentOf(v records.View, s Session, name string) (*records.Record, error) {
	switch name {
	case "@last":
		if r, ok := v.Record(s.Last); ok {
			return r, nil
		}
		return nil, &NotFoundError{Name: name, Why: "this session has recorded nothing on this branch yet", Hint: "git ctx list"}
	case "@task":
		if r, ok := v.Record(s.Task); ok && r.Open() {
			return r, nil
		}
		return only(v, name, l.startedHere(), records.Task, records.InProgress, "git ctx start TASK")
	}
	if r, ok := v.Record(s.Goal); ok && r.Open() {
		return r, nil
	}
	if t, err := l.currentOf(v, s, "@task"); err == nil && len(t.Links[records.Serves]) == 1 {
		if g, ok := v.Record(t.Links[records.Serves][0]); ok && !g.Forgotten() {
			return g, nil
		}
	}
	return only(v, name, v.InState(records.Goal, records.Active), records.Goal, records.Active, "git ctx goal list")
}

// startedHere returns the tasks that sessions in this worktree work on, sorted.
func (l *Ledger) startedHere() []records.ID {
	dir := filepath.Dir(l.sessionFile())
	files, _ := os.ReadDir(dir) // without one no session began
	var ids []records.ID
	for _, f := range files {
		if strings.Count(f.Name(), ".") != 1 { // a session's note
			continue
		}
		var s Session
		if data, err := regfile.Read(filepath.Join(dir, f.Name())); err == nil && json.Unmarshal(data, &s) == nil && s.Task != "" {
			ids = append(ids, s.Task)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func missingCurrent(k records.Kind, s records.State) string {
	if k == records.Task {
		return "this session has no current task, and none that was started in this worktree is " + string(s)
	}
	return fmt.Sprintf("this session has no current %s, and none is %s", k, s)
}

// only returns the one record among ids that is in a state.
func only(v records.View, name string, ids []records.ID, k records.Kind, s records.State, hint string) (*records.Record, error) {
	var found []*records.Record
	for _, id := range ids {
		if r, ok := v.Record(id); ok && r.Open() && r.State() == s && !r.Disputed() {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return nil, &NotFoundError{Name: name, Why: missingCurrent(k, s), Hint: hint}
	case 1:
		return found[0], nil
	}
	return nil, &AmbiguousError{Name: name, Candidates: found}
}
