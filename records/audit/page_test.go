package audit

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/rules.md")

// docs/rules.md is made from the rules; -update makes it anew.
func TestRulesPage(t *testing.T) {
	const page = "../../docs/rules.md"
	want := Markdown()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/rules.md is out of date; run: go test ./records/audit -run TestRulesPage -update")
	}
}
