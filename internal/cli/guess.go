package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/records"
)

// unknownCommand refuses a word that is not a command below cmd, and guesses the
// command that was meant.
func unknownCommand(cmd *cobra.Command, args []string) error {
	word, rest := args[0], plainWords(args[1:])
	if !cmd.HasParent() {
		return usagef(strings.Join(guessCommand(cmd, word, rest), "\n"), "unknown command '%s'", word)
	}
	k, err := records.ParseKind(cmd.Name())
	if err != nil {
		return usagef(strings.Join(callsOf(cmd), "\n"), "unknown command '%s' of %s", word, cmd.CommandPath())
	}
	return usagef(strings.Join(guessOfKind(k, word, rest), "\n"), "unknown command '%s' of %s", word, cmd.CommandPath())
}

// callsOf are the calls of a command's own commands.
func callsOf(cmd *cobra.Command) []string {
	var calls []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			calls = append(calls, cmd.CommandPath()+" "+sub.Use)
		}
	}
	return calls
}

// needsOne refuses a call that names none of a command's own commands.
func needsOne(cmd *cobra.Command) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usagef(strings.Join(callsOf(cmd), "\n"), "'%s' needs one of %s", cmd.Name(), strings.Join(names, ", "))
}

// plainWords are the words before the first option that may take the next word
// for its value; options in front of all words are skipped.
func plainWords(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if slices.Contains([]string{"-C", "--directory", "--git-dir", "--format"}, args[0]) {
			n = min(2, len(args))
		}
		args = args[n:]
	}
	if i := slices.IndexFunc(args, func(s string) bool { return strings.HasPrefix(s, "-") }); i >= 0 {
		args = args[:i]
	}
	return args
}

// explain adds to an error what only the whole command line tells.
func explain(root *cobra.Command, args []string, err error) error {
	cmd, _, ferr := root.Find(args)
	if ferr != nil {
		cmd = root
	}
	return helped(cmd, guessed(root, args, err))
}

// guessed looks in the command line for what was meant.
func guessed(root *cobra.Command, args []string, err error) error {
	var usage *usageError
	if errors.As(err, &usage) {
		// A flag of a command that does not exist: the command is what is wrong.
		if cmd, rest, ferr := root.Find(args); ferr == nil && cmd.HasSubCommands() {
			if words := plainWords(rest); len(words) > 0 && !isCommand(cmd, words[0]) && isFlagError(err) {
				return unknownCommand(cmd, words)
			}
		}
		return err
	}
	var illegal *records.TransitionError
	if errors.As(err, &illegal) && len(hints(err)) == 0 {
		return &hintedError{err, transitionHint(illegal, plainWords(args))}
	}
	return err
}

