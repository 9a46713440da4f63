package records

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const wholePolicy = `format: 1
review: signed
audit:
  levels:
    draft-conclusion: "off"
    rests-on-dead: warning
  suppress:
    - rule: near-duplicate
      record: task-0123456789
      reason: |
        Two halves of one job.
        They stay apart.
      by: Ada Example
      actor: human
      at: 2026-11-30T09:00:00Z
      until: 2027-03-01T00:00:00Z
    - rule: rests-on-dead
      record: dec-0123456789
      reason: known
      actor: agent/example
      at: 2026-11-30T09:00:00Z
packet:
  budget: 3000
  max-chars: 12000
x-owner: Ada Example
`

func TestPolicy(t *testing.T) {
	p, err := ParsePolicy([]byte(wholePolicy))
	if err != nil {
		t.Fatal(err)
	}
	if p.Review != ReviewSigned || p.Audit["draft-conclusion"] != Off || p.Budget != 3000 || p.MaxChars != 12000 || len(p.Extra) != 1 {
		t.Errorf("ParsePolicy = %+v", p)
	}
	if got := FormatPolicy(p); string(got) != wholePolicy {
		t.Errorf("FormatPolicy differs:\n%s", got)
	}
	least, err := ParsePolicy([]byte("format: 1\n"))
	if err != nil || !reflect.DeepEqual(least, &Policy{Format: 1, Review: ReviewHuman}) {
		t.Errorf("least policy = %+v, %v", least, err)
	}
}

func TestPolicyRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"review: any\n":                                   "ctx.yaml:1:1: missing format",
		"format: 0\n":                                     "ctx.yaml:1:9: there is no format 0",
		"format: one\n":                                   "ctx.yaml:1:9: format is text, not a whole number",
		"format: 1\nreview: none\n":                       "ctx.yaml:2:9: unknown review 'none'; it is one of any, human, signed",
		"format: 1\nreview: any # for now\n":              "ctx.yaml:2:13: a comment",
		"format: 1\nformat: 1\n":                          "ctx.yaml:2:1: duplicate key 'format'",
		"format: 1\naudit:\n  level: x\n":                 "ctx.yaml:3:3: unknown key 'level' in audit; it may hold levels, suppress",
		"format: 1\naudit:\n  suppress:\n    - rule: x\n": "ctx.yaml:4:7: missing record in a suppression",
		"format: 1\naudit:\n  suppress: all\n":            "ctx.yaml:3:13: suppress is text, not a list",

		"format: 1\naudit:\n  levels:\n    rests-on-dead: bad": "ctx.yaml:4:20: unknown severity 'bad'; it is one of error, warning, info, off",
		"format: 1\npacket:\n  budget: 0\n":                    "ctx.yaml:3:11: budget must be at least 1",
		"format: 1\npacket:\n  budget: 1.5\n":                  "ctx.yaml:3:11: budget is a number with decimals",
		"":                                                     "ctx.yaml:1:1: the file is empty",
	} {
		_, err := ParsePolicy([]byte(in))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParsePolicy(%q): %v, want %s", in, err, want)
		}
	}
}

func TestPolicyOfNewerFormat(t *testing.T) {
	p, err := ParsePolicy([]byte("format: 2\nreview: quorum\n"))
	var newer *NewerFormatError
	if !errors.As(err, &newer) || newer.Format != 2 {
		t.Fatalf("error is %v", err)
	}
	if p == nil || p.Review != ReviewSigned {
		t.Errorf("policy is %+v, not the strictest", p)
	}
}
