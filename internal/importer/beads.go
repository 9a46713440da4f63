package importer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

const beads = "beads"

// Beads imports a JSONL export of beads: epics become goals, other work becomes
// tasks, close reasons become draft conclusions. A line that cannot be read
// refuses the whole file with a *[SyntaxError]; an item whose type or state
// means nothing here is skipped.
func Beads(r io.Reader) (*Result, error) {
	issues, err := readIssues(r)
	if err != nil {
		return nil, fmt.Errorf("read beads: %w", err)
	}
	imp := &beadsRun{run: newRun(beads), known: make(map[string]bool), ids: make(map[string]records.ID)}
	for _, is := range issues {
		imp.known[is.ID] = true
		imp.issue(is)
	}
	for _, is := range issues {
		if _, ok := imp.ids[is.ID]; ok {
			imp.dependencies(is)
		}
	}
	imp.link(imp.edges)
	return imp.result()
}

type beadsRun struct {
	*run
	known map[string]bool       // keys in the file
	ids   map[string]records.ID // keys that became records
	edges []edge
}

// issue maps one issue, without its dependencies.
func (imp *beadsRun) issue(is *issue) {
	imp.times(is)
	kind, state, why := beadsState(is)
	if why == "" && is.CreatedAt.IsZero() {
		why = "has no created_at"
	}
	title, whole := titleOf(is.Title)
	if why == "" && records.Blank(title) {
		why = "has no title"
	}
	if why != "" {
		imp.skip(is.ID, "%s", why)
		return
	}
	by := firstOf(is.CreatedBy, is.Owner, beads)
	rec := &records.Record{
		ID:       records.ImportID(kind, beads, is.ID),
		Kind:     kind,
		Title:    title,
		Body:     imp.body(is, whole),
		Verdict:  is.verdict(kind, state, by),
		Priority: imp.priority(is),
		Tags:     imp.tags(is.ID, is.labels()),
		Origin:   &records.Origin{System: beads, Key: is.ID, Digest: is.digest},
		Created:  records.Created{By: oneLine(by), Actor: Actor, At: is.CreatedAt.Time},
	}
	if !imp.add(rec) {
		return
	}
	imp.ids[is.ID] = rec.ID
	imp.leftovers(is)
	imp.closing(is, rec)
}

// add keeps rec unless another item of the file has its id, which takes a collision of digests.
func (imp *beadsRun) add(rec *records.Record) bool {
	if other, ok := imp.recs[rec.ID]; ok {
		imp.skip(rec.Origin.Key, "its id is that of '%s'", other.Origin.Key)
		return false
	}
	imp.recs[rec.ID] = rec
	return true
}

func (imp *beadsRun) times(is *issue) {
	for _, t := range []stamp{is.CreatedAt, is.StartedAt, is.UpdatedAt, is.ClosedAt} {
		imp.seen(t.Time)
	}
	for _, c := range is.Comments {
		imp.seen(c.CreatedAt.Time)
	}
	for _, d := range is.Dependencies {
		imp.seen(d.CreatedAt.Time)
	}
}

// beadsState maps type and status, or says why they map to nothing.
func beadsState(is *issue) (kind records.Kind, state records.State, why string) {
	switch is.Type {
	case "epic":
		kind = records.Goal
	case "task", "bug", "feature", "chore":
		kind = records.Task
	case "":
		return "", "", "has no issue_type"
	default:
		return "", "", fmt.Sprintf("type '%s' maps to no kind of record", is.Type)
	}
	switch goal := kind == records.Goal; is.Status {
	case "open", "in_progress", "blocked":
		switch {
		case goal:
			state = records.Active
		case is.Status == "open":
			state = records.Todo
		case is.Status == "blocked":
			state = records.Blocked
		default:
			state = records.InProgress
		}
	case "closed":
		state = records.Done
		if goal {
			state = records.Achieved
		}
	case "deferred":
		if !goal {
			return "", "", "status 'deferred' maps to no state of a task"
		}
		state = records.Parked
	case "":
		return "", "", "has no status"
	default:
		return "", "", fmt.Sprintf("status '%s' maps to no state of a %s", is.Status, kind)
	}
	return kind, state, ""
}

// verdict names who moved the issue to its state as far as the export says so:
// the author for what is still as it was made, the assignee for the rest.
func (is *issue) verdict(kind records.Kind, state records.State, author string) *records.Verdict {
	v := &records.Verdict{State: state, Actor: Actor}
	switch {
	case state == records.Todo || state == records.Active:
		v.By, v.At = author, is.CreatedAt.Time
	case kind.Schema().Open(state):
		v.By, v.At = firstOf(is.Assignee, beads), firstTime(is.StartedAt, is.UpdatedAt, is.CreatedAt)
	default:
		v.By, v.At = is.closer(), firstTime(is.ClosedAt, is.UpdatedAt, is.CreatedAt)
	}
	v.By = oneLine(v.By)
	return v
}

