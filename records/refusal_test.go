package records

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
)

// small is the least record that Parse takes; every refusal is one change away from it.
const small = `id: hyp-7k3m9q2x4w
kind: hypothesis
title: A title
verdict:
  state: proposed
  of: 5b1e7a0c93d2
  actor: human
  at: 2026-11-30T10:12:31Z
  n: 8f3k2m
created:
  actor: human
  at: 2026-11-30T09:00:00Z
`

func asUTF16(s string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// sideOf is a verdict as a side of a conflict.
func sideOf(state, nonce string) string {
	return "      - state: " + state + "\n        actor: human\n        at: 2026-11-30T10:12:31Z\n        n: \"" + nonce + "\"\n"
}

func TestParseRefuses(t *testing.T) {
	if _, err := Parse(wholePath, []byte(small)); err != nil {
		t.Fatalf("positive control: %v", err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown state":       {"state: proposed", "state: validated", "5:10: unknown state 'validated'; a hypothesis may be proposed, under-evaluation, supported, refuted, superseded"},
		"unknown asks":        {"  actor: human\n  at: 2026-11-30T10", "  asks: done\n  actor: human\n  at: 2026-11-30T10", "7:9: unknown state 'done'"},
		"unknown kind":        {"kind: hypothesis", "kind: idea", "2:7: unknown kind 'idea'; it is one of goal, task,"},
		"unknown actor":       {"actor: human", "actor: robot", "7:10: actor 'robot' is not human, unknown or agent/<name>"},
		"duplicate key":       {"title: A title", "title: A title\ntitle: B", "4:1: duplicate key 'title'"},
		"duplicate inner key": {"  n: 8f3k2m", "  n: 8f3k2m\n  n: 8f3k2m", "10:3: duplicate key 'n'"},
		"second document":     {"", "---\na: b\n", "13:1: a second document"},
		"empty second":        {"", "---\n", "a second document"},
		"comment before":      {"id: hyp", "# note\nid: hyp", "1:1: a comment"},
		"comment after value": {"title: A title", "title: A title # note", "3:16: a comment"},
		"comment in verdict":  {"  of: 5b", "  # note\n  of: 5b", "6:3: a comment"},
		"comment at the end":  {"", "# note\n", "13:1: a comment"},
		"comment after end":   {"", "...\n# note\n", "14:1: a comment"},
		"comment in flow":     {"title: A title", "title: A title\ntags: [a, # note\n  b]", "4:11: a comment"},
		"anchor":              {"title: A title", "title: &t A title", "3:8: an anchor"},
		"alias":               {"title: A title", "title: A title\nbody: *t", "not YAML: unknown anchor"},
		"alias of anchor":     {"title: A title", "title: A title\nx-a: [&t a, *t]", "4:7: an anchor"},
		"merge key":           {"title: A title", "title: A title\nx-a:\n  <<: {a: b}", "5:3: a merge key"},
		"tag":                 {"title: A title", "title: !!str A title", "3:8: an explicit tag"},
		"own tag":             {"title: A title", "title: !thing A title", "3:8: an explicit tag"},
		"non-specific tag":    {"title: A title", "title: ! A title", "3:8: an explicit tag"},
		"binary":              {"title: A title", "title: A title\nx-a: !!binary aGk=", "4:6: an explicit tag"},
		"directive":           {"id: hyp", "%YAML 1.1\n---\nid: hyp", "1:1: a YAML directive"},
		"invalid UTF-8":       {"title: A title", "title: \u00e9\xff", "3:9: invalid UTF-8: byte 0xff"},
		"BOM":                 {"id: hyp", "\ufeffid: hyp", "1:1: a byte order mark"},
		"NUL":                 {"title: A title", "title: A\x00title", "3:9: a NUL byte"},
		"escaped NUL":         {"title: A title", `title: "A\0title"`, "3:8: a NUL character"},
		"control":             {"title: A title", "title: A\x01title", "3:9: a control character, 0x1"},
		"conflict marker":     {"title: A title", "<<<<<<< ours\ntitle: A title\n=======\ntitle: B\n>>>>>>> theirs", "3:1: a conflict marker"},
		"lone separator":      {"title: A title", "title: A title\n=======", "4:1: a conflict marker"},
		"not YAML":            {"title: A title", "title: 'A title", "not YAML: "},
		"tab":                 {"  state: proposed", "\tstate: proposed", "5:1: not YAML: found character that cannot start any token"},
		"list at top":         {small, "- a\n", "1:1: the file holds a list, not keys and values"},
		"empty":               {small, "", "1:1: the file is empty"},
		"null title":          {"title: A title", "title: null", "3:8: title is null, not text"},
		"bare title":          {"title: A title", "title:", "3:7: title is null, not text"},
		"number as title":     {"title: A title", "title: 1.0", "3:8: title is a number with decimals, not text: put it in double quotes"},
		"list as title":       {"title: A title", "title: [a]", "3:8: title is a list, not text"},
		"empty title":         {"title: A title", `title: ""`, "3:8: title is empty"},
		"blank title":         {"title: A title", `title: "  "`, "3:8: title is empty"},
		"two-line title":      {"title: A title", `title: "a\nb"`, "3:8: title must be one line"},
		"long title":          {"title: A title", "title: " + strings.Repeat("\u00e9", MaxTitle+1), "3:8: title has 301 characters: it may have 300"},
		"id not file's":       {"hyp-7k3m9q2x4w", "hyp-7k3m9q2x4z", "1:5: id 'hyp-7k3m9q2x4z' differs from the file name"},
		"id of other kind":    {"hyp-7k3m9q2x4w", "ev-7k3m9q2x4w", "1:5: id 'ev-7k3m9q2x4w' is not that of a hypothesis, which starts with hyp-"},
		"upper-case id":       {"hyp-7k3m9q2x4w", "hyp-7K3M9Q2X4W", "1:5: id 'hyp-7K3M9Q2X4W' is not a whole id"},
		"short id":            {"hyp-7k3m9q2x4w", "hyp-7k3m", "1:5: id 'hyp-7k3m' is not a whole id"},
		"no id":               {"id: hyp-7k3m9q2x4w\n", "", "1:1: missing id"},
		"no kind":             {"kind: hypothesis\n", "", "1:1: missing kind"},
		"no title":            {"title: A title\n", "", "1:1: missing title"},
		"no created":          {"created:\n  actor: human\n  at: 2026-11-30T09:00:00Z\n", "", "1:1: missing created"},
		"no state":            {"  state: proposed\n", "", "5:3: missing state in verdict"},
		"no nonce":            {"  n: 8f3k2m\n", "", "5:3: missing n in verdict"},
		"bad nonce":           {"n: 8f3k2m", "n: 8f3k", "9:6: n '8f3k' is not a nonce"},
		"bad of":              {"of: 5b1e7a0c93d2", "of: 5b1e", "6:7: of '5b1e' is not a digest of 12"},
		"verdict as text":     {"created:", "also: x\ncreated:", "10:7: also is text, not a list"},
		"unknown inner key":   {"  n: 8f3k2m", "  n: 8f3k2m\n  mood: good", "10:3: unknown key 'mood' in verdict; it may hold state, of,"},
		"unknown relation":    {"created:", "links:\n  blocks:\n    - task-2m8w3k5r7t\ncreated:", "11:3: unknown relation 'blocks'; a hypothesis may have about, competes-with,"},
		"relation not kind's": {"created:", "links:\n  serves:\n    - goal-2m8w3k5r7t\ncreated:", "11:3: unknown relation 'serves'; a hypothesis may have"},
		"link to no id":       {"created:", "links:\n  about:\n    - task-2m\ncreated:", "12:7: an item of about 'task-2m' is not a whole id"},
		"field not kind's":    {"created:", "steps: []\ncreated:", "10:8: a hypothesis has no steps; beside the common fields it has confidence, impact, cost"},
		"bad top-level name":  {"created:", "X_a: 1\ncreated:", "10:6: 'X_a' is not a name for a key"},
		"number key":          {"created:", "1: a\ncreated:", "10:1: a key must be text"},
		"confidence over 1":   {"created:", "confidence: 1.5\ncreated:", "10:13: confidence: '1.5' is not a number from 0 to 1"},
		"three decimals":      {"created:", "confidence: 0.123\ncreated:", "10:13: confidence: '0.123' is not a number"},
		"confidence as text":  {"created:", "confidence: \"0.5\"\ncreated:", "10:13: confidence is text, not a number"},
		"exponent":            {"created:", "confidence: 5e-1\ncreated:", "10:13: confidence: '5e-1' is not a number"},
		"bad instant":         {"at: 2026-11-30T09:00:00Z", "at: yesterday", "12:7: at: 'yesterday' is not an instant"},
		"split second":        {"at: 2026-11-30T09:00:00Z", "at: 2026-11-30T09:00:00.5Z", "12:7: at: '2026-11-30T09:00:00.5Z' is not an instant in whole seconds"},
		"absolute path":       {"created:", "paths: [/etc/passwd]\ncreated:", "10:9: an item of paths '/etc/passwd': it must be relative"},
		"path outside":        {"created:", "paths: [a/../../b]\ncreated:", "10:9: an item of paths 'a/../../b': it must not contain"},
		"bad glob":            {"created:", "paths: [\"a[\"]\ncreated:", "10:9: an item of paths 'a[' is not a valid pattern"},
		"bad lines":           {"created:", "anchors:\n  - path: a.go\n    lines: 9-3\ncreated:", "12:12: lines '9-3' is not a range of lines"},
		"anchor without path": {"created:", "anchors:\n  - lines: 3-9\ncreated:", "11:5: missing path in an anchor"},
		"bad digest":          {"created:", "anchors:\n  - path: a.go\n    sha256: 77ab\ncreated:", "12:13: sha256 '77ab' is not a SHA-256"},
		"validity":            {"created:", "valid: {from: 2026-01-02, until: 2026-01-01}\ncreated:", "10:8: valid ends before it begins"},
		"conflict and value":  {"created:", "conflicts:\n  - field: title\n    sides: [a, b]\ncreated:", "3:8: title has a value although it is in conflict"},
		"impossible side":     {"created:", "conflicts:\n  - field: cost\n    sides: [2, 0]\ncreated:", "12:13: cost: '2' is not a number from 0 to 1"},
		"conflict on id":      {"created:", "conflicts:\n  - field: id\n    sides: [a, b]\ncreated:", "11:5: id is never in conflict"},
		"conflict of one":     {"created:", "conflicts:\n  - field: cost\n    sides: [0.5]\ncreated:", "12:12: a conflict without bases needs two sides that differ"},
		"conflict of equals":  {"created:", "conflicts:\n  - field: cost\n    sides: [0.5, 0.50]\ncreated:", "12:12: a conflict without bases needs two sides that differ"},
		"conflict of absence": {"created:", "conflicts:\n  - field: body\n    sides: [null, \"\"]\ncreated:", "12:12: a conflict without bases needs two sides that differ"},
		"conflict of agreed":  {"created:", "conflicts:\n  - field: verdict\n    sides:\n" + sideOf("refuted", "111111") + sideOf("refuted", "222222") + "created:", "13:7: a conflict without bases needs two sides that differ"},
		"conflict no sides":   {"created:", "conflicts:\n  - field: cost\ncreated:", "11:5: a conflict needs field and sides"},
		"nested too deep":     {"created:", "x-a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\ncreated:", "10:22: values nest too deep"},
		"300 KiB":             {"title: A title", "title: A title\nbody: " + strings.Repeat("x", 300<<10), "1:1: the file has"},
		"300 KiB in conflict": {"created:", "conflicts:\n  - field: body\n    sides:\n      - a\n      - " + strings.Repeat("x", 300<<10) + "\ncreated:", "11:3: a value of body in conflict has 307200 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			input := small + c.new
			if c.old != "" {
				if !strings.Contains(small, c.old) {
					t.Fatalf("'%s' is not in the record", c.old)
				}
				input = strings.Replace(small, c.old, c.new, 1)
			}
			_, err := Parse(wholePath, []byte(input))
			var syntax *SyntaxError
			switch {
			case err == nil:
				t.Fatal("accepted")
			case !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Col < 1:
				t.Errorf("error has no place: %v", err)
			case !strings.HasPrefix(err.Error(), wholePath+":") || !strings.Contains(err.Error(), c.want):
				t.Errorf("got  %s\nwant %s", strings.TrimPrefix(err.Error(), wholePath+":"), c.want)
			case c.want[0] <= '9' && !strings.HasPrefix(err.Error(), wholePath+":"+c.want):
				t.Errorf("got  %s\nwant %s", strings.TrimPrefix(err.Error(), wholePath+":"), c.want)
			}
		})
	}
	if _, err := Parse(wholePath, []byte(asUTF16(small))); err == nil {
		t.Error("UTF-16 accepted")
	}
}

func TestParseAccepts(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"CRLF":                {"\n", "\r\n", "title: A title\n"},
		"document start":      {"id: hyp", "---\nid: hyp", "title: A title\n"},
		"flow style":          {"created:", "tags: [b, a, b]\ncreated:", "tags:\n  - a\n  - b\n"},
		"empty list":          {"created:", "tags: []\ncreated:", "n: 8f3k2m\ncreated:"},
		"decomposed":          {"A title", "e\u0301", "title: \u00e9\n"},
		"two decimals":        {"created:", "confidence: 0.70\ncreated:", "confidence: 0.7\n"},
		"whole number":        {"created:", "confidence: 1\ncreated:", "confidence: 1\n"},
		"bare date":           {"2026-11-30T09:00:00Z", "2026-11-30", "at: 2026-11-30T00:00:00Z\n"},
		"offset":              {"2026-11-30T09:00:00Z", "2026-11-30T09:00:00+02:00", "at: 2026-11-30T07:00:00Z\n"},
		"quoted instant":      {"2026-11-30T09:00:00Z", `"2026-11-30T09:00:00Z"`, "at: 2026-11-30T09:00:00Z\n"},
		"number sign":         {"A title", `"C# and #4"`, "title: \"C# and #4\"\n"},
		"missing in conflict": {"title: A title\n", "conflicts:\n  - field: title\n    sides: [b, a]\n", "sides:\n      - a\n      - b\n"},
		"disputed verdict":    {small[strings.Index(small, "verdict:"):strings.Index(small, "created:")], "conflicts:\n  - field: verdict\n    sides:\n" + sideOf("refuted", "111111") + sideOf("supported", "222222"), "n: \"222222\""},
		"one side, one base":  {"created:", "conflicts:\n  - field: cost\n    bases: [1]\n    sides: [0.5]\ncreated:", "sides:\n      - 0.5\n"},
		"side and absence":    {"created:", "conflicts:\n  - field: cost\n    sides: [0.5, null]\ncreated:", "sides:\n      - 0.5\n      - null\n"},
		"body after marker":   {"created:", "body: |\n  =======\ncreated:", "body: |\n  =======\n"},
		"tombstone":           {"title: A title\n", "tombstone: {fingerprint: f, salt: s, actor: human, at: 2026-11-30}\n", "tombstone:\n  fingerprint: f\n  salt: s\n"},
		"unknown keys":        {"created:", "x-b: {b: 1, a: ~}\nfuture: [yes]\ncreated:", "future:\n  - \"yes\"\nx-b:\n  b: 1\n  a: null\n"},
		"large conflict":      {"created:", "conflicts:\n  - field: body\n    sides:\n      - a" + strings.Repeat("x", 200<<10) + "\n      - b" + strings.Repeat("x", 200<<10) + "\ncreated:", "sides:\n      - axxx"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 1
			if c.old == "\n" {
				n = -1
			}
			r, err := Parse(wholePath, []byte(strings.Replace(small, c.old, c.new, n)))
			if err != nil {
				t.Fatal(err)
			}
			data, err := Format(r)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.want) {
				t.Errorf("formatted without %q:\n%.2000s", c.want, data)
			}
		})
	}
}

