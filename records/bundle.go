package records

import (
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// list returns the items of a sequence.
func (d *decoder) list(n *yaml.Node, name string) ([]*yaml.Node, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, d.errorAt(n, "%s is %s, not a list", name, describe(n))
	}
	return n.Content, nil
}

// mapping calls read for each key of a mapping. Unknown keys inside a value are
// refused: only the top level is open to newer writers.
func (d *decoder) mapping(n *yaml.Node, name string, keys []string, read func(string, *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return d.errorAt(n, "%s is %s, not keys and values", name, describe(n))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if !slices.Contains(keys, k.Value) {
			return d.errorAt(k, "unknown key '%s' in %s; it may hold %s", k.Value, name, strings.Join(keys, ", "))
		}
		if err := read(k.Value, v); err != nil {
			return err
		}
	}
	return nil
}

func decodeList[T any](d *decoder, n *yaml.Node, name string, read func(*yaml.Node, string) (T, error)) ([]T, error) {
	items, err := d.list(n, name)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	out := make([]T, len(items))
	for i, item := range items {
		if out[i], err = read(item, "an item of "+name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *decoder) textSet(n *yaml.Node, name string, read func(*yaml.Node, string) (string, error)) ([]string, error) {
	ss, err := decodeList(d, n, name, read)
	return sortedSet(ss), err
}

func (d *decoder) idSet(n *yaml.Node, name string) ([]ID, error) {
	ids, err := decodeList(d, n, name, d.id)
	return sortedSet(ids), err
}

func decodeSet[T any](d *decoder, n *yaml.Node, name string, read func(*yaml.Node) (T, error), put func(sink, *T)) ([]T, error) {
	vs, err := decodeList(d, n, name, func(n *yaml.Node, _ string) (T, error) { return read(n) })
	if err != nil {
		return nil, err
	}
	return sortedBy(vs, put), nil
}

// need refuses a mapping that lacks one of its required keys.
func (d *decoder) need(n *yaml.Node, name string, keys ...string) error {
	for _, key := range keys {
		found := false
		for i := 0; i+1 < len(n.Content); i += 2 {
			found = found || n.Content[i].Value == key
		}
		if !found {
			return d.errorAt(n, "missing %s in %s", key, name)
		}
	}
	return nil
}

var verdictKeys = []string{
	"state", "of", "asks", "reason", "cites", "superseded-by", "despite", "reverts", "by", "actor", "at", "n", "sig",
}

func (d *decoder) verdict(n *yaml.Node, name string) (*Verdict, error) {
	v := &Verdict{}
	err := d.mapping(n, name, verdictKeys, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "state":
			v.State, err = d.state(n, key)
		case "of":
			v.Of, err = d.hex(n, key, "a digest of 12 hexadecimal digits", digestLength)
		case "asks":
			v.Asks, err = d.state(n, key)
		case "reason":
			v.Reason, err = d.text(n, key)
		case "cites":
			v.Cites, err = d.idSet(n, key)
		case "superseded-by":
			v.SupersededBy, err = d.id(n, key)
		case "despite":
			v.Despite, err = decodeSet(d, n, key, d.despite, putDespite)
		case "reverts":
			v.Reverts, err = d.objectID(n, key)
		case "by":
			v.By, err = d.label(n, key)
		case "actor":
			v.Actor, err = d.actor(n, key)
		case "at":
			v.At, err = d.instant(n, key)
		case "n":
			v.N, err = d.nonce(n, key)
		case "sig":
			v.Sig, err = d.text(n, key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, d.need(n, name, "state", "actor", "at", "n")
}

func (d *decoder) despite(n *yaml.Node) (Despite, error) {
	var v Despite
	err := d.mapping(n, "despite", []string{"id", "n"}, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "id":
			v.ID, err = d.id(n, key)
		case "n":
			v.N, err = d.nonce(n, key)
		}
		return err
	})
	if err != nil {
		return v, err
	}
	return v, d.need(n, "despite", "id", "n")
}

func (d *decoder) links(n *yaml.Node) (map[Relation][]ID, error) {
	if n.Kind != yaml.MappingNode {
		return nil, d.errorAt(n, "links is %s, not keys and values", describe(n))
	}
	var links map[Relation][]ID
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if !carries(d.kind, Relation(k.Value)) {
			var names []string
			for _, rel := range Relations(d.kind) {
				names = append(names, string(rel))
			}
			return nil, d.errorAt(k, "unknown relation '%s'; %s may have %s", k.Value, d.kind.Phrase(), strings.Join(names, ", "))
		}
		ids, err := d.idSet(n.Content[i+1], k.Value)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			continue
		}
		if links == nil {
			links = make(map[Relation][]ID, len(n.Content)/2)
		}
		links[Relation(k.Value)] = ids
	}
	return links, nil
}

