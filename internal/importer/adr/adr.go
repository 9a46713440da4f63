// Package adr reads folders of architecture decision records into decisions, and
// writes decisions as such files.
//
// It owns the grammar of their status lines, the places where a file tells its
// fields, and which of its text is what was decided. Its invariant is that
// nothing comes into force that the file does not say plainly.
package adr

import (
	"bytes"
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// System is the origin of these records.
const System = "adr"

// Source reads folders of decision records.
func Source() importer.Source {
	return importer.Source{Name: System, Short: "import a folder of architecture decision records", Dir: Folder}
}

// Folder imports the decision records in the root of fsys: files of Markdown,
// reStructuredText or AsciiDoc, and folders that hold one decision each. Their
// keys are the names below folder, as [importer.Source] has it, or below its own name
// where it lies elsewhere. What is not a decision record, or cannot be read, is listed,
// and holds up no other.
func Folder(fsys fs.FS, folder string) (*importer.Result, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	imp := newRun(strings.TrimPrefix(folder, "../"))
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		imp.entry(fsys, e)
	}
	imp.supersede()
	res, err := imp.Result()
	if err == nil {
		res.Folder, res.Match = true, match
	}
	return res, err
}

// match says how surely a file that is new is one that vanished: the same text, a
// renumbered file, or one with another name for the same decision under its number.
func match(was, now *records.Record) int {
	a, b := path.Base(was.Origin.Key), path.Base(now.Origin.Key)
	switch {
	case was.Origin.Digest == now.Origin.Digest:
		return 3
	case slugOf(a) != "" && slugOf(a) == slugOf(b):
		return 2
	case numberOf(a) >= 0 && numberOf(a) == numberOf(b) && records.Normalize(was.Title) == records.Normalize(now.Title):
		return 1
	}
	return 0
}

// run collects the decisions of a folder.
type run struct {
	*importer.Batch
	folder    string
	decisions []*decision // in the order of their names
}

func newRun(folder string) *run {
	b := importer.NewBatch(System)
	if b.Scope = folder; folder != "" {
		b.Scope += "/"
	}
	return &run{Batch: b, folder: folder}
}

// A decision is one file on its way to becoming a record.
type decision struct {
	name   string // below the folder
	key    string
	status status
	rec    *records.Record
}

// maxDecision is the most bytes a file of a decision may have: beyond it, it is
// something else, and no record would hold it.
const maxDecision = 4 << 20

var (
	templateName = lazyregexp.New(`(?i)^(?:\d+[-_])?(?:adr[-_])?template(?:[-_.]|$)|^[^0-9]*template[^0-9]*$`)
	indexName    = lazyregexp.New(`(?i)^(?:readme|index|toc|table-of-contents|_index|changelog)$`)
)

// IsTemplate reports whether a file's name, without its extension, is a template's.
func IsTemplate(stem string) bool { return templateName.MatchString(stem) }

func isText(name string) bool {
	return slices.Contains([]string{".md", ".markdown", ".rst", ".adoc", ".asciidoc"}, strings.ToLower(path.Ext(name)))
}

// entry maps one entry of the folder. What is not a file within it is skipped
// without being opened: a pipe would be waited for, a device has no end.
func (imp *run) entry(fsys fs.FS, e fs.DirEntry) {
	name := e.Name()
	key := path.Join(imp.folder, name)
	imp.Found(key)
	if e.IsDir() {
		imp.subfolder(fsys, name)
		return
	}
	if !isText(name) {
		imp.Skip(key, "not a text in Markdown, reStructuredText or AsciiDoc")
		return
	}
	src, why := readEntry(fsys, name, e)
	if why != "" {
		imp.Skip(key, "%s", why)
		return
	}
	switch stem := stemOf(name); {
	case indexName.MatchString(stem):
		imp.Skip(key, "an index, not a decision")
	case IsTemplate(stem):
		imp.Skip(key, "a template, not a decision")
	default:
		imp.file(name, name, src)
	}
}

