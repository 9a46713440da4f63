package mcpserver

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/setup"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// longest is how long a test waits for what never comes.
const longest = 20 * time.Second

// options are those of a server on a repository.
func options(repo *gittest.Repo, write bool) Options { return scoped(repo, "", write) }

// scoped are those of a server that is bound to a scope.
func scoped(repo *gittest.Repo, scope string, write bool) Options {
	return Options{
		Write: write, Version: "test", Log: slog.New(slog.DiscardHandler),
		Random: func(n int) ([]byte, error) {
			b := make([]byte, n)
			_, err := rand.Read(b)
			return b, err
		},
		Open: func(ctx context.Context, dir string, a ledger.Author, noIndex bool) (*ledger.Ledger, error) {
			if dir == "" {
				dir = repo.Dir
			}
			r, err := gitstore.Open(ctx, gitstore.Options{Dir: dir, Env: repo.Env})
			if err != nil {
				return nil, err
			}
			return ledger.Open(r, ledger.Options{Author: a, Scope: scope, Now: time.Now, Random: rand.Reader, NoIndex: noIndex}), nil
		},
	}
}

// store makes a repository with a store under the policy.
func store(t testing.TB, review records.Review) *gittest.Repo {
	t.Helper()
	repo := gittest.New(t, gittest.Plain)
	l := person(t, repo)
	if _, err := setup.Init(t.Context(), l, setup.InitOptions{Review: review}); err != nil {
		t.Fatal(err)
	}
	return repo
}

// person opens the repository as a person at a terminal.
func person(t testing.TB, repo *gittest.Repo) *ledger.Ledger {
	t.Helper()
	r, err := gitstore.Open(t.Context(), gitstore.Options{Dir: repo.Dir, Env: repo.Env})
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(r, ledger.Options{Author: ledger.Author{Actor: records.Human}, Now: time.Now, Random: rand.Reader})
	t.Cleanup(func() { _, _ = l.Close(), r.Close() })
	return l
}

// A message is any of the protocol.
type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// A peer is a client over stdio.
type peer struct {
	t    testing.TB
	in   *io.PipeWriter
	done chan error // what serveStdio returned

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	notices chan message
	asked   func(message) any // answers the server's requests
}

// connect starts a server and a client of that name and those capabilities.
func connect(t testing.TB, o Options, name string, capabilities map[string]any, asked func(message) any) *peer {
	t.Helper()
	p := dial(t, o, asked)
	res := p.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities,
		"clientInfo": map[string]any{"name": name, "version": "1"}})
	if res.Error != nil {
		t.Fatalf("initialize: %v", res.Error)
	}
	p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return p
}

// dial starts a server to which nothing has been said yet.
func dial(t testing.TB, o Options, asked func(message) any) *peer {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	p := &peer{t: t, in: in, done: make(chan error, 1), waiting: make(map[int]chan message), notices: make(chan message, 1000), asked: asked}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		p.done <- s.serveStdio(ctx, toServer, fromServer)
		_ = fromServer.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.listen(out)
	}()
	t.Cleanup(func() {
		_ = in.Close()
		<-read
		cancel()
	})
	return p
}

// listen takes the server's messages apart. A line that is none fails the test.
func (p *peer) listen(out io.Reader) {
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var m message
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			p.t.Errorf("the server wrote %.100q, which is not a message", sc.Text())
			continue
		}
		switch id, isNumber := m.ID.(float64); {
		case m.Method != "" && m.ID != nil:
			go func() { p.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": p.asked(m)}) }()
		case m.Method != "" || !isNumber:
			p.notices <- m
		default:
			p.mu.Lock()
			ch := p.waiting[int(id)]
			delete(p.waiting, int(id))
			p.mu.Unlock()
			if ch == nil {
				p.t.Errorf("nobody asked for %s", sc.Text())
				continue
			}
			ch <- m
		}
	}
}

func (p *peer) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		p.t.Error(err)
	}
	p.write(string(b) + "\n")
}

func (p *peer) write(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.in, line)
}

// begin sends a request and returns where its answer will come.
func (p *peer) begin(method string, params any) (id int, answer chan message) {
	answer = make(chan message, 1)
	p.mu.Lock()
	p.next++
	id = p.next
	p.waiting[id] = answer
	p.mu.Unlock()
	p.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, answer
}

func (p *peer) request(method string, params any) message {
	p.t.Helper()
	_, answer := p.begin(method, params)
	return p.wait(answer)
}

func (p *peer) wait(answer chan message) message {
	p.t.Helper()
	select {
	case m := <-answer:
		return m
	case <-time.After(longest):
		p.t.Fatal("no answer came")
		return message{}
	}
}

// notice waits for a notification of that method.
func (p *peer) notice(method string) message {
	p.t.Helper()
	late := time.After(longest)
	for {
		select {
		case m := <-p.notices:
			if m.Method == method {
				return m
			}
		case <-late:
			p.t.Fatalf("no %s came", method)
		}
	}
}

// A result is what a tool answered.
type result struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func (r result) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// facts are the structured content as a tree.
func (r result) facts(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatalf("facts %.200s: %v", r.Structured, err)
	}
	return v
}

type args map[string]any

// call calls a tool, whatever comes of it.
func (p *peer) call(tool string, a args) result {
	p.t.Helper()
	return p.resultOf(tool, p.request("tools/call", map[string]any{"name": tool, "arguments": a}))
}

func (p *peer) resultOf(tool string, m message) result {
	p.t.Helper()
	if m.Error != nil {
		p.t.Fatalf("%s: %d %s", tool, m.Error.Code, m.Error.Message)
	}
	var r result
	if err := json.Unmarshal(m.Result, &r); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// ok calls a tool that is to succeed, and returns its facts.
func (p *peer) ok(tool string, a args) map[string]any {
	p.t.Helper()
	r := p.call(tool, a)
	if r.IsError {
		p.t.Fatalf("%s %v: %s", tool, a, r.text())
	}
	return r.facts(p.t)
}

// fails calls a tool that is to fail, and returns what it says.
func (p *peer) fails(tool string, a args) string {
	p.t.Helper()
	r := p.call(tool, a)
	if !r.IsError {
		p.t.Fatalf("%s %v succeeded: %.300s", tool, a, r.text())
	}
	return r.text()
}

// add records something and returns its id.
func (p *peer) add(kind, title string, more ...args) string {
	p.t.Helper()
	a := args{"kind": kind, "title": title}
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	return fmt.Sprint(p.ok("add", a)["id"])
}

func mustContain(t testing.TB, where, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", where, w, text)
		}
	}
}
