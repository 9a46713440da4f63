package records

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// PolicyFile is the path of the policy in the store's tree.
const PolicyFile = "ctx.yaml"

// A NewerFormatError says that the store was written by a newer version, so
// that this one may read it but not write.
type NewerFormatError struct {
	Format int
}

func (e *NewerFormatError) Error() string {
	return fmt.Sprintf("the store has format %d: this version reads format %d and writes nothing newer", e.Format, FormatVersion)
}

// maxBudget bounds the packet limits of the policy.
const maxBudget = 10_000_000

// ParsePolicy reads ctx.yaml strictly. Of a newer format it returns what every
// version can rely on, the strictest review, with a *[NewerFormatError]; any
// other error is a *[SyntaxError].
func ParsePolicy(data []byte) (*Policy, error) {
	d := &decoder{path: PolicyFile}
	root, err := d.document(data)
	if err != nil {
		return nil, err
	}
	fs, err := d.fields(root)
	if err != nil {
		return nil, err
	}
	p := &Policy{Review: ReviewHuman}
	n := fieldNamed(fs, "format")
	if n == nil {
		return nil, d.errorAt(root, "missing format")
	}
	format, err := d.integer(n, "format", 1<<20)
	if err != nil {
		return nil, err
	}
	p.Format = int(format)
	switch {
	case p.Format > FormatVersion:
		return &Policy{Format: p.Format, Review: ReviewSigned}, &NewerFormatError{Format: p.Format}
	case p.Format < 1:
		return nil, d.errorAt(n, "there is no format %d", p.Format)
	}
	for _, f := range fs {
		if err := d.policyField(p, f); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.Extra, byFieldName)
	return p, nil
}

func (d *decoder) policyField(p *Policy, f Field) error {
	switch f.Name {
	case "format":
		return nil
	case "review":
		s, err := d.enum(f.Value, "review", []string{string(ReviewAny), string(ReviewHuman), string(ReviewSigned)})
		p.Review = Review(s)
		return err
	case "audit":
		return readParts(d, f.Value, f.Name, auditParts, p)
	case "packet":
		return readParts(d, f.Value, f.Name, packetParts, p)
	}
	if !extraName.MatchString(f.Name) {
		return d.errorAt(f.Value, "'%s' is not a name for a key: use lower-case letters, digits and hyphens", f.Name)
	}
	p.Extra = append(p.Extra, Field{Name: f.Name, Value: canonicalValue(f.Value)})
	return nil
}

// The parts of the policy's mappings.
var (
	auditParts = []part[Policy]{
		{name: "levels", read: (*decoder).auditLevels},
		{name: "suppress", read: (*decoder).suppressions},
	}
	packetParts = []part[Policy]{
		newPart("budget", func(p *Policy) *int { return &p.Budget }, (*decoder).limit, putCount),
		newPart("max-chars", func(p *Policy) *int { return &p.MaxChars }, (*decoder).limit, putCount),
	}
)

// limit reads a limit of the packet.
func (d *decoder) limit(n *Value, name string) (int, error) {
	i, err := d.integer(n, name, maxBudget)
	if err == nil && i == 0 {
		err = d.errorAt(n, "%s must be at least 1", name)
	}
	return int(i), err
}

// auditLevels reads the severities of rules. Which rules exist is the audit's to know.
func (d *decoder) auditLevels(n *Value, p *Policy) error {
	if n.Type != MapValue {
		return d.errorAt(n, "levels is %s, not keys and values", describe(n))
	}
	for i := 0; i+1 < len(n.Items); i += 2 {
		rule := n.Items[i]
		if !extraName.MatchString(rule.Text) {
			return d.errorAt(rule, "'%s' is not an id of a rule", rule.Text)
		}
		s, err := d.enum(n.Items[i+1], "severity", []string{string(Error), string(Warning), string(Info), string(Off)})
		if err != nil {
			return err
		}
		if p.Audit == nil {
			p.Audit = make(map[string]Severity, len(n.Items)/2)
		}
		p.Audit[rule.Text] = Severity(s)
	}
	return nil
}

// FormatPolicy returns the policy's canonical ctx.yaml. [ParsePolicy] reads it
// back to an equal policy when the policy's values are legal.
func FormatPolicy(p *Policy) []byte {
	w := newYAMLWriter(256)
	w.openMap()
	w.key("format")
	w.plain(IntegerValue, strconv.Itoa(p.Format))
	putText(w, "review", p.Review)
	if len(p.Audit) > 0 || len(p.Suppressed) > 0 {
		w.key("audit")
		putAudit(w, p)
	}
	if p.Budget != 0 || p.MaxChars != 0 {
		w.key("packet")
		putParts(w, p, packetParts)
	}
	putExtra(w, p.Extra)
	w.closeMap()
	return w.buf
}

func putAudit(e sink, p *Policy) {
	e.openMap()
	if len(p.Audit) > 0 {
		e.key("levels")
		e.openMap()
		for _, rule := range slices.Sorted(maps.Keys(p.Audit)) {
			putText(e, rule, p.Audit[rule])
		}
		e.closeMap()
	}
	putEach(e, "suppress", p.Suppressed, putSuppression)
	e.closeMap()
}

func putCount(e sink, name string, n int) {
	if n != 0 {
		e.key(name)
		e.plain(IntegerValue, strconv.Itoa(n))
	}
}
