package ledger

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// A FieldChange is one field that differs. A single value stands as it is, the
// items of a list are joined by commas, and anything deeper is canonical YAML on
// one line; "" is an absent field.
type FieldChange struct {
	Field    string `json:"field"`
	Old, New string
}

// A Difference is one record, or another file of the store, that two commits hold differently.
type Difference struct {
	Path string
	ID   records.ID // "" for a file that is not a record
	// Op is "+" for a new record, "~" for a changed one, "!" for one that is
	// disputed, unreadable or gone.
	Op       string
	Old, New *records.Record
	Fields   []FieldChange
	Problem  string // why the record cannot be compared, for "!"
}

const fileGone = "its file is gone"

// Line is the difference in one line.
func (d *Difference) Line() string {
	r := d.New
	if r == nil {
		r = d.Old
	}
	if r == nil {
		return strings.TrimSpace(fmt.Sprintf("%s %s %s", d.Op, d.Path, d.Problem))
	}
	what := string(r.State())
	if d.Old != nil && d.New != nil && d.Old.State() != d.New.State() {
		what = fmt.Sprintf("%s → %s", orNone(d.Old.State()), orNone(d.New.State()))
	}
	if d.Problem != "" {
		what = d.Problem
	}
	return fmt.Sprintf("%s %s %s: %s", d.Op, r.ID, what, commitmsg.OneLine(r.Heading()))
}

func orNone(s records.State) string {
	if s == "" {
		return "disputed"
	}
	return string(s)
}

// Diff compares two store commits, "" being the empty store, and returns what
// differs, by path. Only what differs is read.
func (l *Ledger) Diff(ctx context.Context, a, b gitstore.OID) ([]Difference, error) {
	p, err := l.pair(ctx, a, b)
	if err != nil {
		return nil, err
	}
	return p.compare(-1)
}

