package audit

import (
	"regexp"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

func TestRegistry(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := make(map[string]bool)
	for _, r := range Rules() {
		if !kebab.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("id %q is misshapen or taken", r.ID)
		}
		seen[r.ID] = true
		if Lookup(r.ID) != r {
			t.Errorf("lookup of %s does not find it", r.ID)
		}
		if r.Severity != records.Error && r.Severity != records.Warning && r.Severity != records.Info {
			t.Errorf("%s has severity %q", r.ID, r.Severity)
		}
		if r.Mild != "" && weight(r.Mild) <= weight(r.Severity) {
			t.Errorf("%s: mild severity %s is not below %s", r.ID, r.Mild, r.Severity)
		}
		if (r.check == nil) == (r.store == nil) {
			t.Errorf("%s needs a check of records or of the store", r.ID)
		}
	}
	if Lookup("no-such-rule") != nil {
		t.Error("lookup finds a rule that does not exist")
	}
	Rules()[0] = nil
	if Rules()[0] == nil {
		t.Error("a caller can change the registry")
	}
}

func TestEveryRuleSaysHowToMend(t *testing.T) {
	page := Markdown()
	for _, r := range Rules() {
		text := Explain(r)
		for _, want := range []string{r.ID + ": " + r.Summary, string(r.Severity), "\n    git ctx ", "\n        " + r.ID + ": "} {
			if !strings.Contains(text, want) {
				t.Errorf("explanation of %s lacks %q:\n%s", r.ID, want, text)
			}
		}
		if strings.HasSuffix(r.Summary, ".") || strings.Contains(r.Summary, "|") {
			t.Errorf("summary of %s does not fit the table: %q", r.ID, r.Summary)
		}
		if !strings.Contains(page, "\n## "+r.ID+"\n") || !strings.Contains(page, r.Explanation) {
			t.Errorf("the page lacks %s", r.ID)
		}
	}
}
