package records

import (
	"cmp"
	"slices"
	"time"
)

// A Suppression takes the findings of one audit rule on one record out of the
// count, for a reason. They stay in the report, beside that reason.
type Suppression struct {
	Rule   string    `json:"rule"`
	Record ID        `json:"record"`
	Reason string    `json:"reason"`
	By     string    `json:"by,omitempty"`
	Actor  Actor     `json:"actor"`
	At     time.Time `json:"at"`
	// Until is when it ends; zero is never.
	Until time.Time `json:"until,omitzero"`
}

// InForce reports whether the suppression has not ended at an instant.
func (s *Suppression) InForce(at time.Time) bool { return s.Until.IsZero() || at.Before(s.Until) }

func compareSuppressions(a, b Suppression) int {
	return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Record, b.Record))
}

// Suppress adds a suppression to the policy, in place of the one of its rule and record.
func (p *Policy) Suppress(s Suppression) {
	p.Unsuppress(s.Rule, s.Record)
	i, _ := slices.BinarySearchFunc(p.Suppressed, s, compareSuppressions)
	p.Suppressed = slices.Insert(p.Suppressed, i, s)
}

// Unsuppress takes the suppression of a rule and record out of the policy, and
// reports whether there was one.
func (p *Policy) Unsuppress(rule string, id ID) bool {
	n := len(p.Suppressed)
	// The list may be shared with another policy, so it is not changed in place.
	p.Suppressed = slices.DeleteFunc(slices.Clone(p.Suppressed), func(s Suppression) bool { return s.Rule == rule && s.Record == id })
	return len(p.Suppressed) < n
}

// suppressions reads the list of suppressions. Which rules exist is the audit's to know.
func (d *decoder) suppressions(n *Value, p *Policy) error {
	list, err := decodeList(d, n, "suppress", d.suppression)
	if err != nil {
		return err
	}
	slices.SortFunc(list, compareSuppressions)
	for i := 1; i < len(list); i++ {
		if compareSuppressions(list[i-1], list[i]) == 0 {
			return d.errorAt(n, "suppress names '%s' of '%s' twice", list[i].Rule, list[i].Record)
		}
	}
	p.Suppressed = list
	return nil
}

func (d *decoder) suppression(n *Value, _ string) (s Suppression, err error) {
	return s, readParts(d, n, "a suppression", suppressionParts, &s)
}

func (d *decoder) ruleID(n *Value, name string) (string, error) {
	s, err := d.label(n, name)
	if err == nil && !extraName.MatchString(s) {
		err = d.errorAt(n, "'%s' is not an id of a rule", s)
	}
	return s, err
}

func putSuppression(e sink, s *Suppression) { putParts(e, s, suppressionParts) }

var suppressionParts = []part[Suppression]{
	newPart("rule", func(s *Suppression) *string { return &s.Rule }, (*decoder).ruleID, putText).needed(),
	newPart("record", func(s *Suppression) *ID { return &s.Record }, (*decoder).id, putText).needed(),
	newPart("reason", func(s *Suppression) *string { return &s.Reason }, (*decoder).filled, putText).needed(),
	newPart("by", func(s *Suppression) *string { return &s.By }, (*decoder).label, putText),
	newPart("actor", func(s *Suppression) *Actor { return &s.Actor }, (*decoder).actor, putText).needed(),
	newPart("at", func(s *Suppression) *time.Time { return &s.At }, (*decoder).instant, putInstant).needed(),
	newPart("until", func(s *Suppression) *time.Time { return &s.Until }, (*decoder).instant, putInstant),
}