// Changes yields what [Ledger.Diff] returns but for the policy, one record in memory at a time. An
// error is the last yield.
func (l *Ledger) Changes(ctx context.Context, a, b gitstore.OID) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		p, err := l.pair(ctx, a, b)
		if err != nil {
			yield(Difference{}, err)
			return
		}
		for _, c := range p.paths {
			if c.path == records.PolicyFile {
				continue
			}
			d, err := compare(c.path, p.from, p.to, c.had, c.has)
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// A pair is two store commits and the paths at which they differ.
type pair struct {
	from, to *gitstore.Snapshot
	paths    []changedPath
}

type changedPath struct {
	path     string
	had, has bool // in the one and in the other
}

// pair finds where two commits differ; it reads no record.
func (l *Ledger) pair(ctx context.Context, a, b gitstore.OID) (*pair, error) {
	p := &pair{}
	var fromTree, toTree gitstore.OID
	var err error
	if p.from, fromTree, err = l.snapshotOrEmpty(ctx, a); err != nil {
		return nil, err
	}
	if p.to, toTree, err = l.snapshotOrEmpty(ctx, b); err != nil {
		return nil, err
	}
	err = l.repo.DiffTrees(ctx, fromTree, toTree, func(path string, old, new gitstore.OID) error {
		if strings.HasPrefix(path, records.RecordsDir+"/") || path == records.PolicyFile && a != "" {
			p.paths = append(p.paths, changedPath{path, old != "", new != ""})
		}
		return nil
	})
	return p, err
}

// compare builds the differences of the first limit paths, of all when limit is negative.
func (p *pair) compare(limit int) ([]Difference, error) {
	var out []Difference
	for i, c := range p.paths {
		if i == limit {
			break
		}
		if c.path == records.PolicyFile {
			out = append(out, Difference{Path: c.path, Op: "~", Problem: "the policy changed"})
			continue
		}
		d, err := compare(c.path, p.from, p.to, c.had, c.has)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (l *Ledger) snapshotOrEmpty(ctx context.Context, oid gitstore.OID) (*gitstore.Snapshot, gitstore.OID, error) {
	if oid == "" {
		return nil, "", nil
	}
	snap, err := l.repo.Snapshot(ctx, string(oid))
	if err != nil {
		return nil, "", err
	}
	return snap, snap.Tree(), nil
}

// compare builds the difference of one record file. A file that does not decode
// is a part of the answer; one that git cannot produce is an error, or a
// checkpoint would put on record what only this clone lacks.
func compare(path string, from, to *gitstore.Snapshot, had, has bool) (Difference, error) {
	d := Difference{Path: path, Op: "~"}
	if id, err := records.PathID(path); err == nil {
		d.ID = id
	}
	if had {
		data, err := from.Content(path)
		if err != nil {
			return d, err
		}
		if d.Old, err = records.Parse(path, data); err != nil {
			d.Problem = "the old form is unreadable"
		}
	} else {
		d.Op = "+"
	}
	if has {
		data, err := to.Content(path)
		if err != nil {
			return d, err
		}
		if d.New, err = records.Parse(path, data); err != nil {
			d.Op, d.Problem = "!", fmt.Sprintf("unreadable: %v", err)
		}
	} else {
		d.Op, d.Problem = "!", fileGone
	}
	if d.New != nil && d.New.Disputed() {
		d.Op = "!"
	}
	if d.Old != nil && d.New != nil {
		d.Fields = fieldChanges(d.Old, d.New)
	}
	return d, nil
}

// fieldChanges lists the fields that differ, in canonical order; the verdict is
// taken apart, since its parts are what a reader looks for.
func fieldChanges(a, b *records.Record) []FieldChange {
	// A verdict in conflict has no parts to compare.
	whole := a.InConflict(verdictField) || b.InConflict(verdictField)
	old, oldOrder := flatten(a, whole)
	now, order := flatten(b, whole)
	for _, name := range oldOrder {
		if _, ok := now[name]; !ok {
			order = append(order, name)
		}
	}
	var out []FieldChange
	for _, name := range order {
		if old[name].canonical != now[name].canonical {
			out = append(out, FieldChange{name, old[name].shown, now[name].shown})
		}
	}
	return out
}

// ContentChanges lists what differs between the contents of two records: not
// who they are, who made them and what was judged of them.
func ContentChanges(a, b *records.Record) []FieldChange {
	return slices.DeleteFunc(fieldChanges(a, b), func(c FieldChange) bool {
		top, _, _ := strings.Cut(c.Field, ".")
		return !records.IsContent(top)
	})
}

// A flatValue is a field's value for comparing and for showing.
type flatValue struct{ canonical, shown string }

// flatten takes a record apart. A field in conflict says so: its sides are for
// the list of conflicts to show. The verdict stays whole where its parts are not asked for.
func flatten(r *records.Record, wholeVerdict bool) (map[string]flatValue, []string) {
	values := make(map[string]flatValue)
	var order []string
	set := func(name string, value *records.Value) {
		values[name] = flatValue{records.FormatValue(value), ShowValue(value)}
		order = append(order, name)
	}
	for _, c := range r.Conflicts {
		canonical := "in conflict"
		for _, n := range slices.Concat(c.Bases, c.Sides) {
			canonical += "\n" + records.FormatValue(n)
		}
		values[c.Field] = flatValue{canonical, "(in conflict)"}
		order = append(order, c.Field)
	}
	for _, f := range r.Fields() {
		switch {
		case f.Name == "conflicts":
			continue
		case f.Name == verdictField && wholeVerdict:
			values[f.Name] = flatValue{records.FormatValue(f.Value), string(r.State())}
			order = append(order, f.Name)
			continue
		case f.Name != verdictField && f.Name != "links":
			set(f.Name, f.Value)
			continue
		}
		for i := 0; i+1 < len(f.Value.Items); i += 2 {
			if part := f.Value.Items[i].Text; f.Name == "links" || records.TellsChange(part) {
				set(f.Name+"."+part, f.Value.Items[i+1])
			}
		}
	}
	return values, order
}

// ShowValue is a field's value as a reader wants to see it.
func ShowValue(v *records.Value) string {
	switch {
	case v.IsScalar():
		return strings.TrimRight(v.Text, "\n")
	case v.Type == records.ListValue && !slices.ContainsFunc(v.Items, func(item *records.Value) bool { return !item.IsScalar() }):
		items := make([]string, len(v.Items))
		for i, item := range v.Items {
			items[i] = commitmsg.OneLine(item.Text)
		}
		return strings.Join(items, ", ")
	}
	return commitmsg.OneLine(records.FormatValue(v))
}
