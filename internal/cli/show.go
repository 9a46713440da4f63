package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/cli/ui"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

type showOptions struct {
	read readFlags
	yaml bool
}

func newShowCmd(env *Env) *cobra.Command {
	o := &showOptions{}
	cmd := &cobra.Command{
		Use: "show ID... | COMMIT...", Short: "show records in full, or what a commit of the store did", Args: someIDs,
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
	for i, name := range names {
		r, err := rd.find(name)
		var ambiguous *ledger.AmbiguousError
		if err != nil && !errors.As(err, &ambiguous) && i == 0 && !o.yaml {
			if _, revErr := rd.Ledger.Resolve(ctx, name); revErr == nil {
				return showCommits(ctx, env, rd, names)
			}
		}
		if err != nil {
			return err
		}
		rs = append(rs, r)
	}
	switch {
	case o.yaml:
		return showYAML(env, rs)
	case env.json():
		return env.writeJSON(query.Show(rd.Reading, rs))
	}
	return env.page(ctx, rd.View, func(p *page) {
		for i, r := range rs {
			if i > 0 {
				p.Printf("\n")
			}
			p.record(ctx, rd, r)
		}
	})
}

// showCommits shows what store commits did, as git show does.
func showCommits(ctx context.Context, env *Env, rd *reading, revs []string) error {
	branch, tip, err := rd.Ledger.Tip(ctx)
	if err != nil {
		return err
	}
	lg := &logging{env: env, led: rd.Ledger, o: &logOptions{patch: true}, branch: branch, tip: tip}
	out := query.LogAnswer{Format: jsonFormat, Branch: branch, Tip: tip}
	for _, rev := range revs {
		oid, err := rd.Ledger.Resolve(ctx, rev)
		if err != nil {
			return err
		}
		e, err := rd.Ledger.Entry(ctx, oid)
		if err != nil {
			return err
		}
		entry := query.EntryOf(&ledger.Transition{LogEntry: e}, false)
		if entry.Changes, err = lg.changes(ctx, e); err != nil {
			return err
		}
		out.Commits = append(out.Commits, entry)
	}
	if env.json() {
		return env.writeJSON(out)
	}
	return env.page(ctx, rd.View, func(p *page) {
		for i, e := range out.Commits {
			if i > 0 {
				p.Printf("\n")
			}
			lg.entry(p, e)
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
func (p *page) record(ctx context.Context, rd *reading, r *records.Record) {
	st := rd.Standing(r.ID)
	p.Printf("%s %s  %s\n", r.Kind, ui.Painted{Text: string(r.ID), Colour: ui.Yellow}, ui.Painted{Text: query.StateWord(st.State), Colour: classColour(st.Class)})
	p.Printf("%s\n", ui.Painted{Text: query.TitleOf(r), Colour: ui.Bold})
	if r.Body != "" {
		p.Printf("\n")
		p.Block(r.Body)
	}
	p.Printf("\n")
	p.fields(r)
	p.links(rd, r)
	p.verdict(ctx, rd, r)
	for _, w := range rd.Warnings(r, st) {
		p.Printf("%s %s\n", ui.Painted{Text: "warning:", Colour: ui.Red}, w)
	}
}

const labelWidth = 13 // of a field's name in show

func (p *page) field(name string, value any) {
	p.Printf("%s %s\n", ui.Painted{Text: name + ":", Colour: ui.Dim, Width: labelWidth}, value)
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
			p.Printf("%s\n", ui.Painted{Text: f.Name + ":", Colour: ui.Dim})
			p.Block(value)
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
	for _, b := range query.Backlinks(rd.View, r.ID) {
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
		return p.Short(id) + " (no such record)"
	}
	st := rd.Standing(id)
	return fmt.Sprintf("%s %s: %s", p.Short(id), query.StateWord(st.State), query.TitleIn(r, st))
}

func (p *page) verdict(ctx context.Context, rd *reading, r *records.Record) {
	v := r.Verdict
	switch {
	case r.Forgotten():
		t := r.Tombstone
		p.field("forgotten", fmt.Sprintf("%s by %s (%s): %s", records.FormatInstant(t.At), t.By, t.Actor, t.Reason))
		return
	case v == nil:
		return
	}
	p.field("verdict", fmt.Sprintf("%s, %s by %s (%s)", v.State, records.FormatInstant(v.At), v.By, v.Actor))
	if by, err := rd.Ledger.Signatures().Signer(ctx, r); err != nil {
		p.field("signed", fmt.Sprintf("by %s, which does not count: %v", by, err))
	} else if by != "" {
		p.field("signed", "by "+by)
	}
	if v.Asks != "" {
		p.field("asks to be", v.Asks)
	}
	if v.Reason != "" {
		first, rest, more := strings.Cut(strings.TrimRight(v.Reason, "\n"), "\n")
		p.field("reason", first)
		if more {
			p.Block(rest)
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

// oneLine folds white space, for text that must stay on a line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
