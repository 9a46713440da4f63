package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the conformance table in docs/design/storage.md")

const (
	conformDoc   = "../../docs/design/storage.md"
	conformBegin = "<!-- begin: go test ./cmd/git-ctx -run TestConformance -update -->\n"
	conformEnd   = "<!-- end -->\n"
)

// checkTable compares the outcomes with the documented ones, or rewrites these.
func checkTable(t *testing.T, results map[string]conformed) {
	t.Helper()
	data, err := os.ReadFile(conformDoc)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), conformBegin)
	old, tail, ok2 := strings.Cut(rest, conformEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between %q and %q", conformDoc, conformBegin, conformEnd)
	}
	table := conformTable(t, results, old)
	t.Logf("\n%s", table)
	switch {
	case table == old:
	case *update:
		if err := os.WriteFile(conformDoc, []byte(head+conformBegin+table+conformEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another table; see the difference with -update", conformDoc)
	}
}

// conformTable is a table in which every cell is "ok" or the number of what the
// line that refuses says; these follow. The rows that ran were found to be so.
func conformTable(t *testing.T, results map[string]conformed, old string) string {
	var table strings.Builder
	fmt.Fprintf(&table, "| shape | %s |\n|---%s|\n", strings.Join(conformOps, " | "), strings.Repeat("|---", len(conformOps)))
	notes := &conformNotes{}
	for _, row := range conformRows() {
		name := row.name
		if row.since != "" {
			name += " (git " + row.since + ")"
		}
		if _, ran := results[row.name]; !ran {
			line := documentedRow(old, name)
			if line == "" && !*update {
				t.Errorf("no row %q", name)
			}
			table.WriteString(line)
			continue
		}
		cells := []string{name}
		for _, op := range conformOps {
			cells = append(cells, notes.cell(row.refuses[op]))
		}
		fmt.Fprintf(&table, "| %s |\n", strings.Join(cells, " | "))
	}
	if len(notes.lines) > 0 {
		table.WriteString("\nRefused, or by `fsck` found, with a line that says:\n\n")
	}
	for i, line := range notes.lines {
		fmt.Fprintf(&table, "%d. %s\n", i+1, line)
	}
	return table.String()
}

// documentedRow returns the row of that name, "" when there is none.
func documentedRow(table, name string) string {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| "+name+" |") {
			return line
		}
	}
	return ""
}

// conformNotes numbers the lines that refuse.
type conformNotes struct{ lines []string }

func (n *conformNotes) cell(line string) string {
	if line == "" {
		return "ok"
	}
	for i, l := range n.lines {
		if l == line {
			return fmt.Sprint(i + 1)
		}
	}
	n.lines = append(n.lines, line)
	return fmt.Sprint(len(n.lines))
}