// readEntry returns the text of a file, or why it is none.
func readEntry(fsys fs.FS, name string, e fs.DirEntry) (src []byte, why string) {
	info, err := fs.Stat(fsys, name) // follows links, as far as they stay within
	switch {
	case err != nil && e.Type()&fs.ModeSymlink != 0:
		return nil, "a link that leads to no file in this folder"
	case err != nil:
		return nil, importer.Reason(err)
	case info.IsDir():
		return nil, "a folder"
	case !info.Mode().IsRegular():
		return nil, "not a regular file"
	case info.Size() > maxDecision:
		return nil, "over 4 MiB: not a decision"
	}
	src, err = fs.ReadFile(fsys, name)
	if err != nil {
		return nil, importer.Reason(err)
	}
	return src, ""
}

// subfolder maps a folder that holds one decision: a KEP, or a text of the
// folder's name, an index or README with a status or a decision.
func (imp *run) subfolder(fsys fs.FS, name string) {
	key := path.Join(imp.folder, name)
	entries, err := fs.ReadDir(fsys, name)
	if err != nil {
		imp.Skip(key, "%s", importer.Reason(err))
		return
	}
	var file string
	for _, e := range entries {
		stem := strings.ToLower(stemOf(e.Name()))
		if e.Name() == KEPFile {
			imp.kep(fsys, name)
			return
		}
		if isText(e.Name()) && (file == "" || stem == strings.ToLower(name)) && slices.Contains([]string{"readme", "index", "decision", "adr", strings.ToLower(name)}, stem) {
			file = e.Name()
		}
	}
	if file == "" || numberOf(name) < 0 && !fileDate.MatchString(name) {
		imp.Skip(key, "a folder: its files are not read")
		return
	}
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == file })
	src, why := readEntry(fsys, path.Join(name, file), entries[i])
	if why != "" {
		imp.Skip(path.Join(key, file), "%s", why)
		return
	}
	imp.file(name, path.Join(name, file), src)
}

// file maps one file to the decision of that name.
func (imp *run) file(name, file string, src []byte) {
	key := path.Join(imp.folder, name)
	doc, err := parseDocument(path.Join(imp.folder, file), src)
	if err != nil {
		imp.SkipError(key, err)
		return
	}
	if why := doc.notDecision(numberOf(name) >= 0); why != "" {
		imp.Skip(key, "%s", why)
		return
	}
	if bytes.IndexByte(src, 0) >= 0 {
		imp.Note(key+": text", "a NUL stands as U+2400")
	}
	imp.keep(imp.decision(name, doc), src)
}

func (imp *run) keep(d *decision, src []byte) {
	d.rec.Origin.Digest = digestOf(src)
	if imp.Add(d.rec) {
		imp.decisions = append(imp.decisions, d)
	}
}

