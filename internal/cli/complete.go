package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// completionWait bounds what a press of Tab may take.
const completionWait = 2 * time.Second

// A completer lists the candidates for one word, each perhaps with a tab and a
// description. What does not start with the word is dropped later.
type completer func(env *Env, cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective)

// addCompletions gives every command below root completion of its arguments and
// flags, as its usage names them. A command's own completion stands.
func addCompletions(env *Env, root *cobra.Command) {
	for _, cmd := range root.Commands() {
		addCompletions(env, cmd)
	}
	if root.ValidArgsFunction == nil && len(root.ValidArgs) == 0 && !root.HasSubCommands() {
		root.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return complete(env, argumentOf(cmd, len(args)), cmd, args, word)
		}
	}
	root.Flags().VisitAll(func(f *pflag.Flag) { addFlagCompletion(env, root, f) })
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { addFlagCompletion(env, root, f) })
}

func addFlagCompletion(env *Env, cmd *cobra.Command, f *pflag.Flag) {
	if f.Value.Type() == "bool" {
		return
	}
	// The error says that the command has its own.
	_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		return complete(env, flagArgument(cmd, f), cmd, args, word)
	})
}

func complete(env *Env, c completer, cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if c == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, directive := c(env, cmd, args, word)
	all = slices.DeleteFunc(all, func(s string) bool { return !strings.HasPrefix(s, word) })
	return all, directive
}

// argumentOf is the completer of a command's n-th argument, by its name in the
// usage line. Where an argument may be left out, the next one may stand there.
func argumentOf(cmd *cobra.Command, n int) completer {
	var names []string
	for _, w := range strings.Fields(usageForms(cmd.Use)[0])[1:] {
		if strings.HasPrefix(strings.TrimLeft(w, "["), "-") {
			break
		}
		names = append(names, w)
	}
	if last := len(names) - 1; n > last && last >= 0 && strings.Contains(names[last], "...") {
		n = last
	}
	var some []completer
	for ; n < len(names); n++ {
		word, _, _ := strings.Cut(strings.ReplaceAll(names[n], "...", ""), "[:") // of PATH[:A-B]
		for _, name := range strings.Split(strings.Trim(word, "[]()"), "|") {
			if c := argumentNamed(name); c != nil {
				some = append(some, c)
			}
		}
		if !strings.HasPrefix(names[n], "[") {
			break
		}
	}
	return anyOf(some)
}

// anyOf offers what each of several completers does.
func anyOf(some []completer) completer {
	switch len(some) {
	case 0:
		return nil
	case 1:
		return some[0]
	}
	return func(env *Env, cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		var all []string
		var directive cobra.ShellCompDirective
		for _, c := range some {
			words, d := c(env, cmd, args, word)
			all, directive = append(all, words...), directive|d
		}
		slices.Sort(all)
		return slices.Compact(all), directive
	}
}

