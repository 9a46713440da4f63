package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers lists, for each package, which of ours it may import. Packages not
// named may import none; imports point down only.
var layers = map[string][]string{
	"cmd/git-ctx":     {"internal/cli"},
	"cmd/git-ctx-mcp": {"internal/cli", "internal/mcpserver"},
	"internal/cli": {
		"hooks", "internal/agenthost", "internal/codelink", "internal/importer", "internal/install", "internal/ledger", "internal/ledger/index", "internal/query",
		"gitstore", "packet", "records", "records/audit", "records/graph", "records/merge", "records/planning",
	},
	"internal/tools/eval":   {"packet", "records", "records/merge"},
	"internal/stress":       {"gitstore", "internal/ledger"},
	"internal/agenthost":    {"gitstore", "internal/codelink", "internal/install", "internal/ledger", "internal/query", "packet", "records"},
	"internal/install":      {},
	"hooks":                 {"internal/codelink", "internal/install", "internal/ledger", "internal/query", "gitstore", "packet", "records", "records/audit", "records/merge"},
	"internal/query":        {"gitstore", "internal/codelink", "internal/ledger", "internal/ledger/index", "packet", "records", "records/audit", "records/graph", "records/planning"},
	"internal/mcpserver":    {"gitstore", "internal/codelink", "internal/ledger", "internal/ledger/index", "internal/query", "packet", "records", "records/audit", "records/graph", "records/planning"},
	"internal/importer":     {"internal/codelink", "internal/lazyregexp", "internal/ledger", "records"},
	"internal/ledger":       {"gitstore", "internal/codelink", "internal/lazyregexp", "internal/ledger/index", "internal/secrets", "internal/sshsig", "records", "records/audit", "records/merge", "records/planning"},
	"internal/codelink":     {"gitstore", "internal/lazyregexp", "records"},
	"internal/ledger/index": {"records"},
	"internal/sshsig":       {},
	"internal/secrets":      {},
	"packet":                {"internal/o200k", "records"},
	"internal/o200k":        {},
	"records/audit":         {"records"},
	"records/graph":         {"records"},
	"records/merge":         {"records"},
	"records/planning":      {"records"},
	"gitstore":              {},
	"records":               {"internal/lazyregexp"},
}

func TestImportsPointDown(t *testing.T) {
	const module = "github.com/git-ctx/git-ctx/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		seen[pkg] = true
		for _, imp := range words[1:] {
			below, ours := strings.CutPrefix(imp, module)
			if ours && !slices.Contains(layers[pkg], below) {
				t.Errorf("%s imports %s: its layer may import only %v", pkg, below, layers[pkg])
			}
			if imp == "os/exec" && strings.HasPrefix(pkg, "records") {
				t.Errorf("%s imports %s: it is pure", pkg, imp)
			}
		}
	}
	for pkg := range layers {
		if !seen[pkg] {
			t.Errorf("there is no package %s", pkg)
		}
	}
}
