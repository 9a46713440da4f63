package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/o200k"
	"github.com/git-ctx/git-ctx/records"
)

// TestNearestAreNamed for every claim, with the call for each answer, which silences the pair.
func TestNearestAreNamed(t *testing.T) {
	p := connect(t, options(store(t, records.ReviewAny), true), "test", nil, nil)
	var ids []string
	for _, title := range []string{"Sessions are stored in Redis for one hour", "The sessions of a user end with the browser", "A session knows the address of its user", "Logs are kept for ninety days"} {
		id := p.add("decision", title)
		p.ok("update", args{"verb": "accept", "ids": []string{id}, "reason": "agreed"})
		ids = append(ids, id)
	}
	added := p.ok("add", args{"kind": "decision", "title": "Sessions live in Postgres now"})
	id := added["id"].(string)
	said := fmt.Sprint(added["near"])
	mustContain(t, "near", said, ids[0], ids[1])
	if b, _ := json.Marshal([]any{added["near"], added["near_calls"]}); o200k.Count(string(b)) > 120 {
		t.Errorf("it takes %d tokens: %s", o200k.Count(string(b)), b)
	}
	p.ok("update", args{"verb": "link", "ids": []string{id}, "links": map[string]any{"relates-to": []string{ids[1]}}})
	p.ok("update", args{"verb": "supersede", "ids": []string{ids[0]}, "by": id, "reason": "moved"})
	again := fmt.Sprint(p.ok("update", args{"verb": "edit", "ids": []string{id}, "title": "Sessions live in Postgres from now on"})["near"])
	mustContain(t, "after the answers", again, ids[2])
	for _, answered := range ids[:2] {
		if strings.Contains(again, answered) {
			t.Errorf("%s is answered and named again: %s", answered, again)
		}
	}
	if near := p.ok("add", args{"kind": "task", "title": "Move the sessions to Postgres"})["near"]; near != nil {
		t.Errorf("a task claims nothing, and is told of %v", near)
	}
}
