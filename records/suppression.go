package records

import (
	"cmp"
	"slices"
	"time"

	"gopkg.in/yaml.v3"
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
func (d *decoder) suppressions(p *Policy, n *yaml.Node) error {
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

func (d *decoder) suppression(n *yaml.Node, name string) (Suppression, error) {
	var s Suppression
	err := d.mapping(n, name, []string{"rule", "record", "reason", "by", "actor", "at", "until"}, func(key string, n *yaml.Node) (err error) {
		switch key {
		case "rule":
			if s.Rule, err = d.label(n, key); err == nil && !extraName.MatchString(s.Rule) {
				err = d.errorAt(n, "'%s' is no id of a rule", s.Rule)
			}
		case "record":
			s.Record, err = d.id(n, key)
		case "reason":
			s.Reason, err = d.filled(n, key)
		case "by":
			s.By, err = d.label(n, key)
		case "actor":
			s.Actor, err = d.actor(n, key)
		case "at":
			s.At, err = d.instant(n, key)
		case "until":
			s.Until, err = d.instant(n, key)
		}
		return err
	})
	if err != nil {
		return s, err
	}
	return s, d.need(n, "a suppression", "rule", "record", "reason", "actor", "at")
}

func putSuppression(e sink, s *Suppression) {
	e.openMap()
	putText(e, "rule", s.Rule)
	putText(e, "record", s.Record)
	putText(e, "reason", s.Reason)
	putText(e, "by", s.By)
	putText(e, "actor", s.Actor)
	putInstant(e, "at", s.At)
	putInstant(e, "until", s.Until)
	e.closeMap()
}
