package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists, for each package, which of ours it imports: every edge that there
// may be, and none that nobody uses. Packages not named import none of ours.
var layers = map[string][]string{
	"cmd/git-ctx": {
		"internal/cli",
	},
	"cmd/git-ctx-mcp": {
		"internal/cli",
		"internal/mcpserver",
	},
	"gitstore": {
		"internal/atomicfile",
	},
	"hooks": {
		"gitstore",
		"internal/codebranch",
		"internal/codelink",
		"internal/fsck",
		"internal/guard",
		"internal/install",
		"internal/ledger",
		"internal/query",
		"internal/sync",
		"internal/text",
		"internal/worktree",
		"records",
		"records/audit",
	},
	"internal/agenthost": {
		"gitstore",
		"internal/install",
		"internal/ledger",
		"internal/query",
		"internal/regfile",
		"packet",
		"records",
	},
	"internal/claim": {
		"gitstore",
		"internal/commitmsg",
		"internal/ledger",
		"internal/provenance",
		"records",
	},
	"internal/cli": {
		"gitstore",
		"hooks",
		"internal/agenthost",
		"internal/claim",
		"internal/cli/ui",
		"internal/codelink",
		"internal/commitmsg",
		"internal/doctor",
		"internal/fsck",
		"internal/grammar",
		"internal/guard",
		"internal/importer",
		"internal/importer/adr",
		"internal/importer/bootstrap",
		"internal/importer/tracker",
		"internal/importer/workspace",
		"internal/install",
		"internal/ledger",
		"internal/ledger/index",
		"internal/provenance",
		"internal/purge",
		"internal/query",
		"internal/secretscan",
		"internal/setup",
		"internal/sync",
		"internal/text",
		"internal/vendorbranch",
		"internal/worktree",
		"packet",
		"records",
		"records/audit",
		"records/graph",
		"records/merge",
		"records/planning",
		"records/standing",
	},
	"internal/cli/ui": {
		"internal/query",
		"internal/text",
		"records",
	},
	"internal/codelink": {
		"gitstore",
		"internal/lazyregexp",
		"internal/regfile",
		"records",
	},
	"internal/commitmsg": {
		"gitstore",
		"internal/lazyregexp",
		"records",
	},
	"internal/doctor": {
		"gitstore",
		"internal/claim",
		"internal/ledger",
		"internal/provenance",
		"internal/regfile",
		"internal/salvage",
		"records",
	},
	"internal/fsck": {
		"gitstore",
		"internal/commitmsg",
		"internal/lazyregexp",
		"internal/ledger",
		"internal/provenance",
		"internal/salvage",
		"internal/sshsig",
		"internal/worktree",
		"records",
		"records/merge",
	},
	"internal/grammar": {
		"records",
	},
	"internal/guard": {
		"internal/codelink",
		"internal/ledger/index",
		"internal/query",
		"records",
		"records/audit",
	},
	"internal/importer": {
		"internal/text",
		"records",
	},
	"internal/importer/adr": {
		"internal/importer",
		"internal/importer/markup",
		"internal/lazyregexp",
		"records",
		"records/standing",
	},
	"internal/importer/bootstrap": {
		"internal/codelink",
		"internal/importer",
		"internal/importer/adr",
		"internal/importer/markup",
		"internal/lazyregexp",
		"records",
	},
	"internal/importer/importertest": {
		"internal/importer",
		"records",
	},
	"internal/importer/markup": {
		"internal/importer",
		"internal/lazyregexp",
	},
	"internal/importer/workspace": {
		"internal/importer",
		"internal/lazyregexp",
		"internal/text",
		"records",
	},
	"internal/importer/tracker": {
		"internal/importer",
		"internal/lazyregexp",
		"internal/text",
		"records",
	},
	"internal/install": {
		"internal/atomicfile",
		"internal/regfile",
	},
	"internal/ledger": {
		"gitstore",
		"internal/codelink",
		"internal/commitmsg",
		"internal/grammar",
		"internal/lazyregexp",
		"internal/ledger/index",
		"internal/provenance",
		"internal/regfile",
		"internal/secrets",
		"internal/secretscan",
		"records",
		"records/alike",
		"records/merge",
		"records/planning",
		"records/standing",
	},
	"internal/ledger/index": {
		"internal/atomicfile",
		"records",
		"records/standing",
	},
	"internal/mcpserver": {
		"gitstore",
		"internal/claim",
		"internal/codelink",
		"internal/grammar",
		"internal/ledger",
		"internal/ledger/index",
		"internal/provenance",
		"internal/query",
		"internal/secretscan",
		"internal/setup",
		"internal/text",
		"packet",
		"records",
		"records/audit",
		"records/graph",
	},
	"internal/provenance": {
		"gitstore",
		"internal/commitmsg",
		"internal/regfile",
		"internal/sshsig",
		"records",
	},
	"internal/purge": {
		"gitstore",
		"internal/commitmsg",
		"internal/grammar",
		"internal/ledger",
		"records",
	},
	"internal/query": {
		"gitstore",
		"internal/claim",
		"internal/codebranch",
		"internal/codelink",
		"internal/commitmsg",
		"internal/ledger",
		"internal/ledger/index",
		"internal/regfile",
		"internal/setup",
		"packet",
		"records",
		"records/audit",
		"records/graph",
		"records/planning",
		"records/standing",
	},
	"internal/tools/folders": {
		"internal/importer",
		"internal/importer/adr",
		"records",
	},
	"internal/tools/stress": {
		"gitstore",
		"internal/ledger",
	},
	"internal/salvage": {
		"gitstore",
		"internal/commitmsg",
		"internal/ledger",
	},
	"internal/sync": {
		"gitstore",
		"internal/claim",
		"internal/ledger",
		"internal/purge",
		"records",
	},
	"internal/tools/eval": {
		"internal/importer",
		"internal/importer/adr",
		"internal/importer/tracker",
		"internal/ledger",
		"internal/ledger/index",
		"internal/words",
		"packet",
		"records",
		"records/alike",
		"records/merge",
		"records/standing",
	},
	"packet": {
		"internal/o200k",
		"internal/text",
		"internal/words",
		"records",
		"records/standing",
	},
	"records": {
		"internal/lazyregexp",
	},
	"records/audit": {
		"records",
		"records/standing",
	},
	"records/alike": {
		"records",
	},
	"records/graph": {
		"records",
	},
	"records/merge": {
		"records",
	},
	"records/planning": {
		"records",
	},
	"records/standing": {
		"records",
	},
	"internal/secretscan": {
		"gitstore",
		"internal/commitmsg",
		"internal/secrets",
		"records",
	},
	"internal/codebranch": {
		"gitstore",
		"internal/ledger",
	},
	"internal/vendorbranch": {
		"gitstore",
		"internal/commitmsg",
		"internal/importer",
		"internal/lazyregexp",
		"internal/ledger",
		"internal/provenance",
		"records",
	},
	"internal/worktree": {
		"gitstore",
		"internal/commitmsg",
		"internal/ledger",
		"internal/secretscan",
		"records",
	},
	"internal/setup": {
		"gitstore",
		"internal/commitmsg",
		"internal/ledger",
		"internal/provenance",
		"records",
	},
}

