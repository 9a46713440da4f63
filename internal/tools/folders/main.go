// Folders imports the decision folders of modules that are published, and prints
// a table of what becomes of them, for docs/design/import.md.
//
// Its list of modules is what this repository was tried on. What a file says is
// shown beside what it became with -v, for a person to compare.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/records"
)

// A source is a folder of decisions within a Go module, an npm package where the name
// begins with "npm:", or a Debian source package where it begins with "debian:".
// Right is how many states a person found to be what the files say.
type source struct {
	module, folder string
	right          int
}

func sources() []source {
	return []source{
		{"github.com/cosmos/cosmos-sdk@v0.50.0", "docs/architecture", 58},
		{"github.com/cometbft/cometbft@v0.38.0", "docs/architecture/tendermint-core", 61},
		{"github.com/cosmos/ibc-go/v8@v8.0.0", "docs/architecture", 14},
		{"github.com/cosmos/ibc-go/v3@v3.0.0", "docs/architecture", 7},
		{"github.com/cosmos/interchain-security/v4@v4.0.0", "docs/docs/adrs", 12},
		{"github.com/zarf-dev/zarf@v0.42.0", "adr", 25},
		{"github.com/fluxcd/flux2/v2@v2.3.0", "rfcs", 4},
		{"github.com/celestiaorg/celestia-node@v0.13.0", "docs/adr", 6},
		{"github.com/celestiaorg/celestia-app@v1.9.0", "docs/architecture", 13},
		{"github.com/umee-network/umee@v0.7.4", "docs/architecture", 7},
		{"github.com/runatlantis/atlantis@v0.27.0", "docs/adr", 1},
		{"npm:adr@1.5.2", "docs/adr", 0},
		{"npm:madr@4.0.0", "template", 0},
		{"npm:@meza/adr-tools@2.0.3", "doc/adr", 4},
		{"debian:adr-tools", "doc/adr", 9},
	}
}

func main() {
	verbose := flag.Bool("v", false, "show what each status became, and what was listed")
	flag.Parse()
	if err := run(*verbose); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(verbose bool) error {
	scratch, err := os.MkdirTemp("", "git-ctx-folders-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fmt.Println("| module | files | decisions | accepted | proposed | superseded | rejected | without a claim | listed | states listed | right by eye | wrong |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, s := range sources() {
		dir, err := fetch(s.module, scratch)
		if err != nil {
			return err
		}
		res, err := adr.Folder(os.DirFS(filepath.Join(dir, s.folder)), s.folder)
		if err != nil {
			return fmt.Errorf("import '%s': %w", s.module, err)
		}
		row(s, res)
		if verbose {
			detail(res)
		}
	}
	return nil
}

// fetch has the go command, npm or apt fetch a module, and returns where it lies.
func fetch(module, scratch string) (string, error) {
	if name, ok := strings.CutPrefix(module, "debian:"); ok {
		return fetchDebian(name, scratch)
	}
	if name, ok := strings.CutPrefix(module, "npm:"); ok {
		dir := filepath.Join(scratch, name)
		// The files of a package alone: nothing of it is run.
		npm := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--omit=dev", "--silent", name)
		if err := errors.Join(os.MkdirAll(dir, 0o755), npm.Run()); err != nil {
			return "", fmt.Errorf("fetch '%s': %w", module, err)
		}
		at := strings.LastIndex(name, "@")
		return filepath.Join(dir, "node_modules", name[:at]), nil
	}
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("fetch '%s': %w", module, err)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		return "", fmt.Errorf("fetch '%s': %w", module, err)
	}
	return got.Dir, nil
}

// fetchDebian takes what apt knows as a source: sources.list needs a line deb-src.
func fetchDebian(name, scratch string) (string, error) {
	dir := filepath.Join(scratch, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	apt := exec.Command("apt-get", "source", "--download-only", "-qq", name)
	apt.Dir = dir
	if err := apt.Run(); err != nil {
		return "", fmt.Errorf("fetch '%s': %w", name, err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.orig.tar.*"))
	if err != nil || len(archives) == 0 {
		return "", fmt.Errorf("fetch '%s': no archive of the source", name)
	}
	out := filepath.Join(dir, "source")
	tar := exec.Command("tar", "-xf", archives[0], "-C", out, "--strip-components=1")
	if err := errors.Join(os.MkdirAll(out, 0o755), tar.Run()); err != nil {
		return "", fmt.Errorf("unpack '%s': %w", name, err)
	}
	return out, nil
}

func row(s source, res *importer.Result) {
	states := make(map[records.State]int)
	silent, unsure := 0, 0
	for _, l := range res.Skipped {
		if l.Note && strings.HasSuffix(l.Item, ": status") {
			unsure++
		}
	}
	for _, r := range res.Records {
		states[r.State()]++
		if r.Body == "" || strings.HasPrefix(r.Body, "#") {
			silent++
		}
	}
	name := strings.TrimPrefix(s.module, "github.com/")
	if at := strings.LastIndex(name, "@"); at >= 0 {
		name = name[:at]
	}
	fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, len(res.Keys), len(res.Records),
		states[records.Accepted], states[records.Proposed], states[records.Superseded], states[records.Rejected],
		silent, len(res.Skipped), unsure, s.right, len(res.Records)-unsure-s.right)
}

func detail(res *importer.Result) {
	for _, r := range res.Records {
		fmt.Printf("  %-12s %s: %s\n", r.State(), filepath.Base(r.Origin.Key), r.Verdict.Reason)
	}
	for _, s := range res.Skipped {
		fmt.Printf("  listed %s: %s\n", s.Place(), s.Reason)
	}
}