func TestKindsCarryTheirFields(t *testing.T) {
	values := map[string]string{
		"text": "x", "question": "x", "options": "[x]", "when": "x", "signals": "[x]", "preconditions": "[x]",
		"steps": "[{id: s1, do: x}]", "escalation": "x", "references": "[x]", "source": "x", "confidence": "0.5", "impact": "0.5", "cost": "0.5",
		"strength": "0.5", "priority": "2",
	}
	for _, s := range Schemas() {
		base := strings.NewReplacer("hyp-", s.Prefix+"-", "kind: hypothesis", "kind: "+string(s.Kind),
			"state: proposed", "state: "+string(s.Birth())).Replace(small)
		for _, rule := range fieldRules {
			if !rule.ofKind {
				continue
			}
			field := rule.name
			legal := false
			for _, f := range s.Fields {
				legal = legal || f == field
			}
			value := values[field]
			if field == "type" {
				value = "none"
				if s.Types != nil {
					value = s.Types[0]
				}
			}
			_, err := Parse("", []byte(base+field+": "+value+"\n"))
			if (err == nil) != legal {
				t.Errorf("%s with %s: %v", s.Kind, field, err)
			}
		}
		for _, bad := range []string{"type: none", "priority: 5", "priority: 1.0", "priority: \"1\"", "steps: [{id: a, do: x}, {id: a, do: y}]",
			"steps: [{do: x}]", "options: [null]", "source: 5"} {
			if _, err := Parse("", []byte(base+bad+"\n")); err == nil {
				t.Errorf("%s with %s: accepted", s.Kind, bad)
			}
		}
	}
}

