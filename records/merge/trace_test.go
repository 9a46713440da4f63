package merge_test

import (
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

func show(r *records.Record) string {
	var out []string
	if r.Verdict != nil {
		out = append(out, r.Verdict.N+":"+string(r.Verdict.State))
	}
	for _, v := range r.Also {
		out = append(out, v.N+":"+string(v.State))
	}
	for _, c := range r.Conflicts {
		for _, s := range nodesText(c) {
			st, _, _ := strings.Cut(s, "\n")
			out = append(out, "!"+nonceIn(s)+" "+st)
		}
		for _, s := range c.Bases {
			out = append(out, "base "+nonceIn(records.FormatValue(s)))
		}
	}
	return fmt.Sprint(out)
}

func (h *history) trace() string {
	var b strings.Builder
	for _, c := range h.commits {
		var ps []int
		for _, p := range h.commits {
			if p != c && c.past[p.id] {
				best := true
				for _, q := range h.commits {
					if q != c && q != p && c.past[q.id] && q.past[p.id] {
						best = false
					}
				}
				if best {
					ps = append(ps, p.id)
				}
			}
		}
		fmt.Fprintf(&b, "%d %v %s", c.id, ps, show(c.record))
		if len(ps) == 2 {
			fmt.Fprintf(&b, " bases")
			for _, x := range h.bases(h.commits[ps[0]], h.commits[ps[1]]) {
				fmt.Fprintf(&b, " %d", x.id)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
