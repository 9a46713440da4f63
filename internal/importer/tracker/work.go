package tracker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

// A work is an item of a tracker on its way to becoming a task.
type work struct {
	key, title, body string
	state            records.State
	reason           string // of what was dropped
	by, closedBy     string
	made, moved      time.Time
	tags             []string
	priority         *int
	raw              any // what its digest covers
}

// task adds the item as a task, and returns its id; "" where it was not taken.
func task(b *importer.Batch, system string, w work) records.ID {
	b.Found(w.key)
	title, whole := importer.TitleOf(w.title)
	if records.Blank(title) {
		b.Skip(w.key, "has no title")
		return ""
	}
	if w.made.IsZero() {
		w.made = importer.Undated()
		b.Note(w.key+": date", "missing: recorded as %s", w.made.Format(time.DateOnly))
	}
	if w.moved.IsZero() || w.state == records.Todo {
		w.moved = w.made
	}
	b.Seen(w.made)
	b.Seen(w.moved)
	by := importer.CutLine(importer.OneLine(cmp.Or(w.by, system)), 100)
	mover := importer.CutLine(importer.OneLine(cmp.Or(w.closedBy, system)), 100)
	if w.state == records.Todo {
		mover = by
	}
	raw, err := json.Marshal(w.raw)
	if err != nil {
		b.Skip(w.key, "%v", err)
		return ""
	}
	r := &records.Record{
		ID: records.ImportID(records.Task, system, w.key), Kind: records.Task, Title: title, Body: b.Fit(w.key, importer.BodyOf(whole, w.body)),
		Verdict:  &records.Verdict{State: w.state, Reason: w.reason, By: mover, Actor: importer.Actor, At: w.moved},
		Priority: w.priority, Tags: b.Tags(w.key, w.tags),
		Origin:  &records.Origin{System: system, Key: w.key, Digest: importer.Digest(raw)},
		Created: records.Created{By: by, Actor: importer.Actor, At: w.made},
	}
	if !b.Add(r) {
		return ""
	}
	return r.ID
}

// moment reads a time, cut to whole seconds; zero where it is none.
func moment(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.UTC().Year() < 1 || t.UTC().Year() > 9999 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// values reads a JSON array, or a stream of objects, item by item: one that is of
// another form is listed. The error is for what is not JSON, or holds no item.
func values[T any](r io.Reader, b *importer.Batch, use func(T)) error {
	src, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	var items []json.RawMessage
	if err := json.Unmarshal(src, &items); err != nil {
		dec := json.NewDecoder(bytes.NewReader(src))
		items = nil
		for {
			var raw json.RawMessage
			if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				line := bytes.Count(src[:min(int(dec.InputOffset()), len(src))], []byte("\n")) + 1
				return &importer.SyntaxError{Line: line, Col: 1, Msg: "not JSON: " + err.Error()}
			}
			items = append(items, raw)
		}
	}
	taken := 0
	for i, raw := range items {
		var v T
		if len(raw) == 0 || raw[0] != '{' {
			b.Skip(fmt.Sprintf("item %d", i+1), "not an object")
		} else if err := json.Unmarshal(raw, &v); err != nil {
			b.Skip(fmt.Sprintf("item %d", i+1), "%v", err)
		} else {
			use(v)
			taken++
		}
	}
	if taken == 0 && len(items) > 0 {
		return errors.New("no item is an object of the form that this source has")
	}
	return nil
}
