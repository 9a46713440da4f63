package packet

import (
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// What does not take a record down is said beside it.
func TestMarksStandInTheLine(t *testing.T) {
	dec := rec(decID, records.Accepted, "Use a write-through cache")
	against := rec("ev-4k2p9xabcd", records.Recorded, "The cache was cold", link(records.Refutes, decID), by("agent/coder"))
	if line := section(build(t, request(""), dec), "Decisions in force"); !strings.Contains(line, "Use a write-through cache") || strings.Contains(line, "challenged") {
		t.Fatalf("without a challenge the line is %q", line)
	}
	line := section(build(t, request(""), dec, against), "Decisions in force")
	if !strings.Contains(line, "(challenged by ev-4k2p): Use a write-through cache") {
		t.Errorf("with one it is %q", line)
	}
}
