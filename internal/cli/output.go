package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

func (e *Env) writeJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := e.Stdout.Write(text.JSON(b.Bytes()))
	return err
}

// note tells the user something beside the answer, on stderr.
func (e *Env) note(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "%s\n", text.Visible(fmt.Sprintf(format, args...)))
}

// edited is the JSON answer of every verb that writes.
type edited struct {
	Format  int               `json:"format"`
	Commit  gitstore.OID      `json:"commit,omitempty"`
	Branch  string            `json:"branch"`
	ID      records.ID        `json:"id,omitempty"`
	Created []records.ID      `json:"created"`
	Records []*records.Record `json:"records"`
	Notes   []string          `json:"notes"`
}

// answerEdit prints what a verb did: the ids' lines for a person, everything for a tool.
func (e *Env) answerEdit(res *ledger.Result, main records.ID, lines ...string) error {
	e.warnMade(res.Made)
	res.Notes = append(res.Notes, nearNotes(res.Near)...)
	if e.json() {
		return e.writeJSON(editedOf(res, main))
	}
	for _, n := range res.Notes {
		e.note("note: %s", n)
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(e.Stdout, text.Visible(l)); err != nil {
			return err
		}
	}
	return nil
}

// nearNotes names the records that stand about the same thing as what was written,
// where one stands out, with the command for each answer.
func nearNotes(near []ledger.Near) []string {
	var out []string
	for _, n := range near {
		for _, o := range n.Nearest[:n.Passed] {
			replaces := ""
			if o.Kind == n.Of.Kind && o.Kind.Schema().Has(records.Superseded) {
				replaces = fmt.Sprintf("replaced: git ctx supersede %s --by %s -r WHY; ", o.ID, n.Of.ID)
			}
			out = append(out, fmt.Sprintf("%s stands, perhaps about the same: \"%s\" (%scontradicted: git ctx link %s contradicts=%s; both hold: git ctx link %[4]s relates-to=%[5]s)",
				o.ID, o.Title, replaces, n.Of.ID, o.ID))
		}
	}
	return out
}

// warnMade tells of contradictions that an edit brought about.
func (e *Env) warnMade(made []standing.Contradiction) {
	for _, c := range made {
		if c.Rule == records.RuleRuledOutAgain {
			e.note("warning: one text stands and is ruled out (%s): rule both out, or link them with reopens to say why one holds", c.Key())
			continue
		}
		e.note("warning: this contradicts what stands (%s): neither is asserted until one is judged anew or --despite names the other", c.Key())
	}
}

func editedOf(res *ledger.Result, main records.ID) edited {
	out := edited{Format: jsonFormat, Commit: res.Commit, Branch: res.Branch, ID: main,
		Created: append([]records.ID{}, res.Created...), Records: []*records.Record{}, Notes: append([]string{}, res.Notes...)}
	for _, id := range res.Changed {
		if r, ok := res.View.Record(id); ok {
			out.Records = append(out.Records, r)
		}
	}
	return out
}

// stateLine is a record's line after a verb.
func stateLine(r *records.Record) string {
	if r.Forgotten() {
		return string(r.ID) + " forgotten"
	}
	s := fmt.Sprintf("%s %s", r.ID, r.State())
	if r.Verdict != nil && r.Verdict.Asks != "" {
		s += ", asks to be " + string(r.Verdict.Asks)
	}
	return s
}
