package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Signature says who did something and when; git keeps whole seconds and the
// zone's offset.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Commit is a commit object. Headers beyond these (signature, encoding) are
// skipped on reading.
type Commit struct {
	OID, Tree         OID
	Parents           []OID
	Author, Committer Signature
	Message           string
}

// ReadCommit returns a commit. An object that cannot be found or fetched is a
// *MissingObjectError.
func (r *Repo) ReadCommit(ctx context.Context, oid OID) (*Commit, error) {
	b, err := r.readObject(ctx, oid, kindCommit)
	if err != nil {
		return nil, err
	}
	c, err := parseCommit(r.objectFormat, string(b))
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", oid, err)
	}
	c.OID = oid
	return c, nil
}

// WriteCommit applies the changes to the tree base and stores the result with
// the commit c of it, whose Tree and OID are ignored, as one pack that no
// collection takes before a ref names it. The bytes follow from the arguments
// alone; text that git fsck would refuse is refused. For the changes: base ""
// is the empty tree, only the touched sub-trees are written, and directories
// left empty go away. Deletions come first, so one call can turn a file into a
// directory; deleting what is not there changes nothing, and deleting a
// directory deletes what it holds. Errors: *PathError, *ReadOnlyError,
// *DiskFullError.
func (r *Repo) WriteCommit(ctx context.Context, base OID, changes []Change, c Commit) (OID, error) {
	p := newPackWriter(r.objectFormat)
	var err error
	if c.Tree, err = (&treeWriter{repo: r, out: p}).writeRoot(ctx, base, changes); err != nil {
		return "", err
	}
	b, err := formatCommit(r.objectFormat, &c)
	if err != nil {
		return "", fmt.Errorf("write commit: %w", err)
	}
	oid, err := p.write(kindCommit, b)
	if err != nil {
		return "", err
	}
	return oid, r.storePack(ctx, p)
}

func formatCommit(format string, c *Commit) ([]byte, error) {
	if !validOID(format, string(c.Tree)) {
		return nil, fmt.Errorf("tree '%s' is not a %s object ID", c.Tree, format)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		if !validOID(format, string(p)) {
			return nil, fmt.Errorf("parent '%s' is not a %s object ID", p, format)
		}
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	author, err := formatSignature(c.Author)
	if err != nil {
		return nil, fmt.Errorf("author: %w", err)
	}
	committer, err := formatSignature(c.Committer)
	if err != nil {
		return nil, fmt.Errorf("committer: %w", err)
	}
	if strings.ContainsRune(c.Message, 0) {
		return nil, errors.New("message contains a NUL")
	}
	if !utf8.ValidString(c.Message) {
		return nil, errors.New("message is not valid UTF-8")
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", author, committer, c.Message)
	return []byte(b.String()), nil
}

func formatSignature(s Signature) (string, error) {
	if strings.TrimSpace(s.Name) == "" {
		return "", errors.New("name is empty")
	}
	if strings.ContainsAny(s.Name, "<>\n\x00") || !utf8.ValidString(s.Name) {
		return "", fmt.Errorf("name %q has a character git does not allow", s.Name)
	}
	if strings.ContainsAny(s.Email, "<>\n\x00") || !utf8.ValidString(s.Email) {
		return "", fmt.Errorf("email %q has a character git does not allow", s.Email)
	}
	if s.When.Unix() < 0 {
		return "", errors.New("time is missing or before 1970")
	}
	_, off := s.When.Zone()
	sign := '+'
	if off < 0 {
		sign, off = '-', -off
	}
	return fmt.Sprintf("%s <%s> %d %c%02d%02d", strings.TrimSpace(s.Name), s.Email,
		s.When.Unix(), sign, off/3600, off/60%60), nil
}

func parseCommit(format, s string) (*Commit, error) {
	c := &Commit{}
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok {
			return nil, errors.New("malformed commit: headers do not end")
		}
		s = rest
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "tree":
			c.Tree = OID(value)
		case "parent":
			c.Parents = append(c.Parents, OID(value))
		case "author":
			c.Author = parseSignature(value)
		case "committer":
			c.Committer = parseSignature(value)
		}
	}
	if !validOID(format, string(c.Tree)) {
		return nil, fmt.Errorf("malformed commit: tree '%s'", c.Tree)
	}
	for _, p := range c.Parents {
		if !validOID(format, string(p)) {
			return nil, fmt.Errorf("malformed commit: parent '%s'", p)
		}
	}
	c.Message = s
	return c, nil
}

// parseSignature takes what it can from a signature: a foreign commit with a
// broken date must stay readable, as it does in git.
func parseSignature(s string) Signature {
	var sig Signature
	open, end := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		sig.Name = strings.TrimSpace(s)
		return sig
	}
	sig.Name = strings.TrimSpace(s[:open])
	sig.Email = s[open+1 : end]
	if when, ok := parseRawTime(strings.TrimSpace(s[end+1:])); ok {
		sig.When = when
	}
	return sig
}

// parseRawTime reads git's internal date: seconds since the epoch and an offset.
func parseRawTime(s string) (time.Time, bool) {
	secs, zone, _ := strings.Cut(s, " ")
	unix, err := strconv.ParseInt(secs, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	off := 0
	if n, err := strconv.Atoi(strings.TrimLeft(zone, "+-")); err == nil && n < 2400 {
		off = n/100*3600 + n%100*60
		if strings.HasPrefix(zone, "-") {
			off = -off
		}
	}
	if off == 0 {
		return time.Unix(unix, 0).UTC(), true
	}
	return time.Unix(unix, 0).In(time.FixedZone("", off)), true
}
