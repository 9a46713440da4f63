package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// parseJSON reads a JSON text into the nodes that YAML is read into, with its lines,
// so that one reader takes both. YAML's own parser is not enough: it refuses the
// escapes of surrogate pairs, in which JSON writes what is outside the first plane.
func parseJSON(data []byte) (*yaml.Node, error) {
	r := &jsonReader{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	r.dec.UseNumber()
	n, err := r.value()
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document")
	}
	return n, nil
}

type jsonReader struct {
	data []byte
	dec  *json.Decoder
	at   int64 // up to which lines are counted
	line int
}

func (r *jsonReader) node(kind yaml.Kind, tag, value string) *yaml.Node {
	r.line += bytes.Count(r.data[r.at:r.dec.InputOffset()], []byte("\n"))
	r.at = r.dec.InputOffset()
	n := &yaml.Node{Kind: kind, Tag: tag, Value: value, Line: r.line}
	if tag == "!!str" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func (r *jsonReader) value() (*yaml.Node, error) {
	tok, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case string:
		return r.node(yaml.ScalarNode, "!!str", t), nil
	case json.Number:
		n := r.node(yaml.ScalarNode, "", t.String())
		n.Tag = n.ShortTag()
		return n, nil
	case bool:
		return r.node(yaml.ScalarNode, "!!bool", fmt.Sprint(t)), nil
	case json.Delim:
		return r.collection(t)
	}
	return r.node(yaml.ScalarNode, "!!null", "null"), nil
}

func (r *jsonReader) collection(open json.Delim) (*yaml.Node, error) {
	n := r.node(yaml.SequenceNode, "!!seq", "")
	if open == '{' {
		n = r.node(yaml.MappingNode, "!!map", "")
	}
	for r.dec.More() {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	_, err := r.dec.Token() // the end of it
	return n, err
}
