package tracker

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

const beads = "beads"

// Beads reads the JSONL export of beads.
func Beads() importer.Source {
	return importer.Source{Name: beads, Short: "import a JSONL export of beads; - is standard input", File: ReadBeads}
}

// ReadBeads imports a JSONL export of beads: epics become goals, decisions
// decisions, other work tasks, close reasons draft conclusions. A line that
// cannot be read, and an item whose type or state means nothing here, is listed;
// the error is for a file of which no line is an issue.
func ReadBeads(r io.Reader) (*importer.Result, error) {
	imp := &beadsRun{Batch: importer.NewBatch(beads), known: make(map[string]bool), ids: make(map[string]records.ID)}
	issues, err := readIssues(r, imp.Batch)
	if err != nil {
		return nil, fmt.Errorf("read beads: %w", err)
	}
	for _, is := range issues {
		imp.known[is.ID] = true
	}
	for _, is := range issues {
		imp.issue(is)
	}
	for _, is := range issues {
		if _, ok := imp.ids[is.ID]; ok {
			imp.dependencies(is)
		}
	}
	imp.Link(imp.edges)
	return imp.Result()
}

type beadsRun struct {
	*importer.Batch
	known map[string]bool       // keys in the file
	ids   map[string]records.ID // keys that became records
	edges []importer.Edge
}

// issue maps one issue, without its dependencies.
func (imp *beadsRun) issue(is *issue) {
	imp.times(is)
	kind, state, why := beadsState(is)
	if why == "" && is.CreatedAt.IsZero() {
		why = "has no created_at"
	}
	title, whole := importer.TitleOf(is.Title)
	if why == "" && records.Blank(title) {
		why = "has no title"
	}
	if why != "" {
		imp.Skip(is.ID, "%s", why)
		return
	}
	by := importer.FirstOf(is.CreatedBy, is.Owner, beads)
	rec := &records.Record{
		ID:       records.ImportID(kind, beads, is.ID),
		Kind:     kind,
		Title:    title,
		Body:     imp.body(is, whole),
		Verdict:  is.verdict(kind, state, by),
		Priority: imp.priority(is, kind),
		Tags:     imp.Tags(is.ID, is.labels()),
		Origin:   &records.Origin{System: beads, Key: is.ID, Digest: is.digest},
		Created:  records.Created{By: importer.OneLine(by), Actor: importer.Actor, At: is.CreatedAt.Time},
	}
	if !imp.Add(rec) {
		return
	}
	imp.ids[is.ID] = rec.ID
	imp.leftovers(is)
	if kind == records.Task && is.Status == "deferred" {
		imp.Note(is.ID+": status", "'deferred' is not a state of a task: todo, with a tag")
	}
	imp.closing(is, rec)
}

func (imp *beadsRun) times(is *issue) {
	for _, t := range []stamp{is.CreatedAt, is.StartedAt, is.UpdatedAt, is.ClosedAt} {
		imp.Seen(t.Time)
	}
	for _, c := range is.Comments {
		imp.Seen(c.CreatedAt.Time)
	}
	for _, d := range is.Dependencies {
		imp.Seen(d.CreatedAt.Time)
	}
}

// beadsState maps type and status, or says why they map to nothing.
func beadsState(is *issue) (kind records.Kind, state records.State, why string) {
	switch is.Type {
	case "epic":
		kind = records.Goal
	case "task", "bug", "feature", "chore":
		kind = records.Task
	case "decision":
		return decisionState(is)
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
		state = records.Todo // with a tag, as a task has no such state
		if goal {
			state = records.Parked
		}
	case "":
		return "", "", "has no status"
	default:
		return "", "", fmt.Sprintf("status '%s' maps to no state of a %s", is.Status, kind)
	}
	return kind, state, ""
}

var notTaken = lazyregexp.New(`(?i)reject|declin|withdr|won'?t|wont ?fix|supersed|duplicate|obsolete|abandon|invalid|cancel`)

// decisionState maps the status of a decision: closed, it was taken, unless its
// reason says otherwise.
func decisionState(is *issue) (kind records.Kind, state records.State, why string) {
	switch is.Status {
	case "open", "in_progress", "blocked", "deferred":
		return records.Decision, records.Proposed, ""
	case "closed":
		if notTaken.MatchString(is.CloseReason) {
			return records.Decision, records.Rejected, ""
		}
		return records.Decision, records.Accepted, ""
	case "":
		return "", "", "has no status"
	}
	return "", "", fmt.Sprintf("status '%s' maps to no state of a decision", is.Status)
}

// verdict names who moved the issue to its state as far as the export says so:
// the author for what is still as it was made, the assignee for the rest.
func (is *issue) verdict(kind records.Kind, state records.State, author string) *records.Verdict {
	v := &records.Verdict{State: state, Actor: importer.Actor}
	switch {
	case state == kind.Schema().Birth() || state == records.Active:
		v.By, v.At = author, is.CreatedAt.Time
	case kind.Schema().Open(state):
		v.By, v.At = importer.FirstOf(is.Assignee, beads), firstTime(is.StartedAt, is.UpdatedAt, is.CreatedAt)
	default:
		v.By, v.At = is.closer(), firstTime(is.ClosedAt, is.UpdatedAt, is.CreatedAt)
	}
	v.By = importer.OneLine(v.By)
	if kind == records.Decision && is.Status == "closed" {
		v.Reason = importer.CutLine(cmp.Or(importer.OneLine(is.CloseReason), "closed in the source"), 280)
	}
	return v
}

