package adr

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

// A document is a decision record's text, cut at its headings. It keeps the
// text as it is written; only what became a field of its own is taken out.
type document struct {
	syntax   markup.Syntax
	front    []frontField
	title    string // of the first heading, or of the front matter
	preamble []line // what stands above the first section, without the title
	sections []section
	links    map[string]string // Markdown's link definitions
	untitled bool              // no heading is the title
}

type frontField struct {
	key   string
	value *yaml.Node
}

// A line is a line of the file with its number, from 1.
type line struct {
	no   int
	text string
}

// A section is a heading with the text down to the next heading of any level.
type section struct {
	heading string // without its marks
	level   int
	no      int      // the heading's line
	head    []string // the heading as it is written
	lines   []line
}

// name is the heading as it is compared.
func (s section) name() string { return markup.Name(s.heading) }

func (s section) text() string {
	return strings.Join(slices.Concat(s.head, texts(s.lines)), "\n")
}

func texts(lines []line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.text
	}
	return out
}

var linkDefinition = lazyregexp.New(`^ {0,3}\[([^\]^][^\]]*)\]:\s*<?([^\s>]+)>?`)

// parseDocument cuts the file of that name. The error is a *[importer.SyntaxError].
func parseDocument(name string, src []byte) (*document, error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if i := importer.InvalidUTF8(src); i >= 0 {
		no := bytes.Count(src[:i], []byte("\n"))
		return nil, &importer.SyntaxError{Path: name, Line: no + 1, Col: i - bytes.LastIndexByte(src[:i], '\n'), Msg: "invalid UTF-8"}
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\x00", "\u2400")
	lines := strings.Split(text, "\n")
	doc := &document{syntax: markup.SyntaxOf(name), links: make(map[string]string)}
	start, err := doc.frontMatter(name, lines)
	if err != nil {
		return nil, err
	}
	doc.cut(lines, start)
	return doc, nil
}

// frontMatter reads the YAML between --- lines at the top, if there is any, and
// returns how many lines it takes.
func (doc *document) frontMatter(name string, lines []string) (int, error) {
	if strings.TrimRight(lines[0], " \t") != "---" {
		return 0, nil
	}
	end := 1
	for end < len(lines) && strings.TrimRight(lines[end], " \t") != "---" {
		end++
	}
	if end == len(lines) {
		return 0, nil // a thematic break
	}
	front, err := yamlFields(name, []byte(strings.Join(lines[1:end], "\n")), 1)
	if err != nil {
		return 0, err
	}
	doc.front = front
	return end + 1, nil
}

// yamlFields reads a mapping, which begins below that many lines of the file.
func yamlFields(name string, src []byte, above int) ([]frontField, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(src, &root); err != nil {
		return nil, &importer.SyntaxError{Path: name, Line: yamlLine(err) + above, Col: 1, Msg: fmt.Sprintf("front matter: %v", err)}
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, &importer.SyntaxError{Path: name, Line: top.Line + above, Col: max(top.Column, 1), Msg: "front matter: want keys with values"}
	}
	var out []frontField
	for i := 0; i+1 < len(top.Content); i += 2 {
		k, v := top.Content[i], top.Content[i+1]
		if slices.ContainsFunc(out, func(f frontField) bool { return f.key == k.Value }) {
			return nil, &importer.SyntaxError{Path: name, Line: k.Line + above, Col: k.Column, Msg: fmt.Sprintf("front matter: key '%s' stands twice", k.Value)}
		}
		v.Line += above
		out = append(out, frontField{key: k.Value, value: v})
	}
	return out, nil
}

var yamlErrorLine = lazyregexp.New(`line (\d+):`)

// yamlLine digs the line out of yaml.v3's error text, which has no field for it.
func yamlLine(err error) int {
	text := err.Error()
	if te := (*yaml.TypeError)(nil); errors.As(err, &te) && len(te.Errors) > 0 {
		text = te.Errors[0]
	}
	if m := yamlErrorLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return 1
}

// cut sorts the lines after the front matter into title, preamble and sections.
func (doc *document) cut(lines []string, start int) {
	rest := lines[start:]
	if len(rest) == 0 {
		return
	}
	top := markup.Parse(rest, doc.syntax)
	number := func(from, to int) []line { // lines of rest, from 1, to exclusive
		var out []line
		for i := from; i < to && i <= len(rest); i++ {
			out = append(out, line{start + i, rest[i-1]})
		}
		return out
	}
	chapters := flatten(top)
	doc.preamble = number(1, firstLine(chapters, 0, len(rest)))
	for i, c := range chapters {
		own := number(c.Text, firstLine(chapters, i+1, len(rest)))
		if i == 0 && doc.isTitle(c) {
			doc.title, doc.preamble = c.Heading, append(doc.preamble, own...)
			continue
		}
		doc.sections = append(doc.sections, section{
			heading: c.Heading, level: c.Level, no: start + c.First, head: rest[c.First-1 : c.Text-1], lines: own,
		})
	}
	var sc markup.Scanner
	for _, l := range rest {
		if m := linkDefinition.FindStringSubmatch(l); sc.Prose(l) && m != nil {
			doc.links[strings.ToLower(m[1])] = m[2]
		}
	}
}

func firstLine(chapters []*markup.Chapter, i, end int) int {
	if i < len(chapters) {
		return chapters[i].First
	}
	return end + 1
}

func flatten(c *markup.Chapter) []*markup.Chapter {
	var out []*markup.Chapter
	for _, sub := range c.Subs {
		out = append(append(out, sub), flatten(sub)...)
	}
	return out
}

// isTitle reports whether the first heading names the decision: a section's does
// not, nor one below the first level where the front matter has a title.
func (doc *document) isTitle(c *markup.Chapter) bool {
	if doc.untitled || slices.Contains([]string{"status", "context", "context and problem statement", "decision", "decision outcome", "consequences", "date", "summary"}, markup.Name(c.Heading)) {
		return false
	}
	return doc.value("title") == nil || c.Level == 1
}

// find returns the index of the first section whose name f accepts, or -1.
func (doc *document) find(f func(name string) bool) int {
	return slices.IndexFunc(doc.sections, func(s section) bool { return f(s.name()) })
}

// take removes the section at i and returns it.
func (doc *document) take(i int) section {
	s := doc.sections[i]
	doc.sections = slices.Delete(doc.sections, i, i+1)
	return s
}

// value returns a key of the front matter, or nil.
func (doc *document) value(keys ...string) *yaml.Node {
	for _, f := range doc.front {
		if slices.Contains(keys, strings.ToLower(f.key)) {
			return f.value
		}
	}
	return nil
}

// words returns the texts of a scalar or of a list of scalars.
func words(n *yaml.Node) []string {
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind == yaml.ScalarNode:
		if s := importer.OneLine(n.Value); s != "" {
			return []string{s}
		}
	case n.Kind == yaml.SequenceNode:
		var out []string
		for _, c := range n.Content {
			if c.Kind == yaml.ScalarNode {
				out = append(out, words(c)...)
			}
		}
		return out
	}
	return nil
}
