package records

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// nodeBuilder makes a tree of canonical nodes: kind, short tag, value and
// content alone, without style, position or comments.
type nodeBuilder struct {
	stack []*yaml.Node
	root  *yaml.Node
}

func (b *nodeBuilder) add(n *yaml.Node) {
	if len(b.stack) == 0 {
		b.root = n
		return
	}
	top := b.stack[len(b.stack)-1]
	top.Content = append(top.Content, n)
}

func (b *nodeBuilder) open(kind yaml.Kind, tag string) {
	n := &yaml.Node{Kind: kind, Tag: tag}
	b.add(n)
	b.stack = append(b.stack, n)
}

func (b *nodeBuilder) pop() { b.stack = b.stack[:len(b.stack)-1] }

func (b *nodeBuilder) openMap()        { b.open(yaml.MappingNode, tagMap) }
func (b *nodeBuilder) openSeq()        { b.open(yaml.SequenceNode, tagSeq) }
func (b *nodeBuilder) closeMap()       { b.pop() }
func (b *nodeBuilder) closeSeq()       { b.pop() }
func (b *nodeBuilder) key(name string) { b.text(name) }
func (b *nodeBuilder) text(s string) {
	b.add(&yaml.Node{Kind: yaml.ScalarNode, Tag: tagStr, Value: nfc(s)})
}
func (b *nodeBuilder) plain(tag, s string) {
	b.add(&yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s})
}

// putNode writes any node that [decoder.vet] passed.
func putNode(e sink, n *yaml.Node) {
	if n == nil {
		e.plain(tagNull, "null")
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		e.openMap()
		for i := 0; i+1 < len(n.Content); i += 2 {
			e.key(nfc(n.Content[i].Value))
			putNode(e, n.Content[i+1])
		}
		e.closeMap()
	case yaml.SequenceNode:
		e.openSeq()
		for _, c := range n.Content {
			putNode(e, c)
		}
		e.closeSeq()
	default:
		switch tag := n.ShortTag(); tag {
		case tagNull:
			e.plain(tagNull, "null")
		case tagInt, tagFloat, tagBool, tagTime:
			e.plain(tag, n.Value)
		default:
			e.text(n.Value)
		}
	}
}

// canonicalNode copies n as a canonical node.
func canonicalNode(n *yaml.Node) *yaml.Node {
	var b nodeBuilder
	putNode(&b, n)
	return b.root
}

// FormatValue returns the canonical text of a field's value, without a final
// newline. Two values are equal exactly when their texts are.
func FormatValue(n *yaml.Node) string {
	w := newYAMLWriter(128)
	putNode(w, n)
	return string(w.buf[:len(w.buf)-1])
}

// formatted returns what put writes as a value, for sorting.
func formatted(put func(sink)) string {
	w := newYAMLWriter(128)
	put(w)
	return strings.TrimSuffix(string(w.buf), "\n")
}
