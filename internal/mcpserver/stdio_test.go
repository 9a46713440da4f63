package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// TestEndWithCallsUnderWay ends the input behind a burst of writes: each of them is
// answered, and what the answers say is what the store holds.
func TestEndWithCallsUnderWay(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	const calls = 40
	var answers []chan message
	for i := range calls {
		_, ch := p.begin("tools/call", map[string]any{"name": "add", "arguments": args{"kind": "hypothesis", "title": fmt.Sprintf("Thought %d", i)}})
		answers = append(answers, ch)
	}
	_ = p.in.Close()
	select {
	case err := <-p.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(longest):
		t.Fatal("the server goes on")
	}
	wrote := 0
	for _, ch := range answers {
		if r := p.resultOf("add", p.wait(ch)); !r.IsError {
			wrote++
		}
	}
	if wrote != calls {
		t.Errorf("%d of %d writes were done", wrote, calls)
	}
	if n := repo.Git("rev-list", "--count", "refs/ctx/heads/main"); n != fmt.Sprint(wrote+2) {
		t.Errorf("%d answers say that they wrote, and there are %s commits", wrote, n)
	}
	repo.Git("fsck", "--strict")
}

// TestEndWhileAsked ends the input while the client's user is being asked.
func TestEndWhileAsked(t *testing.T) {
	repo := store(t, records.ReviewHuman)
	asked := make(chan struct{})
	p := connect(t, options(repo, true), "test", canAsk, func(message) any {
		close(asked)
		select {}
	})
	id := p.add("decision", "Cap the heap", args{"question": "How?"})
	_, answer := p.begin("tools/call", map[string]any{"name": "update", "arguments": args{"verb": "accept", "ids": []string{id}, "reason": "fine"}})
	<-asked
	_ = p.in.Close()
	select {
	case <-p.done:
	case <-time.After(longest):
		t.Fatal("the server goes on")
	}
	if r := p.resultOf("update", p.wait(answer)); r.IsError || strings.Contains(lastMessage(repo), "Ctx-Attested") {
		t.Errorf("%s\n%s", r.text(), lastMessage(repo))
	}
}

// TestStopped cancels the server while calls are under way: each write is done
// whole or not at all.
func TestStopped(t *testing.T) {
	repo := store(t, records.ReviewAny)
	s, err := New(options(repo, true))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	out, server := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.serveStdio(ctx, in, server); server.Close() }()
	said := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(out)
		said <- string(b)
	}()
	for i := range 30 {
		fmt.Fprintf(client, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"kind":"goal","title":"Goal %d"}}}`+"\n", i+1, i)
	}
	cancel()
	select {
	case <-done:
	case <-time.After(longest):
		t.Fatal("the server goes on")
	}
	text := <-said
	wrote := strings.Count(text, `\"wrote\"`)
	if n := repo.Git("rev-list", "--count", "refs/ctx/heads/main"); n != fmt.Sprint(wrote+2) {
		t.Errorf("%d answers say that they wrote, and there are %s commits", wrote, n)
	}
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("half a message: %.100q", line)
		}
	}
	repo.Git("fsck", "--strict")
	_ = client.Close()
}

// TestCancelled cancels one call that waits for its turn; the others are answered.
func TestCancelled(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	unlock, err := person(t, repo).Repo().Lock(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	id, answer := p.begin("tools/call", map[string]any{"name": "add", "arguments": args{"kind": "goal", "title": "Cancelled"}})
	p.ok("list", nil) // it reads while the writer waits
	p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id, "reason": "no longer wanted"}})
	if r := p.resultOf("add", p.wait(answer)); !r.IsError {
		t.Errorf("the call was done: %s", r.text())
	}
	unlock()
	p.add("goal", "Not cancelled")
	if got := p.ok("list", nil)["records"].([]any); len(got) != 1 {
		t.Errorf("%d records, want the one not cancelled", len(got))
	}
}

// TestBadMessages sends what no client should; the server goes on.
func TestBadMessages(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	for _, c := range []struct {
		line string
		code int
	}{
		{"this is not JSON", -32700},
		{`{"jsonrpc":"2.0","id":"x","method":`, -32700},
		{"\x00\xff\xfe", -32700},
		{`[{"jsonrpc":"2.0","id":"b","method":"ping"}]`, -32700},
		{`42`, -32700},
		{`{"jsonrpc":"1.0","id":"old","method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":"m","method":"no/such/method"}`, -32601},
		{`{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"no_such_tool"}}`, -32602},
		{`{"jsonrpc":"2.0","id":"p","method":"tools/call","params":7}`, -32600},
		{`{"jsonrpc":"2.0","id":"v","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`, -32022},
	} {
		p.write(c.line + "\n")
		m := p.unnumbered()
		if m.Error == nil || m.Error.Code != c.code {
			t.Errorf("%.80q: %+v, want %d", c.line, m.Error, c.code)
		}
	}
	for _, line := range []string{"", "   ", `{"jsonrpc":"2.0","method":"notifications/nonsense"}`, `{"jsonrpc":"2.0","id":"ctx-99","result":{}}`} {
		p.write(line + "\n") // to be passed over
	}
	p.add("goal", "Still here")
	repo.Git("fsck", "--strict")
}

// unnumbered waits for an answer whose id is not a number.
func (p *peer) unnumbered() message {
	p.t.Helper()
	select {
	case m := <-p.notices:
		return m
	case <-time.After(longest):
		p.t.Fatal("no answer came")
		return message{}
	}
}

