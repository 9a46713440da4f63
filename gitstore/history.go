package gitstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// MergeBases returns the best common ancestors of two commits, sorted; none
// when their histories are unrelated.
func (r *Repo) MergeBases(ctx context.Context, a, b OID) ([]OID, error) {
	if a == b {
		return []OID{a}, nil
	}
	out, err := r.Git(ctx, nil, "merge-base", "--all", string(a), string(b))
	if exitCode(err) == 1 && !IsObjectLost(err) { // which git answers with 1 too
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find merge base of %s and %s: %w", a, b, err)
	}
	var bases []OID
	for _, s := range strings.Fields(string(out)) {
		bases = append(bases, OID(s))
	}
	slices.Sort(bases)
	return bases, nil
}

// IsAncestor reports whether a is b or can be reached from it.
func (r *Repo) IsAncestor(ctx context.Context, a, b OID) (bool, error) {
	if a == b {
		return true, nil
	}
	_, err := r.Git(ctx, nil, "merge-base", "--is-ancestor", string(a), string(b))
	if exitCode(err) == 1 && !IsObjectLost(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("compare %s and %s: %w", a, b, err)
	}
	return true, nil
}

// A GraphLine is a line of a drawn history: its edges, and the commit on it, "" between commits.
type GraphLine struct {
	Edges  string
	Commit OID
}

// LogGraph draws the history of the options' Tips without Exclude, at most Limit
// commits, as git log --graph does, children before parents.
func (r *Repo) LogGraph(ctx context.Context, opts LogOptions) ([]GraphLine, error) {
	args := []string{"log", "--graph", "--color=never", "--no-show-signature", "--format=%x00%H"}
	if opts.Limit > 0 {
		args = append(args, "--max-count="+strconv.Itoa(opts.Limit))
	}
	for _, oid := range opts.Tips {
		args = append(args, string(oid))
	}
	for _, oid := range opts.Exclude {
		args = append(args, "^"+string(oid))
	}
	out, err := r.Git(ctx, nil, append(args, "--")...)
	if err != nil {
		return nil, fmt.Errorf("draw history: %w", err)
	}
	var lines []GraphLine
	for line := range strings.Lines(string(out)) {
		edges, oid, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		lines = append(lines, GraphLine{Edges: edges, Commit: OID(strings.TrimSpace(oid))})
	}
	return lines, nil
}

// LogOptions select commits.
type LogOptions struct {
	Tips    []OID    // start here
	Exclude []OID    // leave out what these reach
	Paths   []string // only commits that change one of these paths from the top, with full history
	Grep    string   // only commits with a line of the message that this basic regular expression matches
	// FirstParent follows only the first parent of merges.
	FirstParent bool
	Limit       int // 0 is no limit
}

// logFormat has every field end in NUL, which no field can contain.
const logFormat = "%T%x00%P%x00%an <%ae> %ad%x00%cn <%ce> %cd%x00%B%x00"

// Log walks commits, children before parents, in an order that depends on the
// commits alone. It runs one git process, which ends when the caller stops.
// Messages in another encoding come as UTF-8; no tips means no commits.
func (r *Repo) Log(ctx context.Context, opts LogOptions) iter.Seq2[*Commit, error] {
	return func(yield func(*Commit, error) bool) {
		if len(opts.Tips) == 0 {
			return
		}
		if err := r.log(ctx, opts, yield); err != nil {
			yield(nil, err)
		}
	}
}

func (o *LogOptions) args() []string {
	args := []string{"rev-list", "--topo-order", "--date=raw", "--encoding=UTF-8", "--format=" + logFormat}
	if o.FirstParent {
		args = append(args, "--first-parent")
	}
	if o.Grep != "" {
		args = append(args, "--basic-regexp", "--grep="+o.Grep)
	}
	if o.Limit > 0 {
		args = append(args, "--max-count="+strconv.Itoa(o.Limit))
	}
	if len(o.Paths) > 0 {
		// The default simplification would hide a change that was undone.
		args = append(args, "--full-history")
	}
	args = append(args, "--stdin")
	if len(o.Paths) > 0 {
		args = append(args, "--")
		for _, p := range o.Paths {
			args = append(args, ":(top,literal)"+p)
		}
	}
	return args
}

// log returns an error that the caller has not seen yet.
func (r *Repo) log(ctx context.Context, opts LogOptions, yield func(*Commit, error) bool) error {
	var in bytes.Buffer
	for _, oid := range opts.Tips {
		fmt.Fprintln(&in, oid)
	}
	for _, oid := range opts.Exclude {
		fmt.Fprintln(&in, "^"+oid)
	}
	for _, oid := range slices.Concat(opts.Tips, opts.Exclude) {
		if !validOID(r.objectFormat, string(oid)) {
			return fmt.Errorf("read history: '%s' is not a %s object ID", oid, r.objectFormat)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := opts.args()
	cmd := r.command(ctx, args...)
	var stderr tail
	cmd.Stdin, cmd.Stderr = &in, &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("read history: %w", gitFailure(ctx, args, err, ""))
	}
	stopped, parseErr := readLog(bufio.NewReaderSize(out, 64<<10), yield)
	if stopped || parseErr != nil {
		cancel()
	}
	_, _ = io.Copy(io.Discard, out)
	waitErr := cmd.Wait()
	switch {
	case stopped:
		return nil
	case parseErr != nil && !errors.Is(parseErr, io.ErrUnexpectedEOF):
		return fmt.Errorf("read history: %w", parseErr)
	case waitErr != nil: // explains a short answer better than the parser can
		return fmt.Errorf("read history: %w", gitFailure(ctx, args, waitErr, stderr.String()))
	case parseErr != nil:
		return fmt.Errorf("read history: %w", parseErr)
	}
	return nil
}

func readLog(in *bufio.Reader, yield func(*Commit, error) bool) (stopped bool, err error) {
	for {
		c, err := readLogEntry(in)
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if !yield(c, nil) {
			return true, nil
		}
	}
}

func readLogEntry(in *bufio.Reader) (*Commit, error) {
	head, err := in.ReadString('\n')
	if err == io.EOF && head == "" {
		return nil, io.EOF
	}
	oid, ok := strings.CutPrefix(strings.TrimSuffix(head, "\n"), "commit ")
	if err == nil && !ok {
		return nil, fmt.Errorf("unexpected answer of git rev-list: %q", head)
	}
	var fields [5]string
	for i := range fields {
		s, err := in.ReadString(0)
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		fields[i] = s[:len(s)-1]
	}
	if b, err := in.ReadByte(); err != nil || b != '\n' {
		return nil, io.ErrUnexpectedEOF
	}
	c := &Commit{
		OID: OID(oid), Tree: OID(fields[0]), Message: fields[4],
		Author: parseSignature(fields[2]), Committer: parseSignature(fields[3]),
	}
	for _, p := range strings.Fields(fields[1]) {
		c.Parents = append(c.Parents, OID(p))
	}
	return c, nil
}
