package agenthost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/packet"
)

const (
	// Hosts cut what a hook tells at 10,000 characters.
	mostTold = 9500
	mostNews = 2000 // with a prompt
)

// The notes that a session has.
const (
	noteGiven     = "given"     // the packet
	noteShown     = "shown"     // the ids that it was shown
	noteCompacted = "compacted" // since the last event
	noteBegan     = "began"     // the store's and the code's commit
	noteEdited    = "edited"    // the store's commit when code was changed
	noteReminded  = "reminded"
)

// A Hook is what an event of an agent's host runs in.
type Hook struct {
	// Open opens the repository around a folder, "" being where the program runs,
	// for a session. Run closes the ledger and its repository.
	Open    func(ctx context.Context, dir, session string) (*ledger.Ledger, error)
	Getenv  func(string) string
	Version string
}

// NoAnswer is what every host takes for "nothing to say".
const NoAnswer = "{}\n"

// Run answers an event of a host in the host's own form. Where there is nothing to
// say, or anything fails, that is [NoAnswer]; the error then tells why.
func (a *Hook) Run(ctx context.Context, host, event string, in io.Reader) (string, error) {
	h, ok := findHost(host)
	if !ok {
		return NoAnswer, &UnknownHostError{host}
	}
	e, ok := h.event(event)
	if !ok {
		return NoAnswer, fmt.Errorf("unknown event '%s' of '%s'", event, host)
	}
	p, err := readPayload(in)
	if err != nil {
		return NoAnswer, err
	}
	led, err := a.Open(ctx, p.Dir, p.Session)
	if err != nil {
		return NoAnswer, err
	}
	defer func() {
		_ = led.Close()
		_ = led.Repo().Close()
	}()
	rd, err := query.Read(ctx, led, query.Clocks{})
	if err != nil {
		return NoAnswer, err
	}
	s := &agentSession{rd: rd, run: a, payload: p}
	text, err := s.at(ctx, e.moment)
	if err != nil || text == "" || ctx.Err() != nil {
		return NoAnswer, errors.Join(err, ctx.Err())
	}
	return toJSON(h.say(e, p, text)) + "\n", nil
}

// An agentSession is one session of an agent, at one event.
type agentSession struct {
	rd      *query.Reading
	run     *Hook
	payload *agentPayload
}

func (s *agentSession) led() *ledger.Ledger { return s.rd.Ledger }

// at is what a moment has the agent told.
func (s *agentSession) at(ctx context.Context, m moment) (string, error) {
	switch m {
	case sessionStarts:
		return s.start(ctx)
	case promptComes:
		return s.prompt(ctx)
	case fileChanges:
		return s.edit(ctx)
	case turnEnds:
		return s.stop(ctx)
	case contextShrinks:
		return "", SetNote(s.led(), noteCompacted, "")
	}
	return "", nil
}

// start gives the packet once, and then what changed.
func (s *agentSession) start(ctx context.Context) (string, error) {
	s.export()
	if s.payload.Source == "clear" {
		if err := errors.Join(DropNote(s.led(), noteGiven), DropNote(s.led(), noteShown)); err != nil {
			return "", err
		}
	}
	if err := s.began(ctx); err != nil {
		return "", err
	}
	if _, given := Note(s.led(), noteGiven); !given {
		return s.whole(ctx, "")
	}
	if s.payload.Source == "compact" {
		return s.compacted(ctx, "", mostTold)
	}
	return s.news(ctx, "", mostTold)
}

// began notes where the store and the code stand.
func (s *agentSession) began(ctx context.Context) error {
	if _, there := Note(s.led(), noteBegan); there {
		return nil
	}
	_, head, err := s.led().Repo().Head(ctx)
	if err != nil {
		return err
	}
	_, err = FirstNote(s.led(), noteBegan, fmt.Sprintf("%s %s", s.rd.Commit, head))
	return err
}

// export makes the session's key known to the commands that Claude Code runs.
func (s *agentSession) export() {
	file, id := s.run.Getenv("CLAUDE_ENV_FILE"), s.payload.Session
	plain := func(r rune) bool {
		return r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if file == "" || id == "" || strings.TrimFunc(id, plain) != "" {
		return
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return // its commands then share the worktree's session
	}
	_, _ = fmt.Fprintf(f, "export CTX_SESSION=%s\n", id)
	_ = f.Close()
}

// whole gives the packet, to one of the events that come at once.
func (s *agentSession) whole(ctx context.Context, purpose string) (string, error) {
	if s.rd.Len() == 0 {
		return "", nil
	}
	limit := s.rd.Policy.MaxChars
	if limit == 0 || limit > mostTold {
		limit = min(mostTold, packet.DefaultMaxChars)
	}
	p, err := query.Packet(ctx, s.rd, query.PacketOptions{Purpose: purpose, MaxChars: limit, Version: s.run.Version})
	if err != nil || ctx.Err() != nil {
		return "", err
	}
	if fresh, err := FirstNote(s.led(), noteGiven, ""); err != nil || !fresh {
		return "", err
	}
	_ = DropNote(s.led(), noteCompacted)
	return p.Markdown(), s.told(ctx, p)
}

// told remembers what the session has seen.
func (s *agentSession) told(ctx context.Context, p *packet.Packet) error {
	var ids []string
	for _, sec := range p.Sections {
		for _, item := range sec.Items {
			ids = append(ids, string(item.ID))
		}
	}
	return errors.Join(s.show(ids...), query.MarkDelivered(ctx, s.rd, p))
}

func (s *agentSession) shown() map[string]bool {
	text, _ := Note(s.led(), noteShown)
	seen := make(map[string]bool)
	for _, id := range strings.Fields(text) {
		seen[id] = true
	}
	return seen
}

func (s *agentSession) show(ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	text, _ := Note(s.led(), noteShown)
	return SetNote(s.led(), noteShown, strings.TrimSpace(text+" "+strings.Join(ids, " ")))
}

// news is what changed since the session's last packet, "" where nothing did.
func (s *agentSession) news(ctx context.Context, purpose string, limit int) (string, error) {
	p, err := query.Packet(ctx, s.rd, query.PacketOptions{Purpose: purpose, Session: true, MaxChars: limit, Version: s.run.Version})
	if err != nil || ctx.Err() != nil {
		return "", err
	}
	return p.Markdown(), s.told(ctx, p)
}

// compacted is what the agent is told once its host has summed up what it had seen.
func (s *agentSession) compacted(ctx context.Context, purpose string, limit int) (string, error) {
	const reminder = "The git ctx packet that this session began with holds but for what is said here. Where it is gone from your context, call the tool packet of the MCP server ctx, or run git ctx packet.\n"
	_ = DropNote(s.led(), noteCompacted)
	news, err := s.news(ctx, purpose, limit-len(reminder)-1)
	if err != nil {
		return "", err
	}
	if news == "" {
		return reminder, nil
	}
	return reminder + "\n" + news, nil
}