// TestProtocolVersions negotiates: an unknown version gets one that both may speak.
func TestProtocolVersions(t *testing.T) {
	for _, c := range []struct{ ask, want string }{
		{"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
		{"1999-01-01", "2025-11-25"}, {"2099-01-01", "2025-11-25"}, {"", "2025-03-26"},
	} {
		p := dial(t, options(store(t, records.ReviewAny), false), nil)
		m := p.request("initialize", map[string]any{"protocolVersion": c.ask, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
		var res struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if m.Error != nil {
			t.Errorf("%q: %s", c.ask, m.Error.Message)
		} else if err := json.Unmarshal(m.Result, &res); err != nil || res.ProtocolVersion != c.want {
			t.Errorf("%q: got %q, want %q", c.ask, res.ProtocolVersion, c.want)
		}
	}
	p := dial(t, options(store(t, records.ReviewAny), false), nil)
	meta := map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}}}
	if m := p.request("server/discover", meta); m.Error != nil || !strings.Contains(string(m.Result), "2026-07-28") {
		t.Errorf("discover: %v %s", m.Error, m.Result)
	}
}

// TestLongArguments sends 3 MiB: refused in a few words, and the server goes on.
func TestLongArguments(t *testing.T) {
	repo := store(t, records.ReviewAny)
	p := connect(t, options(repo, true), "test", nil, nil)
	long := strings.Repeat("long ", 3<<20/5)
	for _, c := range []struct {
		tool string
		args args
	}{
		{"add", args{"kind": "goal", "title": "Long", "body": long}},
		{"add", args{"kind": "goal", "title": long[:1<<20]}},
		{"add", args{"kind": long[:1<<20], "title": "x"}},
		{"update", args{"verb": "achieve", "ids": []string{long[:1<<20]}}},
		{"search", args{"query": long[:200<<10]}},
		{"show", args{"ids": []string{long[:200<<10]}}},
		{"checkpoint", args{"message": "x", "request": long[:1<<20]}},
		{"apply", args{"ops": []args{{"verb": "add", "kind": "goal", "title": long}}}},
		{"list", args{"cursor": long[:1<<20]}},
		{"apply", args{"ops": slices.Repeat([]args{{"verb": "add", "kind": "goal", "title": "Many"}}, 50_000)}},
		{"add", args{"kind": "goal", "title": "Linked", "links": args{"relates-to": slices.Repeat([]string{"goal-00000000"}, 150_000)}}},
		{"list", args{"tags": slices.Repeat([]string{"tag"}, 150_000)}},
	} {
		if text := p.fails(c.tool, c.args); len(text) > 4<<10 {
			t.Errorf("%s: an error of %d bytes", c.tool, len(text))
		}
	}
	for _, m := range []message{
		p.request("prompts/get", map[string]any{"name": "start_work", "arguments": map[string]any{"purpose": long}}),
		p.request("resources/read", map[string]any{"uri": "ctx://record/" + long}),
	} {
		if m.Error == nil || len([]rune(m.Error.Message)) > mostSaid+1 {
			t.Errorf("a prompt or a resource says 3 MiB again: %.200q", m.Result)
		}
	}
	p.add("goal", "Short")
	if n := len(p.ok("list", nil)["records"].([]any)); n != 1 {
		t.Errorf("%d records", n)
	}
}

// TestLineTooLong passes over a message that is longer than one may be.
func TestLineTooLong(t *testing.T) {
	p := connect(t, options(store(t, records.ReviewAny), false), "test", nil, nil)
	go func() {
		chunk := strings.Repeat("x", 1<<20)
		p.mu.Lock()
		defer p.mu.Unlock()
		for range mostMessage>>20 + 2 {
			_, _ = io.WriteString(p.in, chunk)
		}
		_, _ = io.WriteString(p.in, "\n")
	}()
	if m := p.unnumbered(); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("%+v", m.Error)
	}
	p.ok("status", nil)
}

// TestRoots finds the repository by what the client says, where the program was
// started outside of any, and stays there.
func TestRoots(t *testing.T) {
	repo, other := store(t, records.ReviewAny), store(t, records.ReviewAny)
	o := options(repo, true)
	inner, outside := o.Open, t.TempDir()
	o.Open = func(ctx context.Context, dir string, a ledger.Author, noIndex bool) (*ledger.Ledger, error) {
		if dir == "" {
			dir = outside
		}
		return inner(ctx, dir, a, noIndex)
	}
	roots := []string{"https://example.com/x", "file://" + outside, "file://" + repo.Dir, "file://" + other.Dir}
	answer := func(message) any {
		var rs []map[string]any
		for _, uri := range roots {
			rs = append(rs, map[string]any{"uri": uri})
		}
		return map[string]any{"roots": rs}
	}
	p := connect(t, o, "test", map[string]any{"roots": map[string]any{}}, answer)
	p.add("goal", "Found by the root")
	roots = []string{"file://" + other.Dir}
	p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
	p.add("goal", "Still there")
	if a, b := commits(repo), commits(other); a != "4" || b != "2" {
		t.Errorf("%s commits where it was found, %s elsewhere", a, b)
	}
	none := connect(t, o, "test", nil, nil)
	mustContain(t, "without roots", none.fails("status", nil), "not a git repository", "next: ")
}

func commits(repo *gittest.Repo) string {
	return repo.Git("rev-list", "--count", "refs/ctx/heads/main")
}
