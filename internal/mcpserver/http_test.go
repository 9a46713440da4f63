package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

const testToken = "0123456789abcdef0123"

// serve runs a server over HTTP and returns its address.
func serve(t *testing.T, o Options) string {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.serveHTTP(ctx, l, testToken) }()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(longest):
			t.Error("the server goes on")
		}
	})
	return l.Addr().String()
}

// post sends a message and returns the answer's status, session and body.
func post(t *testing.T, addr, body string, change func(*http.Request)) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+testToken)
	if change != nil {
		change(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Mcp-Session-Id"), string(b)
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"Http Client","version":"1"}}}`

// TestHTTPGuard lets in who knows the token from this machine, and nobody else.
func TestHTTPGuard(t *testing.T) {
	addr := serve(t, options(store(t, records.ReviewAny), false))
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"a program":            {nil, 200},
		"a local page":         {func(r *http.Request) { r.Header.Set("Origin", "http://localhost:6274") }, 200},
		"no token":             {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"wrong token":          {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testToken+"0") }, 401},
		"token of another way": {func(r *http.Request) { r.Header.Set("Authorization", "Basic "+testToken) }, 401},
		"a foreign page":       {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		"a page by a file":     {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"a page that looks so": {func(r *http.Request) { r.Header.Set("Origin", "http://localhost.evil.example") }, 403},
		"a rebound name":       {func(r *http.Request) { r.Host = "evil.example" }, 403},
		"another path":         {func(r *http.Request) { r.URL.Path = "/other" }, 404},
	} {
		if status, _, body := post(t, addr, hello, c.change); status != c.want {
			t.Errorf("%s: %d, want %d: %s", name, status, c.want, body)
		}
	}
	// One that is too long is refused before it is parsed, whether it says its length or not.
	long := strings.Replace(hello, "Http Client", strings.Repeat("x", mostMessage), 1)
	if status, _, body := post(t, addr, long, nil); status != 413 || !strings.Contains(body, "longer than") {
		t.Errorf("a message that is too long: %d: %.200s", status, body)
	}
	if status, _, _ := post(t, addr, long, func(r *http.Request) { r.ContentLength = -1 }); status < 400 {
		t.Errorf("a message that is too long and does not say so: %d", status)
	}
	for _, bad := range []string{"0.0.0.0:0", "[::]:0", ":8080", "192.0.2.7:80", "example.com:80", "127.0.0.1", ""} {
		if l, err := listen(bad); err == nil {
			_ = l.Close()
			t.Errorf("%s is served", bad)
		}
	}
	if l, err := listen("[::1]:0"); err == nil {
		_ = l.Close()
	} else if _, v6 := net.Listen("tcp", "[::1]:0"); v6 == nil {
		t.Error(err)
	}
}

// TestHTTPSessions writes from two sessions, each under its own name and session.
func TestHTTPSessions(t *testing.T) {
	repo := store(t, records.ReviewAny)
	addr := serve(t, options(repo, true))
	sessions := make(map[string]bool)
	for i := range 2 {
		_, session, _ := post(t, addr, hello, nil)
		if session == "" {
			t.Fatal("no session")
		}
		status, _, body := post(t, addr, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"kind":"goal","title":"Goal %d"}}}`, i),
			func(r *http.Request) { r.Header.Set("Mcp-Session-Id", session) })
		if status != 200 || !strings.Contains(body, "wrote") {
			t.Fatalf("%d %s", status, body)
		}
		msg := lastMessage(repo)
		mustContain(t, "the commit", msg, "Ctx-Actor: agent/http-client")
		_, rest, _ := strings.Cut(msg, "Ctx-Session: ")
		hash, _, _ := strings.Cut(rest, "\n")
		sessions[hash] = true
	}
	if len(sessions) != 2 {
		t.Errorf("sessions %v", sessions)
	}
	if status, _, _ := post(t, addr, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "made-up") }); status != 404 && status != 400 {
		t.Errorf("a session that is none: %d", status)
	}
}

// TestHTTPStateless speaks the protocol without sessions.
func TestHTTPStateless(t *testing.T) {
	repo := store(t, records.ReviewAny)
	addr := serve(t, options(repo, true))
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": map[string]any{
		"name": "add", "arguments": args{"kind": "goal", "title": "Stateless"},
		"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo": map[string]any{"name": "Stateless One", "version": "1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	headers := func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "add")
	}
	status, session, answer := post(t, addr, string(body), headers)
	if status != 200 || session != "" || !strings.Contains(answer, "wrote") {
		t.Fatalf("%d %q %s", status, session, answer)
	}
	mustContain(t, "the commit", lastMessage(repo), "Ctx-Actor: agent/stateless-one")
	if status, _, answer := post(t, addr, strings.Replace(string(body), "2026-07-28", "2031-01-01", 1), func(r *http.Request) {
		headers(r)
		r.Header.Set("Mcp-Protocol-Version", "2031-01-01")
	}); status != 400 || !strings.Contains(answer, "2026-07-28") {
		t.Errorf("an unknown version: %d %s", status, answer)
	}
}
