package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// stdioSession is the id of the one session over stdio.
const stdioSession = "stdio"

// mostMessage is how many bytes a message may have, over either transport. A longer one is
// not parsed: one of 63 MiB took 10 s and 0.9 GB.
const mostMessage = 4 << 20

// Bounds of the stdio transport.
const (
	mostCalls = 1000             // requests under way
	mostSaid  = 4000             // characters of a refusal
	lastCalls = 10 * time.Second // for those under way when the client is gone
)

// serveStdio answers one client over a pair of streams until in ends or ctx is
// done. Every request read is answered: those under way when in ends are finished,
// so that each write is done whole or not at all, and told of. Nothing but
// messages is written to out.
func (s *Server) serveStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := newStdio(out)
	if err := s.mcp.RegisterSession(ctx, c); err != nil {
		return fmt.Errorf("begin the session: %w", err)
	}
	defer s.mcp.UnregisterSession(ctx, stdioSession)
	calls, cancel := context.WithCancel(s.mcp.WithContext(context.WithoutCancel(ctx), c))
	defer cancel()
	watch, stopWatch := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { c.notify(watch) })
	beside.Go(func() { s.watch(watch) })
	defer beside.Wait()
	defer stopWatch()

	lines := make(chan []byte)
	read := make(chan error, 1)
	go func() { read <- readLines(ctx, in, lines) }()
	var err error
	for open := true; open; {
		select {
		case l := <-lines:
			s.take(calls, c, l)
		case err = <-read:
			open = false
		case <-ctx.Done():
			err, open = context.Cause(ctx), false
		}
	}
	if ctx.Err() != nil {
		cancel()
	}
	c.finish(cancel)
	return err
}

// readLines hands on each line until the stream ends. A longer one than a message
// may be is handed on as nil.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		l, err := readLine(r)
		if errors.Is(err, io.EOF) && len(bytes.TrimSpace(l)) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the client's messages: %w", err)
		}
		select {
		case lines <- l:
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return nil
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	l, tooLong := []byte{}, false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(l)+len(part) > mostMessage; !tooLong {
			l = append(l, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			return nil, err
		}
		return l, err
	}
}

// A stdio is the session over a pair of streams.
type stdio struct {
	client
	mu      sync.Mutex // of out
	out     io.Writer
	notices chan mcp.JSONRPCNotification
	calls   sync.WaitGroup
	slots   chan struct{}

	askMu sync.Mutex
	asked map[string]chan answer
	asks  int
}

// An answer is a client's to a request of the server's.
type answer struct {
	result json.RawMessage
	err    error
}

func newStdio(out io.Writer) *stdio {
	return &stdio{out: out, notices: make(chan mcp.JSONRPCNotification, 100), slots: make(chan struct{}, mostCalls), asked: make(map[string]chan answer)}
}

// SessionID implements the session of mcp-go.
func (c *stdio) SessionID() string { return stdioSession }

// NotificationChannel implements the session of mcp-go.
func (c *stdio) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.notices }

// take looks at one message: an answer to us goes to who asked; a request is
// answered beside others, but for the first, which the others may rest on.
func (s *Server) take(ctx context.Context, c *stdio, l []byte) {
	var m struct {
		ID     any             `json:"id"`
		Method mcp.MCPMethod   `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(l, &m); {
	case l == nil:
		c.send(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INVALID_REQUEST, fmt.Sprintf("the message is longer than %d bytes: send less at once", mostMessage), nil))
		return
	case len(bytes.TrimSpace(l)) == 0:
		return
	case err != nil:
		c.send(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.PARSE_ERROR, "the line is no JSON-RPC message", nil))
		return
	case m.Method == "" && m.Error != nil:
		c.answered(m.ID, answer{err: errors.New(m.Error.Message)})
		return
	case m.Method == "" && m.Result != nil:
		c.answered(m.ID, answer{result: m.Result})
		return
	case m.ID == nil || m.Method == mcp.MethodInitialize:
		s.handle(ctx, c, m.ID, l)
		return
	}
	select {
	case c.slots <- struct{}{}:
	default:
		c.send(mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), mcp.INTERNAL_ERROR, "too many requests are under way", nil))
		return
	}
	ctx, end := context.WithCancel(ctx)
	if m.Method == mcp.MethodSubscriptionsListen {
		c.listens(end)
	}
	c.calls.Go(func() {
		defer end()
		s.handle(ctx, c, m.ID, l)
		<-c.slots
	})
}

func (s *Server) handle(ctx context.Context, c *stdio, id any, l []byte) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Log.Error("a request failed", "panic", p)
			c.send(mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.INTERNAL_ERROR, "the request failed", nil))
		}
	}()
	res := s.mcp.HandleMessage(ctx, l)
	if e, ok := res.(mcp.JSONRPCError); ok { // it quotes the request
		e.Error.Message = cut(e.Error.Message, mostSaid)
		res = e
	}
	if res != nil {
		c.send(res)
	}
}

// send writes one message, whole and alone. An error means that the client is
// gone, which the end of its stream says too.
func (c *stdio) send(m any) {
	b, err := encode(m)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(append(b, '\n'))
}

func (c *stdio) notify(ctx context.Context) {
	for {
		select {
		case n := <-c.notices:
			c.send(n)
		case <-ctx.Done():
			return
		}
	}
}

// finish waits for the requests under way: no answer will come from the client,
// and what takes too long is cancelled.
func (c *stdio) finish(cancel func()) {
	c.askMu.Lock()
	for _, ch := range c.asked {
		ch <- answer{err: errors.New("the client is gone")}
	}
	clear(c.asked)
	c.askMu.Unlock()
	c.stopListening()
	late := time.AfterFunc(lastCalls, cancel)
	defer late.Stop()
	done := make(chan struct{})
	go func() {
		c.calls.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * lastCalls): // the client reads no more, and what is to be said to it waits
	}
}

// ask sends a request to the client and waits for its answer.
func (c *stdio) ask(ctx context.Context, method mcp.MCPMethod, params, into any) error {
	ch := make(chan answer, 1)
	c.askMu.Lock()
	c.asks++
	id := fmt.Sprintf("ctx-%d", c.asks)
	c.asked[id] = ch
	c.askMu.Unlock()
	defer func() {
		c.askMu.Lock()
		defer c.askMu.Unlock()
		delete(c.asked, id)
	}()
	c.send(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id, "method": method, "params": params})
	select {
	case <-ctx.Done():
		return ctx.Err()
	case a := <-ch:
		if a.err != nil {
			return fmt.Errorf("%s: %w", method, a.err)
		}
		return json.Unmarshal(a.result, into)
	}
}

func (c *stdio) answered(id any, a answer) {
	name, _ := id.(string)
	c.askMu.Lock()
	defer c.askMu.Unlock()
	if ch, ok := c.asked[name]; ok {
		ch <- a // it has room for one
		delete(c.asked, name)
	}
}

// RequestElicitation implements the session of mcp-go.
func (c *stdio) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	var res mcp.ElicitationResult
	return &res, c.ask(ctx, mcp.MethodElicitationCreate, r.Params, &res)
}

// ListRoots implements the session of mcp-go.
func (c *stdio) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	var res mcp.ListRootsResult
	return &res, c.ask(ctx, mcp.MethodListRoots, struct{}{}, &res)
}
