package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// fieldFlags are the flags that fill a record's fields: the same for add and
// edit, fewer or more by kind.
type fieldFlags struct {
	links     []string
	relations map[records.Relation]*[]string
	steps     []string
	priority  int
	changed   func(name string) bool
}

// relationFlags are the relations that have a flag of their own, and its name.
var relationFlags = map[records.Kind][]struct {
	rel  records.Relation
	flag string
	what string
}{
	records.Goal:       {{records.Parent, "parent", "goal this is part of"}},
	records.Task:       {{records.Serves, "goal", "goal it serves (default @goal)"}, {records.DependsOn, "depends-on", "task that comes first"}, {records.PartOf, "part-of", "task it is part of"}},
	records.Hypothesis: {{records.About, "about", "task or goal it is about (default @task, then @goal)"}},
	records.Evidence:   {{records.Supports, "supports", "record it speaks for"}, {records.Refutes, "refutes", "record it speaks against"}},
	records.Decision:   {{records.RestsOn, "rests-on", "hypothesis or evidence it rests on"}},
	records.Conclusion: {{records.Closes, "closes", "task or goal it closes (default @task)"}, {records.RestsOn, "rests-on", "what it rests on"}},
	records.Runbook:    {{records.AppliesTo, "applies-to", "record it applies to"}},
	records.Trigger:    {{records.Starts, "starts", "record it starts"}},
}

// bind declares the flags of a kind; nil is every kind's, for edit.
func (f *fieldFlags) bind(fs *pflag.FlagSet, op *ledger.Op, s *records.Schema) {
	has := func(field string) bool { return s == nil || slices.Contains(s.Fields, field) }
	f.changed = fs.Changed
	fs.StringVarP(&op.Body, "body", "b", "", "`TEXT` beyond the title, in markdown")
	fs.StringArrayVar(&op.Tags, "tag", nil, "label it with `TAG`, repeatable")
	fs.StringArrayVar(&op.Paths, "path", nil, "`GLOB` of files it concerns, repeatable")
	fs.StringArrayVar(&op.Anchors, "anchor", nil, "`PATH[:A-B]`, the lines it stands on, repeatable")
	fs.StringVar(&op.ValidFrom, "valid-from", "", "`DATE` from which it holds")
	fs.StringVar(&op.ValidUntil, "valid-until", "", "`DATE` until which it holds")
	text := func(field, usage string, dst *string) {
		if has(field) {
			fs.StringVar(dst, field, "", usage)
		}
	}
	text("confidence", "`0-1`: how sure", &op.Confidence)
	text("impact", "`0-1`: how much it matters", &op.Impact)
	text("cost", "`0-1`: what testing it costs", &op.Cost)
	text("strength", "`0-1`: how strong the evidence is", &op.Strength)
	text("source", "`TEXT`: where it comes from", &op.Source)
	text("question", "`TEXT`: the question it answers", &op.Question)
	text("when", "`TEXT`: when to follow it", &op.When)
	text("escalation", "`TEXT`: what to do when it fails", &op.Escalation)
	text("text", "`TEXT` of the prompt or event", &op.Text)
	if has("type") {
		usage := "`TYPE`"
		if s != nil {
			usage += ": " + strings.Join(s.Types, ", ")
		}
		fs.StringVar(&op.Type, "type", "", usage)
	}
	if has("priority") {
		fs.IntVar(&f.priority, "priority", 0, "`0-4`, 0 most urgent")
	}
	if has("options") {
		fs.StringArrayVar(&op.Options, "option", nil, "`TEXT` of an option weighed, repeatable")
	}
	if has("steps") {
		fs.StringArrayVar(&op.Signals, "signal", nil, "`TEXT` that shows it is needed, repeatable")
		fs.StringArrayVar(&op.Preconditions, "precondition", nil, "`TEXT` of what must hold before, repeatable")
		fs.StringArrayVar(&f.steps, "step", nil, "`'DO :: VERIFY'`: a step and how to see that it worked, repeatable")
	}
	if s == nil {
		return
	}
	fs.StringArrayVar(&f.links, "link", nil, "link it: `REL=ID`, repeatable")
	f.relations = make(map[records.Relation]*[]string)
	for _, r := range relationFlags[s.Kind] {
		f.relations[r.rel] = fs.StringArray(r.flag, nil, "`ID` of the "+r.what)
	}
}

// fill moves the flags that are not the op's own fields into it.
func (f *fieldFlags) fill(op *ledger.Op) error {
	links := f.links
	for rel, ids := range f.relations {
		for _, id := range *ids {
			links = append(links, string(rel)+"="+id)
		}
	}
	if err := fillLinks(op, links); err != nil {
		return err
	}
	if f.changed("priority") {
		op.Priority = &f.priority
	}
	for _, s := range f.steps {
		do, verify, _ := strings.Cut(s, "::")
		op.Steps = append(op.Steps, ledger.OpStep{Do: strings.TrimSpace(do), Verify: strings.TrimSpace(verify)})
	}
	return nil
}

// fillLinks reads REL=ID words.
func fillLinks(op *ledger.Op, words []string) error {
	for _, w := range words {
		rel, id, ok := strings.Cut(w, "=")
		if !ok || rel == "" || id == "" {
			return usagef("", "link '%s': give RELATION=ID, as in about=task-4k2p", w)
		}
		if op.Links == nil {
			op.Links = make(map[string][]string)
		}
		op.Links[rel] = append(op.Links[rel], id)
	}
	return nil
}

func asPathError(err error, pe **os.PathError) bool { return errors.As(err, pe) }

// eachID runs fn for every id, naming the one that failed when there are several.
func eachID(ids []string, fn func(id string) error) error {
	for _, id := range ids {
		if err := fn(id); err != nil {
			if len(ids) > 1 {
				return fmt.Errorf("%w (of %s, none was changed)", err, text.Plural(len(ids), "record"))
			}
			return err
		}
	}
	return nil
}
