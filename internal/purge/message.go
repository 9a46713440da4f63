package purge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// purgedMark stands in messages where text of a purged record stood.
const purgedMark = "(purged)"

// shortestText is the number of characters from which a title is looked for in
// messages wherever it stands: shorter ones stand in too much else.
const shortestText = 8

// A scrubber takes what commit messages say of purged records out of them. What
// it makes of a message depends on the records' ids and texts alone.
type scrubber struct {
	ids   []records.ID
	texts *strings.Replacer
}

// newScrubber is for records with these titles, of all their versions.
func newScrubber(ids []records.ID, titles []string) *scrubber {
	var texts []string
	for _, t := range titles {
		for _, form := range []string{t, commitmsg.OneLine(t)} {
			if len([]rune(form)) >= shortestText {
				texts = append(texts, form)
			}
		}
	}
	// The longest first: a text may begin another.
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	var pairs []string
	for _, t := range slices.Compact(texts) {
		pairs = append(pairs, t, purgedMark)
	}
	return &scrubber{ids: ids, texts: strings.NewReplacer(pairs...)}
}

// message is what becomes of a commit's message. Behind a purged record's id a
// line says nothing more; the reason of a verb that was about one goes, as it
// speaks of it; titles go wherever they stand.
func (s *scrubber) message(text string) string {
	if m, err := commitmsg.Parse(text); err == nil && m.Verb != ledger.VerbPurge && m.Verb != grammar.Forget && m.Checkpoint == "" &&
		slices.ContainsFunc(s.ids, func(id records.ID) bool { return slices.Contains(m.Records, id) }) {
		text = withoutBody(text)
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "Ctx-") {
			continue
		}
		for _, id := range s.ids {
			if before, after, ok := strings.Cut(lines[i], string(id)); ok && strings.TrimSpace(after) != "" {
				lines[i] = before + string(id) + " " + purgedMark + "\n"
			}
		}
	}
	return s.texts.Replace(strings.Join(lines, ""))
}

// withoutBody keeps a message's subject and its trailers, the last paragraph.
func withoutBody(text string) string {
	subject, rest, _ := strings.Cut(text, "\n")
	rest = strings.Trim(rest, "\n")
	if i := strings.LastIndex(rest, "\n\n"); i >= 0 {
		rest = rest[i+2:]
	}
	return subject + "\n\n" + rest + "\n"
}
