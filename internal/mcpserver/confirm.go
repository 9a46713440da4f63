package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// A question is what a client is to ask its user before a call goes on. What the
// user answers is the client's word: it is kept beside the proposal and decides nothing.
type question struct {
	text    string
	subject string // what exactly is asked about: record, content, verb
}

// errDeclined ends a call that the client's user did not agree to.
var errDeclined = errors.New("the client's user did not agree: nothing was written")

// confirmID names the one question of a call.
const confirmID = "confirm"

// confirm asks the client's user where there is something to ask. A nil result
// lets the call go on.
func (s *Server) confirm(ctx context.Context, req mcp.CallToolRequest, a asksFirst) (*mcp.CallToolResult, error) {
	if c := clientCapabilities(ctx).Elicitation; c == nil || c.Form == nil && c.URL != nil || !s.opts.Write {
		return nil, nil
	}
	q, err := a.question(s, ctx)
	if err != nil || q == nil {
		return nil, err
	}
	params := mcp.ElicitationParams{Message: q.text, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{"agree": map[string]any{"type": "boolean", "description": "Propose it in your name?"}}, "required": []string{"agree"}}}
	seal := s.seal(q.subject)
	if answer := server.ElicitationResponse(req.Params.InputResponses, confirmID); answer != nil {
		if !hmac.Equal([]byte(req.Params.RequestState), []byte(seal)) {
			return nil, errAskedOther
		}
		return nil, agree(ctx, a, answer)
	}
	if server.IsModernRequest(ctx) {
		return server.NewInputRequestBuilder(seal).Elicit(confirmID, params).ToolResult(), nil
	}
	answer, err := s.mcp.RequestElicitation(ctx, mcp.ElicitationRequest{Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: params})
	if err != nil {
		s.opts.Log.Warn("the client could not ask its user", "error", err)
		return nil, ctx.Err() // a proposal needs nobody's word
	}
	return nil, agree(ctx, a, answer)
}

func agree(ctx context.Context, a asksFirst, answer *mcp.ElicitationResult) error {
	said, _ := answer.Content.(map[string]any)
	if answer.Action != mcp.ElicitationResponseActionAccept || said["agree"] != true {
		return errDeclined
	}
	a.agreed(strings.TrimPrefix(string(records.Agent(clientName(ctx))), "agent/"))
	return nil
}

// seal is what only this server can have made of a subject.
func (s *Server) seal(subject string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(subject))
	return hex.EncodeToString(m.Sum(nil))
}

// question asks about a verb that only a person may carry out, on one record.
func (a *updateArgs) question(s *Server, ctx context.Context) (*question, error) {
	move := records.Verb(a.Verb).Transition()
	if move == nil || len(a.Records()) != 1 {
		return nil, nil
	}
	var q *question
	err := s.read(ctx, query.Clocks{}, func(rd *query.Reading) error {
		r, err := rd.Ledger.Find(rd.View, a.Records()[0])
		if err != nil {
			return err
		}
		to := move.To[r.Kind]
		if to == "" || rd.Eval.Review == records.ReviewAny || r.Kind.Schema().Reviewed != to {
			return nil
		}
		a.digest = r.Digest()
		q = &question{
			text:    fmt.Sprintf("An agent proposes to %s this %s: \"%s\" (%s). Reason: \"%s\"", a.Verb, r.Kind, shorten(query.TitleOf(r)), r.ID, shorten(a.Reason)),
			subject: strings.Join([]string{a.Verb, string(r.ID), a.digest, a.Reason}, "\x00"),
		}
		return nil
	})
	return q, err
}

func (a *updateArgs) agreed(client string) { a.attested = client }
