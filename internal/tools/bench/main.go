// Command bench runs whole git ctx commands beside git in one repository and
// prints how many times git's own command each of them takes. Single times on a
// busy machine mean little; the ratios of one run do.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	sizes := flag.String("records", "1000,10000", "sizes of the store, separated by commas")
	runs := flag.Int("runs", 21, "runs of each command; the median counts")
	host := flag.Int("host", 0, "other objects in the repository, made before the store")
	only := flag.String("only", "", "run only the jobs whose name begins so")
	modules := flag.String("modules", "", "time the MCP server alone, beside the memory server that npm installed there")
	flag.Parse()
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err == nil {
			err = bench(n, *host, *runs, *only, *modules)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

// A shop is a scratch repository with a store of records.
type shop struct {
	dir, bin string
	serial   int
	oids     []byte // of all record files
}

// A job is one command to time, and the git command it is measured against.
type job struct {
	name   string
	target string
	base   string // "rev-parse" or "commit"
	run    func() error
}

func bench(records, host, runs int, only, modules string) error {
	dir, err := os.MkdirTemp("", "git-ctx-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &shop{dir: filepath.Join(dir, "repo"), bin: filepath.Join(dir, "git-ctx")}
	if out, err := exec.Command("go", "build", "-o", s.bin, "./cmd/git-ctx").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	if err := s.fill(records, host); err != nil {
		return err
	}
	if modules != "" {
		return s.benchMCP(records, modules)
	}
	bases := map[string]func() error{
		"rev-parse": func() error { return s.git("rev-parse", "HEAD") },
		"commit":    s.commitFile,
		"cat-file":  s.catFile,
	}
	jobs := []job{
		{"one write (goal add)", "≤ 1.5", "commit", s.add},
		{"packet", "≤ 8", "rev-parse", func() error { return s.ctx("packet", "--purpose", "cache latency") }},
		{"list", "≤ 8", "rev-parse", func() error { return s.ctx("list") }},
		{"show", "≤ 8", "rev-parse", func() error { return s.ctx("show", "@goal") }},
		{"next", "≤ 8", "rev-parse", func() error { return s.ctx("next") }},
		{"search, words of many records", "≤ 8", "rev-parse", func() error { return s.ctx("search", "cache", "latency") }},
		{"search, words of one record", "≤ 8", "rev-parse", func() error { return s.ctx("search", `"case 104"`) }},
		{"status", "", "rev-parse", func() error { return s.ctx("status") }},
		{"audit", "≤ 2 s at 100k", "rev-parse", func() error { return s.ctx("audit") }},
		{"pre-commit hook, a decision in force", "≤ 6", "rev-parse", s.hook("staged/file")},
		{"pre-commit hook, an eighth of all records", "", "rev-parse", s.hook("internal/cache/file")},
		{"cold index (built, then list)", "≤ 3", "cat-file", s.coldIndex},
		{"version (the program's start)", "", "rev-parse", func() error { return s.ctx("version") }},
	}
	fmt.Printf("\n%d records, %d other objects; median of up to %d runs, turn by turn\n\n", records, host, runs)
	fmt.Print("| work | time | against git | ratio | target |\n|---|---|---|---|---|\n")
	for _, j := range jobs {
		if !strings.HasPrefix(j.name, only) {
			continue
		}
		took, base, err := turns(runs, j.run, bases[j.base])
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		fmt.Printf("| %s | %s | git %s %s | %.1f | %s |\n",
			j.name, round(took), j.base, round(base), float64(took)/float64(base), j.target)
	}
	if strings.HasPrefix("merge", only) {
		if err := s.benchMerge(records, runs); err != nil {
			return err
		}
	}
	if strings.HasPrefix("apply", only) {
		if err := s.benchApply(); err != nil {
			return err
		}
	}
	if strings.HasPrefix("import", only) {
		if err := s.benchImport(); err != nil {
			return err
		}
	}
	if only == "purge" { // last and alone: it makes history of its own
		return s.benchPurge(records)
	}
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// longest bounds the runs of slow work.
const longest = 20 * time.Second

// turns runs both commands by turns, so that a busy moment hits both, and
// returns their median times.
func turns(runs int, a, b func() error) (time.Duration, time.Duration, error) {
	var as, bs []time.Duration
	start := time.Now()
	for i := range runs + 1 {
		if i > 3 && time.Since(start) > longest {
			break
		}
		ta, err := clock(a)
		if err != nil {
			return 0, 0, err
		}
		tb, err := clock(b)
		if err != nil {
			return 0, 0, err
		}
		as, bs = append(as, ta), append(bs, tb)
	}
	return median(as[1:]), median(bs[1:]), nil // the first run warms up
}

func clock(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

func (s *shop) git(args ...string) error { return s.exec(nil, "git", args...) }
func (s *shop) ctx(args ...string) error { return s.exec(nil, s.bin, args...) }

// exec runs a command; exit status 1 is an answer, not a failure.
func (s *shop) exec(stdin []byte, name string, args ...string) error {
	return s.run(stdin, nil, name, args...)
}

func (s *shop) run(stdin []byte, stdout io.Writer, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "CTX_AGENT=bench",
		"PATH="+filepath.Dir(s.bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdin, cmd.Stdout = strings.NewReader(string(stdin)), stdout
	var errOut strings.Builder
	cmd.Stderr = &errOut
	err := cmd.Run()
	if err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, errOut.String())
	}
	return nil
}

func (s *shop) add() error {
	s.serial++
	return s.ctx("goal", "add", fmt.Sprintf("Bench goal %d", s.serial))
}

func (s *shop) commitFile() error {
	s.serial++
	if err := os.WriteFile(filepath.Join(s.dir, "file"), []byte(strconv.Itoa(s.serial)), 0o644); err != nil {
		return err
	}
	return s.git("commit", "-q", "-m", "one changed file", "file")
}

// coldIndex reads with no index at hand.
func (s *shop) coldIndex() error {
	if err := os.RemoveAll(filepath.Join(s.dir, ".git", "ctx", "index")); err != nil {
		return err
	}
	return s.ctx("list", "-n", "1")
}

// catFile reads every record file through git.
func (s *shop) catFile() error {
	if s.oids == nil {
		out, err := s.output("ls-tree", "-r", "--format=%(objectname)", "refs/ctx/heads/main", "records/")
		if err != nil {
			return err
		}
		s.oids = []byte(out + "\n")
	}
	return s.exec(s.oids, "git", "cat-file", "--batch", "--buffer")
}

// crowd gives the repository objects that are not ours, in a pack.
func (s *shop) crowd(n int) error {
	if n == 0 {
		return nil
	}
	var b bytes.Buffer
	for i := range n {
		data := strconv.Itoa(i)
		fmt.Fprintf(&b, "blob\ndata %d\n%s\n", len(data), data)
	}
	return s.exec(b.Bytes(), "git", "fast-import", "--quiet")
}

// fill makes the repository and a store in which kinds, links and states are mixed.
func (s *shop) fill(records, host int) error {
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "Ada Example"}, {"config", "user.email", "ada@example.com"}, {"config", "gc.auto", "0"}} {
		if err := s.git(args...); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, "file"), []byte("0"), 0o644); err != nil {
		return err
	}
	if err := s.git("add", "file"); err != nil {
		return err
	}
	if err := s.git("commit", "-q", "-m", "start"); err != nil {
		return err
	}
	if err := s.crowd(host); err != nil {
		return err
	}
	if err := s.ctx("init", "--review", "any"); err != nil {
		return err
	}
	batch, err := json.Marshal(ops(records))
	if err != nil {
		return err
	}
	return s.exec(batch, s.bin, "apply", "-")
}

