// Package grammar says what can be asked of records: the verbs, what each takes,
// and what an agent may do with it to what a person decided. The command line,
// batches and MCP read their calls by it, and refuse what a verb does not take in
// the same words. It knows no record: whether a verb applies to one is the ledger's.
package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// A Verb is something that can be asked of records.
type Verb struct {
	Name    string
	Purpose string // one line for help texts
	// About tells how many records a call names, by id or ids.
	About Count
	// Takes are the verb's own arguments, in the order in which they are listed.
	Takes []Argument
	// Needs names the arguments without which there is nothing to do.
	Needs []string
	// NeedsReason asks for reason, or for evidence in its place.
	NeedsReason bool
	// Batch and Update tell whether an op of a batch and MCP's update have the verb.
	Batch, Update bool
	// Agents is what it does in an agent's hands against a person's verdict.
	Agents records.Effect
}

// A Count is how many records a call names.
type Count int

// The counts.
const (
	None Count = iota
	Perhaps
	One
	Many
)

// An Argument is something that a verb can be given. What form its value has is
// told by the field of [Op] that has its name.
type Argument struct {
	Name string
	// Flag and Short are its option on the command line, "" where it has none of its
	// own there; Usage describes that, and About the argument for a schema.
	Flag, Short  string
	Usage, About string
	// Field is the field of the format without which a kind does not take it.
	Field string
	// With is the argument that it describes, and that must be given too.
	With string
	// Rare keeps it out of the schemas that every session of a model pays for.
	Rare bool
}

var reason = Argument{Name: "reason", Flag: "reason", Short: "r", Usage: "say `WHY`; it is kept with the judgement"}

// content are the arguments that say what a record holds, for add and edit.
var content = []Argument{
	{Name: "body", Flag: "body", Short: "b", Usage: "`TEXT` beyond the title, in markdown"},
	{Name: "type", Flag: "type", Usage: "`TYPE`", Field: "type", About: "of evidence, runbook or trigger"},
	{Name: "question", Flag: "question", Usage: "`TEXT`: the question it answers", Field: "question", About: "of a decision"},
	{Name: "options", Flag: "option", Usage: "`TEXT` of an option weighed, repeatable", Field: "options"},
	{Name: "source", Flag: "source", Usage: "`TEXT`: where it comes from", Field: "source", About: "of evidence: command, URL or file"},
	{Name: "confidence", Flag: "confidence", Usage: "`0-1`: how sure", Field: "confidence", About: "0 to 1"},
	{Name: "impact", Flag: "impact", Usage: "`0-1`: how much it matters", Field: "impact", Rare: true},
	{Name: "cost", Flag: "cost", Usage: "`0-1`: what testing it costs", Field: "cost", Rare: true},
	{Name: "strength", Flag: "strength", Usage: "`0-1`: how strong the evidence is", Field: "strength"},
	{Name: "priority", Flag: "priority", Usage: "`0-4`, 0 most urgent", Field: "priority", About: "0 most urgent, to 4"},
	{Name: "tags", Flag: "tag", Usage: "label it with `TAG`, repeatable"},
	{Name: "paths", Flag: "path", Usage: "`GLOB` of files it concerns, repeatable", About: "globs of files it concerns"},
	{Name: "anchors", Flag: "anchor", Usage: "`PATH[:A-B]`, the lines it stands on, repeatable", About: "PATH:A-B it stands on"},
	{Name: "text", Flag: "text", Usage: "`TEXT` of the prompt or event", Field: "text", About: "of a trigger"},
	{Name: "when", Flag: "when", Usage: "`TEXT`: when to follow it", Field: "when", About: "of a runbook"},
	{Name: "signals", Flag: "signal", Usage: "`TEXT` that shows it is needed, repeatable", Field: "signals"},
	{Name: "preconditions", Flag: "precondition", Usage: "`TEXT` of what must hold before, repeatable", Field: "preconditions", Rare: true},
	{Name: "steps", Flag: "step", Usage: "`'DO :: VERIFY'`: a step and how to see that it worked, repeatable", Field: "steps", About: "{do, verify}"},
	{Name: "escalation", Flag: "escalation", Usage: "`TEXT`: what to do when it fails", Field: "escalation", Rare: true},
	{Name: "references", Flag: "reference", Usage: "`TEXT`: a document or address to read with it, repeatable", Field: "references", Rare: true},
	{Name: "valid-from", Flag: "valid-from", Usage: "`DATE` from which it holds", Rare: true},
	{Name: "valid-until", Flag: "valid-until", Usage: "`DATE` until which it holds"},
}

