package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/grammar"
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

// bind declares the flags of a verb on records of a kind; nil is every kind's, for edit.
func (f *fieldFlags) bind(fs *pflag.FlagSet, op *grammar.Op, s *records.Schema) {
	f.changed = fs.Changed
	bindVerb(fs, op, s)
	if s == nil || slices.Contains(s.Fields, "priority") {
		a, _ := grammar.Lookup(op.Verb).Argument("priority")
		fs.IntVar(&f.priority, a.Flag, 0, a.Usage)
	}
	if s == nil || slices.Contains(s.Fields, "steps") {
		a, _ := grammar.Lookup(op.Verb).Argument("steps")
		fs.StringArrayVar(&f.steps, a.Flag, nil, a.Usage)
	}
	if s == nil {
		return
	}
	a, _ := grammar.Lookup(op.Verb).Argument("links")
	fs.StringArrayVar(&f.links, a.Flag, nil, a.Usage)
	f.relations = make(map[records.Relation]*[]string)
	for _, r := range relationFlags[s.Kind] {
		f.relations[r.rel] = fs.StringArray(r.flag, nil, "`ID` of the "+r.what)
	}
}

// bindVerb declares a flag for each argument of the op's verb that is a text, some
// texts, or nothing but there.
func bindVerb(fs *pflag.FlagSet, op *grammar.Op, s *records.Schema) {
	takes := grammar.Lookup(op.Verb).Takes
	for _, a := range takes {
		if a.Flag == "" || a.Field != "" && s != nil && !slices.Contains(s.Fields, a.Field) {
			continue
		}
		usage := a.Usage
		if a.Field == "type" && s != nil {
			usage += ": " + strings.Join(s.Types, ", ")
		}
		switch field := op.Field(a.Name).(type) {
		case *string:
			fs.StringVarP(field, a.Flag, a.Short, "", usage)
			if a.Name == "reason" && !slices.ContainsFunc(takes, func(o grammar.Argument) bool { return o.Short == "m" }) {
				fs.StringVarP(field, "message", "m", "", "the same as --reason, as `MSG` is in git")
			}
		case *[]string:
			fs.StringArrayVarP(field, a.Flag, a.Short, nil, usage)
		case *bool:
			fs.BoolVarP(field, a.Flag, a.Short, false, usage)
		}
	}
}

// fill moves the flags that are not the op's own fields into it.
func (f *fieldFlags) fill(op *grammar.Op) error {
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
		op.Steps = append(op.Steps, grammar.ParseStep(s))
	}
	return nil
}

// fillLinks reads REL=ID words.
func fillLinks(op *grammar.Op, words []string) error {
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
