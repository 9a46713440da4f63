package adr

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/markup"
	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
	"gopkg.in/yaml.v3"
)

// Format renders the decisions of the view as MADR files by name, each with
// the status that the judge lets it have now. A decision that came from such a
// file keeps its name while that is a plain one; the others are numbered after them, by
// time of creation. [Folder] reads the files back.
func Format(v records.View, j records.EvalContext) (map[string][]byte, error) {
	var ds []*records.Record
	for r := range v.All() {
		if r.Kind == records.Decision && !r.Forgotten() {
			ds = append(ds, r)
		}
	}
	names := adrNames(ds)
	out := make(map[string][]byte, len(ds))
	for _, r := range ds {
		b, err := formatDecision(r, adrStatus(v, r, j, names), names[r.ID])
		if err != nil {
			return nil, fmt.Errorf("export decision %s: %w", r.ID, err)
		}
		out[names[r.ID]] = b
	}
	return out, nil
}

var (
	plainName = lazyregexp.New(`^[\p{L}\p{N}_][\p{L}\p{N}_.+ -]*\.md$`)
	slugGap   = lazyregexp.New(`[^a-z0-9]+`)
)

// adrNames names the decisions' files. Names that differ in case only count as
// one, as they do on some file systems.
func adrNames(ds []*records.Record) map[records.ID]string {
	ds = slices.Clone(ds)
	slices.SortFunc(ds, func(a, b *records.Record) int {
		return cmp.Or(a.Created.At.Compare(b.Created.At), cmp.Compare(a.ID, b.ID))
	})
	names := make(map[records.ID]string, len(ds))
	taken := make(map[string]bool)
	last := 0
	for _, r := range ds {
		if r.Origin == nil || r.Origin.System != System {
			continue
		}
		name := path.Base(r.Origin.Key)
		if !plainName.MatchString(name) || taken[strings.ToLower(name)] {
			continue
		}
		taken[strings.ToLower(name)] = true
		names[r.ID] = name
		last = max(last, numberOf(name))
	}
	for _, r := range ds {
		if names[r.ID] != "" {
			continue
		}
		last++
		slug := strings.Trim(slugGap.ReplaceAllString(strings.ToLower(r.Title), "-"), "-")
		if len(slug) > 60 {
			slug = strings.TrimRight(slug[:60], "-")
		}
		names[r.ID] = fmt.Sprintf("%04d-%s.md", last, cmp.Or(slug, string(r.ID)))
	}
	return names
}

// adrStatus says how the decision stands, in MADR's words. Whatever may not be
// asserted and is not dead is only proposed.
func adrStatus(v records.View, r *records.Record, j records.EvalContext, names map[records.ID]string) string {
	st := standing.Of(v, r.ID, j)
	switch {
	case st.Class == records.Asserted:
		return "accepted"
	case st.Class == records.RuledOut && st.Why == "" && r.Verdict.Reason == reasonDeprecated,
		st.Why == records.WhyExpired:
		return "deprecated"
	case st.Class == records.RuledOut:
		return "rejected"
	case st.Class != records.Gone:
		return "proposed"
	}
	next := r.Successors()
	if len(next) == 0 || names[next[0]] == "" {
		return "superseded"
	}
	name := names[next[0]]
	label := strings.TrimSuffix(name, path.Ext(name))
	if n := numberOf(name); n >= 0 {
		label = fmt.Sprintf("ADR-%04d", n)
	}
	return fmt.Sprintf("superseded by [%s](%s)", label, strings.ReplaceAll(name, " ", "%20"))
}