func (is *issue) closer() string { return firstOf(is.ClosedBy, is.Assignee, beads) }

func firstTime(ts ...stamp) (first time.Time) {
	for _, t := range ts {
		if !t.IsZero() {
			return t.Time
		}
	}
	return first
}

// body is the issue's prose, in the order in which it came to be.
func (imp *beadsRun) body(is *issue, wholeTitle string) string {
	external := ""
	if ref := oneLine(is.ExternalRef); ref != "" {
		external = "External reference: " + ref
	}
	comments := make([]string, 0, len(is.Comments))
	for _, c := range is.Comments {
		if clean(c.Text) == "" {
			continue
		}
		head := oneLine(firstOf(c.Author, beads))
		if !c.CreatedAt.IsZero() {
			head += ", " + c.CreatedAt.Format(time.RFC3339)
		}
		comments = append(comments, head+":\n\n"+clean(c.Text))
	}
	return imp.fit(is.ID, bodyOf(
		wholeTitle,
		is.Description,
		section("Design", is.Design),
		section("Acceptance criteria", is.Acceptance),
		section("Notes", is.Notes),
		external,
		section("Comments", strings.Join(comments, "\n\n")),
	))
}

// fit cuts a body that no record could hold and says so.
func (r *run) fit(item, body string) string {
	body, cut := limited(body, bodyLimit)
	if cut {
		r.skip(item+": body", "over %d KiB in a file: cut", bodyLimit>>10)
	}
	return body
}

// priority maps beads' 0 to 4, whose order is ours.
func (imp *beadsRun) priority(is *issue) *int {
	if is.Priority == nil || *is.Priority >= 0 && *is.Priority <= 4 {
		return is.Priority
	}
	imp.skip(is.ID+": priority", "%d is not 0 to 4", *is.Priority)
	return nil
}

// labels are the issue's own, and what else of it is worth filtering by.
func (is *issue) labels() []string {
	labels := slices.Clone(is.Labels)
	switch is.Type {
	case "bug", "feature", "chore":
		labels = append(labels, is.Type)
	}
	if is.Ephemeral {
		labels = append(labels, "ephemeral")
	}
	if a := oneLine(is.Assignee); a != "" {
		labels = append(labels, "assignee:"+a)
	}
	return labels
}

// leftovers lists what of a mapped issue did not arrive.
func (imp *beadsRun) leftovers(is *issue) {
	for _, name := range is.unmapped {
		imp.field(name)
	}
	for _, name := range is.altered {
		imp.note(is.ID+": "+name, "a NUL or half a surrogate pair stands as U+2400 or U+FFFD")
	}
	if n := is.CommentCount - len(is.Comments); n > 0 {
		imp.skip(is.ID+": comments", "the file lacks %s that it counts", text.Plural(n, "comment"))
	}
	if is.Owner != "" && is.CreatedBy != "" {
		imp.field("owner")
	}
	if slices.ContainsFunc(is.Dependencies, func(d dependency) bool { return d.CreatedBy != "" }) {
		imp.field("dependencies[].created_by")
	}
}

// emptyReasons are close reasons that say no more than the status does.
var emptyReasons = map[string]bool{
	"closed": true, "done": true, "completed": true, "complete": true, "fixed": true, "resolved": true, "finished": true, "implemented": true,
}

// closing makes the close reason a conclusion. It stays a draft: the source says
// that somebody wrote it, not that anybody judged it.
func (imp *beadsRun) closing(is *issue, rec *records.Record) {
	reason := clean(is.CloseReason)
	if strings.TrimSpace(reason) == "" {
		return
	}
	if is.Status != "closed" {
		imp.skip(is.ID+": close_reason", "the issue is not closed")
		return
	}
	if emptyReasons[records.Normalize(reason)] {
		imp.skip(is.ID+": close_reason", "it says no more than that the issue is closed")
		return
	}
	key := is.ID + "#close"
	first, _, _ := strings.Cut(reason, "\n")
	title, _ := titleOf(is.Title + ": " + first)
	at := firstTime(is.ClosedAt, is.UpdatedAt, is.CreatedAt)
	by := oneLine(is.closer())
	imp.add(&records.Record{
		ID:    records.ImportID(records.Conclusion, beads, key),
		Kind:  records.Conclusion,
		Title: title,
		Body: imp.fit(key, bodyOf(reason, fmt.Sprintf(
			"Close reason of %s, imported from beads by git ctx.", is.ID))),
		Verdict: &records.Verdict{State: records.Draft, By: by, Actor: Actor, At: at},
		Links:   map[records.Relation][]records.ID{records.Closes: {rec.ID}},
		Origin:  &records.Origin{System: beads, Key: key, Digest: digest([]byte(is.CloseReason))},
		Created: records.Created{By: by, Actor: Actor, At: at},
	})
}
