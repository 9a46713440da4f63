package records

import (
	"slices"
	"strings"
)

// A Form is how a field's values merge when both sides changed it.
type Form uint8

// The forms of fields.
const (
	FormScalar   Form = iota // whole or not at all; unknown fields too
	FormText                 // by lines
	FormSet                  // by members
	FormLinks                // by members of each relation
	FormSequence             // by members, in their order
	FormSteps                // by id
	FormVerdict              // by bundle
)

// A fieldRule is one top-level key of a record. The table of them is the one list
// of a record's fields: whoever reads, writes, copies, merges or searches all of
// them, or empties one, goes by it.
type fieldRule struct {
	part[Record]
	ofKind    bool // only some kinds carry it; see [Schema].Fields
	form      Form
	text      func(*Record) *string // where its value is one text
	around    bool                  // it tells of the record, and is not what the record says
	clearable bool                  // a user may empty it
	clear     func(*Record)
	clone     func(*Record)           // copies what assignment shares
	covered   func(e sink, r *Record) // writes what a verdict covers of it; nil is nothing
	texts     func(*Record, addText)  // hands out what somebody wrote in it
	prose     bool                    // its texts are what the record says
}

// addText takes texts of one part of a field, "" for the field itself.
type addText func(part string, texts ...string)

// newField makes the rule of the field that stands in a record at at.
func newField[V any](name string, at func(*Record) *V, read func(*decoder, *Value, string) (V, error), put func(sink, string, V)) fieldRule {
	f := fieldRule{part: newPart(name, at, read, put)}
	f.covered = f.put
	f.clear = func(r *Record) {
		var none V
		*at(r) = none
	}
	return f
}

func textField(name string, at func(*Record) *string, read func(*decoder, *Value, string) (string, error)) fieldRule {
	f := newField(name, at, read, putText)
	f.text = at
	f.texts = func(r *Record, add addText) { add("", *at(r)) }
	f.prose = true
	return f
}

func listField[V any](name string, at func(*Record) *[]V, read func(*decoder, *Value, string) ([]V, error), put func(sink, string, []V)) fieldRule {
	f := newField(name, at, read, put)
	f.clone = func(r *Record) { *at(r) = slices.Clone(*at(r)) }
	return f
}

func textsField(name string, at func(*Record) *[]string, form Form, item func(*decoder, *Value, string) (string, error)) fieldRule {
	read, put := readList(item), putTexts[string]
	if form == FormSet {
		read, put = readTextSet(item), putSet[string]
	}
	f := listField(name, at, read, put)
	f.form = form
	f.texts = func(r *Record, add addText) { add("", *at(r)...) }
	return f
}

func pointerField[V any](name string, at func(*Record) **V, read func(*decoder, *Value, string) (*V, error), put func(sink, string, *V)) fieldRule {
	f := newField(name, at, read, put)
	f.clone = func(r *Record) { *at(r) = clonePointer(*at(r)) }
	return f
}

// mapField is a field that is a mapping and absent where its value is zero.
func mapField[V comparable](name string, at func(*Record) *V, parts []part[V], check func(*decoder, *Value, *V) error) fieldRule {
	f := newField(name, at, nil, nil)
	f.read = func(d *decoder, n *Value, r *Record) error {
		err := readParts(d, n, name, parts, at(r))
		if err == nil && check != nil {
			err = check(d, n, at(r))
		}
		return err
	}
	f.put = func(e sink, r *Record) {
		var none V
		if v := at(r); *v != none {
			e.key(name)
			putParts(e, v, parts)
		}
	}
	f.covered = f.put
	return f
}

func (f fieldRule) kindOnly() fieldRule     { f.ofKind, f.clearable = true, true; return f }
func (f fieldRule) optional() fieldRule     { f.clearable = true; return f }
func (f fieldRule) must() fieldRule         { f.required = true; return f }
func (f fieldRule) uncovered() fieldRule    { f.covered = nil; return f }
func (f fieldRule) merged(m Form) fieldRule { f.form = m; return f }
func (f fieldRule) says() fieldRule         { f.prose = true; return f }
func (f fieldRule) aside() fieldRule        { f.around = true; return f }
func (f fieldRule) silent() fieldRule       { f.texts, f.prose = nil, false; return f }

func (f fieldRule) withTexts(texts func(*Record, addText)) fieldRule {
	f.texts = texts
	return f
}