func argumentNamed(name string) completer {
	switch name {
	case "ID", "OLD", "NEW", "RECORD":
		return completeIDs
	case "TASK":
		return idsOf(records.Task)
	case "GOAL":
		return idsOf(records.Goal)
	case "REL=ID":
		return completeLinks
	case "BRANCH", "NAME", "REV", "START", "COMMIT", "A", "B", "A..B":
		return completeBranches
	case "SHELL":
		return words("bash", "zsh", "fish")
	case "COMMAND":
		return completeCommands
	case "DIR":
		return func(*Env, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	case "FILE", "PATH", "GLOB", "PATH[:A-B]":
		return func(*Env, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		}
	case "RELATION":
		return words(strings.Fields(strings.ReplaceAll(joined(allRelations()), ",", ""))...)
	case "RULE":
		return completeRules
	case "KIND":
		return words(kindNames()...)
	case "STATE":
		return completeStates
	case "TAG":
		return completeTags
	}
	return nil
}

// flagArgument is the completer of a flag's value: by the flag's name where its
// value has a closed set, else by the name of its argument.
func flagArgument(cmd *cobra.Command, f *pflag.Flag) completer {
	switch f.Name {
	case "format":
		switch cmd.Name() {
		case "packet":
			return words("markdown", "json", "yaml", "text")
		case "plan", "closeout":
			return words("markdown", "json", "text")
		}
		if cmd.Name() == "graph" || cmd.Name() == "lineage" {
			return words("text", "json", "dot", "mermaid")
		}
		return words("text", "json")
	case "review":
		return words(string(records.ReviewAny), string(records.ReviewHuman), string(records.ReviewSigned))
	case "severity":
		return words(string(records.Error), string(records.Warning), string(records.Info))
	case "priority":
		return words("0\tmost urgent", "1", "2", "3", "4\tleast urgent")
	case "type":
		return completeTypes
	case "actor":
		return words(string(records.Human), "agent/", string(records.Unknown))
	case "link":
		return completeLinks
	}
	for _, s := range records.Schemas() {
		for _, r := range relationFlags[s.Kind] {
			if r.flag == f.Name && cmd.Parent() != nil && cmd.Parent().Name() == string(s.Kind) {
				return idsAt(s.Kind, r.rel)
			}
		}
	}
	if k, err := records.ParseKind(f.Name); err == nil {
		return idsOf(k)
	}
	arg, _ := pflag.UnquoteUsage(f)
	return argumentNamed(arg)
}

// words offers fixed words.
func words(ws ...string) completer {
	return func(*Env, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return slices.Clone(ws), cobra.ShellCompDirectiveNoFileComp
	}
}

func kindNames() []string {
	var ks []string
	for _, s := range records.Schemas() {
		ks = append(ks, string(s.Kind)+"\t"+s.Purpose)
	}
	return ks
}

// completionView is the current branch's records, or nil where there are none to see.
func completionView(env *Env, cmd *cobra.Command) *ledger.View {
	ctx, stop := context.WithTimeout(cmd.Context(), completionWait)
	defer stop()
	led, err := env.ledger(ctx)
	if err != nil {
		return nil
	}
	v, err := led.View(ctx)
	if err != nil {
		return nil
	}
	return v
}

// idsWhere offers the records that a test lets pass, the open ones first.
func idsWhere(want func(*records.Record) bool) completer {
	return func(env *Env, cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		v := completionView(env, cmd)
		if v == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var open, settled []string
		for r := range v.All() {
			if r.Forgotten() || !want(r) || slices.Contains(args, string(r.ID)) {
				continue
			}
			line := string(r.ID) + "\t" + summary(r)
			if r.Open() {
				open = append(open, line)
			} else {
				settled = append(settled, line)
			}
		}
		ids := append(open, settled...)
		if strings.HasPrefix(word, "@") {
			ids = append(ids, "@task", "@goal", "@last")
		}
		return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// summary describes a record in one short line.
func summary(r *records.Record) string {
	const most = 60
	title := []rune(text.Visible(strings.Join(strings.Fields(r.Title), " ")))
	if len(title) > most {
		title = append(title[:most-1], '…')
	}
	return fmt.Sprintf("%s: %s", r.State(), string(title))
}

// completeIDs offers the records that the command applies to.
func completeIDs(env *Env, cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	want := func(*records.Record) bool { return true }
	switch m := records.Verb(cmd.Name()).Transition(); {
	case cmd.Parent() != cmd.Root():
	case m != nil:
		want = func(r *records.Record) bool {
			to, ok := m.To[r.Kind]
			return ok && r.State() != to && records.CheckTransition(r.Kind, r.State(), to) == nil
		}
	case cmd.Name() == string(records.VerbReopen):
		want = func(r *records.Record) bool { return records.CheckReopen(r.Kind, r.State()) == nil }
	case cmd.Name() == string(records.VerbSupersede):
		want = func(r *records.Record) bool { return r.Kind.Schema().Has(records.Superseded) }
	case cmd.Name() == "resolve":
		want = (*records.Record).Disputed
	}
	return idsWhere(want)(env, cmd, args, word)
}

func idsOf(k records.Kind) completer {
	return idsWhere(func(r *records.Record) bool { return r.Kind == k })
}

// idsAt offers the records that a kind's relation may lead to.
func idsAt(from records.Kind, rel records.Relation) completer {
	return idsWhere(func(r *records.Record) bool { return records.CheckLink(from, rel, r.Kind) == nil })
}

// completeLinks offers RELATION= and then the ids it may lead to.
func completeLinks(env *Env, cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	kind := records.Kind("")
	if cmd.Parent() != nil {
		kind, _ = records.ParseKind(cmd.Parent().Name())
	}
	if kind == "" && len(args) > 0 {
		kind = kindOfID(args[0])
	}
	rel, _, chosen := strings.Cut(word, "=")
	if chosen {
		ids, directive := idsAt(kind, records.Relation(rel))(env, cmd, args, "")
		for i := range ids {
			ids[i] = rel + "=" + ids[i]
		}
		return ids, directive
	}
	var rels []string
	for _, r := range records.Relations(kind) {
		rels = append(rels, string(r)+"=")
	}
	return rels, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeBranches(env *Env, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, stop := context.WithTimeout(cmd.Context(), completionWait)
	defer stop()
	led, err := env.ledger(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	bs, err := led.Branches(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, b := range bs {
		names = append(names, b.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeCommands(_ *Env, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	parent, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeRules(*Env, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, r := range audit.Rules() {
		ids = append(ids, r.ID)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeStates offers the states of the command's kind, else of all.
func completeStates(_ *Env, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	kind := cmd.Parent().Name()
	if f := cmd.Flags().Lookup("kind"); f != nil && f.Value.String() != "" {
		kind = f.Value.String()
	}
	k, err := records.ParseKind(kind)
	var states []string
	for _, s := range records.Schemas() {
		for _, st := range s.States {
			if err != nil || s.Kind == k {
				states = append(states, string(st))
			}
		}
	}
	states = append(states, query.ClassNames()...) // what the record stands for, beside its state
	slices.Sort(states)
	states = slices.Compact(states)
	return states, cobra.ShellCompDirectiveNoFileComp
}

// completeTypes offers the types of the command's kind; a state verb's are evidence's.
func completeTypes(_ *Env, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	k, err := records.ParseKind(cmd.Parent().Name())
	if err != nil {
		k = records.Evidence
	}
	return slices.Clone(k.Schema().Types), cobra.ShellCompDirectiveNoFileComp
}

func completeTags(env *Env, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	v := completionView(env, cmd)
	if v == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var tags []string
	for r := range v.All() {
		tags = append(tags, r.Tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags), cobra.ShellCompDirectiveNoFileComp
}
