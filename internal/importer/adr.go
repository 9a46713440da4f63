package importer

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

const adr = "adr"

// ADR imports the architecture decision records in the root of fsys, in MADR's
// form or Nygard's. A file that cannot be read refuses the whole folder, with a
// *[SyntaxError] where its text is at fault; one that is no decision record is
// skipped.
func ADR(fsys fs.FS) (*Result, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("read decision records: %w", err)
	}
	imp := &adrRun{run: newRun(adr), byName: make(map[string]*decision), byNumber: make(map[int][]*decision)}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if err := imp.entry(fsys, e); err != nil {
			return nil, fmt.Errorf("read decision record: %w", err)
		}
	}
	imp.supersede()
	imp.oneSided()
	return imp.result()
}

// maxDecision is the most bytes a file of a decision may have: beyond it, it is
// something else, and no record would hold it.
const maxDecision = 4 << 20

// entry maps one entry of the folder. What is no file within it is skipped
// without being opened: a pipe would be waited for, a device has no end.
func (imp *adrRun) entry(fsys fs.FS, e fs.DirEntry) error {
	name := e.Name()
	if !e.IsDir() && !strings.EqualFold(path.Ext(name), ".md") {
		imp.skip(name, "not a Markdown file")
		return nil
	}
	info, err := fs.Stat(fsys, name) // follows links, as far as they stay within
	switch {
	case err != nil && e.Type()&fs.ModeSymlink != 0:
		imp.skip(name, "a link that leads to no file in this folder")
		return nil
	case err != nil:
		return err
	case info.IsDir():
		imp.skip(name, "a folder: its files are not read")
		return nil
	case !info.Mode().IsRegular():
		imp.skip(name, "not a regular file")
		return nil
	case info.Size() > maxDecision:
		imp.skip(name, "over %d MiB: no decision", maxDecision>>20)
		return nil
	}
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	return imp.file(name, src)
}

type adrRun struct {
	*run
	decisions []*decision // in the order of their file names
	byName    map[string]*decision
	byNumber  map[int][]*decision
}

// A decision is one file on its way to becoming a record.
type decision struct {
	file       string
	status     status
	supersedes []string // what it says it supersedes, as written
	rec        *records.Record
}

var templateName = lazyregexp.New(`(?i)^(?:\d+[-_])?(?:adr[-_])?template(?:[-_.]|$)|^[^0-9]*template[^0-9]*$`)

