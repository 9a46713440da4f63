package markup

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

// A Syntax is how a document marks its headings and code.
type Syntax string

const (
	Markdown Syntax = "md" // also what a plain text is read as
	RST      Syntax = "rst"
	AsciiDoc Syntax = "adoc"
)

// SyntaxOf goes by the file's name.
func SyntaxOf(name string) Syntax {
	switch strings.ToLower(path.Ext(name)) {
	case ".rst":
		return RST
	case ".adoc":
		return AsciiDoc
	}
	return Markdown
}

// A Chapter is a heading with what stands below it. The document itself is one
// without a heading.
type Chapter struct {
	Heading     string
	Level       int
	Slug        string // of the heading, as links name it; unique in the document
	First, Last int    // lines from the heading to the end of those below it, from 1
	Text        int    // the first line after the heading
	Blocks      []Block
	Subs        []*Chapter
	Parent      *Chapter
}

// A Block is a paragraph or a list item of prose, with the lines it stands on.
type Block struct {
	First, Last int
	Text        string // on one line, without the item's marker
	Item, Done  bool   // Done: a box that is ticked
	Depth       int
}

// Parse cuts a document's lines into chapters and blocks. Code, comments,
// quotations and tables are no prose and left out.
func Parse(lines []string, syn Syntax) *Chapter {
	top := &Chapter{First: 1, Text: 1, Last: len(lines)}
	o := &outliner{lines: lines, syn: syn, at: top, slugs: make(map[string]int)}
	for i := o.afterFrontMatter(); i < len(lines); {
		i += o.line(i)
	}
	o.endBlock()
	for s := o.at; s != nil; s = s.Parent {
		s.Last = len(lines)
	}
	return top
}

type outliner struct {
	lines []string
	syn   Syntax
	sc    Scanner
	at    *Chapter
	open  *Block // that the next line may continue
	slugs map[string]int
	marks []string // rst's underlines, in the order in which they came up

	delimiter string // that ends an AsciiDoc block
	literal   bool   // what is indented is rst's code
}

func (o *outliner) afterFrontMatter() int {
	if o.syn != Markdown || strings.TrimRight(o.lines[0], " \t") != "---" {
		return 0
	}
	for i, l := range o.lines[1:] {
		if strings.TrimRight(l, " \t") == "---" {
			return i + 2
		}
	}
	return 0
}

// line takes the line at i, and returns how many it used.
func (o *outliner) line(i int) int {
	l := o.lines[i]
	if !o.prose(l) {
		o.endBlock()
		return 1
	}
	if level, text, used := o.headingAt(i); used > 0 {
		o.endBlock()
		o.openChapter(level, text, i+1, used)
		return used
	}
	text := strings.TrimSpace(l)
	switch m := ItemLine.FindStringSubmatch(l); {
	case text == "" || ruled(text):
		o.endBlock()
	case m != nil && (len(m[1]) < 4 || o.inItem()):
		o.endBlock()
		box := strings.Trim(m[3], "[] \t")
		o.open = &Block{First: i + 1, Last: i + 1, Text: m[4], Item: true, Done: strings.EqualFold(box, "x"), Depth: len(m[1]) + depthOf(m[2])}
	case strings.ContainsAny(text[:1], ">|<"):
		o.endBlock()
	case o.open != nil:
		o.open.Text += " " + text
		o.open.Last = i + 1
	case strings.TrimLeft(l[:1], " \t") == "" && (o.syn != Markdown || strings.HasPrefix(l, "    ") || l[0] == '\t'):
		// Code, a quotation, or a paragraph of an item: not where statements start.
	default:
		o.open = &Block{First: i + 1, Last: i + 1, Text: text}
	}
	if o.syn == RST && strings.HasSuffix(text, "::") {
		o.literal = true
	}
	return 1
}

// ItemLine is a list item: indentation, marker, box, text.
var ItemLine = lazyregexp.New(`^([ \t]*)([-+•]|\*{1,5}|\.{1,5}|\d{1,4}[.)]|#\.)[ \t]+(\[[ xX]\][ \t]+)?(\S.*)$`)

// depthOf is how deep AsciiDoc's markers nest.
func depthOf(marker string) int {
	if strings.Trim(marker, "*.") == "" {
		return len(marker) - 1
	}
	return 0
}

// inItem reports whether the last block is a list item, so that an indented one nests.
func (o *outliner) inItem() bool {
	if o.open != nil {
		return o.open.Item
	}
	n := len(o.at.Blocks)
	return n > 0 && o.at.Blocks[n-1].Item
}

// prose reports whether a line is neither code, comment, nor within a delimited block.
func (o *outliner) prose(l string) bool {
	text := strings.TrimSpace(l)
	switch {
	case o.syn == Markdown:
		return o.sc.Prose(l)
	case o.syn == AsciiDoc:
		if o.delimiter != "" {
			if text == o.delimiter {
				o.delimiter = ""
			}
			return false
		}
		if text == "|===" || len(text) >= 4 && strings.IndexByte("-._*/+=", text[0]) >= 0 && strings.Trim(text, text[:1]) == "" {
			o.delimiter = text
			return false
		}
		return !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, ":")
	case o.literal:
		if text == "" || l[0] == ' ' || l[0] == '\t' {
			return text == ""
		}
		o.literal = false
	}
	if strings.HasPrefix(text, "..") && (len(text) == 2 || text[2] == ' ') {
		o.literal = true // a directive or a comment, and what is indented below it
		return false
	}
	return true
}