const module = "github.com/git-ctx/git-ctx/"

// pure are the packages whose answers depend on nothing but their arguments. They
// import only one another.
var pure = []string{
	"records", "records/alike", "records/audit", "records/graph", "records/merge", "records/planning", "records/standing", "packet",
	"internal/lazyregexp", "internal/o200k", "internal/text", "internal/words",
}

// A goPackage is what go list tells of one of our packages, tests aside.
type goPackage struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

// ourPackages are the module's packages by path below the module's.
func ourPackages(t *testing.T) map[string]goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := make(map[string]goPackage)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all[strings.TrimPrefix(p.ImportPath, module)] = p
	}
}

func TestImportsPointDown(t *testing.T) {
	all := ourPackages(t)
	for name, p := range all {
		used := make(map[string]bool)
		for _, imp := range p.Imports {
			below, ours := strings.CutPrefix(imp, module)
			if used[below] = true; ours && !slices.Contains(layers[name], below) {
				t.Errorf("%s imports %s: its layer may import only %v", name, below, layers[name])
			}
			if strings.HasPrefix(imp, "github.com/go-git/") && name != "gitstore" {
				t.Errorf("%s imports %s: only gitstore does", name, imp)
			}
		}
		for _, may := range layers[name] {
			if !used[may] {
				t.Errorf("%s may import %s, and does not", name, may)
			}
		}
	}
	for name := range layers {
		if _, there := all[name]; !there {
			t.Errorf("there is no package %s", name)
		}
	}
}

