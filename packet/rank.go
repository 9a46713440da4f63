package packet

import (
	"math"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// The weights of the score's parts; they add up to 1.
const (
	textPart       = 0.45
	linkPart       = 0.25
	pathPart       = 0.20
	recencyPart    = 0.05
	confidencePart = 0.05
)

// faintText is the part of the best record's text relevance, and of the words
// asked for, below which a record shares words with the purpose by chance: it
// ranks by them and is not tied. A word counts the more the fewer records have it: a
// tracker's hundreds of chores have some word of any purpose.
const (
	faintText  = 0.15
	faintWords = 0.25
)

// recencyHalfLife is the age at which a verdict counts half.
const recencyHalfLife = 30 * 24 * time.Hour

// maxDistance is how many links from the focus a record may be to profit from it.
const maxDistance = 3

// rank scores every candidate, tells the relevant from the rest and applies
// the rules of runbooks and tasks.
func (p *pool) rank(req Request, f *focus) {
	q := focusQuery(req, f)
	hits := make([]*hit, len(p.candidates))
	if len(q.terms) > 0 {
		p.matchAll(q, hits)
	}
	text := q.bm25(hits)
	distance := p.distances(f, req)
	paths := newPathMatcher(f.paths)
	for i, c := range p.candidates {
		d := distance[c.r.ID]
		if c.branch != "" {
			d = linkDistance(c.r, distance)
		}
		c.parts = Parts{Text: text[i].score, Path: paths.overlap(c.r), Recency: recency(c.r, req.StoreTime), Confidence: confidence(c.r)}
		if d > 0 {
			c.parts.Link = 1 / float64(int(1)<<(d-1))
		}
		c.byChance = text[i].score < faintText && text[i].share < faintWords
		p.weigh(c, f)
	}
	p.ruleRunbooks(q, paths, f)
	p.ruleFocus(f)
	p.ruleDisputed()
	p.ruleDuplicates()
	p.ruleNext(f)
}

// neighbourPart is how much a word counts that a record has only by what it closes,
// rests on or cites.
const neighbourPart = 0.3

// matchAll counts the query's words in every candidate and in its neighbours: a
// conclusion is found by the words of the task that it closes.
func (p *pool) matchAll(q *query, hits []*hit) {
	own := make(map[records.ID]*hit, len(p.candidates))
	for _, c := range p.candidates {
		if c.branch == "" {
			own[c.r.ID] = q.match(c.r)
		}
	}
	for i, c := range p.candidates {
		hits[i] = own[c.r.ID]
		if c.branch != "" {
			hits[i] = q.match(c.r)
		}
		var near *hit
		eachGround(c.r, func(id records.ID) {
			h, ok := own[id]
			if !ok {
				if r, there := p.view.Record(id); there && !r.Forgotten() {
					h = q.match(r)
				}
				own[id] = h
			}
			near = near.most(h)
		})
		hits[i] = hits[i].beside(near)
	}
}

// eachGround calls fn for what a record closes, rests on or cites.
func eachGround(r *records.Record, fn func(records.ID)) {
	for _, rel := range []records.Relation{records.Closes, records.RestsOn} {
		for _, id := range r.Links[rel] {
			fn(id)
		}
	}
	if r.Verdict != nil {
		for _, id := range r.Verdict.Cites {
			fn(id)
		}
	}
}

// weigh adds a candidate's parts up. What another branch ruled out warns only
// where it bears on the focus, and after what this branch did.
func (p *pool) weigh(c *candidate, f *focus) {
	tied := c.parts.Text > 0 && !c.byChance || c.parts.Link > 0 || c.parts.Path > 0
	p.tied = p.tied || tied
	c.relevant = f.none || tied
	relevance := textPart*c.parts.Text + linkPart*c.parts.Link + pathPart*c.parts.Path
	c.score = quantise(relevance + recencyPart*c.parts.Recency + confidencePart*c.parts.Confidence)
	if tied {
		c.level = max(1, level(relevance))
	}
	if c.tier == leftByImport {
		c.excluded = !tied && (c.section == secOpen && c.r.Kind == records.Conclusion || !f.none)
	}
	if c.branch != "" {
		c.excluded = !c.relevant
		if f.none {
			c.tier = 1
		}
	}
}

// quantise drops the digits in which processors differ, so that a packet is the
// same on every machine.
func quantise(score float64) float64 { return math.Round(score*1e6) / 1e6 }

// levels is the number of levels of relevance.
const levels = 5

// level rounds a relevance up to quarters. Records of one level count as equally
// relevant, for nobody can tell whether a word more in one of them matters.
func level(relevance float64) int { return int(math.Ceil(quantise(relevance * (levels - 1)))) }

// focusQuery is the purpose and the titles of the focus's records.
func focusQuery(req Request, f *focus) *query {
	texts := []string{req.Purpose}
	for _, r := range f.records() {
		texts = append(texts, r.Title)
	}
	return newQuery(texts...)
}

// recency is 1 for a verdict as young as the store commit and halves with
// every half-life. The time is a claim, so it weighs little.
func recency(r *records.Record, now time.Time) float64 {
	at := r.Created.At
	if r.Verdict != nil {
		at = r.Verdict.At
	}
	age := now.Sub(at)
	if at.IsZero() || now.IsZero() {
		return 0
	}
	return math.Exp2(-max(0, float64(age)/float64(recencyHalfLife)))
}

// confidence is how sure the record says it is, 0.5 where it does not say. A
// task's and goal's urgency counts in its place.
func confidence(r *records.Record) float64 {
	switch {
	case r.Confidence != nil:
		return float64(*r.Confidence) / 100
	case r.Strength != nil:
		return float64(*r.Strength) / 100
	case r.Priority != nil:
		return float64(4-*r.Priority) / 4
	}
	return 0.5
}
