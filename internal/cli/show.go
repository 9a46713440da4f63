package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

type showOptions struct {
	read readFlags
	yaml bool
}

func newShowCmd(env *Env) *cobra.Command {
	o := &showOptions{}
	cmd := &cobra.Command{
		Use: "show ID...", Short: "show records in full, and how far they may be relied on", Args: someIDs,
		RunE: func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), env, o, args) },
	}
	cmd.Flags().BoolVar(&o.yaml, "yaml", false, "the record's file as it is stored; several are separated by ---")
	o.read.bind(cmd.Flags())
	return cmd
}

func runShow(ctx context.Context, env *Env, o *showOptions, names []string) error {
	if err := env.formats(); err != nil {
		return err
	}
	if o.yaml && env.json() {
		return usagef("", "options '--yaml' and '--format=json' exclude each other")
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	var rs []*records.Record
	for _, name := range names {
		r, err := rd.find(name)
		if err != nil {
			return err
		}
		rs = append(rs, r)
	}
	switch {
	case o.yaml:
		return showYAML(env, rs)
	case env.json():
		return env.writeJSON(showJSON(rd, rs))
	}
	return env.page(ctx, rd.View, func(p *page) {
		for i, r := range rs {
			if i > 0 {
				p.printf("\n")
			}
			p.record(rd, r)
		}
	})
}

// showYAML writes the canonical bytes, whatever they hold.
func showYAML(env *Env, rs []*records.Record) error {
	for i, r := range rs {
		data, err := records.Format(r)
		if err != nil {
			return fmt.Errorf("write '%s': %w", r.ID, err)
		}
		if i > 0 {
			data = append([]byte("---\n"), data...)
		}
		if _, err := env.Stdout.Write(data); err != nil {
			return err
		}
	}
	return nil
}

// record writes one record for a person.
func (p *page) record(rd *reading, r *records.Record) {
	st := rd.Standing(r.ID)
	p.printf("%s %s  %s\n", r.Kind, painted{text: string(r.ID), colour: yellow}, painted{text: stateWord(st.State), colour: classColour(st.Class)})
	p.printf("%s\n", painted{text: titleOf(r), colour: bold})
	if r.Body != "" {
		p.printf("\n")
		p.block(r.Body)
	}
	p.printf("\n")
	p.fields(r)
	p.links(rd, r)
	p.verdict(rd, r)
	for _, w := range rd.warnings(r, st) {
		p.printf("%s %s\n", painted{text: "warning:", colour: red}, w)
	}
}

const labelWidth = 13 // of a field's name in show

func (p *page) field(name string, value any) {
	p.printf("%s %s\n", painted{name + ":", dim, labelWidth}, value)
}

// shownApart are the fields that show writes in a way of their own.
var shownApart = []string{"id", "kind", "title", "body", "verdict", "also", "conflicts", "links", "created", "steps", "anchors", "tombstone"}

// fields writes all that has no place of its own, unknown fields too.
func (p *page) fields(r *records.Record) {
	for _, f := range r.Fields() {
		if slices.Contains(shownApart, f.Name) {
			continue
		}
		value := ledger.ShowValue(f.Value)
		if strings.Contains(value, "\n") {
			p.printf("%s\n", painted{text: f.Name + ":", colour: dim})
			p.block(value)
			continue
		}
		p.field(f.Name, value)
	}
	for i, s := range r.Steps {
		p.field(fmt.Sprintf("step %d", i+1), s.Do)
		if s.Verify != "" {
			p.field("", "verify: "+s.Verify)
		}
	}
	for _, a := range r.Anchors {
		at := a.Path
		if a.Lines != "" {
			at += ":" + a.Lines
		}
		if a.Commit != "" {
			at += " at " + shortOID(a.Commit)
		}
		p.field("anchor", at)
	}
	if c := r.Created; !c.At.IsZero() {
		p.field("created", fmt.Sprintf("%s by %s (%s)", records.FormatInstant(c.At), c.By, c.Actor))
	}
}

// shortOID abbreviates an object ID for a person.
func shortOID[S ~string](oid S) string {
	const shown = 10
	if len(oid) > shown {
		return string(oid[:shown])
	}
	return string(oid)
}

// links writes the links in both directions, each with what it leads to.
// shownBacklinks is how many records that link here by one relation are named.
const shownBacklinks = 20

func (p *page) links(rd *reading, r *records.Record) {
	for _, rel := range records.Relations(r.Kind) {
		for _, id := range r.Links[rel] {
			p.field(string(rel), p.named(rd, id))
		}
	}
	for _, b := range backlinks(rd.View, r.ID) {
		for i, id := range b.IDs {
			if i == shownBacklinks {
				p.field("← "+string(b.Relation), fmt.Sprintf("and %d more: --format=json names them", len(b.IDs)-i))
				break
			}
			p.field("← "+string(b.Relation), p.named(rd, id))
		}
	}
}

// named is a record in a few words: id, state, title.
func (p *page) named(rd *reading, id records.ID) string {
	r, ok := rd.Record(id)
	if !ok {
		return p.short(id) + " (no such record)"
	}
	return fmt.Sprintf("%s %s: %s", p.short(id), stateWord(rd.Standing(id).State), titleOf(r))
}

func (p *page) verdict(rd *reading, r *records.Record) {
	v := r.Verdict
	switch {
	case r.Tombstone != nil:
		t := r.Tombstone
		p.field("forgotten", fmt.Sprintf("%s by %s (%s): %s", records.FormatInstant(t.At), t.By, t.Actor, t.Reason))
		return
	case v == nil:
		return
	}
	p.field("verdict", fmt.Sprintf("%s, %s by %s (%s)", v.State, records.FormatInstant(v.At), v.By, v.Actor))
	if v.Asks != "" {
		p.field("asks to be", v.Asks)
	}
	if v.Reason != "" {
		first, rest, more := strings.Cut(strings.TrimRight(v.Reason, "\n"), "\n")
		p.field("reason", first)
		if more {
			p.block(rest)
		}
	}
	for _, id := range v.Cites {
		p.field("cites", p.named(rd, id))
	}
	for _, id := range r.Successors() {
		p.field("superseded by", p.named(rd, id))
	}
	for _, d := range v.Despite {
		p.field("despite", p.named(rd, d.ID))
	}
	if v.Reverts != "" {
		p.field("reverts", shortOID(v.Reverts))
	}
}

// warnings says what keeps a record from being relied on, and the way out.
func (rd *reading) warnings(r *records.Record, st records.Standing) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	again := "reopen"
	if r.Verdict != nil {
		if v := records.VerbFor(r.Kind, r.State()); v != "" {
			again = string(v)
		}
	}
	switch st.Why {
	case records.WhyConflict:
		say("it is disputed on %s and not asserted: git ctx conflicts %s shows the sides, and how to settle it",
			strings.Join(toSettle(r), ", "), r.ID)
	case records.WhyContradicted:
		for _, c := range st.Contradictions {
			say("contradicted (%s): %s", c.Rule, idList(c.IDs))
		}
		say("it is not asserted until a verdict is renewed: git ctx %s %s --despite ID overrides", again, r.ID)
	case records.WhyChanged:
		say("its content is not what was judged: git ctx %s %s re-affirms it", again, r.ID)
	case records.WhyVetoed:
		say("it is %s on %s, and so not asserted here", st.State, rd.Default)
	case records.WhyNotYet, records.WhyExpired:
		say("it does not hold at %s: %s", records.FormatInstant(rd.Judge.ValidAt), strings.Join(rd.remarks(r, st), ", "))
	case records.WhyUnreviewed:
		say("policy '%s' does not take this verdict for reviewed: git ctx %s %s by a person does", rd.Judge.Review, again, r.ID)
	case records.WhyUnsourced:
		say("policy '%s' asks an agent's support to cite evidence with a source or an anchor", rd.Judge.Review)
	}
	if r.Verdict != nil && r.Verdict.Asks != "" {
		say("it awaits review: git ctx %s %s", records.VerbFor(r.Kind, r.Verdict.Asks), r.ID)
	}
	if st.Class == records.RuledOut || st.Class == records.Gone {
		say("it is %s: nothing may rest on it", stateWord(st.State))
	}
	return out
}

