package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/packet"
)

// usualExplained is how many records an explanation lists unless told.
const usualExplained = 40

// explainPacket prints what was weighed for a packet, one record a line.
func explainPacket(ctx context.Context, env *Env, rd *reading, ask query.PacketOptions, limit int) error {
	x, err := query.ExplainPacket(ctx, rd.Reading, ask, limit)
	if err != nil {
		return packetError(err)
	}
	if env.json() {
		return env.writeJSON(x)
	}
	if n := x.Weighed - len(x.Candidates); n > 0 {
		env.note("%d of %s listed: git ctx packet --explain -n 0 lists all", len(x.Candidates), text.Plural(x.Weighed, "record"))
	}
	return env.page(ctx, rd.View, func(p *page) {
		for _, n := range x.Focus.Notes {
			p.Printf("note: %s\n", n)
		}
		p.Printf("%-3s %-11s %-15s %5s  %4s %4s %4s %4s %4s  %s\n", "", "id", "section", "score", "text", "link", "path", "new", "conf", "why: title")
		for _, c := range x.Candidates {
			p.explained(c)
		}
	})
}

func (p *page) explained(c packet.Explained) {
	in := "out"
	if c.In {
		in = "in"
	}
	parts := make([]string, 0, 5)
	for _, v := range []float64{c.Parts.Text, c.Parts.Link, c.Parts.Path, c.Parts.Recency, c.Parts.Confidence} {
		parts = append(parts, fmt.Sprintf("%4.2f", v))
	}
	section := c.Section
	if section == "" {
		section = "-"
	}
	p.Printf("%-3s %-11s %-15s %s  %s  %s: %s\n", in, p.Short(c.ID), section, fmt.Sprintf("%5.3f", c.Score), strings.Join(parts, " "), c.Why, c.Title)
}
