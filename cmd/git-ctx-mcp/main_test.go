package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/internal/gittest"
)

// asProgram makes the test binary the program.
const asProgram = "GIT_CTX_TEST_AS_MCP"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A program is git-ctx-mcp running in a repository.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errOut *bufio.Reader
}

func start(t *testing.T, repo *gittest.Repo, args ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command(os.Args[0], args...)}
	p.cmd.Dir, p.cmd.Env = repo.Dir, append(repo.Env, asProgram+"=1")
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errOut, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out, p.errOut = bufio.NewReader(out), bufio.NewReader(errOut)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = p.cmd.Process.Kill() })
	t.Cleanup(func() {
		stuck.Stop()
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

// answer reads one line of standard output, which must be a message.
func (p *program) answer() (id any, text string) {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("standard output ended: %v after %q", err, line)
	}
	var m struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
		p.t.Fatalf("standard output holds %q, which is not a message", line)
	}
	return m.ID, line
}

// ends waits for the program's end and returns its status.
func (p *program) ends() int {
	p.t.Helper()
	rest, _ := io.ReadAll(p.out)
	if len(rest) > 0 {
		p.t.Errorf("standard output ends with %q", rest)
	}
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"
	call       = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}` + "\n"
)

// TestStandardOutputIsMessagesAlone holds standard input open: what a client reads
// then is each answer at once, and nothing else, though things go wrong.
func TestStandardOutputIsMessagesAlone(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	p := start(t, repo, "--mode", "write")
	fmt.Fprint(p.in, initialize)
	p.answer()
	fmt.Fprint(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	for i, c := range []struct{ tool, args string }{
		{"packet", `{}`}, // there is no store yet
		{"add", `{"kind":"goal","title":"Keep it fast"}`},
		{"add", `{"kind":"nonsense"}`},
		{"no_such_tool", `{}`},
		{"packet", `{"purpose":"speed"}`},
		{"audit", `{}`},
	} {
		fmt.Fprintf(p.in, call, i+10, c.tool, c.args)
		if id, text := p.answer(); id != float64(i+10) {
			t.Errorf("%s: answered %s", c.tool, text)
		}
	}
	fmt.Fprint(p.in, "no message\n")
	p.answer()
	repo.Git("update-ref", "refs/ctx/heads/main", repo.Git("rev-parse", "refs/ctx/heads/main^")) // behind its back
	fmt.Fprintf(p.in, call, 99, "status", `{}`)
	for {
		if id, _ := p.answer(); id == 99.0 {
			break
		}
	}
	_ = p.in.Close()
	if status := p.ends(); status != 0 {
		t.Errorf("status %d", status)
	}
}

// TestTerminated ends the program by a signal while standard input stays open.
func TestTerminated(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	p := start(t, repo, "--mode", "write")
	fmt.Fprint(p.in, initialize)
	p.answer()
	fmt.Fprintf(p.in, call, 2, "add", `{"kind":"goal","title":"Keep it fast"}`)
	p.answer()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.ends(); status != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d", status)
	}
	repo.Git("fsck", "--strict")
}

// TestTerminatedWhileItReads ends the program while an anchor's file is read, which a
// filter of the project makes slow; another writer is not kept waiting meanwhile.
func TestTerminatedWhileItReads(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	started := repo.Dir + "/started"
	writeFile(t, repo.Dir+"/.gitattributes", "slow.txt filter=slow\n")
	writeFile(t, repo.Dir+"/slow.txt", "one\n")
	repo.Git("config", "filter.slow.clean", "touch '"+started+"'; sleep 60")
	p, other := start(t, repo, "--mode", "write"), start(t, repo, "--mode", "write")
	for _, q := range []*program{p, other} {
		fmt.Fprint(q.in, initialize)
		q.answer()
	}
	add := func(q *program, id int) string {
		fmt.Fprintf(q.in, call, id, "add", fmt.Sprintf(`{"kind":"goal","title":"Goal number %d"}`, id))
		_, text := q.answer()
		return text
	}
	add(other, 2)
	fmt.Fprintf(p.in, call, 2, "add", `{"kind":"evidence","title":"Seen","anchors":["slow.txt"]}`)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(started); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal("the anchor is not read")
		}
	}
	asked := time.Now()
	if text := add(other, 3); strings.Contains(text, `"isError":true`) || time.Since(asked) > 20*time.Second {
		t.Errorf("beside the reading, after %s: %s", time.Since(asked), text)
	}
	asked = time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, p.out) // it may answer yet that the call was cancelled
	if status := p.ends(); status != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d", status)
	}
	if took := time.Since(asked); took > 20*time.Second {
		t.Errorf("it ended after %s", took)
	}
	repo.Git("fsck", "--strict")
}

// TestAnsweredAgainWithoutItsFile repeats a request whose anchor's file is gone since.
func TestAnsweredAgainWithoutItsFile(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	writeFile(t, repo.Dir+"/a.txt", "one\n")
	p := start(t, repo, "--mode", "write")
	fmt.Fprint(p.in, initialize)
	p.answer()
	add := func(id int, request string) string {
		fmt.Fprintf(p.in, call, id, "add", fmt.Sprintf(`{"kind":"evidence","title":"Seen","anchors":["a.txt"],"request":%q}`, request))
		_, text := p.answer()
		return text
	}
	add(2, "once")
	if err := os.Remove(repo.Dir + "/a.txt"); err != nil {
		t.Fatal(err)
	}
	if text := add(3, "once"); strings.Contains(text, `"isError":true`) {
		t.Errorf("the same request: %s", text)
	}
	if text := add(4, "other"); !strings.Contains(text, "no such file in the worktree") {
		t.Errorf("another request: %s", text)
	}
}

// TestHTTPProgram finds address and token on standard error, and ends by a signal.
func TestHTTPProgram(t *testing.T) {
	p := start(t, gittest.New(t, gittest.Plain), "--http", "127.0.0.1:0")
	read := func(prefix string) string {
		line, err := p.errOut.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, prefix) {
			t.Fatalf("%q, %v", line, err)
		}
		return strings.TrimSpace(strings.TrimPrefix(line, prefix))
	}
	url, token := read("serving "), read("bearer token: ")
	for _, c := range []struct {
		token string
		want  int
	}{{"", 401}, {"wrong", 401}, {token, 200}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(initialize))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("token %q: %s %s", c.token, res.Status, body)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.ends(); status != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d", status)
	}
}

// TestRefusals are calls of the program that serve nothing.
func TestRefusals(t *testing.T) {
	repo := gittest.New(t, gittest.Plain)
	for _, c := range []struct {
		args   []string
		env    string
		status int
		says   string
	}{
		{[]string{"--mode", "admin"}, "", 129, "unknown --mode 'admin'"},
		{[]string{"--http", "0.0.0.0:0"}, "", 128, "not of the loopback interface"},
		{[]string{"--http", "192.0.2.1:80"}, "", 128, "not of the loopback interface"},
		{[]string{"--http", "nonsense"}, "", 128, "127.0.0.1:PORT"},
		{[]string{"--http", "127.0.0.1:0"}, "CTX_MCP_TOKEN=short", 128, "bearer token: it has 5 characters"},
		{[]string{"--token-file", "x"}, "", 129, "goes with '--http'"},
		{[]string{"-C", "/", "--http", "127.0.0.1:0"}, "", 128, "not a git repository"},
	} {
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Dir, cmd.Env = repo.Dir, append(repo.Env, asProgram+"=1", c.env)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.status || !strings.Contains(string(out), c.says) {
			t.Errorf("%v: %v, %s", c.args, err, out)
		}
	}
}
