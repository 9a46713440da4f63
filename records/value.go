package records

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
)

// The limits of short texts, in characters.
const (
	// MaxTitle bounds a title.
	MaxTitle = 300
	// maxLabel bounds tags, step ids and names of agents.
	maxLabel = 100
)

// text reads a string in Unicode form C.
func (d *decoder) text(n *Value, name string) (string, error) {
	if n.Type != TextValue {
		hint := ""
		if n.IsScalar() && !n.IsNull() {
			hint = ": put it in double quotes"
		}
		return "", d.errorAt(n, "%s is %s, not text%s", name, describe(n), hint)
	}
	return nfc(n.Text), nil
}

// filled reads a string that says something.
func (d *decoder) filled(n *Value, name string) (string, error) {
	s, err := d.text(n, name)
	if err == nil && strings.TrimSpace(s) == "" {
		return "", d.errorAt(n, "%s is empty", name)
	}
	return s, err
}

// line reads one line of at most limit characters without control characters.
func (d *decoder) line(n *Value, name string, limit int) (string, error) {
	s, err := d.filled(n, name)
	if err != nil {
		return "", err
	}
	if strings.ContainsFunc(s, breaksLine) {
		return "", d.errorAt(n, "%s must be one line without control characters", name)
	}
	if count := utf8.RuneCountInString(s); count > limit {
		return "", d.errorAt(n, "%s has %d characters: it may have %d", name, count, limit)
	}
	return s, nil
}

// breaksLine reports whether a character is a control or ends a line.
func breaksLine(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029
}

func (d *decoder) title(n *Value, name string) (string, error) {
	s, err := d.line(n, name, MaxTitle)
	if err == nil && Blank(s) {
		return "", d.errorAt(n, "%s has no visible character", name)
	}
	return s, err
}

func (d *decoder) label(n *Value, name string) (string, error) { return d.line(n, name, maxLabel) }

func (d *decoder) kindType(n *Value, name string) (string, error) {
	return d.enum(n, name, d.kind.Schema().Types)
}

