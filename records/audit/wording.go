package audit

import (
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// titleRunes bounds how much of a title a message repeats, maxNamed how many
// records a message or hint names.
const (
	titleRunes = 72
	maxNamed   = 6
)

// name returns the record's id and quoted title. Titles are foreign text:
// control and bidi characters come out escaped.
func name(r *records.Record) string {
	if r.Title == "" {
		return string(r.ID) + " " + r.Heading()
	}
	title := []rune(r.Title)
	if len(title) > titleRunes {
		title = append(title[:titleRunes-3], '.', '.', '.')
	}
	return string(r.ID) + " " + strconv.Quote(string(title))
}

// names joins the names of records, and the bare ids of those the view lacks.
func (p *pass) names(ids []records.ID) string {
	out := make([]string, min(len(ids), maxNamed))
	for i, id := range ids[:len(out)] {
		out[i] = string(id)
		if r := p.get(id); r != nil {
			out[i] = name(r)
		}
	}
	if more := len(ids) - len(out); more > 0 {
		out = append(out, strconv.Itoa(more)+" more")
	}
	return list(out)
}

// list joins words as a sentence does.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// command returns a git ctx command line. Arguments are ids, flags and fixed
// words, so only those with a space need quotes.
func command[S ~string](verb string, args ...S) string {
	var b strings.Builder
	b.WriteString("git ctx ")
	b.WriteString(verb)
	for _, a := range args {
		b.WriteByte(' ')
		if strings.Contains(string(a), " ") {
			b.WriteString("'" + string(a) + "'")
		} else {
			b.WriteString(string(a))
		}
	}
	return b.String()
}

// show returns the command that shows the records.
func show(ids ...records.ID) string { return command("show", ids[:min(len(ids), maxNamed)]...) }

// addFor returns the command that adds a record of kind k with one flag that ties
// it to id: one that a program can run too, without an editor.
func addFor(k records.Kind, flag string, id records.ID) string {
	return command(string(k)+" add 'TITLE'", flag, string(id))
}

// unlink returns the command that takes one link away.
func unlink(id records.ID, rel records.Relation, target records.ID) string {
	return command("unlink", string(id), string(rel)+"="+string(target))
}

// verdictCommand returns the command that gives r the state s, or shows r when no verb does.
func verdictCommand(r *records.Record, s records.State) string {
	verb := records.VerbFor(r.Kind, s)
	if verb == "" || verb == records.VerbSupersede {
		return show(r.ID)
	}
	return command(string(verb), r.ID)
}