// rare is args with some of them left out of schemas.
func rare(args []Argument, names ...string) []Argument {
	args = slices.Clone(args)
	for i := range args {
		args[i].Rare = args[i].Rare || slices.Contains(names, args[i].Name)
	}
	return args
}

// judging are the arguments of a state verb.
var judging = []Argument{
	reason,
	{Name: "cites", Flag: "cite", Usage: "`ID` of a record this rests on, repeatable", About: "ids it rests on"},
	{Name: "evidence", Flag: "evidence", Usage: "record `TEXT` as evidence, link it and cite it", About: "recorded, linked and cited in the same commit"},
	{Name: "type", Flag: "type", Usage: "`TYPE` of that evidence", With: "evidence"},
	{Name: "source", Flag: "source", Usage: "`TEXT`: where that evidence comes from", With: "evidence"},
	{Name: "anchors", Flag: "anchor", Usage: "`PATH[:A-B]` that evidence stands on, repeatable", With: "evidence"},
	{Name: "despite", Flag: "despite", Usage: "`ID` of a record whose contradiction is known and overridden"},
}

var (
	learned  = Argument{Name: "learned", Flag: "message", Short: "m", Usage: "`TEXT` learned, recorded as a draft conclusion", About: "with done: becomes a draft conclusion"}
	relation = Argument{Name: "links", Flag: "link", Usage: "link it: `REL=ID`, repeatable"}
	byNewer  = Argument{Name: "by", Flag: "by", Usage: "`ID` of the record that replaces", About: "with supersede"}
)

func verbs() []*Verb {
	vs := []*Verb{
		{Name: Add, Purpose: "record one", Needs: []string{"kind", "title"}, Batch: true, Agents: records.Acts,
			Takes: slices.Concat([]Argument{{Name: "kind"}, {Name: "title", About: "one line"}}, content, []Argument{
				relation,
				{Name: "again", Flag: "again", Usage: "`REASON` to record once more what was ruled out", About: "why it comes back"},
				{Name: "new", Flag: "new", Usage: "record it even if the same text stands already", About: "although the same text is recorded"},
				{Name: "as", Rare: true}, // for later ops of a batch: $NAME
			})},
	}
	for _, m := range records.Transitions() {
		v := &Verb{Name: string(m.Verb), Purpose: m.Purpose, About: Many, Takes: judging, NeedsReason: m.NeedsReason, Batch: true, Update: true, Agents: m.Over}
		if m.Verb == "done" {
			v.Takes = append(slices.Clone(judging), learned)
		}
		vs = append(vs, v)
	}
	return append(vs,
		&Verb{Name: Supersede, Purpose: "replace records by another of their kind", About: Many, Takes: []Argument{byNewer, reason}, Needs: []string{"by"}, NeedsReason: true, Batch: true, Update: true, Agents: records.Proposes},
		&Verb{Name: Reopen, Purpose: "take a judgement back: the record is open again", About: Many, Takes: []Argument{reason}, NeedsReason: true, Batch: true, Update: true, Agents: records.Challenges},
		&Verb{Name: Withdraw, Purpose: "take back what you recorded, before anyone judged it or built on it", About: Many, Takes: []Argument{reason}, Batch: true, Update: true, Agents: records.Refused},
		&Verb{Name: Edit, Purpose: "change what a record says", About: Many, Batch: true, Update: true, Agents: records.Proposes,
			Takes: slices.Concat([]Argument{{Name: "title", Flag: "title", Usage: "`TEXT` of the title", About: "with edit, as all that add takes"}}, rare(content, "question", "options", "strength", "text", "when", "signals", "steps", "valid-until"), []Argument{
				{Name: "untag", Flag: "untag", Usage: "`TAG` to take away, repeatable"},
				{Name: "unpath", Flag: "unpath", Usage: "`GLOB` to take away, repeatable", Rare: true},
				{Name: "clear", Flag: "clear", Usage: "`FIELD` to empty, repeatable"},
				{Name: "again", Flag: "again", Usage: "`REASON` to say once more what was ruled out"},
			})},
		&Verb{Name: Link, Purpose: "add links from a record to others", About: Many, Takes: []Argument{relation}, Needs: []string{"links"}, Batch: true, Update: true, Agents: records.Proposes},
		&Verb{Name: Unlink, Purpose: "remove links of a record", About: Many, Takes: []Argument{relation}, Needs: []string{"links"}, Batch: true, Update: true, Agents: records.Proposes},
		&Verb{Name: Claim, Purpose: "take a task for this session", About: Perhaps, Update: true, Agents: records.Acts, Takes: []Argument{{Name: "for", About: "with claim, as 2h"}}},
		&Verb{Name: Release, Purpose: "give a claimed task back", About: One, Update: true, Agents: records.Acts},
		&Verb{Name: Resolve, Purpose: "settle the fields in dispute", About: One, Update: true, Agents: records.Acts, Takes: []Argument{{Name: "pick"}, {Name: "set"}, reason}},
		// To forget is neither a batch's nor update's: it cannot be undone, so each record
		// that it takes is named in a call of its own.
		&Verb{Name: Forget, Purpose: "put a tombstone in a record's place: its text is gone from the branch", About: Many, NeedsReason: true, Agents: records.Refused,
			Takes: []Argument{{Name: "reason", Flag: "reason", Short: "r", Usage: "say `WHY`; it is kept, so it must not repeat the text"}}},
	)
}