func (d *decoder) steps(n *yaml.Node) ([]Step, error) {
	items, err := d.list(n, "steps")
	if err != nil || len(items) == 0 {
		return nil, err
	}
	out := make([]Step, 0, len(items))
	for _, item := range items {
		var s Step
		err := d.mapping(item, "a step", []string{"id", "do", "verify"}, func(key string, n *yaml.Node) (err error) {
			switch key {
			case "id":
				s.ID, err = d.label(n, key)
			case "do":
				s.Do, err = d.filled(n, key)
			case "verify":
				s.Verify, err = d.text(n, key)
			}
			return err
		})
		if err == nil {
			err = d.need(item, "a step", "id", "do")
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Step) bool { return o.ID == s.ID }) {
			return nil, d.errorAt(item, "two steps have the id '%s'", s.ID)
		}
		out = append(out, s)
	}
	return out, nil
}

func (d *decoder) anchor(n *yaml.Node) (Anchor, error) {
	var a Anchor
	err := d.mapping(n, "an anchor", []string{"path", "lines", "sha256", "blob", "commit"}, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "path":
			a.Path, err = d.repoPath(n, key)
		case "lines":
			a.Lines, err = d.lines(n, key)
		case "sha256":
			a.SHA256, err = d.digest(n, key)
		case "blob":
			a.Blob, err = d.objectID(n, key)
		case "commit":
			a.Commit, err = d.objectID(n, key)
		}
		return err
	})
	if err != nil {
		return a, err
	}
	return a, d.need(n, "an anchor", "path")
}

func (d *decoder) file(n *yaml.Node) (File, error) {
	var f File
	err := d.mapping(n, "a file", []string{"name", "sha256", "size"}, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "name":
			f.Name, err = d.label(n, key)
			if err == nil && strings.ContainsAny(f.Name, `/\`) {
				err = d.errorAt(n, "name '%s' must not contain a slash", f.Name)
			}
		case "sha256":
			f.SHA256, err = d.digest(n, key)
		case "size":
			f.Size, err = d.integer(n, key, 1<<53)
		}
		return err
	})
	if err != nil {
		return f, err
	}
	return f, d.need(n, "a file", "name", "sha256", "size")
}

func (d *decoder) instant(n *yaml.Node, name string) (time.Time, error) {
	if tag := n.ShortTag(); n.Kind != yaml.ScalarNode || tag != tagTime && tag != tagStr {
		return time.Time{}, d.errorAt(n, "%s is %s, not an instant", name, describe(n))
	}
	t, err := ParseInstant(n.Value)
	if err != nil {
		return t, d.errorAt(n, "%s: %v", name, err)
	}
	return t, nil
}

func (d *decoder) validity(n *yaml.Node) (Validity, error) {
	var v Validity
	err := d.mapping(n, "valid", []string{"from", "until"}, func(key string, n *yaml.Node) (err error) {
		if key == "from" {
			v.From, err = d.instant(n, key)
		} else {
			v.Until, err = d.instant(n, key)
		}
		return err
	})
	if err == nil && !v.From.IsZero() && !v.Until.IsZero() && !v.From.Before(v.Until) {
		err = d.errorAt(n, "valid ends before it begins")
	}
	return v, err
}

func (d *decoder) origin(n *yaml.Node) (*Origin, error) {
	o := &Origin{}
	err := d.mapping(n, "origin", []string{"system", "key", "digest"}, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "system":
			o.System, err = d.label(n, key)
		case "key":
			o.Key, err = d.line(n, key, 4096)
		case "digest":
			o.Digest, err = d.label(n, key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, d.need(n, "origin", "system", "key")
}

func (d *decoder) tombstone(n *yaml.Node) (*Tombstone, error) {
	t := &Tombstone{}
	err := d.mapping(n, "tombstone", []string{"fingerprint", "salt", "reason", "by", "actor", "at"}, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "fingerprint":
			t.Fingerprint, err = d.label(n, key)
		case "salt":
			t.Salt, err = d.label(n, key)
		case "reason":
			t.Reason, err = d.text(n, key)
		case "by":
			t.By, err = d.label(n, key)
		case "actor":
			t.Actor, err = d.actor(n, key)
		case "at":
			t.At, err = d.instant(n, key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, d.need(n, "tombstone", "fingerprint", "salt", "actor", "at")
}

func (d *decoder) created(n *yaml.Node) (Created, error) {
	var c Created
	err := d.mapping(n, "created", []string{"by", "actor", "at"}, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "by":
			c.By, err = d.label(n, key)
		case "actor":
			c.Actor, err = d.actor(n, key)
		case "at":
			c.At, err = d.instant(n, key)
		}
		return err
	})
	if err != nil {
		return c, err
	}
	return c, d.need(n, "created", "actor", "at")
}
