package mcpserver

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
	"github.com/git-ctx/git-ctx/records/graph"
)

// The resources. Each is JSON with its format's number, as the command line gives it.
const (
	scheme    = "ctx://"
	uriPacket = scheme + "packet"
	uriAudit  = scheme + "audit"
	uriRecord = scheme + "record/"
	uriBranch = scheme + "branch/"
	uriDiff   = scheme + "diff/"
	uriGraph  = scheme + "graph/"
)

func recordURI(id records.ID) string { return uriRecord + string(id) }
func branchURI(branch string) string { return uriBranch + branch + "/log" }

// How many commits a log resource holds, and how many records a graph.
const (
	logLimit   = 200
	graphNodes = 200
)

// addResources offers the resources and the templates of more.
func (s *Server) addResources() {
	fixed := func(uri, name, about string, read func(ctx context.Context) (any, error)) {
		s.mcp.AddResource(mcp.NewResource(uri, name, mcp.WithResourceDescription(about), mcp.WithMIMEType("application/json")),
			func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return contents(req.Params.URI)(s.orNothing(ctx)(read(ctx)))
			})
	}
	fixed(uriPacket, "packet", "What holds and bears on the work at hand", s.packetResource)
	fixed(uriAudit, "audit", "What is wrong or unfinished", s.auditResource)
	fixed(branchURI("HEAD"), "log", "The newest commits of the current context branch", func(ctx context.Context) (any, error) {
		return s.logResource(ctx, "HEAD")
	})
	template := func(uri, name, about string, read func(ctx context.Context, part string) (any, error)) {
		s.mcp.AddResourceTemplate(mcp.NewResourceTemplate(uri, name, mcp.WithTemplateDescription(about), mcp.WithTemplateMIMEType("application/json")),
			func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				part, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, scheme))
				if err != nil {
					return nil, fmt.Errorf("resource '%s': %w", req.Params.URI, err)
				}
				return contents(req.Params.URI)(s.orNothing(ctx)(read(ctx, part)))
			})
	}
	template(uriRecord+"{id}", "record", "A record in full, with its standing and links", func(ctx context.Context, part string) (any, error) {
		return s.recordResource(ctx, strings.TrimPrefix(part, "record/"))
	})
	template(uriBranch+"{+name}/log", "branch log", "The newest commits of a context branch", func(ctx context.Context, part string) (any, error) {
		return s.logResource(ctx, strings.TrimSuffix(strings.TrimPrefix(part, "branch/"), "/log"))
	})
	template(uriGraph+"{id}", "graph", "The records linked to one, as nodes and edges", func(ctx context.Context, part string) (any, error) {
		return s.graphResource(ctx, strings.TrimPrefix(part, "graph/"))
	})
	template(uriDiff+"{from}/{to}", "diff", "What differs between two store commits or branches", func(ctx context.Context, part string) (any, error) {
		from, to, _ := strings.Cut(strings.TrimPrefix(part, "diff/"), "/")
		return s.diffResource(ctx, from, to)
	})
}

// contents makes a resource of an answer.
func contents(uri string) func(any, error) ([]mcp.ResourceContents, error) {
	return func(v any, err error) ([]mcp.ResourceContents, error) {
		if err != nil {
			return nil, refused(err)
		}
		b, err := encode(v)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "application/json", Text: string(b)}}, err
	}
}

func (s *Server) packetResource(ctx context.Context) (v any, err error) {
	err = s.read(ctx, query.Clocks{}, func(rd *query.Reading) (err error) {
		v, err = query.Packet(ctx, rd, query.PacketOptions{Version: s.opts.Version})
		return err
	})
	return v, err
}

func (s *Server) auditResource(ctx context.Context) (any, error) {
	out := &auditAnswer{Format: query.AnswerFormat, Findings: []audit.Finding{}, Counts: make(map[records.Severity]int)}
	err := s.read(ctx, query.Clocks{}, func(rd *query.Reading) error {
		res, err := query.RunAudit(ctx, rd, query.AuditOptions{})
		if err != nil {
			return err
		}
		out.Commit, out.Branch = rd.Commit, rd.Branch
		out.Findings = append(out.Findings, res.Findings...)
		for _, f := range out.Findings {
			out.Counts[f.Severity]++
		}
		return nil
	})
	return out, err
}

func (s *Server) recordResource(ctx context.Context, name string) (v any, err error) {
	err = s.read(ctx, query.Clocks{}, func(rd *query.Reading) error {
		r, err := rd.Ledger.Find(rd.View, name)
		if err == nil {
			v = query.Show(rd, []*records.Record{r})
		}
		return err
	})
	return v, err
}

func (s *Server) logResource(ctx context.Context, branch string) (v any, err error) {
	err = s.with(ctx, s.author(ctx), func(led *ledger.Ledger) error {
		tip, err := led.Resolve(ctx, branch)
		if err != nil {
			return err
		}
		if branch == "HEAD" {
			if branch, err = led.Branch(ctx); err != nil {
				return err
			}
		}
		v, err = query.Log(ctx, led, ledger.HistoryQuery{From: []gitstore.OID{tip}}, branch, logLimit)
		return err
	})
	return v, err
}

func (s *Server) diffResource(ctx context.Context, from, to string) (v any, err error) {
	err = s.with(ctx, s.author(ctx), func(led *ledger.Ledger) (err error) {
		v, err = query.Diff(ctx, led, from, to)
		return err
	})
	return v, err
}

func (s *Server) graphResource(ctx context.Context, name string) (v any, err error) {
	err = s.read(ctx, query.Clocks{}, func(rd *query.Reading) error {
		r, err := rd.Ledger.Find(rd.View, name)
		if err != nil {
			return err
		}
		g, err := query.Graph(rd, query.GraphOptions{Roots: []records.ID{r.ID}, Bounds: graph.Bounds{Steps: graphSteps, Nodes: graphNodes}})
		if err == nil {
			v = query.GraphAnswerOf(rd, g)
		}
		return err
	})
	return v, err
}
