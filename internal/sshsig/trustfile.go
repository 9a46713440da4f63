package sshsig

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// A LineError says which line of a file cannot be used, and why.
type LineError struct {
	File string // what the file is, in words
	Line int
	Why  string
}

func (e *LineError) Error() string { return fmt.Sprintf("%s, line %d: %s", e.File, e.Line, e.Why) }

// ParseTrust reads an allowed signers file and a file of revoked keys; nil is
// no file. A line that cannot be read is an error: were it passed over, a limit
// or a revocation that it states would be too.
func ParseTrust(allowedSigners, revoked []byte) (*Trust, error) {
	t := &Trust{revoked: make(map[string]bool)}
	err := eachLine("allowed signers file", allowedSigners, func(line string) error {
		a, err := parseAllowed(line)
		if err == nil {
			t.allowed = append(t.allowed, a)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(revoked, []byte("SSHKRL\n")) {
		return nil, fmt.Errorf("the revocation file is a binary list, which is not read here: a list of public keys, one a line, is")
	}
	err = eachLine("revocation file", revoked, func(line string) error {
		key, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(line))
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("it holds no public key")
		}
		t.revoked[string(plainKey(key).Marshal())] = true
		return nil
	})
	return t, err
}

func eachLine(file string, data []byte, read func(string) error) error {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := read(line); err != nil {
			return &LineError{file, n, err.Error()}
		}
	}
	return nil
}

// parseAllowed reads "PRINCIPALS [OPTIONS] TYPE KEY [COMMENT]".
func parseAllowed(line string) (allowed, error) {
	var a allowed
	principals, rest, err := word(line)
	if err != nil {
		return a, err
	}
	if a.principals = principals; principals == "" {
		return a, fmt.Errorf("it names no principal")
	}
	key, _, options, more, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil || len(more) > 0 {
		return a, fmt.Errorf("it holds no public key")
	}
	a.key = key
	for _, o := range options {
		if err := a.option(o); err != nil {
			return a, err
		}
	}
	return a, nil
}

// word cuts the first word off a line; in double quotes it may hold spaces.
func word(line string) (first, rest string, err error) {
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		first, rest, ok = strings.Cut(quoted, `"`)
		if !ok {
			return "", "", fmt.Errorf("a quote is not closed")
		}
		return first, strings.TrimSpace(rest), nil
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return "", "", fmt.Errorf("it holds no public key")
	}
	return line[:i], strings.TrimSpace(line[i:]), nil
}

func (a *allowed) option(o string) (err error) {
	name, value, _ := strings.Cut(o, "=")
	value = strings.Trim(value, `"`)
	switch strings.ToLower(name) {
	case "cert-authority":
		a.authority = true
	case "namespaces":
		a.namespaces = strings.Split(value, ",")
	case "valid-after":
		a.after, err = parseTime(value)
	case "valid-before":
		a.before, err = parseTime(value)
	default:
		return fmt.Errorf("unknown option '%s'", name)
	}
	return err
}

// parseTime reads YYYYMMDD[HHMM[SS]][Z], which without Z is local time.
func parseTime(s string) (time.Time, error) {
	digits, utc := strings.CutSuffix(s, "Z")
	zone := time.Local
	if utc {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.ParseInLocation(layout, digits, zone); err == nil && len(digits) == len(layout) {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("'%s' is not a time: write YYYYMMDD or YYYYMMDDHHMMSS, with Z for UTC", s)
}
