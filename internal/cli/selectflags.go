package cli

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// selectFlags say which records a list or a search shows.
type selectFlags struct {
	kind   string
	states []string
	tags   []string
	path   string
	all    bool
}

// bind declares the flags; a kind that the command is about has none.
func (f *selectFlags) bind(fs *pflag.FlagSet, k records.Kind) {
	if k == "" {
		fs.StringVar(&f.kind, "kind", "", "only records of `KIND`")
	}
	fs.StringArrayVar(&f.states, "state", nil, "only in `STATE`, one or several with commas, or of a standing: "+strings.Join(query.ClassNames(), ", "))
	fs.StringArrayVar(&f.tags, "tag", nil, "only with `TAG`; all of them when repeated")
	fs.StringVar(&f.path, "path", "", "only those that concern the file or folder `PATH`")
	fs.BoolVar(&f.all, "all", false, "dead ones too: ruled out, closed, superseded and the like")
}

// options are what the flags mean; words that are not a kind or state are refused.
func (f *selectFlags) options() (query.ListOptions, error) {
	o := query.ListOptions{Tags: f.tags, All: f.all}
	for _, s := range f.states {
		o.States = append(o.States, strings.Split(s, ",")...)
	}
	if f.kind != "" {
		k, err := records.ParseKind(f.kind)
		if err != nil {
			return o, usagef("git ctx list --kind task", "%w", err)
		}
		o.Kind = k
	}
	for _, s := range o.States {
		if err := query.CheckState(o.Kind, s); err != nil {
			return o, usagef("", "unknown --state %w", err)
		}
	}
	return o, nil
}

// selected reads the view and completes the options, whose path is given where
// the command runs.
func (e *Env) selected(ctx context.Context, read readFlags, f *selectFlags, o *query.ListOptions) (*reading, error) {
	rd, err := e.read(ctx, read)
	if err == nil && f.path != "" {
		o.Path, err = rd.Ledger.TopPath(f.path)
	}
	return rd, err
}