func (is *issue) closer() string { return importer.FirstOf(is.ClosedBy, is.Assignee, beads) }

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
	if ref := importer.OneLine(is.ExternalRef); ref != "" {
		external = "External reference: " + ref
	}
	comments := make([]string, 0, len(is.Comments))
	for _, c := range is.Comments {
		if importer.Clean(c.Text) == "" {
			continue
		}
		head := importer.OneLine(importer.FirstOf(c.Author, beads))
		if !c.CreatedAt.IsZero() {
			head += ", " + c.CreatedAt.Format(time.RFC3339)
		}
		comments = append(comments, head+":\n\n"+importer.Clean(c.Text))
	}
	return imp.Fit(is.ID, importer.BodyOf(
		wholeTitle,
		is.Description,
		importer.Section("Design", is.Design),
		importer.Section("Acceptance criteria", is.Acceptance),
		importer.Section("Notes", is.Notes),
		external,
		importer.Section("Comments", strings.Join(comments, "\n\n")),
	))
}

// priority maps beads' 0 to 4, whose order is ours.
func (imp *beadsRun) priority(is *issue, kind records.Kind) *int {
	if kind == records.Decision {
		return nil // it has none
	}
	if is.Priority == nil || *is.Priority >= 0 && *is.Priority <= 4 {
		return is.Priority
	}
	imp.Skip(is.ID+": priority", "%d is not 0 to 4", *is.Priority)
	return nil
}

// labels are the issue's own, and what else of it is worth filtering by.
func (is *issue) labels() []string {
	labels := slices.Clone(is.Labels)
	switch is.Type {
	case "bug", "feature", "chore":
		labels = append(labels, is.Type)
	}
	if is.Status == "deferred" && is.Type != "epic" {
		labels = append(labels, "deferred")
	}
	if is.Ephemeral {
		labels = append(labels, "ephemeral")
	}
	if a := importer.OneLine(is.Assignee); a != "" {
		labels = append(labels, "assignee:"+a)
	}
	return labels
}

// leftovers lists what of a mapped issue did not arrive.
func (imp *beadsRun) leftovers(is *issue) {
	for _, name := range is.unmapped {
		imp.Field(name)
	}
	for _, name := range is.altered {
		imp.Note(is.ID+": "+name, "a NUL or half a surrogate pair stands as U+2400 or U+FFFD")
	}
	if n := is.CommentCount - len(is.Comments); n > 0 {
		imp.Skip(is.ID+": comments", "the file lacks %s that it counts", text.Plural(n, "comment"))
	}
	if is.Owner != "" && is.CreatedBy != "" {
		imp.Field("owner")
	}
	if slices.ContainsFunc(is.Dependencies, func(d dependency) bool { return d.CreatedBy != "" }) {
		imp.Field("dependencies[].created_by")
	}
}

// emptyReasons are close reasons that say no more than the status does.
var emptyReasons = map[string]bool{
	"closed": true, "done": true, "completed": true, "complete": true, "fixed": true, "resolved": true, "finished": true, "implemented": true,
}

// closing makes the close reason a conclusion. It stays a draft: the source says
// that somebody wrote it, not that anybody judged it.
func (imp *beadsRun) closing(is *issue, rec *records.Record) {
	reason := importer.Clean(is.CloseReason)
	if strings.TrimSpace(reason) == "" {
		return
	}
	if rec.Kind == records.Decision {
		return // its reason is the verdict's
	}
	if is.Status != "closed" {
		imp.Skip(is.ID+": close_reason", "the issue is not closed")
		return
	}
	if emptyReasons[records.Normalize(reason)] {
		imp.Skip(is.ID+": close_reason", "it says no more than that the issue is closed")
		return
	}
	key := is.ID + "#close"
	first, _, _ := strings.Cut(reason, "\n")
	title, _ := importer.TitleOf(is.Title + ": " + first)
	at := firstTime(is.ClosedAt, is.UpdatedAt, is.CreatedAt)
	by := importer.OneLine(is.closer())
	imp.Add(&records.Record{
		ID:    records.ImportID(records.Conclusion, beads, key),
		Kind:  records.Conclusion,
		Title: title,
		Body: imp.Fit(key, importer.BodyOf(reason, fmt.Sprintf(
			"Close reason of %s, imported from beads by git ctx.", is.ID), importer.Section("What was asked", is.Description))),
		Verdict: &records.Verdict{State: records.Draft, By: by, Actor: importer.Actor, At: at},
		Links:   map[records.Relation][]records.ID{records.Closes: {rec.ID}},
		Origin:  &records.Origin{System: beads, Key: key, Digest: importer.Digest([]byte(is.CloseReason + "\x00" + is.Description))},
		Created: records.Created{By: by, Actor: importer.Actor, At: at},
	})
}
