package mcpserver

import (
	"slices"

	"github.com/git-ctx/git-ctx/internal/grammar"
)

// addSchema are the arguments of the tool add.
func addSchema() []arg {
	args := argsOf([]*grammar.Verb{grammar.Lookup(grammar.Add)})
	return append(args, requestArg())
}

// updateSchema are the arguments of the tool update: those of all of its verbs.
func updateSchema() []arg {
	tool := grammar.UpdateTool()
	args := []arg{{name: "verb", form: text, enum: tool.Verbs, need: true}, {name: "ids", form: texts}}
	var vs []*grammar.Verb
	for _, name := range tool.Verbs {
		vs = append(vs, grammar.Lookup(name))
	}
	return append(append(args, argsOf(vs)...), requestArg())
}

// argsOf describes what verbs take, each argument once.
func argsOf(vs []*grammar.Verb) []arg {
	var args []arg
	for _, v := range vs {
		for _, a := range v.Takes {
			if a.Rare || slices.ContainsFunc(args, func(b arg) bool { return b.name == a.Name }) {
				continue
			}
			out := arg{name: a.Name, form: formOf(a.Name), about: a.About, need: slices.Contains(v.Needs, a.Name) && len(vs) == 1}
			if a.Name == "kind" {
				out.enum = kinds()
			}
			args = append(args, out)
		}
	}
	return args
}

// formOf is the form of an argument's value.
func formOf(name string) form {
	switch new(grammar.Op).Field(name).(type) {
	case *[]string:
		return texts
	case **int:
		return whole
	case *bool:
		return flag
	case *map[string][]string:
		return links
	case *[]grammar.Step:
		return objects
	case *string:
		return text
	}
	return values
}
