package mcpserver

import (
	"context"
	"fmt"

	"github.com/git-ctx/git-ctx/internal/query"
)

// mostBudget is how many tokens a packet over MCP may have.
const mostBudget = 8000

// mostPacketChars keeps a packet of that budget within the reply.
const mostPacketChars = 20000

type packetArgs struct {
	Purpose string   `json:"purpose"`
	Task    string   `json:"task"`
	Goal    string   `json:"goal"`
	Paths   []string `json:"paths"`
	Budget  int      `json:"budget"`
	clocks
}

// clocks are the two clocks of every question.
type clocks struct {
	AsOf    string `json:"as_of"`
	ValidAt string `json:"valid_at"`
}

func (c clocks) query() query.Clocks { return query.Clocks{AsOf: c.AsOf, ValidAt: c.ValidAt} }

func clockArgs() []arg { return []arg{{name: "as_of", form: text}, {name: "valid_at", form: text}} }

// packetAnswer holds the packet as the text that its budget counts: its JSON
// would take more.
type packetAnswer struct {
	Format int    `json:"format"`
	Commit string `json:"commit"`
	Branch string `json:"branch,omitempty"`
	Digest string `json:"digest"`
	Tokens int    `json:"tokens"`
	Packet string `json:"packet"`
}

func packetTool() tool[packetArgs] {
	return tool[packetArgs]{
		name: "packet", title: "What holds",
		about: "What holds and bears on your work, within a token budget: decisions in force, supported hypotheses, open questions, what was ruled out. Call it before you start.",
		args: append([]arg{
			{name: "purpose", form: text, about: "what you are about to do"},
			{name: "task", form: text, about: "id; default @task"},
			{name: "goal", form: text},
			{name: "paths", form: texts, about: "files in play; default: changed files"},
			{name: "budget", form: whole, about: "tokens; default 2000"},
		}, clockArgs()...),
		answer: []arg{{name: "digest", form: text}, {name: "tokens", form: whole}, {name: "packet", form: text, need: true}},
		run:    (*Server).packet,
	}
}

func (s *Server) packet(ctx context.Context, a packetArgs) (*reply, error) {
	if a.Budget < 0 || a.Budget > mostBudget {
		return nil, &argumentError{name: "budget", why: fmt.Sprintf("%d is not within 1 and %d", a.Budget, mostBudget)}
	}
	o := query.PacketOptions{Purpose: a.Purpose, Task: a.Task, Goal: a.Goal, Paths: a.Paths, Budget: a.Budget, Version: s.opts.Version}
	if a.Budget > 0 {
		o.MaxChars = mostPacketChars
	}
	var r *reply
	err := s.read(ctx, a.query(), func(rd *query.Reading) error {
		p, err := query.Packet(ctx, rd, o)
		if err != nil {
			return err
		}
		md := p.Markdown()
		r = &reply{packetAnswer{query.AnswerFormat, p.Commit, rd.Branch, p.Digest, p.Tokens, md}, md}
		return nil
	})
	return r, err
}