func (d *decoder) fileName(n *Value, name string) (string, error) {
	s, err := d.label(n, name)
	if err == nil && strings.ContainsAny(s, `/\`) {
		err = d.errorAt(n, "name '%s' must not contain a slash", s)
	}
	return s, err
}

func (d *decoder) size(n *Value, name string) (int64, error) { return d.integer(n, name, 1<<53) }

// whole leaves a value for its reader.
func (d *decoder) whole(n *Value, _ string) (*Value, error) { return n, nil }

func (d *decoder) enum(n *Value, name string, legal []string) (string, error) {
	s, err := d.text(n, name)
	if err == nil && !slices.Contains(legal, s) {
		return "", d.errorAt(n, "unknown %s '%s'; it is one of %s", name, s, strings.Join(legal, ", "))
	}
	return s, err
}

func (d *decoder) state(n *Value, name string) (State, error) {
	s, err := d.text(n, name)
	if err != nil {
		return "", err
	}
	schema := d.kind.Schema()
	if !schema.Has(State(s)) {
		legal := make([]string, len(schema.States))
		for i, st := range schema.States {
			legal[i] = string(st)
		}
		return "", d.errorAt(n, "unknown state '%s'; %s may be %s", s, d.kind.Phrase(), strings.Join(legal, ", "))
	}
	return State(s), nil
}

func (d *decoder) id(n *Value, name string) (ID, error) {
	s, err := d.text(n, name)
	if err == nil && !ID(s).valid() {
		return "", d.errorAt(n, "%s '%s' is not a whole id like hyp-7k3m9q2x4w", name, s)
	}
	return ID(s), err
}

var (
	agentName = lazyregexp.New(`^agent/[^\s/\pC][^\s\pC]*$`)
	lineRange = lazyregexp.New(`^([1-9][0-9]{0,8})-([1-9][0-9]{0,8})$`)
)

func (d *decoder) actor(n *Value, name string) (Actor, error) {
	s, err := d.text(n, name)
	if err != nil {
		return "", err
	}
	if a := Actor(s); a == Human || a == Unknown || len(s) <= maxLabel && isAgent(s) {
		return a, nil
	}
	return "", d.errorAt(n, "%s '%s' is not human, unknown or agent/<name>", name, s)
}

// isAgent reports whether s names an agent: by its bytes for the usual names of
// letters, digits and hyphens, which the pattern allows, else by the pattern.
func isAgent(s string) bool {
	name, ok := strings.CutPrefix(s, "agent/")
	if !ok {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c != '-' && (c < '0' || '9' < c) && (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) {
			return agentName.MatchString(s)
		}
	}
	return name != ""
}

// hex reads lower-case hexadecimal digits, as many as one of the lengths.
func (d *decoder) hex(n *Value, name, what string, lengths ...int) (string, error) {
	s, err := d.text(n, name)
	if err == nil && (!slices.Contains(lengths, len(s)) || !isHex(s)) {
		return "", d.errorAt(n, "%s '%s' is not %s", name, s, what)
	}
	return s, err
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || '9' < c) && (c < 'a' || 'f' < c) {
			return false
		}
	}
	return true
}

func (d *decoder) contentDigest(n *Value, name string) (string, error) {
	return d.hex(n, name, "a digest of 12 hexadecimal digits", digestLength)
}

func (d *decoder) digest(n *Value, name string) (string, error) {
	return d.hex(n, name, "a SHA-256 of 64 hexadecimal digits", 64)
}

func (d *decoder) objectID(n *Value, name string) (string, error) {
	return d.hex(n, name, "a whole object ID", 40, 64)
}

func (d *decoder) nonce(n *Value, name string) (string, error) {
	s, err := d.text(n, name)
	if err == nil && (len(s) != nonceLength || !isBase32(s)) {
		return "", d.errorAt(n, "%s '%s' is not a nonce of %d base32 characters", name, s, nonceLength)
	}
	return s, err
}

func (d *decoder) fraction(n *Value, name string) (*Fraction, error) {
	if n.Type != IntegerValue && n.Type != FloatValue {
		return nil, d.errorAt(n, "%s is %s, not a number from 0 to 1", name, describe(n))
	}
	f, err := ParseFraction(n.Text)
	if err != nil {
		return nil, d.errorAt(n, "%s: %v", name, err)
	}
	return &f, nil
}

func (d *decoder) integer(n *Value, name string, limit int64) (int64, error) {
	if n.Type != IntegerValue {
		return 0, d.errorAt(n, "%s is %s, not a whole number", name, describe(n))
	}
	i, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil || i < 0 || i > limit || strconv.FormatInt(i, 10) != n.Text {
		return 0, d.errorAt(n, "%s '%s' is not a whole number from 0 to %d", name, n.Text, limit)
	}
	return i, nil
}

// truth reads a value that is true where it stands at all.
func (d *decoder) truth(n *Value, name string) (bool, error) {
	if n.Type != BooleanValue || n.Text != "true" {
		return false, d.errorAt(n, "%s is %s, not true", name, describe(n))
	}
	return true, nil
}

// anyState reads a state of records of a kind that is not known yet.
func (d *decoder) anyState(n *Value, name string) (State, error) {
	s, err := d.label(n, name)
	return State(s), err
}

func (d *decoder) priority(n *Value, name string) (*int, error) {
	i, err := d.integer(n, name, 4)
	if err != nil {
		return nil, err
	}
	p := int(i)
	return &p, nil
}

// checkPath says why s is not a path inside the repository, or "".
func checkPath(s string) string {
	switch {
	case strings.HasPrefix(s, "/") || strings.Contains(s, `:\`):
		return "it must be relative to the top of the repository"
	case strings.HasPrefix(s, "./") || slices.Contains(strings.Split(s, "/"), ".."):
		return "it must not contain . or .. as a part"
	case path.Clean(s) != s:
		return "write it as '" + path.Clean(s) + "'"
	}
	return ""
}

func (d *decoder) repoPath(n *Value, name string) (string, error) {
	s, err := d.line(n, name, 4096)
	if err != nil {
		return "", err
	}
	s = parsePath(s)
	if why := checkPath(s); why != "" {
		return "", d.errorAt(n, "%s '%s': %s", name, s, why)
	}
	return s, nil
}

func (d *decoder) glob(n *Value, name string) (string, error) {
	s, err := d.line(n, name, 4096)
	if err != nil {
		return "", err
	}
	if why := checkPath(strings.TrimSuffix(s, "/")); why != "" {
		return "", d.errorAt(n, "%s '%s': %s", name, s, why)
	}
	if !doublestar.ValidatePattern(s) {
		return "", d.errorAt(n, "%s '%s' is not a valid pattern", name, s)
	}
	return s, nil
}

func (d *decoder) lines(n *Value, name string) (string, error) {
	s, err := d.text(n, name)
	if err != nil {
		return "", err
	}
	m := lineRange.FindStringSubmatch(s)
	if m != nil {
		from, _ := strconv.Atoi(m[1]) // the pattern bounds both
		to, _ := strconv.Atoi(m[2])
		if from <= to {
			return s, nil
		}
	}
	return "", d.errorAt(n, "%s '%s' is not a range of lines like 40-58", name, s)
}
