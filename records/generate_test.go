package records

import (
	"strings"
	"time"

	"pgregory.net/rapid"
)

// nasty makes texts of the pieces that YAML readers and writers trip over.
func nasty(t *rapid.T, label string) string {
	pieces := []string{
		"a", "word", " ", "  ", "\n", "\n\n", "\t", "\r", "\r\n", ":", ": ", "- x", "-", "# x", " #", "---", "...", "null", "~",
		"1.0", "0x1f", "2026-11-30", "true", "{", "}", "[", "]", ",", "&a", "*a", "!t", "|", ">", "%", "@", "`", "'", `"`, `\`, `\n`,
		"\u00e9", "e\u0301", "\u4e16\u754c", "\U0001f600", "\u202e", "\u2066", "\u2028", "\u0085", "\u00a0", "\u200d", "\ufeff", "\ufffd",
		"\x7f", "\x01", "?", "? ", "<<", "=", "=======", "\n=======\n", "\n<<<<<<< x\n",
	}
	return nfc(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, label), ""))
}

func anyText(t *rapid.T, label string) string {
	if rapid.Bool().Draw(t, label+" nasty") {
		return nasty(t, label)
	}
	return nfc(strings.ReplaceAll(rapid.String().Draw(t, label), "\x00", ""))
}

func anyLine(t *rapid.T, label string) string {
	s := strings.Map(func(r rune) rune {
		if r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			return '_'
		}
		return r
	}, anyText(t, label))
	s = nfc("x" + s)
	return string([]rune(s)[:min(len([]rune(s)), 80)])
}

func anyID(t *rapid.T, k Kind, label string) ID {
	return NewID(k, rapid.SliceOfN(rapid.Byte(), 7, 7).Draw(t, label))
}

func anyKind(t *rapid.T) Kind {
	return rapid.SampledFrom(schemas).Draw(t, "kind").Kind
}

func anyInstant(t *rapid.T, label string) time.Time {
	return time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, label), 0).UTC()
}

func anyVerdict(t *rapid.T, k Kind) *Verdict {
	v := &Verdict{
		State: rapid.SampledFrom(k.Schema().States).Draw(t, "state"),
		Of:    rapid.StringMatching(`[0-9a-f]{12}`).Draw(t, "of"),
		Actor: rapid.SampledFrom([]Actor{Human, Unknown, "agent/x"}).Draw(t, "actor"),
		At:    anyInstant(t, "at"),
		N:     NewNonce(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "n")),
	}
	if rapid.Bool().Draw(t, "judged") {
		v.Reason = anyText(t, "reason")
		v.Withdrawn = rapid.Bool().Draw(t, "withdrawn")
		v.After = rapid.SampledFrom([]string{"", "8f3k2m"}).Draw(t, "after")
		v.By = anyLine(t, "by")
		v.Sig = anyText(t, "sig")
		v.Asks = rapid.SampledFrom(k.Schema().States).Draw(t, "asks")
		v.SupersededBy = anyID(t, k, "superseded-by")
		v.Cites = sortedSet([]ID{anyID(t, Evidence, "cite"), anyID(t, Evidence, "cite")})
		v.Despite = sortedBy([]Despite{{anyID(t, Decision, "despite"), Accepted, "0123456789ab"}, {anyID(t, Task, "despite"), Done, "0123456789ac"}}, putDespite)
	}
	return v
}

// anyRecord makes canonical records.
func anyRecord(t *rapid.T) *Record {
	k := anyKind(t)
	r := &Record{
		ID: anyID(t, k, "id"), Kind: k, Title: anyLine(t, "title"), Body: anyText(t, "body"),
		Verdict: anyVerdict(t, k),
		Created: Created{Actor: Human, At: anyInstant(t, "created")},
	}
	half := Fraction(rapid.IntRange(0, 100).Draw(t, "fraction"))
	switch k {
	case Goal, Task:
		p := rapid.IntRange(0, 4).Draw(t, "priority")
		r.Priority = &p
	case Hypothesis:
		r.Confidence, r.Impact, r.Cost = &half, &half, &half
	case Evidence:
		r.Type, r.Source, r.Strength = "benchmark", anyText(t, "source"), &half
	case Decision:
		r.Question, r.Options = anyText(t, "question"), []string{"x" + nasty(t, "option"), "a"}
	case Runbook:
		r.Type, r.When, r.Escalation = "guardrail", anyText(t, "when"), anyText(t, "escalation")
		r.References = []string{"docs/run.md"}
		r.Signals = sortedSet([]string{nfc("s" + nasty(t, "signal")), "a"})
		r.Steps = []Step{{ID: "2", Do: "x" + nasty(t, "do"), Verify: anyText(t, "verify")}, {ID: "1", Do: "y"}}
	case Trigger:
		r.Type, r.Text = "issue", anyText(t, "text")
	}
	for i := range r.Options {
		r.Options[i] = nfc(r.Options[i])
	}
	for i := range r.Steps {
		r.Steps[i].Do = nfc(r.Steps[i].Do)
	}
	if rapid.Bool().Draw(t, "rich") {
		r.Tags = sortedSet([]string{anyLine(t, "tag"), anyLine(t, "tag")})
		rel := rapid.SampledFrom(Relations(k)).Draw(t, "relation")
		r.Links = map[Relation][]ID{rel: sortedSet([]ID{anyID(t, k, "link"), anyID(t, Goal, "link")})}
		r.Anchors = sortedBy([]Anchor{{Path: "b/c.go", Lines: "1-2"}, {Path: "a.go"}}, putAnchor)
		r.Valid.From = anyInstant(t, "from")
		r.Also = []Verdict{*anyVerdict(t, k)}
		r.Challenges = []Verdict{*anyVerdict(t, k)}
		r.Extra = []Field{{Name: "x-a", Value: anyNode(t, 2)}}
		c := Conflict{Field: "x-b", Sides: sortedValues([]*Value{anyNode(t, 1), anyNode(t, 1)})}
		if !c.differ() {
			c.Bases = []*Value{anyNode(t, 1)}
		}
		r.Conflicts = []Conflict{c}
	}
	return r
}

func anyNode(t *rapid.T, depth int) *Value {
	switch kind := rapid.IntRange(0, 4).Draw(t, "node"); {
	case depth > 0 && kind == 0:
		n := &Value{Type: MapValue}
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b: c", "1", "\n", "-"}), 0, 3, rapid.ID).Draw(t, "keys") {
			n.Items = append(n.Items, NewText(key), anyNode(t, depth-1))
		}
		return n
	case depth > 0 && kind == 1:
		n := &Value{Type: ListValue}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			n.Items = append(n.Items, anyNode(t, depth-1))
		}
		return n
	case kind == 2:
		return &Value{Type: NullValue, Text: "null"}
	case kind == 3:
		return &Value{Type: FloatValue, Text: "1.0"}
	}
	return NewText(anyText(t, "value"))
}