// digestOf is the digest of a file whatever ends its lines.
func digestOf(src []byte) string {
	return importer.Digest(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
}

// notDecision says why the document is not a decision record, or "". A file that has a
// number, in a folder of decisions, is one whatever language its sections are in.
func (doc *document) notDecision(numbered bool) string {
	switch {
	case doc.value("status") != nil, doc.find(isStatus) >= 0, doc.find(isOutcome) >= 0, doc.statement() != "":
		return ""
	case doc.find(isContext) >= 0 && doc.titled() != "":
		return ""
	}
	probe := *doc
	probe.preamble, probe.sections = slices.Clone(doc.preamble), slices.Clone(doc.sections)
	if fields := probe.fields(); slices.ContainsFunc(fields, func(f told) bool { return f.name == fieldStatus || f.name == fieldClaim }) {
		return ""
	}
	if names := doc.strangers(); len(names) > 0 {
		if numbered && doc.titled() != "" {
			return ""
		}
		return "no status and no decision is known by its name; not understood: " + strings.Join(names, ", ")
	}
	return "has neither a status nor a section on context or decision"
}

// strangers are the names of the sections that are not understood, the first of them.
func (doc *document) strangers() []string {
	var out []string
	for _, s := range doc.sections {
		if !known(s.name()) && len(out) < 4 {
			out = append(out, "'"+importer.Short(importer.OneLine(s.heading))+"'")
		}
	}
	return out
}

func (doc *document) titled() string {
	if t := importer.OneLine(doc.title); t != "" {
		return t
	}
	return strings.Join(words(doc.value("title")), " ")
}

// decision maps a document; its successor is found when all files are known.
func (imp *run) decision(name string, doc *document) *decision {
	d := &decision{name: name, key: path.Join(imp.folder, name)}
	fields := doc.fields()
	d.status = doc.status(fields)
	st := &d.status
	switch {
	case st.note != "":
		imp.NoteAt(d.key+": status", st.no, "%s", st.note)
	case (st.blank || !st.stated) && st.state == records.Proposed:
		imp.NoteAt(d.key+": status", st.no, "missing: proposed")
	}
	at := imp.date(d.key, doc, fields, *st)
	by := imp.makers(d.key, doc, fields)
	title, whole := importer.TitleOf(stripNumber(doc.titled(), numberOf(name)))
	if records.Blank(title) {
		title = importer.OneLine(strings.NewReplacer("-", " ", "_", " ").Replace(cmp.Or(slugOf(path.Base(name)), name)))
		imp.Note(d.key+": title", "missing: named after the file")
	}
	question, options := doc.question(), doc.options()
	claim := doc.decided(fields)
	if claim == "" {
		reason := "no section says what was decided"
		if names := doc.strangers(); len(names) > 0 {
			reason += "; not understood: " + strings.Join(names, ", ")
		}
		imp.Note(d.key+": decision", "%s", reason)
	}
	d.rec = &records.Record{
		ID:       records.ImportID(records.Decision, System, d.key),
		Kind:     records.Decision,
		Title:    title,
		Question: question,
		Options:  options,
		Body:     imp.Fit(d.key, doc.body(claim, whole)),
		Verdict:  &records.Verdict{State: st.state, Reason: cmp.Or(st.reason, claimLine(claim)), By: by, Actor: importer.Actor, At: at},
		Tags:     imp.Tags(d.key, words(doc.value("tags"))),
		Origin:   &records.Origin{System: System, Key: d.key},
		Created:  records.Created{By: by, Actor: importer.Actor, At: at},
	}
	for _, f := range doc.front {
		switch k := strings.ToLower(f.key); k {
		case "status", "date", "decision-date", "decided", "last_update", "decision-makers", "deciders", "decision_makers", "tags", "title", "question", "options":
		default:
			if canonicalKey(k) == "" {
				imp.Field(f.key)
			}
		}
	}
	return d
}

// maxMakers is the most characters of names that a record's author has.
const maxMakers = 100

// makers names who decided. A list too long for an author's name is cut and told.
func (imp *run) makers(key string, doc *document, fields []told) string {
	names := slices.Concat(words(doc.value("decision-makers", "decision_makers", "decisionmakers")), words(doc.value("deciders")))
	by := strings.Join(names, ", ")
	if f, ok := first(fields, fieldMakers); ok && by == "" {
		by = f.value
	}
	if i := doc.find(isMakers); i >= 0 && by == "" {
		var items []string
		for _, l := range doc.take(i).lines {
			if s := bare(l.text); s != "" {
				items = append(items, s)
			}
		}
		by = strings.Join(items, ", ")
	}
	by = importer.OneLine(markup.Plain(by))
	if utf8.RuneCountInString(by) > maxMakers {
		by = importer.CutLine(by, maxMakers)
		imp.Note(key+": deciders", "over %d characters: cut", maxMakers)
	}
	return cmp.Or(by, System)
}

// question is the front matter's, else the one that the problem statement asks.
func (doc *document) question() string {
	if n := doc.value("question"); n != nil {
		return strings.Join(words(n), " ")
	}
	if i := doc.find(isProblem); i >= 0 {
		return questionOf(texts(doc.sections[i].lines))
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
	opts := optionsOf(texts(doc.sections[i].lines))
	if opts != nil {
		doc.take(i)
	}
	return opts
}

// body is the decided text first, and below it what is left of the document.
func (doc *document) body(claim, wholeTitle string) string {
	parts := []string{claim, importer.Section("Full title", wholeTitle), importer.Section("Preamble", strings.Join(texts(doc.preamble), "\n"))}
	for _, s := range doc.sections {
		parts = append(parts, s.text())
	}
	return importer.BodyOf(parts...)
}