// fieldRules are all fields in canonical order. Conflicts, whose values are those of
// other fields, are read by [decoder.conflicts].
var fieldRules = []fieldRule{
	newField("id", func(r *Record) *ID { return &r.ID }, (*decoder).id, putText).aside(),
	newField("kind", func(r *Record) *Kind { return &r.Kind }, nil, putText).aside(),
	textField("title", func(r *Record) *string { return &r.Title }, (*decoder).title).must(),
	textField("body", func(r *Record) *string { return &r.Body }, (*decoder).text).optional().merged(FormText),
	textField("type", func(r *Record) *string { return &r.Type }, (*decoder).kindType).kindOnly().silent(),
	textField("text", func(r *Record) *string { return &r.Text }, (*decoder).text).kindOnly().merged(FormText),
	textField("question", func(r *Record) *string { return &r.Question }, (*decoder).text).kindOnly(),
	textsField("options", func(r *Record) *[]string { return &r.Options }, FormSequence, (*decoder).filled).kindOnly().says(),
	textField("when", func(r *Record) *string { return &r.When }, (*decoder).text).kindOnly(),
	textsField("signals", func(r *Record) *[]string { return &r.Signals }, FormSet, (*decoder).filled).kindOnly().says(),
	textsField("preconditions", func(r *Record) *[]string { return &r.Preconditions }, FormSequence, (*decoder).filled).kindOnly().says(),
	listField("steps", func(r *Record) *[]Step { return &r.Steps }, (*decoder).steps, putList(putStep)).kindOnly().merged(FormSteps).says().
		withTexts(func(r *Record, add addText) {
			for _, s := range r.Steps {
				add("do", s.Do)
				add("verify", s.Verify)
			}
		}),
	textField("escalation", func(r *Record) *string { return &r.Escalation }, (*decoder).text).kindOnly().merged(FormText),
	textsField("references", func(r *Record) *[]string { return &r.References }, FormSet, (*decoder).filled).kindOnly().says(),
	textField("source", func(r *Record) *string { return &r.Source }, (*decoder).text).kindOnly(),
	verdictField(),
	verdictsField("also", func(r *Record) *[]Verdict { return &r.Also }),
	verdictsField("challenges", func(r *Record) *[]Verdict { return &r.Challenges }).merged(FormSet),
	conflictsField(),
	ratingField("confidence", func(r *Record) **Fraction { return &r.Confidence }),
	ratingField("impact", func(r *Record) **Fraction { return &r.Impact }),
	ratingField("cost", func(r *Record) **Fraction { return &r.Cost }),
	ratingField("strength", func(r *Record) **Fraction { return &r.Strength }),
	pointerField("priority", func(r *Record) **int { return &r.Priority }, (*decoder).priority, putPriority).kindOnly(),
	textsField("tags", func(r *Record) *[]string { return &r.Tags }, FormSet, (*decoder).label).optional().uncovered(),
	linksField(),
	textsField("paths", func(r *Record) *[]string { return &r.Paths }, FormSet, (*decoder).glob).optional(),
	anchorsField(),
	listField("files", func(r *Record) *[]File { return &r.Files }, readSet((*decoder).file, putFile), putSorted(putFile)).merged(FormSet).
		withTexts(func(r *Record, add addText) {
			for _, f := range r.Files {
				add("name", f.Name)
			}
		}),
	mapField("valid", func(r *Record) *Validity { return &r.Valid }, validityParts, (*decoder).checkValidity).optional(),
	originField(),
	pointerField("tombstone", func(r *Record) **Tombstone { return &r.Tombstone }, readPointer("tombstone", tombstoneParts), putPointer(tombstoneParts)).
		withTexts(func(r *Record, add addText) {
			if r.Forgotten() {
				add("reason", r.Tombstone.Reason)
			}
		}),
	mapField("created", func(r *Record) *Created { return &r.Created }, createdParts, nil).must().aside(),
}

func ratingField(name string, at func(*Record) **Fraction) fieldRule {
	return pointerField(name, at, (*decoder).fraction, putFraction).kindOnly()
}

func verdictField() fieldRule {
	f := pointerField("verdict", func(r *Record) **Verdict { return &r.Verdict }, (*decoder).verdict, putPointer(verdictParts))
	f.clone = func(r *Record) {
		if r.Verdict != nil {
			v := r.Verdict.Clone()
			r.Verdict = &v
		}
	}
	return f.must().uncovered().aside().merged(FormVerdict).withTexts(func(r *Record, add addText) {
		if r.Verdict != nil {
			add("reason", r.Verdict.Reason)
		}
	})
}

// verdictsField is a set of verdicts that stand beside the record's own.
func verdictsField(name string, at func(*Record) *[]Verdict) fieldRule {
	f := listField(name, at, readSet((*decoder).oneOfVerdicts, putVerdict), putSorted(putVerdict))
	f.clone = func(r *Record) {
		vs := slices.Clone(*at(r))
		for i := range vs {
			vs[i] = vs[i].Clone()
		}
		*at(r) = vs
	}
	return f.uncovered().aside().withTexts(func(r *Record, add addText) {
		for _, v := range *at(r) {
			add("reason", v.Reason)
		}
	})
}

func conflictsField() fieldRule {
	f := listField("conflicts", func(r *Record) *[]Conflict { return &r.Conflicts }, nil, putConflicts)
	f.clone = func(r *Record) {
		r.Conflicts = slices.Clone(r.Conflicts)
		for i := range r.Conflicts {
			c := &r.Conflicts[i]
			c.Bases, c.Sides = cloneValues(c.Bases), cloneValues(c.Sides)
		}
	}
	return f.uncovered()
}

