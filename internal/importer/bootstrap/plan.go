package bootstrap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/records"
)

const (
	// System is the source that proposals from a repository's documents come from.
	System = "bootstrap"
	// Actor is the actor of those proposals, whoever applies them.
	Actor records.Actor = "agent/bootstrap"

	planFormat = 1
)

// A Plan lists what a repository's documents state, for a person or an agent to
// go through before it is recorded. Nothing in it can claim a state or a reviewer.
type Plan struct {
	Format    int        `yaml:"format" json:"format"`
	Proposals []Proposal `yaml:"proposals" json:"proposals"`
	// Read is how many documents were read.
	Read int `yaml:"read,omitempty" json:"read,omitempty"`
	// Skipped are the documents that were not read, with the reason.
	Skipped []importer.Skip `yaml:"skipped,omitempty" json:"skipped,omitempty"`
}

// A Proposal is one statement of a document.
type Proposal struct {
	// Source is "adr" of a decision record, whose identity is that of git ctx import
	// adr, and nothing else.
	Source string `yaml:"source,omitempty" json:"source,omitempty"`
	// Key names it in its source: the path, and a heading's slug or a digest of
	// the text. The same key is the same record.
	Key      string       `yaml:"key" json:"key"`
	Kind     records.Kind `yaml:"kind" json:"kind"`
	Title    string       `yaml:"title" json:"title"`
	Question string       `yaml:"question,omitempty" json:"question,omitempty"`
	Options  []string     `yaml:"options,omitempty" json:"options,omitempty"`
	Body     string       `yaml:"body,omitempty" json:"body,omitempty"`
	// Asks is the state that a reviewer is asked for, "" for none.
	Asks records.State `yaml:"asks,omitempty" json:"asks,omitempty"`
	// Date is when the document says that it was so, "" when it does not.
	Date string `yaml:"date,omitempty" json:"date,omitempty"`
	// By names who decided, and Reason is what was decided, as far as a decision
	// record says so.
	By     string `yaml:"by,omitempty" json:"by,omitempty"`
	Reason string `yaml:"reason,omitempty" json:"reason,omitempty"`
	// Why is the pattern that found it, and Confidence how sure that is, from 0 to 1.
	Why        string  `yaml:"why" json:"why"`
	Confidence float64 `yaml:"confidence" json:"confidence"`
	Anchors    []Cited `yaml:"anchors" json:"anchors"`
}

// A Cited is where a proposal stands: the file's path from the repository's top,
// the lines, and their digest.
type Cited struct {
	Path   string `yaml:"path" json:"path"`
	Lines  string `yaml:"lines" json:"lines"`
	SHA256 string `yaml:"sha256" json:"sha256"`
}

// ErrMoved says that a document no longer has the lines that a plan cites.
var ErrMoved = errors.New("the document does not have these lines any more")

// FormatPlan returns the plan as YAML, which [ParsePlan] reads back.
func FormatPlan(p *Plan) ([]byte, error) {
	var n yaml.Node
	if err := n.Encode(p); err != nil {
		return nil, fmt.Errorf("format the plan: %w", err)
	}
	v, err := records.ReadValue(&n)
	if err != nil {
		return nil, fmt.Errorf("format the plan: %w", err)
	}
	return []byte(records.FormatValue(v) + "\n"), nil
}

// ParsePlan reads a plan, in YAML or JSON, strictly: unknown keys, other kinds
// than goal, decision and hypothesis, keys given twice and proposals without an
// anchor are errors that name the place.
func ParsePlan(data []byte) (*Plan, error) {
	p := &Plan{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if json.Valid(data) { // which YAML reads otherwise where a string holds escapes
		jd := json.NewDecoder(bytes.NewReader(data))
		jd.DisallowUnknownFields()
		if err := jd.Decode(p); err != nil {
			return nil, fmt.Errorf("read the plan: %w", err)
		}
	} else if err := dec.Decode(p); errors.Is(err, io.EOF) {
		return nil, errors.New("the plan is empty")
	} else if err != nil {
		return nil, fmt.Errorf("read the plan: %w", planError(err))
	} else if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("read the plan: there is more than one document")
	}
	switch {
	case p.Format > planFormat:
		return nil, fmt.Errorf("read the plan: format %d is newer than this program", p.Format)
	case p.Format < 1:
		return nil, errors.New("read the plan: it names no format")
	}
	seen := make(map[string]int)
	for i := range p.Proposals {
		q := &p.Proposals[i]
		if err := q.check(); err != nil {
			return nil, fmt.Errorf("proposal %d: %w", i+1, err)
		}
		if first := seen[q.Key]; first > 0 {
			return nil, fmt.Errorf("proposal %d: key '%s' is that of proposal %d already", i+1, q.Key, first)
		}
		seen[q.Key] = i + 1
	}
	return p, nil
}

// planError puts the first of the decoder's complaints into our words.
func planError(err error) error {
	te := (*yaml.TypeError)(nil)
	if !errors.As(err, &te) || len(te.Errors) == 0 {
		return err
	}
	what, _, _ := strings.Cut(te.Errors[0], " in type ")
	if at, rest, ok := strings.Cut(what, ": field "); ok {
		what = fmt.Sprintf("%s: unknown key '%s'", at, strings.TrimSuffix(rest, " not found"))
	}
	what, _, _ = strings.Cut(what, " into importer.")
	return errors.New(what)
}

