package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// The bounds of what a map reads. What is beyond them is listed as skipped.
const (
	maxDocument  = 1 << 20  // bytes of one document
	maxDocuments = 2000     // of a repository
	maxRead      = 64 << 20 // bytes of all of them
	maxProposals = 1000
)

// DocumentPatterns are the pathspecs that all documents match.
func DocumentPatterns() []string {
	ps := []string{":(top,icase)*.md", ":(top,icase)*.rst", ":(top,icase)*.adoc", ":(top,icase)*.txt"}
	for _, n := range bareNames {
		ps = append(ps, ":(top,icase)"+n, ":(top,icase)*/"+n)
	}
	return ps
}

var (
	// bareNames are those of documents that need no extension.
	bareNames    = []string{"readme", "changelog", "contributing", "architecture", "design", "roadmap", "todo"}
	documentStem = lazyregexp.New(`^(?:readme|changelog|contributing|architecture|design|roadmap|todo|goals|vision|decisions|rationale|rfcs?|adrs?)(?:$|[-_. ])`)
	documentDir  = lazyregexp.New(`^(?:docs?|documentation|adrs?|decisions|decision-records|architecture-decisions|rfcs?|design|designs|proposals)$`)
	decisionDir  = lazyregexp.New(`^(?:adrs?|decisions|decision-records|architecture-decisions)$`)
	foreignDir   = lazyregexp.New(`^(?:vendor|node_modules|third_party|third-party|testdata|fixtures|\.git|\..*)$`)
	legalStem    = lazyregexp.New(`^(?:licen[cs]e|copying|notice|authors|code[-_]of[-_]conduct)(?:$|[-_. ])`)
)

// Documented reports whether the file of that path, from the repository's top,
// is one of its own documents.
func Documented(name string) bool {
	dir, base := path.Split(strings.ToLower(name))
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	switch ext {
	case ".md", ".rst", ".adoc", ".txt":
	default:
		if !slices.Contains(bareNames, base) {
			return false
		}
	}
	dirs := strings.Split(strings.Trim(dir, "/"), "/")
	if slices.ContainsFunc(dirs, foreignDir.MatchString) || legalStem.MatchString(stem) || templateName.MatchString(stem) {
		return false
	}
	return documentStem.MatchString(stem) || slices.ContainsFunc(dirs, documentDir.MatchString)
}

// Map reads the documents of those names below root, and lists what they state
// as goals, decisions and hypotheses. It is deterministic and guesses by fixed
// patterns; a file that it cannot read is skipped and listed. Names that are no
// documents are passed over.
func Map(root *os.Root, names []string) *Plan {
	m := &mapper{root: root, byText: make(map[string]int), left: maxRead}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !Documented(n) })
	slices.Sort(names)
	for i, name := range slices.Compact(names) {
		if i == maxDocuments {
			m.skip(fmt.Sprintf("'%s' and those after it", name), fmt.Errorf("over %d documents", maxDocuments))
			break
		}
		if err := m.document(name); err != nil {
			m.skip(name, err)
		}
	}
	if n := len(m.plan.Proposals); n > maxProposals {
		m.skip(fmt.Sprintf("'%s' and those after it", m.plan.Proposals[maxProposals].Key), fmt.Errorf("over %d proposals", maxProposals))
		m.plan.Proposals = m.plan.Proposals[:maxProposals]
	}
	m.plan.Format = planFormat
	return &m.plan
}

type mapper struct {
	root   *os.Root
	plan   Plan
	byText map[string]int // kind and text to the proposal that has them
	left   int            // bytes that may still be read
}

func (m *mapper) skip(item string, why error) {
	m.plan.Skipped = append(m.plan.Skipped, Skip{Item: oneLine(strings.ToValidUTF8(item, "\ufffd")), Reason: why.Error()})
}

// document maps one file.
func (m *mapper) document(name string) error {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return errors.New("its name has characters that are not shown")
	}
	src, err := readDocument(m.root, name)
	if err != nil {
		return err
	}
	if m.left -= len(src); m.left < 0 {
		return fmt.Errorf("over %d MiB of documents", maxRead>>20)
	}
	found, err := statementsIn(name, src)
	for _, p := range found {
		m.add(p)
	}
	return err
}

