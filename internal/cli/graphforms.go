package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// writeDot writes a graph in the language of Graphviz. What may not be relied
// on is dashed.
func writeDot(w io.Writer, g query.GraphAnswer) error {
	var b strings.Builder
	b.WriteString("digraph ctx {\n\trankdir=LR;\n\tnode [shape=box];\n")
	for _, n := range g.Nodes {
		style := ""
		if n.Class.Historical() || n.Class == records.InDoubt {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "\t%s [label=%s%s];\n", dotString(string(n.ID)), dotString(nodeLabel(n)), style)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "\t%s -> %s [label=%s];\n", dotString(string(e.From)), dotString(string(e.To)), dotString(string(e.Relation)))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dotString quotes a text so that none of it is markup or ends the string.
func dotString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// writeMermaid writes a graph in the language of Mermaid. What may not be
// relied on is dashed.
func writeMermaid(w io.Writer, g query.GraphAnswer) error {
	var b strings.Builder
	b.WriteString("flowchart LR\n\tclassDef dead stroke-dasharray: 4\n")
	names := make(map[records.ID]string)
	for i, n := range g.Nodes {
		names[n.ID] = fmt.Sprintf("n%d", i)
		class := ""
		if n.Class.Historical() || n.Class == records.InDoubt {
			class = ":::dead"
		}
		fmt.Fprintf(&b, "\t%s[\"%s\"]%s\n", names[n.ID], mermaidText(nodeLabel(n)), class)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "\t%s -->|%s| %s\n", names[e.From], e.Relation, names[e.To])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mermaidText writes all but words and the plainest signs as entities, as
// Mermaid reads markup, HTML and directives within quotes too.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd) || strings.ContainsRune(" .,:-", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// nodeLabel is a record in one line.
func nodeLabel(n query.GraphNode) string {
	return text.VisibleLine(fmt.Sprintf("%s %s: %s", n.ID, query.StateWord(n.State), n.Title))
}