// formatDecision renders one decision. What the importer would not read back
// from the text goes into the front matter.
func formatDecision(r *records.Record, status, name string) ([]byte, error) {
	title := cmp.Or(importer.OneLine(r.Title), string(r.ID))
	text := strings.TrimRight(decisionText(r), "\n") + "\n"
	front := []frontField{{"status", scalar(status)}}
	if heading := titleLine(title, numberOf(name)); heading != "" {
		text = heading + "\n\n" + text
	} else {
		front = append(front, frontField{"title", scalar(title)})
	}
	if at := decided(r); !at.IsZero() && !at.Equal(importer.Undated()) {
		front = append(front, frontField{"date", &yaml.Node{Kind: yaml.ScalarNode, Value: at.UTC().Format(time.DateOnly)}})
	}
	if by := makers(r); by != "" {
		front = append(front, frontField{"decision-makers", scalar(by)})
	}
	if len(r.Tags) > 0 {
		front = append(front, frontField{"tags", list(r.Tags)})
	}
	back, err := parseDocument(name, []byte(text))
	if err != nil {
		return nil, err
	}
	if q := importer.OneLine(r.Question); back.question() != q {
		front = append(front, frontField{"question", scalar(q)})
	}
	if opts := optionLines(r.Options); !slices.Equal(back.options(), opts) {
		front = append(front, frontField{"options", list(opts)})
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	top := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range front {
		top.Content = append(top.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: f.key}, f.value)
	}
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(top); err != nil {
		return nil, fmt.Errorf("front matter: %w", err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("front matter: %w", err)
	}
	b.WriteString("---\n")
	b.WriteString(text)
	return b.Bytes(), nil
}

// titleLine is a heading that reads back as the title, or "": one that starts like a
// number or ends like a heading needs another in front or behind.
func titleLine(title string, number int) string {
	numbered := fmt.Sprintf("# %d. %s", number, title)
	for _, line := range []string{"# " + title, "# " + title + " #", numbered, numbered + " #"} {
		doc := document{syntax: markup.Markdown, links: make(map[string]string)}
		doc.cut([]string{"", line}, 0)
		if stripNumber(doc.titled(), number) == title {
			return line
		}
	}
	return ""
}

func scalar(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

func list(ss []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if len(ss) == 0 {
		n.Style = yaml.FlowStyle
	}
	for _, s := range ss {
		n.Content = append(n.Content, scalar(s))
	}
	return n
}

func decided(r *records.Record) time.Time {
	if r.Verdict == nil {
		return r.Created.At
	}
	return r.Verdict.At
}

// makers names who decided: for an import whoever the source names, else
// whoever closed the question.
func makers(r *records.Record) string {
	if r.Verdict == nil || r.Verdict.By == System {
		return ""
	}
	imported := r.Origin != nil && r.Origin.System == System
	if !imported && r.Open() {
		return ""
	}
	return importer.OneLine(r.Verdict.By)
}

// decisionText is the text below the title: of an import its decided text as a
// section among those that it came with, of a body with the sections of a
// decision record the body, else sections made of the record's fields.
func decisionText(r *records.Record) string {
	imported := r.Origin != nil && r.Origin.System == System
	doc := document{syntax: markup.Markdown, links: make(map[string]string), untitled: imported}
	doc.cut(append([]string{""}, strings.Split(r.Body, "\n")...), 0)
	options := ""
	for _, o := range optionLines(r.Options) {
		options += "* " + o + "\n"
	}
	options = importer.Section("Considered Options", options)
	claim := strings.Join(texts(doc.preamble), "\n")
	if !imported && (doc.title != "" || doc.find(isContext) < 0 && doc.find(isOutcome) < 0) {
		return importer.BodyOf(importer.Section("Context and Problem Statement", importer.BodyOf(r.Question, r.Body)), options, outcome(r))
	}
	at := doc.find(isOutcome)
	if claim = importer.Section("Decision Outcome", claim); imported {
		at = 0
		for at < len(doc.sections) && (doc.sections[at].level > 2 || isContext(doc.sections[at].name()) || strings.HasPrefix(doc.sections[at].name(), "decision driver")) {
			at++
		}
	} else if at < 0 {
		at = len(doc.sections)
	}
	var parts []string
	if !imported {
		parts, claim = []string{strings.Join(texts(doc.preamble), "\n")}, ""
	}
	for i, s := range doc.sections {
		if i == at {
			parts = append(parts, options, claim)
		}
		parts = append(parts, s.text())
	}
	if at == len(doc.sections) {
		parts = append(parts, options, claim)
	}
	return importer.BodyOf(parts...)
}

// outcome is the section that says what was decided and why.
func outcome(r *records.Record) string {
	word := map[records.State]string{records.Accepted: "Chosen", records.Rejected: "Rejected", records.Superseded: "Chosen"}[r.State()]
	text := cmp.Or(word, "Proposed") + `: "` + importer.OneLine(r.Title) + `".`
	reason := ""
	if r.Verdict != nil {
		reason = r.Verdict.Reason
	}
	return importer.Section("Decision Outcome", importer.BodyOf(text, reason))
}

func optionLines(opts []string) []string {
	var out []string
	for _, o := range opts {
		if o = importer.OneLine(o); o != "" {
			out = append(out, o)
		}
	}
	return out
}
