package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

// A document is a decision record's Markdown, cut at its headings. It keeps the
// text as it is written; only what became a field of its own is taken out.
type document struct {
	front    []frontField
	title    string   // of the first heading of level 1
	preamble []string // lines before the first heading of level 2, without the title
	sections []part
}

type frontField struct {
	key   string
	value *yaml.Node
}

// A part is one section of level 2 with everything below its heading.
type part struct {
	heading string // without the number signs
	lines   []string
}

// name is the heading as it is compared: lower case, no numbering, no punctuation around it.
func (p part) name() string {
	return strings.ToLower(strings.Trim(sectionNumber.ReplaceAllString(p.heading, ""), " \t:.*_"))
}

func (p part) text() string { return "## " + p.heading + "\n" + strings.Join(p.lines, "\n") }

var (
	sectionNumber = lazyregexp.New(`^\d+(\.\d+)*[.)]?\s+`)
	atxHeading    = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.*?)([ \t]+#+)?[ \t]*$`)
	fenceLine     = lazyregexp.New("^ {0,3}(`{3,}|~{3,})(.*)$")
	setextLine    = lazyregexp.New(`^ {0,3}(=+|-{2,})[ \t]*$`)
)

// parseDocument cuts the Markdown file of that name. The error is a *[SyntaxError].
func parseDocument(name string, src []byte) (*document, error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if i := invalidUTF8(src); i >= 0 {
		line := bytes.Count(src[:i], []byte("\n"))
		return nil, &SyntaxError{Path: name, Line: line + 1, Col: i - bytes.LastIndexByte(src[:i], '\n'), Msg: "invalid UTF-8"}
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\x00", "\u2400")
	lines := strings.Split(text, "\n")
	doc := &document{}
	rest, err := doc.frontMatter(name, lines)
	if err != nil {
		return nil, err
	}
	doc.cut(rest)
	return doc, nil
}

// frontMatter reads the YAML between --- lines at the top, if there is any, and
// returns the lines after it.
func (doc *document) frontMatter(name string, lines []string) ([]string, error) {
	if strings.TrimRight(lines[0], " \t") != "---" {
		return lines, nil
	}
	end := 1
	for end < len(lines) && strings.TrimRight(lines[end], " \t") != "---" {
		end++
	}
	if end == len(lines) {
		return lines, nil // a thematic break
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(lines[1:end], "\n")), &root); err != nil {
		return nil, &SyntaxError{Path: name, Line: yamlLine(err) + 1, Col: 1, Msg: fmt.Sprintf("front matter: %v", err)}
	}
	if len(root.Content) == 0 {
		return lines[end+1:], nil
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, &SyntaxError{Path: name, Line: top.Line + 1, Col: max(top.Column, 1), Msg: "front matter: want keys with values"}
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(top.Content); i += 2 {
		k := top.Content[i]
		if seen[k.Value] {
			return nil, &SyntaxError{Path: name, Line: k.Line + 1, Col: k.Column, Msg: fmt.Sprintf("front matter: key '%s' stands twice", k.Value)}
		}
		seen[k.Value] = true
		doc.front = append(doc.front, frontField{key: k.Value, value: top.Content[i+1]})
	}
	return lines[end+1:], nil
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

// cut sorts the lines into title, preamble and sections.
func (doc *document) cut(lines []string) {
	var sc scanner
	titled := false
	for i := 0; i < len(lines); i++ {
		level, heading := 0, ""
		if sc.prose(lines[i]) {
			level, heading = headingOf(lines, i)
		}
		switch {
		case level == 1 && !titled && len(doc.sections) == 0:
			doc.title, titled = heading, true
		case level == 2:
			doc.sections = append(doc.sections, part{heading: heading})
		default:
			doc.add(lines[i])
			continue
		}
		if !atxHeading.MatchString(lines[i]) {
			i++ // the line that underlines it
		}
	}
}

func (doc *document) add(line string) {
	if n := len(doc.sections); n > 0 {
		doc.sections[n-1].lines = append(doc.sections[n-1].lines, line)
		return
	}
	doc.preamble = append(doc.preamble, line)
}

// headingOf returns level and text of a heading at line i, or level 0.
func headingOf(lines []string, i int) (int, string) {
	if m := atxHeading.FindStringSubmatch(lines[i]); m != nil {
		return len(m[1]), strings.TrimSpace(m[2])
	}
	text := strings.TrimSpace(lines[i])
	if text == "" || i+1 >= len(lines) || strings.ContainsAny(text[:1], "-*+>|<=`~") || (i > 0 && strings.TrimSpace(lines[i-1]) != "") {
		return 0, ""
	}
	switch m := setextLine.FindStringSubmatch(lines[i+1]); {
	case m == nil:
		return 0, ""
	case m[1][0] == '=':
		return 1, text
	}
	return 2, text
}

// A scanner tells prose from code blocks and comments, line by line.
type scanner struct {
	fence   string // that opened the code block we are in
	comment bool
}

// prose reports whether the line, which follows those seen before, is neither
// code nor comment.
func (sc *scanner) prose(line string) bool {
	if sc.comment {
		sc.comment = !strings.Contains(line, "-->")
		return false
	}
	m := fenceLine.FindStringSubmatch(line)
	if sc.fence != "" {
		if m != nil && strings.HasPrefix(m[1], sc.fence) && strings.TrimSpace(m[2]) == "" {
			sc.fence = ""
		}
		return false
	}
	if m != nil && (m[1][0] == '~' || !strings.Contains(m[2], "`")) {
		sc.fence = m[1]
		return false
	}
	if i := strings.LastIndex(line, "<!--"); i >= 0 && !strings.Contains(line[i:], "-->") {
		sc.comment = true
		return i > 0
	}
	return !strings.HasPrefix(strings.TrimSpace(line), "<!--")
}

// find returns the index of the first section whose name f accepts, or -1.
func (doc *document) find(f func(name string) bool) int {
	for i, p := range doc.sections {
		if f(p.name()) {
			return i
		}
	}
	return -1
}

// value returns a key of the front matter, or nil.
func (doc *document) value(key string) *yaml.Node {
	for _, f := range doc.front {
		if f.key == key {
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
		if s := oneLine(n.Value); s != "" {
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