func linksField() fieldRule {
	f := newField("links", func(r *Record) *map[Relation][]ID { return &r.Links }, (*decoder).links, nil).merged(FormLinks)
	f.put = func(e sink, r *Record) { r.putLinks(e) }
	f.covered = f.put
	f.clone = func(r *Record) {
		links := r.Links
		if links == nil {
			return
		}
		r.Links = make(map[Relation][]ID, len(links))
		for rel, ids := range links {
			r.Links[rel] = slices.Clone(ids)
		}
	}
	return f
}

func anchorsField() fieldRule {
	f := listField("anchors", func(r *Record) *[]Anchor { return &r.Anchors }, readSet((*decoder).anchor, putAnchor), putSorted(putAnchor))
	put := putSorted(putCitation)
	f.covered = func(e sink, r *Record) { put(e, "anchors", r.Anchors) }
	return f.optional().merged(FormSet).withTexts(func(r *Record, add addText) {
		for _, a := range r.Anchors {
			add("path", a.Path)
		}
	})
}

// ruleOf returns the rule of a known field, or nil.
func ruleOf(name string) *fieldRule {
	for i := range fieldRules {
		if fieldRules[i].name == name {
			return &fieldRules[i]
		}
	}
	return nil
}

// FormOf returns how the values of a field merge; an unknown field is a scalar.
func FormOf(field string) Form {
	if f := ruleOf(field); f != nil {
		return f.form
	}
	return FormScalar
}

// IsText reports whether the value of a field is one text, as it is typed.
func IsText(field string) bool {
	f := ruleOf(field)
	return f != nil && f.text != nil
}

// SetText gives a field whose value is one text another; false is another field.
func (r *Record) SetText(field, text string) bool {
	f := ruleOf(field)
	if f == nil || f.text == nil {
		return false
	}
	*f.text(r) = text
	return true
}

// IsContent reports whether a field, known or not, is what the record says: not
// who the record is, who made it or what verdicts it has.
func IsContent(field string) bool {
	f := ruleOf(field)
	return f == nil || !f.around
}

// TellsChange reports whether a part of the verdict is worth telling where it
// differs. The others differ with every verdict, and say nothing beside it.
func TellsChange(name string) bool {
	i := slices.IndexFunc(verdictParts, func(p part[Verdict]) bool { return p.name == name })
	return i < 0 || !verdictParts[i].routine
}

// Clear empties an optional field, and reports whether a user may empty it.
func (r *Record) Clear(field string) bool {
	f := ruleOf(field)
	if f == nil || !f.clearable {
		return false
	}
	f.clear(r)
	return true
}

// Clearable returns the names of the fields that [Record.Clear] empties, sorted.
func Clearable() []string {
	var names []string
	for i := range fieldRules {
		if fieldRules[i].clearable {
			names = append(names, fieldRules[i].name)
		}
	}
	slices.Sort(names)
	return names
}

// put writes the whole record.
func (r *Record) put(e sink) {
	e.openMap()
	for i := range fieldRules {
		fieldRules[i].put(e, r)
	}
	putExtra(e, r.Extra)
	e.closeMap()
}

// putCovered writes what a verdict covers: all but verdict, also, conflicts, tags
// and the commits of anchors.
func (r *Record) putCovered(e sink) {
	e.openMap()
	for i := range fieldRules {
		if put := fieldRules[i].covered; put != nil {
			put(e, r)
		}
	}
	putExtra(e, r.Extra)
	e.closeMap()
}

// Clone returns a deep copy of the record.
func (r *Record) Clone() *Record {
	c := *r
	for i := range fieldRules {
		if clone := fieldRules[i].clone; clone != nil {
			clone(&c)
		}
	}
	c.Extra = slices.Clone(r.Extra)
	for i := range c.Extra {
		c.Extra[i].Value = cloneValue(r.Extra[i].Value)
	}
	return &c
}

// topLevel reads one top-level key into r.
func (d *decoder) topLevel(r *Record, f Field) error {
	rule := ruleOf(f.Name)
	switch {
	case rule == nil && !extraName.MatchString(f.Name):
		return d.errorAt(f.Value, "'%s' is not a name for a key: use lower-case letters, digits and hyphens", f.Name)
	case rule == nil:
		r.Extra = append(r.Extra, Field{Name: f.Name, Value: canonicalValue(f.Value)})
		return nil
	case f.Name == "conflicts":
		var err error
		r.Conflicts, err = d.conflicts(f.Value)
		return err
	}
	if schema := d.kind.Schema(); rule.ofKind && !slices.Contains(schema.Fields, f.Name) {
		carries := "only the common fields"
		if len(schema.Fields) > 0 {
			carries = strings.Join(schema.Fields, ", ")
		}
		return d.errorAt(f.Value, "%s has no %s; beside the common fields it has %s", d.kind.Phrase(), f.Name, carries)
	}
	return rule.read(d, f.Value, r)
}
