package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// The verbs of update that are not those of a batch.
const (
	verbClaim   = "claim"
	verbRelease = "release"
	verbResolve = "resolve"
)

func updateVerbs() []string { return append(ledger.UpdateVerbs(), verbClaim, verbRelease, verbResolve) }

type updateArgs struct {
	ledger.Op
	Pick map[string]int             `json:"pick"`
	Set  map[string]json.RawMessage `json:"set"`
	For  string                     `json:"for"`
	keyed

	attested string // the client that says its user agreed
	digest   string // of the content that the user was asked about
}

func updateTool() tool[updateArgs] {
	return tool[updateArgs]{
		name: "update", title: "Judge or change records", writes: true,
		about: "Judge or change records. refute, reject, drop, abandon, supersede, reopen need a reason. What only a person may decide becomes a proposal. resolve settles a dispute by pick (side numbers from show view=conflicts) or set; claim takes a task for this session, without ids the best one.",
		args: []arg{
			{name: "verb", form: text, enum: updateVerbs(), need: true,
				unlisted: func(verb string) error { return &ledger.VerbError{Tool: "update", Verb: verb, Legal: updateVerbs()} }},
			{name: "ids", form: texts},
			{name: "reason", form: text}, {name: "cites", form: texts, about: "ids it rests on"},
			{name: "evidence", form: text, about: "recorded, linked and cited in the same commit"},
			{name: "type", form: text}, {name: "source", form: text}, {name: "anchors", form: texts},
			{name: "despite", form: texts}, {name: "learned", form: text, about: "with done: becomes a draft conclusion"},
			{name: "by", form: text, about: "with supersede"}, {name: "links", form: links},
			{name: "title", form: text, about: "with edit, as the rest"}, {name: "body", form: text}, {name: "confidence", form: text},
			{name: "priority", form: whole}, {name: "tags", form: texts}, {name: "untag", form: texts}, {name: "paths", form: texts}, {name: "clear", form: texts},
			{name: "pick", form: values}, {name: "set", form: values}, {name: "for", form: text, about: "with claim, as 2h"}, requestArg(),
		},
		answer: append(writeArgs(), arg{name: "claim", form: object}),
		run:    (*Server).update,
	}
}

func (s *Server) update(ctx context.Context, a updateArgs) (*reply, error) {
	if len(a.IDs) == 0 && a.Verb != verbClaim {
		return nil, &argumentError{name: "ids", why: "name the records that '" + a.Verb + "' is about"}
	}
	author, err := s.asking(ctx, "update", a.Request, a)
	if err != nil {
		return nil, err
	}
	author.Attested = a.attested
	switch a.Verb {
	case verbClaim, verbRelease:
		return s.claim(ctx, author, a)
	case verbResolve:
		return s.resolve(ctx, author, a)
	case string(records.VerbSupersede):
		return s.edit(ctx, author, func(tx *ledger.Tx) (records.ID, error) { return doOne(tx, a.Op) })
	}
	return s.edit(ctx, author, func(tx *ledger.Tx) (main records.ID, err error) {
		for _, id := range a.IDs {
			op := a.Op
			op.ID, op.IDs = id, nil
			if err := a.unchanged(tx, id); err != nil {
				return "", err
			}
			got, err := doOne(tx, op)
			if err != nil {
				return "", err
			}
			if main == "" {
				main = got
			}
		}
		return main, nil
	})
}

func doOne(tx *ledger.Tx, op ledger.Op) (records.ID, error) {
	r, _, err := tx.Do(op)
	if err != nil {
		return "", err
	}
	return r.ID, nil
}

// unchanged refuses to do what the user agreed to about other content.
func (a *updateArgs) unchanged(tx *ledger.Tx, name string) error {
	if a.attested == "" {
		return nil
	}
	r, err := tx.Find(name)
	if err == nil && r.Digest() != a.digest {
		return errAskedOther
	}
	return err
}