// file maps one file.
func (imp *adrRun) file(name string, src []byte) error {
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch {
	case strings.EqualFold(stem, "readme") || strings.EqualFold(stem, "index"):
		imp.skip(name, "an index, not a decision")
		return nil
	case templateName.MatchString(stem):
		imp.skip(name, "a template, not a decision")
		return nil
	}
	doc, err := parseDocument(name, src)
	if err != nil {
		return err
	}
	if why := doc.notDecision(); why != "" {
		imp.skip(name, "%s", why)
		return nil
	}
	if bytes.IndexByte(src, 0) >= 0 {
		imp.note(name+": text", "a NUL stands as U+2400")
	}
	d := imp.decision(name, doc)
	d.rec.Origin.Digest = digest(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
	if other, ok := imp.recs[d.rec.ID]; ok {
		imp.skip(name, "its id is that of '%s'", other.Origin.Key)
		return nil
	}
	imp.recs[d.rec.ID] = d.rec
	imp.decisions = append(imp.decisions, d)
	imp.byName[name] = d
	if n := numberOf(name); n >= 0 {
		imp.byNumber[n] = append(imp.byNumber[n], d)
	}
	return nil
}

func isStatus(name string) bool  { return name == "status" }
func isOptions(name string) bool { return name == "considered options" }
func isContext(name string) bool { return strings.HasPrefix(name, "context") }
func isProblem(name string) bool { return name == "context and problem statement" }
func isOutcome(name string) bool {
	return strings.HasPrefix(name, "decision") && !strings.HasPrefix(name, "decision driver")
}

// notDecision says why the document is no decision record, or "".
func (doc *document) notDecision() string {
	if title, _ := titleOf(doc.titled()); records.Blank(title) {
		return "has no heading of level 1"
	}
	if doc.find(isStatus) < 0 && doc.find(isContext) < 0 && doc.find(isOutcome) < 0 && doc.value("status") == nil {
		return "has neither a status nor a section on context or decision"
	}
	return ""
}

func (doc *document) titled() string {
	if t := oneLine(doc.title); t != "" {
		return t
	}
	return strings.Join(words(doc.value("title")), " ")
}

// decision maps a document; its successor is found when all files are known.
func (imp *adrRun) decision(name string, doc *document) *decision {
	meta := doc.meta()
	d := &decision{file: name, status: doc.status(meta)}
	for _, l := range slices.Concat(d.status.rest, doc.preamble) {
		if m := supersedes.FindStringSubmatch(bare(l)); m != nil {
			d.supersedes = append(d.supersedes, targetsIn(m[1])...)
		}
	}
	if d.status.note != "" {
		imp.note(name+": status", "%s", d.status.note)
	}
	at := imp.date(name, doc, meta)
	makers := slices.Concat(words(doc.value("decision-makers")), words(doc.value("deciders")))
	by := firstOf(strings.Join(makers, ", "), oneLine(meta["decision-makers"]), adr)
	title, whole := titleOf(stripNumber(doc.titled(), numberOf(name)))
	question, options := doc.question(), doc.options()
	d.rec = &records.Record{
		ID:       records.ImportID(records.Decision, adr, name),
		Kind:     records.Decision,
		Title:    title,
		Question: question,
		Options:  options,
		Body:     imp.fit(name, doc.body(whole, d.status.rest)),
		Verdict:  &records.Verdict{State: d.status.state, Reason: d.status.reason, By: by, Actor: Actor, At: at},
		Tags:     imp.tags(name, words(doc.value("tags"))),
		Origin:   &records.Origin{System: adr, Key: name},
		Created:  records.Created{By: by, Actor: Actor, At: at},
	}
	for _, f := range doc.front {
		switch f.key {
		case "status", "date", "decision-makers", "deciders", "tags", "title", "question", "options":
		default:
			imp.field(f.key)
		}
	}
	return d
}

// status takes the status from the front matter, else from a line at the top, else from its section.
func (doc *document) status(meta map[string]string) status {
	if n := doc.value("status"); n != nil {
		return parseStatus(words(n))
	}
	if s, ok := meta["status"]; ok {
		return parseStatus([]string{s})
	}
	if i := doc.find(isStatus); i >= 0 {
		st := parseStatus(doc.sections[i].lines)
		doc.sections = slices.Delete(doc.sections, i, i+1)
		return st
	}
	return status{state: records.Proposed}
}

// date takes the decision's time from the file; there is no other source that
// is the same in every clone.
func (imp *adrRun) date(name string, doc *document, meta map[string]string) time.Time {
	text := firstOf(strings.Join(words(doc.value("date")), " "), meta["date"])
	if text == "" {
		imp.note(name+": date", "missing: recorded as %s", Undated().Format(time.DateOnly))
		return Undated()
	}
	t, ok := dateOf(text)
	if !ok {
		imp.note(name+": date", "'%s' is no date: recorded as %s", text, Undated().Format(time.DateOnly))
		return Undated()
	}
	imp.seen(t)
	return t
}

// question is the front matter's, else the one that the problem statement asks.
func (doc *document) question() string {
	if n := doc.value("question"); n != nil {
		return strings.Join(words(n), " ")
	}
	if i := doc.find(isProblem); i >= 0 {
		return questionOf(doc.sections[i].lines)
	}
	return ""
}

// options takes the considered options out of the document when they are a flat
// list; anything richer stays text.
func (doc *document) options() []string {
	if n := doc.value("options"); n != nil {
		return words(n)
	}
	i := doc.find(isOptions)
	if i < 0 {
		return nil
	}
	opts := optionsOf(doc.sections[i].lines)
	if opts != nil {
		doc.sections = slices.Delete(doc.sections, i, i+1)
	}
	return opts
}

// body is what is left of the document.
func (doc *document) body(wholeTitle string, status []string) string {
	parts := []string{wholeTitle, strings.Join(doc.preamble, "\n"), strings.Join(status, "\n\n")}
	for _, p := range doc.sections {
		parts = append(parts, p.text())
	}
	return bodyOf(parts...)
}

// supersede links the superseded decisions to their successors. One whose
// successor is not among the files is rejected instead: it is dead, and no other
// dead state goes without a successor.
func (imp *adrRun) supersede() {
	var edges []edge
	for _, d := range imp.decisions {
		if d.status.state != records.Superseded {
			continue
		}
		next := imp.resolve(d, d.status.targets)
		if len(next) == 0 {
			d.bury()
			imp.note(d.file+": status", "superseded by %s, which is not among the files: rejected",
				firstOf(strings.Join(d.status.targets, ", "), "nothing it names"))
			continue
		}
		if len(next) > 1 {
			imp.note(d.file+": status", "names %d successors: only %s is kept", len(next), next[0].file)
		}
		edges = append(edges, edge{rel: records.SupersededBy, from: d.rec.ID, to: next[0].rec.ID, item: d.file})
	}
	kept, dropped := acyclic(edges)
	for _, e := range kept {
		v := imp.recs[e.from].Verdict
		v.SupersededBy, v.Reason = e.to, "superseded in the source by "+imp.recs[e.to].Origin.Key
	}
	for _, e := range dropped {
		imp.byName[e.item].bury()
		imp.note(e.item+": status", "superseded by %s, which closes a cycle: rejected", imp.recs[e.to].Origin.Key)
	}
}

// bury gives a superseded decision without a usable successor its state.
func (d *decision) bury() {
	v := d.rec.Verdict
	v.State = records.Rejected
	v.Reason = "superseded in the source"
	if len(d.status.targets) > 0 {
		v.Reason += " by " + oneLine(strings.Join(d.status.targets, ", "))
	}
}

// oneSided lists decisions that another claims to supersede while they stand
// themselves: which of the two files is right is not for the import to say.
func (imp *adrRun) oneSided() {
	for _, d := range imp.decisions {
		for _, old := range imp.resolve(d, d.supersedes) {
			if s := old.rec.State(); s != records.Superseded && s != records.Rejected {
				imp.note(old.file+": status", "%s says that it supersedes this one, which is %s: left as it is", d.file, s)
			}
		}
	}
}

// resolve finds the other decisions that targets mean, in the order they are named.
func (imp *adrRun) resolve(d *decision, targets []string) []*decision {
	var out []*decision
	for _, t := range targets {
		t, _, _ = strings.Cut(t, "#")
		next := imp.byName[path.Base(t)]
		if next == nil {
			next = imp.byName[path.Base(t)+".md"]
		}
		if next == nil {
			n := numberOf(path.Base(t))
			if v, err := strconv.Atoi(t); err == nil {
				n = v
			}
			if same := imp.byNumber[n]; len(same) == 1 {
				next = same[0]
			}
		}
		if next != nil && next != d && !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	return out
}