// headingAt returns level and text of the heading at line i, and how many lines it takes.
func (o *outliner) headingAt(i int) (level int, text string, used int) {
	switch o.syn {
	case RST:
		return o.underlined(i)
	case AsciiDoc:
		if m := equalsHeading.FindStringSubmatch(o.lines[i]); m != nil {
			return len(m[1]), m[2], 1
		}
	}
	level, text = HeadingOf(o.lines, i)
	switch {
	case level == 0:
		return 0, "", 0
	case atxHeading.MatchString(o.lines[i]):
		return level, text, 1
	}
	return level, text, 2
}

var equalsHeading = lazyregexp.New(`^(={1,6})[ \t]+(\S.*?)[ \t]*$`)

// underlined is rst's heading: a line of text with one of punctuation below it,
// and perhaps above. The order in which the signs come up is that of the levels.
func (o *outliner) underlined(i int) (level int, text string, used int) {
	over := i+2 < len(o.lines) && ruled(o.lines[i]) && o.lines[i] != "" && strings.TrimSpace(o.lines[i+2]) == strings.TrimSpace(o.lines[i])
	at := i
	if over {
		at++
	}
	if at+1 >= len(o.lines) {
		return 0, "", 0
	}
	text, under := strings.TrimSpace(o.lines[at]), strings.TrimRight(o.lines[at+1], " \t")
	if text == "" || ruled(text) || !ruled(under) || len(under) < min(utf8.RuneCountInString(text), 3) || o.open != nil {
		return 0, "", 0
	}
	mark := under[:1] + strconv.FormatBool(over)
	for n, m := range o.marks {
		if m == mark {
			return n + 1, text, at + 2 - i
		}
	}
	o.marks = append(o.marks, mark)
	return len(o.marks), text, at + 2 - i
}

// ruled reports whether a line is nothing but one sign, three times or more.
func ruled(l string) bool {
	l = strings.ReplaceAll(strings.TrimRight(l, " \t"), " ", "")
	return len(l) >= 3 && strings.IndexByte("=-~^\"'`#*+.:_", l[0]) >= 0 && strings.Trim(l, l[:1]) == ""
}

func (o *outliner) openChapter(level int, text string, line, used int) {
	for o.at.Parent != nil && o.at.Level >= level {
		o.at.Last = line - 1
		o.at = o.at.Parent
	}
	s := &Chapter{Heading: Plain(text), Level: level, Slug: o.slug(text), First: line, Text: line + used, Parent: o.at}
	o.at.Subs = append(o.at.Subs, s)
	o.at = s
}

func (o *outliner) endBlock() {
	if o.open != nil {
		o.at.Blocks = append(o.at.Blocks, *o.open)
		o.open = nil
	}
}

// slug is the heading as a link's fragment; one that came before is numbered.
func (o *outliner) slug(heading string) string {
	s := SlugOf(Plain(heading))
	n := o.slugs[s]
	o.slugs[s]++
	if n > 0 {
		s += "-" + strconv.Itoa(n)
	}
	return s
}

var notSlug = lazyregexp.New(`[^\pL\pN]+`)

// SlugOf is a text as a link's fragment.
func SlugOf(s string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

var (
	imageMark  = lazyregexp.New(`!\[[^\]]*\]\([^)]*\)`)
	LinkMark   = lazyregexp.New(`\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])`)
	roleLink   = lazyregexp.New("`([^`<]+?)\\s*<[^>`]*>`__?")
	strongMark = lazyregexp.New(`(\*\*|__)(\S.*?)(\*\*|__)`)
	emMark     = lazyregexp.New(`(^|[\s(])[*_](\S|\S[^*_]*\S)[*_]($|[\s).,:;!?])`)
)

// Plain is a text on one line without the marks of emphasis and links.
func Plain(s string) string {
	s = imageMark.ReplaceAllString(s, "")
	s = roleLink.ReplaceAllString(s, "$1")
	s = LinkMark.ReplaceAllString(s, "$1")
	return importer.OneLine(Unmarked(s))
}

// Unmarked is a text without the marks of emphasis.
func Unmarked(s string) string {
	return emMark.ReplaceAllString(strongMark.ReplaceAllString(s, "$2"), "$1$2$3")
}

var sectionNumber = lazyregexp.New(`^(?:\d+(?:\.\d+)*[.)]?|[IVX]+[.)])\s+`)

// Name is a heading as it is compared: lower case, no numbering, no punctuation around it.
func Name(heading string) string {
	return strings.ToLower(strings.Trim(sectionNumber.ReplaceAllString(heading, ""), " \t:.*_"))
}
