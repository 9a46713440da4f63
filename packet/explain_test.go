package packet

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-ctx/git-ctx/records"
)

func TestExplainNamesTheRule(t *testing.T) {
	rs := append(story(),
		rec("task-9m8w3k5r7t", records.Blocked, "Blocked"),
		rec("dec-9k2p9xabcd", records.Superseded, "Superseded"),
		rec("ev-9f2c4d7a1b", records.Recorded, "Cited by nobody"),
		rec("rb-9f2c4d7a1b", records.Active, "Never on Fridays", typ("guardrail"), paths("deploy/**")),
		rec("rb-8f2c4d7a1b", records.Active, "When it burns", typ("troubleshooting"), signals("smoke")),
		rec("goal-9f2c4d7a1b", records.Active, "Another goal"),
	)
	req := request("why is the cache cold after a deploy")
	req.Focus = Focus{Task: taskID, Paths: []string{"cache/warm.go"}}
	x, err := Explain(records.NewSet(rs, nil), req, 0)
	if err != nil {
		t.Fatal(err)
	}
	why := map[records.ID]string{}
	for _, c := range x.Candidates {
		why[c.ID] = c.Why
		if sum := textPart*c.Parts.Text + linkPart*c.Parts.Link + pathPart*c.Parts.Path + recencyPart*c.Parts.Recency + confidencePart*c.Parts.Confidence; c.ID == decID && (c.Score == 0 || math.Abs(sum-c.Score) > 1.1e-6) {
			t.Errorf("parts %+v add up to %v, not to %v", c.Parts, sum, c.Score)
		}
	}
	for id, want := range map[records.ID]string{
		taskID: "the focus", decID: "title and text", "task-9m8w3k5r7t": "blocked, or waits for another task",
		"dec-9k2p9xabcd": "not spoken of: gone", "ev-9f2c4d7a1b": "nothing shown cites it",
		"rb-9f2c4d7a1b": "none of its paths is in play", "rb-8f2c4d7a1b": "none of its signals is seen", "goal-9f2c4d7a1b": "not the focus",
		"dec-6k2p9xabcd": "title; rule doubt",
	} {
		if why[id] != want {
			t.Errorf("%s: %q, want %q", id, why[id], want)
		}
	}
	req.Budget = 330
	x, err = Explain(records.NewSet(rs, nil), req, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(x.Candidates, func(c Explained) bool { return !c.In && c.Why == "no room" }) {
		t.Errorf("nothing is said to lack room: %+v", x.Candidates)
	}
}

// TestExplainTellsOfAllThatIsShown: the explanation and the packet agree, and
// every record of the store is weighed or passed over by name.
func TestExplainTellsOfAllThatIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := genStore(t)
		req := genRequest(t, rs)
		p := tryBuild(t, rs, req)
		if p == nil {
			return
		}
		x, err := Explain(records.NewSet(rs, nil), req, 0)
		if err != nil {
			t.Fatal(err)
		}
		shown := shownIDs(t, p)
		told := map[records.ID]bool{}
		for _, c := range x.Candidates {
			if told[c.ID] {
				t.Fatalf("%s is told of twice", c.ID)
			}
			told[c.ID] = true
			if _, in := shown[c.ID]; in != c.In {
				t.Fatalf("%s: in %v, said %v", c.ID, in, c.In)
			}
			if !c.In && strings.TrimSpace(c.Why) == "" {
				t.Fatalf("%s is left out without a reason", c.ID)
			}
		}
		for _, r := range rs {
			if !told[r.ID] {
				t.Fatalf("%s is not told of", r.ID)
			}
		}
		if x.Weighed != len(x.Candidates) || x.Shown != len(shown) || x.Digest != p.Digest {
			t.Fatalf("weighed %d of %d, shown %d of %d", x.Weighed, len(x.Candidates), x.Shown, len(shown))
		}
	})
}
