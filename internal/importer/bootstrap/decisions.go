package bootstrap

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/records"
)

// decision takes a decision record as one proposal, and reports whether the
// document is one. What its source holds for dead is an error: it is nothing to propose.
func (rd *reading) decision(src []byte) (bool, error) {
	inFolder := slices.ContainsFunc(strings.Split(strings.ToLower(path.Dir(rd.name)), "/"), decisionDir.MatchString)
	one, err := adr.ReadOne(rd.name, src)
	if se := (*importer.SyntaxError)(nil); inFolder && errors.As(err, &se) {
		return false, fmt.Errorf("line %d: %s", se.Line, se.Msg)
	}
	if err != nil || one == nil || !inFolder && (!one.Stated || !one.Outcome) {
		return false, nil // front matter of another kind, or no decision record
	}
	p, err := proposalOf(one, "decision record", rd.cite(one.First, one.Last))
	if err == nil {
		rd.out = append(rd.out, p)
	}
	return true, err
}

// isKEP reports whether a file tells the fields of an enhancement proposal, which
// is its folder.
func isKEP(name string) bool { return path.Base(name) == adr.KEPFile && path.Dir(name) != "." }

// enhancement takes the folder of an enhancement proposal as one proposal, which stands
// on its kep.yaml and on the summary of the README beside it.
func (m *mapper) enhancement(name string, meta []byte) ([]Proposal, error) {
	folder := path.Dir(name)
	if _, err := textOf(meta); err != nil {
		return nil, err
	}
	beside := path.Join(folder, "README.md")
	var text []byte
	if _, err := m.root.Lstat(beside); !errors.Is(err, fs.ErrNotExist) {
		if text, err = m.read(beside); err == nil {
			m.plan.Read++
			_, err = textOf(text)
		}
		if err != nil {
			return nil, fmt.Errorf("README.md: %w", err)
		}
	}
	one, err := adr.ReadKEP(folder, meta, text)
	if se := (*importer.SyntaxError)(nil); errors.As(err, &se) {
		return nil, fmt.Errorf("%s: line %d: %s", path.Base(se.Path), se.Line, se.Msg)
	}
	if err != nil {
		return nil, err
	}
	fields := &reading{name: name, raw: linesOf(string(meta))}
	anchors := []Cited{fields.cite(1, len(fields.raw))}
	if len(text) > 0 {
		rd := &reading{name: beside, raw: linesOf(string(text))}
		anchors = append(anchors, rd.cite(one.First, one.Last))
	}
	p, err := proposalOf(one, "enhancement proposal", anchors...)
	if err != nil {
		return nil, err
	}
	return []Proposal{p}, nil
}

// proposalOf proposes a decision that a file records; what the file holds for dead is
// an error: git ctx import adr takes it over as that.
func proposalOf(one *adr.One, what string, at ...Cited) (Proposal, error) {
	r := one.Record
	if s := r.State(); s == records.Rejected || s == records.Superseded {
		return Proposal{}, fmt.Errorf("a decision that its source holds for dead (%s): git ctx import adr takes it over as that", cmp.Or(r.Verdict.Reason, string(s)))
	}
	p := Proposal{
		Source: adr.System, Key: r.Origin.Key, Kind: records.Decision, Title: r.Title, Question: r.Question, Options: r.Options, Body: r.Body,
		Why: what + ", " + string(r.State()) + " in the source", Confidence: 0.95, Anchors: at,
		By: r.Created.By, Reason: r.Verdict.Reason,
	}
	if r.State() == records.Accepted || !one.Stated {
		p.Asks = records.Accepted
	}
	if !one.Stated {
		p.Why = what + " without a status"
	}
	if at := r.Created.At; !at.Equal(importer.Undated()) {
		p.Date = records.FormatInstant(at)
	}
	return p, nil
}
