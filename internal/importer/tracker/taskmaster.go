package tracker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

const taskmaster = "taskmaster"

// Taskmaster reads tasks.json of Taskmaster, with or without tags.
func Taskmaster() importer.Source {
	return importer.Source{Name: taskmaster, Short: "import Taskmaster's tasks.json", File: readTaskmaster}
}

type masterTask struct {
	ID           json.RawMessage   `json:"id"`
	Title        string            `json:"title"`
	Description  string            `json:"description"`
	Details      string            `json:"details"`
	TestStrategy string            `json:"testStrategy"`
	Status       string            `json:"status"`
	Priority     string            `json:"priority"`
	Dependencies []json.RawMessage `json:"dependencies"`
	Subtasks     []masterTask      `json:"subtasks"`
}

type masterList struct {
	Tasks []masterTask `json:"tasks"`
}

type masterRun struct {
	*importer.Batch
	ids   map[string]records.ID
	edges []importer.Edge
	later []func()
}

// readTaskmaster makes a task of each task and subtask. Its file has no times.
func readTaskmaster(r io.Reader) (*importer.Result, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	var plain masterList
	if err := json.Unmarshal(src, &plain); err != nil {
		return nil, fmt.Errorf("read tasks: not JSON of this form: %w", err)
	}
	lists := map[string]masterList{}
	if plain.Tasks != nil {
		lists[""] = plain
	} else if err := json.Unmarshal(src, &lists); err != nil {
		return nil, fmt.Errorf("read tasks: not JSON of this form: %w", err)
	}
	m := &masterRun{Batch: importer.NewBatch(taskmaster), ids: make(map[string]records.ID)}
	for _, tag := range slices.Sorted(maps.Keys(lists)) {
		for _, t := range lists[tag].Tasks {
			m.task(tag, "", t)
		}
	}
	for _, link := range m.later {
		link()
	}
	if len(m.Recs) == 0 {
		return nil, errors.New("read tasks: the file holds no task")
	}
	m.Link(m.edges)
	return m.Result()
}

func numberOf(raw json.RawMessage) string { return strings.Trim(string(raw), `" `) }

// task adds a task and its subtasks, which are a part of it.
func (m *masterRun) task(tag, parent string, t masterTask) {
	own := numberOf(t.ID)
	if parent != "" {
		own = parent + "." + own
	}
	key := own
	if tag != "" {
		key = tag + "/" + own
	}
	said := t
	said.Subtasks = nil
	w := work{key: key, title: t.Title, raw: said, body: importer.BodyOf(t.Description, t.Details, importer.Section("Test strategy", t.TestStrategy))}
	if tag != "" && tag != "master" {
		w.tags = append(w.tags, tag)
	}
	states := map[string]records.State{
		"pending": records.Todo, "in-progress": records.InProgress, "review": records.InProgress, "blocked": records.Blocked, "done": records.Done, "completed": records.Done,
		"deferred": records.Todo, "cancelled": records.Dropped,
	}
	state, ok := states[t.Status]
	if !ok {
		m.Found(key)
		m.Skip(key, "status '%s' maps to no state of a task", importer.Short(t.Status))
		return
	}
	if w.state = state; state == records.Dropped {
		w.reason = "cancelled in the source"
	}
	if t.Status == "deferred" || t.Status == "review" {
		w.tags = append(w.tags, t.Status)
	}
	if p, ok := map[string]int{"critical": 0, "high": 1, "medium": 2, "low": 3}[t.Priority]; ok {
		w.priority = &p
	}
	id := task(m.Batch, taskmaster, w)
	if id == "" {
		return
	}
	m.ids[key] = id
	m.later = append(m.later, func() { m.links(tag, parent, key, id, t) })
	for _, sub := range t.Subtasks {
		m.task(tag, own, sub)
	}
}

// links adds what the task depends on: a number of its list, "1.2", or, in a
// subtask, a number beside it.
func (m *masterRun) links(tag, parent, key string, id records.ID, t masterTask) {
	prefix := ""
	if tag != "" {
		prefix = tag + "/"
	}
	if parent != "" {
		m.edges = append(m.edges, importer.Edge{Rel: records.PartOf, From: id, To: m.ids[prefix+parent], Item: key + ": part of " + parent})
	}
	for _, raw := range t.Dependencies {
		dep := numberOf(raw)
		to := m.ids[prefix+dep]
		if parent != "" && !strings.Contains(dep, ".") {
			if beside := m.ids[prefix+parent+"."+dep]; beside != "" {
				to = beside
			}
		}
		if to == "" || to == id {
			m.Skip(key+": depends on "+importer.Short(dep), "leads to no other task of this file")
			continue
		}
		m.edges = append(m.edges, importer.Edge{Rel: records.DependsOn, From: id, To: to, Item: key + ": depends on " + dep})
	}
}
