package mcpserver

import (
	"cmp"
	"context"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/mark3labs/mcp-go/server"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// author is who a call is by: always an agent, whatever the client says.
func (s *Server) author(ctx context.Context) ledger.Author {
	name := cmp.Or(s.opts.Agent, clientName(ctx), "mcp")
	a := ledger.Author{Actor: records.Agent(name), Tool: "git-ctx-mcp/" + s.opts.Version, Model: s.opts.Model, Session: s.opts.Session}
	if session := server.ClientSessionFromContext(ctx); a.Session == "" && session != nil && session.SessionID() != stdioSession {
		a.Session = "mcp:" + session.SessionID()
	}
	return a
}

// with opens the repository for one call. When an index failed under an answer
// that wrote nothing, ask runs again on git alone.
func (s *Server) with(ctx context.Context, a ledger.Author, ask func(*ledger.Ledger) error) error {
	select {
	case s.rooms <- struct{}{}:
		defer func() { <-s.rooms }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	damaged, err := s.once(ctx, a, false, ask)
	if damaged {
		_, err = s.once(ctx, a, true, ask)
	}
	return err
}

// once tells whether what ask answered cannot be relied on.
func (s *Server) once(ctx context.Context, a ledger.Author, noIndex bool, ask func(*ledger.Ledger) error) (damaged bool, err error) {
	led, err := s.open(ctx, a, noIndex)
	if err != nil {
		return false, err
	}
	err = ask(led)
	closeErr := led.Close()
	wrote := led.Wrote()
	_ = led.Repo().Close() // all that was asked of it was answered
	return closeErr != nil && !wrote, err
}

// read answers a question over one reading.
func (s *Server) read(ctx context.Context, c query.Clocks, ask func(*query.Reading) error) error {
	return s.with(ctx, s.author(ctx), func(led *ledger.Ledger) error {
		rd, err := query.Read(ctx, led, c)
		if err != nil {
			return err
		}
		return ask(rd)
	})
}

// write runs an edit. The first one of a repository makes its store, unless a
// remote is known to have one, which is to be taken over first.
func (s *Server) write(ctx context.Context, a ledger.Author, edit func(*ledger.Ledger) error) error {
	return s.with(ctx, a, func(led *ledger.Ledger) error {
		_, err := setup.First(ctx, led, func() error { return edit(led) })
		return err
	})
}
