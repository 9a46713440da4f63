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

	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

type updateArgs struct {
	grammar.Op
	keyed

	attested string // the client that says its user agreed
	digest   string // of the content that the user was asked about
}

func (a *updateArgs) read(v *grammar.Value) (err error) {
	a.Op, err = readKeyed(v, &a.keyed, grammar.UpdateTool(), "")
	return err
}

func updateTool() tool[updateArgs] {
	return tool[updateArgs]{
		name: "update", title: "Judge or change records", writes: true,
		about:  "Judge or change records. refute, reject, drop, abandon, supersede, reopen need a reason. What only a person may decide becomes a proposal. resolve settles a dispute by pick (side numbers from show view=conflicts) or set; claim takes a task for this session, without ids the best one.",
		args:   updateSchema(),
		answer: append(writeArgs(), arg{name: "claim", form: object}),
		run:    (*Server).update,
	}
}

func (s *Server) update(ctx context.Context, a updateArgs) (*reply, error) {
	author, err := s.asking(ctx, "update", a.Request, a.Op)
	if err != nil {
		return nil, err
	}
	author.Attested = a.attested
	switch a.Verb {
	case grammar.Claim, grammar.Release:
		return s.claim(ctx, author, a)
	case grammar.Resolve:
		return s.resolve(ctx, author, a)
	}
	return s.edit(ctx, author, func(tx *ledger.Tx) (records.ID, error) {
		for _, id := range a.Records() {
			if err := a.unchanged(tx, id); err != nil {
				return "", err
			}
		}
		r, _, err := tx.Do(a.Op)
		if err != nil {
			return "", err
		}
		return r.ID, nil
	}, a.Op)
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
	if len(a.Pick)+len(a.Set) == 0 {
		return nil, &argumentError{name: "pick", why: `'resolve' needs it, as {"FIELD": NUMBER}, or set as {"FIELD": VALUE}`}
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
		r, err := tx.Resolve(a.Records()[0], ss, a.Reason)
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
	v, err := records.ParseValue(value) // JSON is YAML
	if err != nil {
		return st, &argumentError{name: "set", why: fmt.Sprintf("the value of '%s' cannot be read", field)}
	}
	st.Value = v
	return st, nil
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
	var o claim.Options
	if a.For != "" {
		d, err := time.ParseDuration(a.For)
		if err != nil || d <= 0 {
			return nil, &argumentError{name: "for", why: "it is to be a time as 30m or 2h"}
		}
		o.For = d
	}
	var facts any
	err := s.write(ctx, author, func(led *ledger.Ledger) (err error) {
		if a.Verb == grammar.Release {
			facts, err = release(ctx, led, a.Records()[0])
			return err
		}
		var c *claim.Result
		if len(a.Records()) == 0 {
			c, err = query.ClaimNext(ctx, led, o)
		} else {
			c, err = claim.Take(ctx, led, a.Records()[0], o)
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
	c, err := claim.Release(ctx, led, name, "")
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