// check refuses what no record is made of.
func (q *Proposal) check() error {
	switch q.Kind {
	case records.Goal, records.Decision, records.Hypothesis:
	default:
		return fmt.Errorf("kind '%s': a plan proposes goals, decisions and hypotheses", q.Kind)
	}
	switch {
	case q.Source != "" && (q.Source != adr.System || q.Kind != records.Decision):
		return fmt.Errorf("source '%s': it is adr, of a decision, or nothing", q.Source)
	case records.Blank(q.Key):
		return errors.New("it has no key")
	case records.Blank(q.Title):
		return errors.New("it has no title")
	case q.Asks != "" && q.Asks != q.Kind.Schema().Reviewed:
		return fmt.Errorf("asks '%s': of a %s it is %s, or nothing", q.Asks, q.Kind, importer.FirstOf(string(q.Kind.Schema().Reviewed), "nothing"))
	case q.Kind != records.Decision && (q.Question != "" || len(q.Options) > 0):
		return fmt.Errorf("question and options are a decision's, not a %s's", q.Kind)
	case q.Confidence < 0 || q.Confidence > 1:
		return fmt.Errorf("confidence %g is not from 0 to 1", q.Confidence)
	case len(q.Anchors) == 0:
		return errors.New("it has no anchor")
	}
	for _, a := range q.Anchors {
		if !filepath.IsLocal(a.Path) {
			return fmt.Errorf("anchor '%s': it leaves the repository", a.Path)
		}
	}
	if q.Date != "" {
		if _, err := records.ParseInstant(q.Date); err != nil {
			return fmt.Errorf("date: %w", err)
		}
	}
	return nil
}

// Records makes the plan's proposals records, after it has seen below root that
// every document still has the lines they stand on: else the error wraps [ErrMoved].
func (p *Plan) Records(root *os.Root) (*importer.Result, error) {
	r := importer.NewBatch(System)
	for _, l := range p.Skipped {
		r.Skip(l.Item, "%s", l.Reason)
	}
	files := make(map[string][]string)
	for i := range p.Proposals {
		q := &p.Proposals[i]
		for _, a := range q.Anchors {
			if err := a.stands(root, files); err != nil {
				return nil, fmt.Errorf("proposal '%s': lines %s of '%s': %w", q.Key, a.Lines, a.Path, err)
			}
		}
		rec := q.record()
		r.Seen(rec.Created.At)
		r.Recs[rec.ID] = rec
	}
	res, err := r.Result()
	if err == nil {
		res.Partial = true // what no document states any more is told by its anchors
	}
	return res, err
}

// stands checks an anchor against the file, which is read once.
func (a Cited) stands(root *os.Root, files map[string][]string) error {
	lines, ok := files[a.Path]
	if !ok {
		src, err := readDocument(root, a.Path)
		if err != nil {
			return err
		}
		lines = linesOf(string(src))
		files[a.Path] = lines
	}
	first, last := records.Anchor{Lines: a.Lines}.LineRange()
	if first < 1 || last < first {
		return fmt.Errorf("'%s' is not a range of lines like 40-58", a.Lines)
	}
	if last > len(lines) || codelink.LinesDigest([]byte(strings.Join(lines[first-1:last], "\n")+"\n")) != a.SHA256 {
		return ErrMoved
	}
	return nil
}

// ID is the id of the record that the proposal becomes.
func (q *Proposal) ID() records.ID {
	return records.ImportID(q.Kind, cmp.Or(q.Source, System), q.Key)
}

// record is the proposal as a record in its kind's first state.
func (q *Proposal) record() *records.Record {
	at := importer.Undated()
	if q.Date != "" {
		at, _ = records.ParseInstant(q.Date) // checked before
	}
	title, whole := importer.TitleOf(q.Title)
	body, _ := importer.Limited(importer.BodyOf(whole, q.Body), importer.BodyLimit)
	system, made, reason := System, records.Created{By: System, Actor: Actor, At: at}, q.Reason
	if q.Source == adr.System { // as git ctx import adr makes it
		system, made = adr.System, records.Created{By: cmp.Or(importer.OneLine(q.By), adr.System), Actor: importer.Actor, At: at}
	}
	if reason == "" {
		reason = fmt.Sprintf("%s; confidence of this guess %.2g", q.Why, q.Confidence)
	}
	rec := &records.Record{
		ID: q.ID(), Kind: q.Kind, Title: title, Question: importer.OneLine(q.Question), Body: body,
		Verdict: &records.Verdict{
			State: q.Kind.Schema().Birth(), Asks: q.Asks, By: System, Actor: Actor, At: at,
			Reason: importer.OneLine(reason),
		},
		Origin: &records.Origin{System: system, Key: q.Key}, Created: made,
	}
	for _, o := range q.Options {
		rec.Options = append(rec.Options, importer.OneLine(o))
	}
	said := []string{string(q.Kind), string(q.Asks), title, rec.Question, body, strings.Join(rec.Options, "\x00")}
	for _, a := range q.Anchors {
		if anchor := (records.Anchor{Path: a.Path, Lines: a.Lines, SHA256: a.SHA256}); !slices.Contains(rec.Anchors, anchor) {
			rec.Anchors = append(rec.Anchors, anchor)
			said = append(said, a.Path, a.SHA256)
		}
	}
	rec.Origin.Digest = importer.Digest([]byte(strings.Join(said, "\x00")))
	return rec
}

// Renew is what an import commits of a proposal that it made before: the old
// record when both say the same of the same lines, wherever those stand by now.
// A changed one keeps the old verdict, so that it meets the judgement that a
// person gave meanwhile as a change of the text, and not as a rival of it.
func Renew(was, now *records.Record) *records.Record {
	if was.Origin == nil || was.Verdict == nil || was.Verdict.Asks != now.Verdict.Asks {
		return now
	}
	if was.Origin.Has(now.Origin.Key) && was.Origin.Digest == now.Origin.Digest {
		return was
	}
	next := now.Clone()
	next.Verdict = was.Verdict
	return next
}
