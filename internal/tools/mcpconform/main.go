// Command mcpconform runs the protocol's own suites against the MCP server: the
// conformance suite over HTTP, with and without the fixtures that most of its
// scenarios call, and the inspector's strict listing over stdio.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	modules := flag.String("modules", "bin/node/node_modules", "where npm installed the suites and node")
	only := flag.String("only", "", "conformance or inspector")
	flag.Parse()
	dir, err := filepath.Abs(*modules)
	if err == nil {
		err = run(dir, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcpconform:", err)
		os.Exit(1)
	}
}

// A bench is a scratch repository and what runs there.
type bench struct{ dir, modules string }

func run(modules, only string) error {
	dir, err := os.MkdirTemp("", "git-ctx-mcpconform-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, modules: modules}
	if err := b.prepare(); err != nil {
		return err
	}
	if only != "inspector" {
		for _, build := range []struct{ program, expected string }{
			{"plain/git-ctx-mcp", "internal/tools/mcpconform/expected-failures.yml"}, {"fixtures/git-ctx-mcp", ""},
		} {
			err := b.conformance(build.program, build.expected)
			if err != nil {
				// On a busy machine the transport's library may ask a client before the
				// client's stream is there, and the question is lost: what is wrong fails twice.
				fmt.Fprintln(os.Stderr, "mcpconform: once more:", err)
				err = b.conformance(build.program, build.expected)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", build.program, err)
			}
		}
	}
	if only != "conformance" {
		return b.inspector()
	}
	return nil
}

// prepare builds the programs and makes a repository with a record.
func (b *bench) prepare() error {
	for _, c := range [][]string{
		{"go", "build", "-o", b.path("plain") + "/", "./cmd/git-ctx", "./cmd/git-ctx-mcp"},
		{"go", "build", "-tags", "mcpfixtures", "-o", b.path("fixtures") + "/", "./cmd/git-ctx-mcp"},
		{"git", "init", "-q", b.path("repo")},
		{"git", "-C", b.path("repo"), "config", "user.name", "Ada Example"},
		{"git", "-C", b.path("repo"), "config", "user.email", "ada@example.com"},
		{b.path("plain/git-ctx"), "-C", b.path("repo"), "init", "--review", "any"},
		{b.path("plain/git-ctx"), "-C", b.path("repo"), "goal", "add", "Keep p99 under 50 ms"},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(c, " "), err, out)
		}
	}
	return nil
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// node runs a module's program with the node that npm installed.
func (b *bench) node(program string, args ...string) error {
	bin := filepath.Join(b.modules, ".bin")
	cmd := exec.Command(filepath.Join(bin, "node"), append([]string{filepath.Join(bin, program)}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// conformance serves HTTP and lets the suite at it. The suite knows no token, so a
// proxy says it; hosts and origins it hands on as they are.
func (b *bench) conformance(program, expected string) error {
	const token = "the-conformance-suite"
	cmd := exec.Command(b.path(program), "-C", b.path("repo"), "--mode", "write", "--http", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "CTX_MCP_TOKEN="+token)
	errOut, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(errOut).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the server said %q: %w", line, err)
	}
	target, err := url.Parse(strings.TrimSpace(strings.TrimPrefix(line, "serving ")))
	if err != nil {
		return err
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = target.Scheme, target.Host, r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}})
	defer proxy.Close()
	args := []string{"server", "--url", proxy.URL + target.Path}
	if expected != "" {
		args = append(args, "--expected-failures", expected)
	}
	return b.node("conformance", args...)
}

// inspector lists the tools of both modes by its strict rules.
func (b *bench) inspector() error {
	for _, mode := range []string{"read", "write"} {
		if err := b.node("mcp-inspector", "--cli", b.path("plain/git-ctx-mcp"), "-C", b.path("repo"), "--mode", mode, "--method", "tools/list", "--strict"); err != nil {
			return fmt.Errorf("inspector, mode %s: %w", mode, err)
		}
	}
	return nil
}