func isCommand(parent *cobra.Command, name string) bool {
	return slices.ContainsFunc(parent.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
}

// transitionHint names the verbs that do apply to a record in its state.
func transitionHint(e *records.TransitionError, args []string) string {
	id := idAmong(args)
	if len(e.Legal) == 0 {
		return "git ctx reopen " + id + " --reason WHY"
	}
	var lines []string
	for _, s := range e.Legal {
		lines = append(lines, "git ctx "+strings.Replace(verbUsage(e.Kind, records.VerbFor(e.Kind, s)), "ID", id, 1))
	}
	return strings.Join(lines, "\n")
}

// guessOfKind guesses what `git ctx KIND WORD ...` was meant to be.
func guessOfKind(k records.Kind, word string, rest []string) []string {
	named := k
	if id := idAmong(rest); kindOfID(id) != "" {
		k = kindOfID(id)
	}
	switch {
	case looksLikeID(word):
		return []string{"git ctx show " + word}
	case slices.Contains(guessAdd, word):
		return []string{addUsage(named, rest)}
	case slices.Contains(guessList, word) || kindOfPlural(word) == named:
		return []string{fmt.Sprintf("git ctx %s list", named)}
	case slices.Contains(guessSearch, word):
		return []string{fmt.Sprintf("%s --kind %s", searchUsage(rest), named)}
	case records.Verb(word) == records.VerbReopen || records.Verb(word) == records.VerbSupersede || generalVerbs[word] != "":
		return []string{general(word, rest)}
	}
	if v := verbOf(k, word); v != "" {
		return []string{judge(k, v, rest)}
	}
	if strings.ContainsAny(word, " \t") || len(rest) > 1 {
		return []string{addUsage(named, []string{strings.Join(append([]string{word}, rest...), " ")})}
	}
	near := []string{"add", "list"}
	for _, v := range verbsOf(k) {
		near = append(near, string(v))
	}
	for w := range generalVerbs {
		near = append(near, w)
	}
	switch best := closest(word, near); {
	case best == "add" || best == "list":
		return []string{fmt.Sprintf("git ctx %s %s", named, strings.Replace(best, "add", "add 'TITLE'", 1))}
	case generalVerbs[best] != "":
		return []string{general(best, rest)}
	case best != "":
		return []string{judge(k, records.Verb(best), rest)}
	}
	return []string{fmt.Sprintf("git ctx %s -h", named)}
}

// guessCommand guesses what `git ctx WORD ...` was meant to be.
func guessCommand(root *cobra.Command, word string, rest []string) []string {
	if looksLikeID(word) {
		return []string{"git ctx show " + word}
	}
	if slices.Contains(guessAdd, word) || slices.Contains(guessList, word) {
		return guessSwapped(word, rest)
	}
	if slices.Contains(guessSearch, word) {
		return []string{searchUsage(rest)}
	}
	if k := kindOfPlural(word); k != "" {
		switch {
		case len(rest) > 0 && (slices.Contains(guessList, rest[0]) || slices.Contains(guessSearch, rest[0]) || verbOf(k, rest[0]) != "" || generalVerbs[rest[0]] != ""):
			return guessOfKind(k, rest[0], rest[1:])
		case len(rest) > 0 && slices.Contains(guessAdd, rest[0]):
			return []string{addUsage(k, rest[1:])}
		case len(rest) > 0 && !looksLikeID(rest[0]):
			return []string{addUsage(k, rest)}
		}
		return []string{fmt.Sprintf("git ctx %s list", k)}
	}
	if k, ok := guessKinds[word]; ok {
		return []string{addUsage(k, rest)}
	}
	if generalVerbs[word] != "" {
		return []string{general(word, rest)}
	}
	if hs := guessJudgement(word, rest); len(hs) > 0 {
		return hs
	}
	if h, ok := guessWords[word]; ok {
		return strings.Split(h, "\n")
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	if best := closest(word, names); best != "" {
		return []string{strings.Join(append([]string{"git ctx", best}, quoteAll(rest)...), " ")}
	}
	return []string{"git ctx -h"}
}

// guessSwapped reads `add task ...` and `list` of anything.
func guessSwapped(word string, rest []string) []string {
	adds := slices.Contains(guessAdd, word)
	kind := "KIND"
	if len(rest) > 0 {
		k, err := records.ParseKind(rest[0])
		if err != nil {
			k = kindOfPlural(rest[0])
		}
		switch {
		case k != "" && adds:
			return []string{addUsage(k, rest[1:])}
		case k != "":
			return []string{fmt.Sprintf("git ctx %s list", k)}
		}
	}
	if adds {
		return []string{fmt.Sprintf("git ctx %s add 'TITLE'", kind), "git ctx -h"}
	}
	return []string{"git ctx list"}
}

// guessJudgement reads a word for a judgement: of the record named, else of each kind it may be said of.
func guessJudgement(word string, rest []string) []string {
	if k := kindOfID(idAmong(rest)); k != "" {
		if v := verbOf(k, word); v != "" {
			return []string{judge(k, v, rest)}
		}
	}
	var hs []string
	for _, v := range guessVerbs[word] {
		var ks []string
		for _, k := range v.Transition().Kinds() {
			if verbOf(k, word) == v {
				ks = append(ks, string(k))
			}
		}
		if len(ks) > 0 {
			hs = append(hs, fmt.Sprintf("git ctx %s  (%s)", verbUsage(v.Transition().Kinds()[0], v), strings.Join(ks, ", ")))
		}
	}
	if len(hs) == 1 {
		hs[0], _, _ = strings.Cut(hs[0], "  (")
	}
	return hs
}

// verbOf is the state verb that a word means for a kind: the verb itself, the
// verb to a state of that name, or the first of its synonyms that applies.
func verbOf(k records.Kind, word string) records.Verb {
	if m := records.Verb(word).Transition(); m != nil && m.To[k] != "" {
		return m.Verb
	}
	if v := records.VerbFor(k, records.State(word)); v != "" {
		return v
	}
	for _, v := range guessVerbs[word] {
		if v.Transition().To[k] != "" {
			return v
		}
	}
	return ""
}

func verbsOf(k records.Kind) []records.Verb {
	var vs []records.Verb
	for _, s := range k.Schema().States[1:] {
		vs = append(vs, records.VerbFor(k, s))
	}
	return vs
}

// judge is the call of a state verb with the id that was given.
func judge(k records.Kind, v records.Verb, rest []string) string {
	return "git ctx " + strings.Replace(verbUsage(k, v), "ID", idAmong(rest), 1)
}

func general(word string, rest []string) string {
	usage := generalVerbs[word]
	if usage == "" {
		usage = verbUsage("", records.Verb(word)) // reopen and supersede
		if word == string(records.VerbReopen) {
			usage += " --reason WHY"
		}
	}
	return "git ctx " + strings.Replace(usage, "ID", idAmong(rest), 1)
}

func addUsage(k records.Kind, title []string) string {
	if len(title) == 0 {
		return fmt.Sprintf("git ctx %s add 'TITLE'", k)
	}
	return fmt.Sprintf("git ctx %s add %s", k, quoted(strings.Join(title, " ")))
}

func searchUsage(words []string) string {
	if len(words) == 0 {
		return "git ctx search QUERY"
	}
	return "git ctx search " + strings.Join(quoteAll(words), " ")
}

// quoted is s as one word of a shell, always in quotes.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteAll(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if w == "" || strings.ContainsAny(w, " \t\n'\"$`\\*?;&|<>()") {
			out[i] = quoted(w)
		}
	}
	return out
}

func looksLikeID(word string) bool {
	return kindOfID(word) != "" || slices.Contains([]string{"@task", "@goal", "@last"}, word)
}

// kindOfID is the kind that an id's prefix names, or "".
func kindOfID(word string) records.Kind {
	prefix, rest, ok := strings.Cut(word, "-")
	if !ok || len(rest) < records.MinPrefix || strings.ContainsAny(rest, " -") {
		return ""
	}
	for _, s := range records.Schemas() {
		if s.Prefix == prefix {
			return s.Kind
		}
	}
	return ""
}

// idAmong is the first word that looks like an id, else "ID".
func idAmong(words []string) string {
	for _, w := range words {
		if looksLikeID(w) {
			return w
		}
	}
	return "ID"
}

// kindOfPlural is the kind whose plural a word is, or "".
func kindOfPlural(word string) records.Kind {
	for _, s := range records.Schemas() {
		name := string(s.Kind)
		if word == name+"s" || word == strings.TrimSuffix(name, "is")+"es" || slices.Contains(s.Aliases, strings.TrimSuffix(word, "s")) {
			return s.Kind
		}
	}
	return ""
}