func idList(ids []records.ID) string {
	ss := make([]string, len(ids))
	for i, id := range ids {
		ss[i] = string(id)
	}
	return strings.Join(ss, ", ")
}

// oneLine folds white space, for text that must stay on a line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A backlink lists the records that link to one by a relation.
type backlink struct {
	Relation records.Relation
	IDs      []records.ID
}

// backlinks returns all links to a record, in the relations' canonical order.
func backlinks(v records.View, id records.ID) []backlink {
	var rels []records.Relation
	for _, s := range records.Schemas() {
		for _, rel := range records.Relations(s.Kind) {
			if !slices.Contains(rels, rel) {
				rels = append(rels, rel)
			}
		}
	}
	var out []backlink
	for _, rel := range append(rels, records.SupersededBy) {
		if ids := v.Backlinks(id, rel); len(ids) > 0 {
			out = append(out, backlink{rel, ids})
		}
	}
	return out
}

// shown is one record in the JSON answer of show.
type shown struct {
	Record    *records.Record                   `json:"record"`
	Standing  standingJSON                      `json:"standing"`
	Backlinks map[records.Relation][]records.ID `json:"backlinks"`
	Linked    map[records.ID]shownNeighbour     `json:"linked"`
	Warnings  []string                          `json:"warnings"`
}

// shownNeighbour is what a link leads to or comes from.
type shownNeighbour struct {
	State records.State `json:"state"`
	Class records.Class `json:"class"`
	Title string        `json:"title"`
}

type showAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Records []shown      `json:"records"`
}

func showJSON(rd *reading, rs []*records.Record) showAnswer {
	out := showAnswer{Format: jsonFormat, Commit: rd.Commit, Branch: rd.Branch}
	for _, r := range rs {
		st := rd.Standing(r.ID)
		s := shown{Record: r, Standing: asStandingJSON(st), Warnings: append([]string{}, rd.warnings(r, st)...),
			Backlinks: map[records.Relation][]records.ID{}, Linked: map[records.ID]shownNeighbour{}}
		meet := func(ids []records.ID) {
			for _, id := range ids {
				if o, ok := rd.Record(id); ok {
					ost := rd.Standing(id)
					s.Linked[id] = shownNeighbour{ost.State, ost.Class, titleOf(o)}
				}
			}
		}
		for _, ids := range r.Links {
			meet(ids)
		}
		meet(r.Successors())
		if r.Verdict != nil {
			meet(r.Verdict.Cites)
		}
		for _, b := range backlinks(rd.View, r.ID) {
			s.Backlinks[b.Relation] = b.IDs
			meet(b.IDs)
		}
		out.Records = append(out.Records, s)
	}
	return out
}
