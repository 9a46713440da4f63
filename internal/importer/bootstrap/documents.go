package bootstrap

import (
	"bytes"
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

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
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
	for _, n := range append(bareNames, adr.KEPFile) {
		ps = append(ps, ":(top,icase)"+n, ":(top,icase)*/"+n)
	}
	return ps
}

var (
	// bareNames are those of documents that need no extension.
	bareNames    = []string{"readme", "changelog", "contributing", "architecture", "design", "roadmap", "todo"}
	documentStem = lazyregexp.New(`^(?:readme|changelog|contributing|architecture|design|roadmap|todo|goals|vision|decisions|rationale|rfcs?|adrs?|claude|agents)(?:$|[-_. ])`)
	documentDir  = lazyregexp.New(`^(?:docs?|documentation|adrs?|decisions|decision-records|architecture-decisions|rfcs?|design|designs|proposals|specs?)$`)
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
		if !slices.Contains(bareNames, base) && base != adr.KEPFile {
			return false
		}
	}
	dirs := strings.Split(strings.Trim(dir, "/"), "/")
	if slices.ContainsFunc(dirs, foreignDir.MatchString) || legalStem.MatchString(stem) || adr.IsTemplate(stem) {
		return false
	}
	return base == adr.KEPFile || documentStem.MatchString(stem) || slices.ContainsFunc(dirs, documentDir.MatchString)
}

// Map reads the documents of those names below root, and lists what they state
// as goals, decisions and hypotheses. It is deterministic and guesses by fixed
// patterns; a file that it cannot read is skipped and listed. Names that are no
// documents are passed over.
func Map(root *os.Root, names []string) *Plan {
	return MapFiles(root, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !Documented(n) }))
}

// MapFiles is [Map] of the named files, whatever they are called.
func MapFiles(root *os.Root, names []string) *Plan {
	m := &mapper{root: root, byText: make(map[string]int), keps: make(map[string]bool), left: maxRead}
	names = slices.Clone(names)
	slices.Sort(names)
	for _, name := range names {
		if isKEP(name) {
			m.keps[path.Dir(name)] = true
		}
	}
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
	byText map[string]int  // kind and text to the proposal that has them
	keps   map[string]bool // folders that hold one enhancement proposal
	left   int             // bytes that may still be read
}

func (m *mapper) skip(item string, why error) {
	m.plan.Skipped = append(m.plan.Skipped, importer.Skip{Item: importer.OneLine(strings.ToValidUTF8(item, "\ufffd")), Reason: why.Error()})
}

// document maps one file.
func (m *mapper) document(name string) error {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return errors.New("its name has characters that are not shown")
	}
	if m.keps[path.Dir(name)] && !isKEP(name) {
		return nil // its folder is one proposal, as git ctx import adr takes it
	}
	src, err := m.read(name)
	if err != nil {
		return err
	}
	m.plan.Read++
	var found []Proposal
	if isKEP(name) {
		found, err = m.enhancement(name, src)
	} else {
		found, err = statementsIn(name, src)
	}
	for _, p := range found {
		m.add(p)
	}
	return err
}

// read reads a document as long as there is room for it.
func (m *mapper) read(name string) ([]byte, error) {
	src, err := readDocument(m.root, name)
	if err != nil {
		return nil, err
	}
	if m.left -= len(src); m.left < 0 {
		return nil, fmt.Errorf("over %d MiB of documents", maxRead>>20)
	}
	return src, nil
}

// textOf decodes what a document holds, or says why it is not text.
func textOf(src []byte) (string, error) {
	if i := importer.InvalidUTF8(src); i >= 0 {
		return "", fmt.Errorf("line %d: invalid UTF-8", 1+bytes.Count(src[:i], []byte("\n")))
	}
	if bytes.IndexByte(src, 0) >= 0 {
		return "", errors.New("it is not text: it holds a NUL")
	}
	return strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n"), nil
}

// statementsIn are the proposals of one document's text.
func statementsIn(name string, src []byte) ([]Proposal, error) {
	text, err := textOf(src)
	if err != nil {
		return nil, err
	}
	rd := &reading{name: name, raw: linesOf(string(src)), lines: linesOf(text), taken: make(map[*markup.Chapter]bool)}
	top := markup.Parse(rd.lines, markup.SyntaxOf(name))
	if isDecision, err := rd.decision(src); isDecision || err != nil {
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
func (rd *reading) whole(top *markup.Chapter, r role) {
	if r == roleRoadmap {
		rd.roadmap(top)
	} else {
		rd.blocks(top.Blocks)
	}
	for _, sub := range top.Subs {
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
		return nil, errors.New(importer.Reason(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("a link: it is not followed")
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return nil, errors.New(importer.Reason(err))
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.New("it changed while it was read")
	}
	src, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err != nil {
		return nil, errors.New(importer.Reason(err))
	}
	if len(src) > maxDocument {
		return nil, fmt.Errorf("over %d MiB", maxDocument>>20)
	}
	return src, nil
}