func TestCheckAndFormatRefuseWhatParseRefuses(t *testing.T) {
	r := mustParse(t, small)
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Record)
		want   string
	}{
		"empty title":   {func(r *Record) { r.Title = "" }, "missing title"},
		"blank title":   {func(r *Record) { r.Title = " " }, "title is empty"},
		"foreign field": {func(r *Record) { r.Text = "x" }, "a hypothesis has no text"},
		"relation":      {func(r *Record) { r.Links = map[Relation][]ID{Serves: {"goal-2m8w3k5r7t"}} }, "unknown relation 'serves'"},
		"priority":      {func(r *Record) { p := 9; r.Priority = &p }, "a hypothesis has no priority"},
		"fraction":      {func(r *Record) { f := Fraction(200); r.Confidence = &f }, "confidence: '2' is not"},
		"no verdict":    {func(r *Record) { r.Verdict = nil }, "missing verdict"},
		"invalid UTF-8": {func(r *Record) { r.Body = "a\xffb" }, "invalid UTF-8"},
		"NUL":           {func(r *Record) { r.Body = "a\x00b" }, "a NUL character"},
		"known as extra": {func(r *Record) {
			r.Extra = []Field{{Name: "title", Value: r.Fields()[2].Value}}
		}, "duplicate key 'title'"},
		"nil extra": {func(r *Record) { r.Extra = []Field{{Name: "Bad"}} }, "'Bad' is not a name"},
	} {
		bad := r.Clone()
		c.change(bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Check: %v, want %s", name, err, c.want)
		}
		if _, err := Format(bad); err == nil {
			t.Errorf("%s: Format accepted it", name)
		}
	}
	big := r.Clone()
	big.Body = strings.Repeat("x", MaxSize)
	if _, err := Format(big); err == nil {
		t.Error("Format wrote a record larger than Parse reads")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(small))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("? {a: b}\n: - - |2-\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse("", data)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 {
				t.Fatalf("error has no place: %v", err)
			}
			return
		}
		once, err := Format(r)
		if err != nil {
			if strings.Contains(err.Error(), "bytes") {
				return // grew beyond the limit by indentation
			}
			t.Fatalf("parsed but not formatted: %v", err)
		}
		if !Canonical(once) {
			t.Fatalf("not stable:\n%s", once)
		}
	})
}