var subjects = []string{"cache latency", "queue depth", "login flow", "index build", "retry policy", "memory use", "schema change", "build time"}

// ops describes n records: tasks with hypotheses, evidence and decisions about them.
func ops(n int) []map[string]any {
	out := []map[string]any{{"verb": "add", "kind": "goal", "title": "Keep the service quick and quiet", "as": "g"}}
	const each = 4 // records a case
	for i := 0; 1+i*each < n; i++ {
		subject := subjects[i%len(subjects)]
		name := func(kind string) string { return fmt.Sprintf("%s%d", kind, i) }
		add := func(kind, title string, links map[string][]string, more map[string]any) {
			op := map[string]any{
				"verb": "add", "kind": kind, "as": name(kind), "new": true, "links": links,
				"title": fmt.Sprintf("%s %d: %s", title, i, subject),
				"body":  "What was seen in the last run, in a few words.\nThe second line names " + subject + " and the p99.\n",
				"tags":  []string{strings.Fields(subject)[0]}, "paths": []string{"internal/" + strings.Fields(subject)[0] + "/**"},
			}
			for k, v := range more {
				op[k] = v
			}
			out = append(out, op)
		}
		add("task", "Look into case", map[string][]string{"serves": {"$g"}}, map[string]any{"priority": i % 5})
		add("hypothesis", "It comes from part", map[string][]string{"about": {"$" + name("task")}}, nil)
		add("evidence", "Run shows number", map[string][]string{"supports": {"$" + name("hypothesis")}}, map[string]any{"source": "bench.txt"})
		add("decision", "Change setting", map[string][]string{"rests-on": {"$" + name("hypothesis")}}, nil)
		out = append(out, judge(i, name)...)
	}
	return out
}

// judge settles most of what a case found.
func judge(i int, name func(string) string) []map[string]any {
	verb := func(verb, kind string) map[string]any {
		return map[string]any{"verb": verb, "id": "$" + name(kind), "reason": "the run says so", "cites": []string{"$" + name("evidence")}}
	}
	switch i % 4 {
	case 0:
		return []map[string]any{verb("support", "hypothesis"), verb("accept", "decision"), verb("done", "task")}
	case 1:
		return []map[string]any{verb("refute", "hypothesis"), verb("reject", "decision")}
	case 2:
		return []map[string]any{verb("support", "hypothesis"), verb("accept", "decision")}
	}
	return nil
}
