package purge

import (
	"testing"

	"github.com/git-ctx/git-ctx/records"
)

// What messages say of a purged record goes, and nothing else; again it changes nothing.
func TestScrubbedMessages(t *testing.T) {
	const id, other = "ev-0000000001", "task-0000000002"
	s := newScrubber([]records.ID{id}, []string{"Zebra invoices cost five euro", "Zebra"})
	for _, c := range []struct{ name, was, want string }{
		{"a verb on it", "evidence: add ev-0000000001 \"Zebra\"\n\na quagga\n\nand more\n\nCtx-Verb: add\nCtx-Record: " + id + "\nX-Other: stays\n",
			"evidence: add ev-0000000001 (purged)\n\nCtx-Verb: add\nCtx-Record: " + id + "\nX-Other: stays\n"},
		{"a checkpoint keeps what it says of others", "read\n\n+ " + id + " recorded: Zebra\n+ " + other + " todo: Work\n\nCtx-Verb: commit\nCtx-Record: " + id + "\nCtx-Checkpoint: 2\n",
			"read\n\n+ " + id + " (purged)\n+ " + other + " todo: Work\n\nCtx-Verb: commit\nCtx-Record: " + id + "\nCtx-Checkpoint: 2\n"},
		{"a title in a text of another's", "read Zebra invoices cost five euro today\n\nCtx-Verb: commit\n", "read (purged) today\n\nCtx-Verb: commit\n"},
		{"another record, and a title too short to tell", "task: add " + other + " \"Zebra\"\n\nwhy\n\nCtx-Verb: add\nCtx-Record: " + other + "\n",
			"task: add " + other + " \"Zebra\"\n\nwhy\n\nCtx-Verb: add\nCtx-Record: " + other + "\n"},
		{"the receipt's own commit", "evidence: purge " + id + "\n\nprivate\n\nCtx-Verb: purge\nCtx-Record: " + id + "\n",
			"evidence: purge " + id + "\n\nprivate\n\nCtx-Verb: purge\nCtx-Record: " + id + "\n"},
	} {
		got := s.message(c.was)
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if again := s.message(got); again != got {
			t.Errorf("%s: again it becomes\n%s", c.name, again)
		}
	}
}
