package packet

import (
	"cmp"
	"slices"

	"github.com/git-ctx/git-ctx/records"
)

// Parts are the parts of a score, each from 0 to 1, before they are weighed.
type Parts struct {
	Text       float64 `json:"text" yaml:"text"`
	Link       float64 `json:"link" yaml:"link"`
	Path       float64 `json:"path" yaml:"path"`
	Recency    float64 `json:"recency" yaml:"recency"`
	Confidence float64 `json:"confidence" yaml:"confidence"`
}

// An Explanation tells of every record that was weighed for a packet what became of it.
type Explanation struct {
	Format int       `json:"format" yaml:"format"`
	Commit string    `json:"commit" yaml:"commit"`
	Digest string    `json:"digest" yaml:"digest"` // the packet's
	Focus  UsedFocus `json:"focus" yaml:"focus"`
	// Weighed is how many there are, Shown how many of them stand in the packet.
	Weighed int `json:"weighed" yaml:"weighed"`
	Shown   int `json:"shown" yaml:"shown"`
	// Candidates are those shown in the packet's order, then the others, the best first.
	Candidates []Explained `json:"candidates" yaml:"candidates"`
}

// An Explained is one record that was weighed.
type Explained struct {
	ID    records.ID    `json:"id" yaml:"id"`
	Kind  records.Kind  `json:"kind" yaml:"kind"`
	State records.State `json:"state" yaml:"state"`
	Title string        `json:"title" yaml:"title"`
	// Section is the one it stands or could stand in, "" when its state allows none.
	Section string `json:"section" yaml:"section"`
	In      bool   `json:"in" yaml:"in"`
	// Why says in how far it is shown, or which rule left it out.
	Why   string  `json:"why" yaml:"why"`
	Score float64 `json:"score" yaml:"score"`
	Parts Parts   `json:"parts" yaml:"parts"`
	Level int     `json:"level" yaml:"level"`
}

// Explain makes the packet that the request asks for and tells how it was
// chosen, of at most limit records; 0 is no bound. Errors are those of [Build].
func Explain(v records.View, req Request, limit int) (*Explanation, error) {
	req.explain = true
	b, err := newBuilder(v, req)
	if err != nil {
		return nil, err
	}
	p, err := b.build()
	if err != nil {
		return nil, err
	}
	x := &Explanation{
		Format: FormatVersion, Commit: p.Commit, Digest: p.Digest, Focus: p.Focus,
		Weighed: len(b.pool.candidates) + len(b.pool.passed), Candidates: []Explained{},
	}
	for sec := range sectionCount {
		for _, s := range b.sections[sec] {
			why := "title"
			if s.text != "" {
				why = "title and text"
			}
			if sec == secFocus && b.focus.has(s.c.r.ID) {
				why = "the focus"
				x.Weighed++
			}
			x.Candidates = append(x.Candidates, explained(s.c, true, why))
		}
	}
	x.Shown = len(x.Candidates)
	out := slices.DeleteFunc(slices.Concat(b.pool.candidates, b.pool.passed), func(c *candidate) bool { return c.shown })
	slices.SortStableFunc(out, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.r.ID, b.r.ID))
	})
	for _, c := range out {
		if limit > 0 && len(x.Candidates) >= limit {
			break
		}
		x.Candidates = append(x.Candidates, explained(c, false, b.leftOut(c)))
	}
	if limit > 0 {
		x.Candidates = x.Candidates[:min(limit, len(x.Candidates))]
	}
	return x, nil
}

func explained(c *candidate, in bool, why string) Explained {
	e := Explained{
		ID: c.r.ID, Kind: c.r.Kind, State: c.st.State, In: in, Why: why,
		Score: c.score, Parts: c.parts, Level: c.level,
	}
	if c.st.Why != records.WhyForgotten { // the branch may hold the text still
		e.Title = oneLine(c.r.Title, maxTitle)
	}
	for _, part := range []*float64{&e.Parts.Text, &e.Parts.Link, &e.Parts.Path, &e.Parts.Recency, &e.Parts.Confidence} {
		*part = quantise(*part)
	}
	if c.section != secNone {
		e.Section = layouts[c.section].name
	}
	if c.st.Why != "" {
		e.Why += "; rule " + string(c.st.Why)
	}
	return e
}

// leftOut names the rule that keeps a candidate out of the packet.
func (b *builder) leftOut(c *candidate) string {
	switch {
	case c.section == secNone:
		return "not spoken of: " + string(c.st.Class)
	case c.known:
		return "unchanged"
	case c.excluded && c.branch != "":
		return "of branch " + plainName(c.branch) + ", does not bear on the focus"
	case c.duplicate:
		return "imported, another has the same title"
	case c.excluded && (c.tier == leftByImport || c.section == secNext && imported(c.r) && !b.pool.waits(c, b.focus)):
		return "left by an import, does not bear on the focus"
	case c.excluded && c.section == secRunbooks && c.unsignalled:
		return "none of its signals is seen"
	case c.excluded && c.section == secRunbooks:
		return "none of its paths is in play"
	case c.excluded && c.section == secNext:
		return "blocked, or waits for another task"
	case c.excluded:
		return "not the focus"
	case c.onlyCited && c.section == secNext:
		return "not among the first tasks"
	case c.onlyCited:
		return "nothing shown cites it"
	}
	return "no room"
}
