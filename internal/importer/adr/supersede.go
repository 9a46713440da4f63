package adr

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

// supersede makes one fact of what the files say of each other: a supersession
// holds from whichever side it is told, and sides that disagree are listed.
func (imp *run) supersede() {
	for _, d := range imp.decisions {
		for _, old := range imp.resolve(d, d.status.partOf) {
			imp.replacedInPart(old, d)
		}
		for _, old := range imp.resolve(d, d.status.supersedes) {
			imp.told(old, d)
		}
	}
	var edges []importer.Edge
	for _, d := range imp.decisions {
		if d.status.state != records.Superseded {
			continue
		}
		next := imp.resolve(d, d.status.by)
		if len(next) == 0 {
			d.bury()
			imp.NoteAt(d.key+": status", d.status.no, "superseded by %s, which is not among the files: rejected", cmp.Or(named(d.status.by), "nothing it names"))
			continue
		}
		if len(next) > 1 {
			imp.NoteAt(d.key+": status", d.status.no, "names %d successors: only %s is kept", len(next), next[0].name)
		}
		edges = append(edges, importer.Edge{Rel: records.SupersededBy, From: d.rec.ID, To: next[0].rec.ID, Item: d.key})
	}
	kept, dropped := importer.Acyclic(edges)
	for _, e := range kept {
		v := imp.Recs[e.From].Verdict
		v.State, v.SupersededBy, v.Reason = records.Superseded, e.To, "superseded in the source by "+path.Base(imp.Recs[e.To].Origin.Key)
	}
	for _, e := range dropped {
		i := slices.IndexFunc(imp.decisions, func(d *decision) bool { return d.key == e.Item })
		imp.decisions[i].bury()
		imp.Note(e.Item+": status", "superseded by %s, which closes a cycle: rejected", path.Base(imp.Recs[e.To].Origin.Key))
	}
}

// told takes over that d says it supersedes old.
func (imp *run) told(old, d *decision) {
	switch {
	case old.status.state == records.Superseded:
		if by := imp.resolve(old, old.status.by); len(by) > 0 && !slices.Contains(by, d) {
			imp.Note(old.key+": status", "%s says that it supersedes this one, which names %s: left as it is", d.name, by[0].name)
		} else if len(by) == 0 {
			old.status.by = []target{{ref: d.name}}
		}
	case old.status.state == records.Rejected:
	case d.status.state != records.Accepted && d.status.state != records.Superseded:
		imp.Note(old.key+": status", "%s says that it supersedes this one, and is %s itself: left as it is", d.name, d.status.state)
	default:
		imp.NoteAt(old.key+": status", old.status.no, "%s says that it supersedes this one, which says %s: superseded", d.name, old.status.state)
		old.status.state, old.status.by, old.status.reason = records.Superseded, []target{{ref: d.name}}, ""
	}
}

// replacedInPart takes a decision out of force of which another says that it
// replaces a part: what still holds of it, a person must say.
func (imp *run) replacedInPart(old, d *decision) {
	if old.status.state != records.Accepted || d.status.state != records.Accepted {
		return
	}
	old.status.state = records.Proposed
	old.rec.Verdict.State = records.Proposed
	imp.NoteAt(old.key+": status", old.status.no, "%s says that it supersedes a part of this one: proposed", d.name)
}

// bury gives a superseded decision without a usable successor its state.
func (d *decision) bury() {
	v := d.rec.Verdict
	v.State = records.Rejected
	v.Reason = "superseded in the source"
	if by := named(d.status.by); by != "" {
		v.Reason += " by " + by
	}
}

func named(ts []target) string {
	var out []string
	for _, t := range ts {
		out = append(out, importer.OneLine(t.String()))
	}
	return strings.Join(out, ", ")
}

// resolve finds the other decisions that targets mean, in the order they are
// named. A number that two files have means neither; which those are is listed.
func (imp *run) resolve(d *decision, targets []target) []*decision {
	var out []*decision
	for _, t := range targets {
		found := imp.meant(t)
		if len(found) > 1 {
			imp.Note(d.key+": link", "'%s' means %s: none is taken", t, names(found))
			continue
		}
		if len(found) == 1 && found[0] != d && !slices.Contains(out, found[0]) {
			out = append(out, found[0])
		}
	}
	return out
}

func names(ds []*decision) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.name)
	}
	return strings.Join(out, " or ")
}

// meant are the decisions that a target may mean: by file name, then by slug,
// number and title.
func (imp *run) meant(t target) []*decision {
	for _, said := range []string{t.ref, t.text} {
		said = strings.TrimSpace(said)
		base := path.Base(strings.TrimSuffix(strings.ReplaceAll(said, "%20", " "), "/"))
		if indexName.MatchString(stemOf(base)) {
			base = path.Base(path.Dir(said))
		}
		stem := strings.ToLower(stemOf(base))
		number := numberOf(strings.TrimLeft(base, "# "))
		if v, err := strconv.Atoi(strings.TrimLeft(said, "# ")); err == nil {
			number = v
		}
		for _, is := range []func(*decision) bool{
			func(o *decision) bool { return strings.EqualFold(o.name, base) },
			func(o *decision) bool { return said != "" && strings.ToLower(stemOf(o.name)) == stem },
			func(o *decision) bool { return slugOf(base) != "" && slugOf(o.name) == slugOf(base) },
			func(o *decision) bool { return number >= 0 && numberOf(o.name) == number },
			func(o *decision) bool {
				return said != "" && records.Normalize(o.rec.Title) == records.Normalize(strings.Trim(said, `"'`))
			},
		} {
			var found []*decision
			for _, o := range imp.decisions {
				if is(o) {
					found = append(found, o)
				}
			}
			if len(found) > 0 {
				return found
			}
		}
	}
	return nil
}