// statementsIn are the proposals of one document's text.
func statementsIn(name string, src []byte) ([]Proposal, error) {
	if i := invalidUTF8(src); i >= 0 {
		return nil, fmt.Errorf("line %d: invalid UTF-8", 1+bytes.Count(src[:i], []byte("\n")))
	}
	if bytes.IndexByte(src, 0) >= 0 {
		return nil, errors.New("it is no text: it holds a NUL")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n")
	rd := &reading{name: name, raw: linesOf(string(src)), lines: linesOf(text), taken: make(map[*chapter]bool)}
	top := outline(rd.lines, syntaxOf(name))
	if isDecision, err := rd.decision(top, src); isDecision || err != nil {
		return rd.out, err
	}
	r := role("")
	if strings.HasPrefix(strings.ToLower(path.Base(name)), "roadmap") {
		r = roleRoadmap
	}
	rd.whole(top, r)
	return rd.out, nil
}

// linesOf are the lines of a text, of which the last need not be ended.
func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// whole takes what a document states, which as a whole has the role of its name.
func (rd *reading) whole(top *chapter, r role) {
	if r == roleRoadmap {
		rd.roadmap(top)
	} else {
		rd.blocks(top.blocks)
	}
	for _, sub := range top.subs {
		rd.chapter(sub, r)
	}
}

// add keeps a proposal; one that was made before gets another place to stand on.
func (m *mapper) add(p Proposal) {
	text := string(p.Kind) + "\x00" + records.Normalize(p.Title)
	if i, ok := m.byText[text]; ok {
		old := &m.plan.Proposals[i]
		if !slices.Contains(old.Anchors, p.Anchors[0]) {
			old.Anchors = append(old.Anchors, p.Anchors...)
		}
		return
	}
	m.byText[text] = len(m.plan.Proposals)
	m.plan.Proposals = append(m.plan.Proposals, p)
}

// readDocument reads a regular file below root. A link is not followed, a pipe
// not waited for, and what is too large is not read to its end.
func readDocument(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("it is not in the worktree")
	case err != nil:
		return nil, pathReason(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("a link: it is not followed")
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return nil, pathReason(err)
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.New("it changed while it was read")
	}
	src, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err != nil {
		return nil, pathReason(err)
	}
	if len(src) > maxDocument {
		return nil, fmt.Errorf("over %d MiB", maxDocument>>20)
	}
	return src, nil
}

// pathReason is an error without the name that is said beside it.
func pathReason(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// decision takes a decision record as one proposal, and reports whether the
// document is one. What its source holds for dead is an error: it is nothing to propose.
func (rd *reading) decision(top *chapter, src []byte) (bool, error) {
	name := path.Base(rd.name)
	stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	if syntaxOf(rd.name) != markdown || stem == "readme" || stem == "index" {
		return false, nil
	}
	inFolder := slices.ContainsFunc(strings.Split(strings.ToLower(path.Dir(rd.name)), "/"), decisionDir.MatchString)
	doc, err := parseDocument(rd.name, src)
	if se := (*SyntaxError)(nil); inFolder && errors.As(err, &se) {
		return false, fmt.Errorf("line %d: %s", se.Line, se.Msg)
	} else if err != nil {
		return false, nil // front matter of another kind
	}
	told := doc.value("status") != nil || doc.find(isStatus) >= 0
	if doc.notDecision() != "" || !inFolder && (!told || doc.find(isOutcome) < 0) {
		return false, nil
	}
	outcome := doc.find(isOutcome)
	heading := ""
	if outcome >= 0 {
		heading = doc.sections[outcome].heading
	}
	imp := &adrRun{run: newRun(adr)}
	d := imp.decision(name, doc)
	status := d.rec.State()
	if status == records.Rejected || status == records.Superseded {
		return true, fmt.Errorf("a decision that its source holds for dead (%s): git ctx import adr takes it over as that", firstOf(d.rec.Verdict.Reason, string(status)))
	}
	body, _ := limited(d.rec.Body, excerptLimit)
	p := Proposal{
		Key: rd.name, Kind: records.Decision, Title: d.rec.Title, Question: d.rec.Question, Options: d.rec.Options, Body: body,
		Why: "decision record, " + string(status) + " in the source", Confidence: 0.95, Anchors: []Cited{rd.cite(rd.trimmed(top.outcome(heading)))},
	}
	if told = told || status == records.Accepted; status == records.Accepted || !told {
		p.Asks = records.Accepted
	}
	if !told {
		p.Why = "decision record without a status"
	}
	if at := d.rec.Created.At; !at.Equal(Undated()) {
		p.Date = records.FormatInstant(at)
	}
	rd.out = append(rd.out, p)
	return true, nil
}

// outcome is where the section of that heading stands, or the whole document
// where there is none.
func (s *chapter) outcome(heading string) (first, last int) {
	if heading != "" {
		for _, sub := range s.subs {
			if sub.level == 2 && sub.heading == plain(heading) {
				return sub.first, sub.last
			}
			if sub.level == 1 {
				if first, last = sub.outcome(heading); first > 1 || last < s.last {
					return first, last
				}
			}
		}
	}
	return s.first, cmp.Or(s.last, 1)
}