func TestLayersArePure(t *testing.T) {
	all := ourPackages(t)
	for _, name := range pure {
		p, there := all[name]
		if !there {
			t.Errorf("there is no package %s", name)
		}
		for _, file := range p.GoFiles {
			src, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, why := range impure(t, src) {
				t.Errorf("%s/%s %s: it is pure", name, file, why)
			}
		}
	}
}

// The check of purity finds what it looks for, whatever name it goes by.
func TestLayersImpureIsFound(t *testing.T) {
	for _, test := range []struct{ imports, body, want string }{
		{`"os"`, `os.Getenv("A")`, "imports os"},
		{`"os/exec"`, `exec.Command("git")`, "imports os/exec"},
		{`r "math/rand/v2"`, `r.Int()`, "imports math/rand/v2"},
		{`"crypto/rand"`, `rand.Text()`, "imports crypto/rand"},
		{`"time"`, `time.Now()`, "uses time.Now"},
		{`clock "time"`, `use(clock.Since)`, "uses time.Since"},
		{`. "time"`, `Now()`, "imports all names of time"},
		{`"time"`, `time.Time{}.Local()`, "uses Local"},
		{`"` + module + `gitstore"`, `gitstore.Open`, "imports gitstore"},
		{`"time"`, `time.Parse(time.RFC3339, "")`, ""},
		{`"` + module + `records"`, `records.Parse()`, ""},
	} {
		src := "package p\nimport " + test.imports + "\nvar x = " + test.body + "\n"
		if got := strings.Join(impure(t, []byte(src)), "; "); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.imports, test.body, got, test.want)
		}
	}
}

// impure tells what a Go file takes from elsewhere than its arguments: the
// environment, the clock, the local time zone, randomness, or a package that may.
func impure(t *testing.T, src []byte) (why []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	clock := ""
	for _, imp := range f.Imports {
		path, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		below, ours := strings.CutPrefix(path, module)
		top, _, _ := strings.Cut(path, "/")
		switch {
		case ours && !slices.Contains(pure, below):
			why = append(why, "imports "+below)
		case slices.Contains([]string{"os", "net", "syscall", "runtime"}, top), slices.Contains([]string{"math/rand", "math/rand/v2", "crypto/rand", "io/ioutil"}, path):
			why = append(why, "imports "+path)
		case path == "time" && imp.Name != nil && imp.Name.Name == ".":
			why = append(why, "imports all names of time")
		case path == "time" && imp.Name != nil:
			clock = imp.Name.Name
		case path == "time":
			clock = "time"
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, named := sel.X.(*ast.Ident)
		switch {
		case sel.Sel.Name == "Local":
			why = append(why, "uses Local")
		case named && clock != "" && pkg.Name == clock && slices.Contains([]string{
			"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Sleep", "LoadLocation",
		}, sel.Sel.Name):
			why = append(why, "uses time."+sel.Sel.Name)
		}
		return true
	})
	return why
}

// The table in CONTRIBUTING.md names every package, once.
func TestLayersInContributing(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	all := ourPackages(t)
	told := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)/`").FindAllStringSubmatch(cells[1], -1) {
			if told[m[1]]++; told[m[1]] == 2 {
				t.Errorf("%s is in the table twice", m[1])
			}
			if _, there := all[m[1]]; !there {
				t.Errorf("the table names %s: there is no such package", m[1])
			}
		}
	}
	for name := range all {
		if told[name] == 0 {
			t.Errorf("the table does not name %s", name)
		}
	}
}