// The verbs that are not state verbs.
const (
	Add       = "add"
	Edit      = "edit"
	Link      = "link"
	Unlink    = "unlink"
	Supersede = string(records.VerbSupersede)
	Reopen    = string(records.VerbReopen)
	Withdraw  = "withdraw"
	Claim     = "claim"
	Release   = "release"
	Resolve   = "resolve"
	Forget    = "forget"
)

// Verbs returns all verbs in the order in which they are listed.
func Verbs() []*Verb { return verbs() }

// Lookup returns the verb of that name, or nil.
func Lookup(name string) *Verb {
	all := verbs()
	if i := slices.IndexFunc(all, func(v *Verb) bool { return v.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// A Tool is what a call comes through, and the verbs that it takes.
type Tool struct {
	Name  string
	Verbs []string
}

// BatchTool and UpdateTool are those that take more than one verb.
func BatchTool() Tool { return toolOf("apply", func(v *Verb) bool { return v.Batch }) }

// UpdateTool is MCP's tool for records that are there.
func UpdateTool() Tool { return toolOf("update", func(v *Verb) bool { return v.Update }) }

func toolOf(name string, has func(*Verb) bool) Tool {
	t := Tool{Name: name}
	for _, v := range verbs() {
		if has(v) {
			t.Verbs = append(t.Verbs, v.Name)
		}
	}
	return t
}

// names are what the verb takes, the records it is about first.
func (v *Verb) names() []string {
	var ns []string
	if v.About > None {
		ns = append(ns, "ids")
	}
	for _, a := range v.Takes {
		ns = append(ns, a.Name)
	}
	return ns
}

// Argument returns what the verb takes by that name.
func (v *Verb) Argument(name string) (Argument, bool) {
	i := slices.IndexFunc(v.Takes, func(a Argument) bool { return a.Name == name })
	if i < 0 {
		return Argument{}, false
	}
	return v.Takes[i], true
}

// Table is the verbs as a table in Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString("| verb | takes | needs | in a batch | in update | an agent's, against a person's decision |\n|---|---|---|---|---|---|\n")
	yes := map[bool]string{true: "yes", false: ""}
	for _, v := range Verbs() {
		needs := slices.Clone(v.Needs)
		if v.About >= One {
			needs = append([]string{"ids"}, needs...)
		}
		if v.NeedsReason {
			needs = append(needs, "reason")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", v.Name, strings.Join(v.names(), ", "), strings.Join(needs, ", "), yes[v.Batch], yes[v.Update], v.Agents)
	}
	return b.String()
}