// resolve settles fields of one disputed record, by the number of a side or a value.
func (s *Server) resolve(ctx context.Context, author ledger.Author, a updateArgs) (*reply, error) {
	if len(a.IDs) != 1 || len(a.Pick)+len(a.Set) == 0 {
		return nil, &argumentError{name: "pick", why: `'resolve' settles one record: give ids with one, and pick as {"FIELD": NUMBER} or set as {"FIELD": VALUE}`}
	}
	var ss []ledger.Settlement
	for _, field := range slices.Sorted(maps.Keys(a.Pick)) {
		ss = append(ss, ledger.Settlement{Field: field, Pick: a.Pick[field]})
	}
	for _, field := range slices.Sorted(maps.Keys(a.Set)) {
		st, err := settlement(field, a.Set[field])
		if err != nil {
			return nil, err
		}
		ss = append(ss, st)
	}
	return s.edit(ctx, author, func(tx *ledger.Tx) (records.ID, error) {
		r, err := tx.Resolve(a.IDs[0], ss, a.Reason)
		if err != nil {
			return "", err
		}
		return r.ID, nil
	})
}

// settlement reads the value that a field is to have; null leaves it out.
func settlement(field string, value json.RawMessage) (ledger.Settlement, error) {
	st := ledger.Settlement{Field: field}
	if field == "verdict" {
		if err := json.Unmarshal(value, &st.State); err != nil {
			return st, &argumentError{name: "set", why: "the verdict is settled by a state"}
		}
		return st, nil
	}
	if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
		return st, nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(value, &doc); err != nil || len(doc.Content) != 1 { // JSON is YAML
		return st, &argumentError{name: "set", why: fmt.Sprintf("the value of '%s' cannot be read", field)}
	}
	plainStyle(doc.Content[0])
	st.Value = doc.Content[0]
	return st, nil
}

// plainStyle forgets that a value came as JSON, but for what is a string there.
func plainStyle(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style = 0
	}
	for _, c := range n.Content {
		plainStyle(c)
	}
}

// claimAnswer is a writeAnswer with the lease.
type claimAnswer struct {
	*writeAnswer
	Claim *leaseAnswer `json:"claim,omitempty"`
}

type leaseAnswer struct {
	Task    records.ID    `json:"task"`
	Actor   records.Actor `json:"actor"`
	Expires string        `json:"expires"`
	Renewed bool          `json:"renewed"`
}

func (s *Server) claim(ctx context.Context, author ledger.Author, a updateArgs) (*reply, error) {
	if len(a.IDs) > 1 {
		return nil, &argumentError{name: "ids", why: "one task at a time is claimed or released"}
	}
	var o ledger.ClaimOptions
	if a.For != "" {
		d, err := time.ParseDuration(a.For)
		if err != nil || d <= 0 {
			return nil, &argumentError{name: "for", why: "it is to be a time as 30m or 2h"}
		}
		o.For = d
	}
	var facts any
	err := s.write(ctx, author, func(led *ledger.Ledger) (err error) {
		if a.Verb == verbRelease {
			facts, err = release(ctx, led, a.IDs[0])
			return err
		}
		var c *ledger.Claimed
		if len(a.IDs) == 0 {
			c, err = led.ClaimNext(ctx, o)
		} else {
			c, err = led.Claim(ctx, a.IDs[0], o)
		}
		if err != nil {
			return err
		}
		out := &claimAnswer{answerOf(c.Edit), &leaseAnswer{c.Task, c.Actor, records.FormatInstant(c.Expires), c.Renewed}}
		out.ID = c.Task
		facts = out
		return c.Edit.Close()
	})
	return &reply{facts: facts}, err
}

func release(ctx context.Context, led *ledger.Ledger, name string) (any, error) {
	c, err := led.Release(ctx, name, "")
	if err != nil {
		return nil, err
	}
	branch, tip, err := led.Tip(ctx)
	if err != nil {
		return nil, err
	}
	out := &writeAnswer{Format: query.AnswerFormat, Commit: tip, Branch: branch, Created: []records.ID{}, Records: []written{}, Notes: []string{"released"}}
	if c == nil {
		out.Notes = []string{"this session had no claim on it"}
	} else {
		out.ID = c.Task
	}
	return out, nil
}

// errAskedOther says that the client's user agreed to something else.
var errAskedOther = errors.New("the record changed after the client's user was asked about it: nothing was written")
