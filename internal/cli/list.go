package cli

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger/index"
	"github.com/git-ctx/git-ctx/records"
)

type listOptions struct {
	read   readFlags
	script scriptFlags
	kind   string
	states []string
	tags   []string
	path   string
	all    bool
	limit  int
	// limited tells that the user chose the limit.
	limited bool
}

func newListCmd(env *Env, k records.Kind) *cobra.Command {
	o := &listOptions{kind: string(k)}
	what := "records"
	if k != "" {
		what = string(k) + " records"
	}
	cmd := &cobra.Command{
		Use: "list", Short: "list " + what + " that stand or are still open",
		Long: "List " + what + ` that stand, are open, await review or are disputed. Records that were
ruled out, closed or superseded are shown with --all, or when their state is named.
The order is by kind, then priority (0 first; without one a record counts as 2), then
the oldest first.`,
		Args: listArgs(k),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.limited = cmd.Flags().Changed("max-count")
			return runList(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	if k == "" {
		f.StringVar(&o.kind, "kind", "", "only records of `KIND`")
	}
	f.StringArrayVar(&o.states, "state", nil, "only in `STATE`, or of a standing: "+strings.Join(classNames(), ", "))
	f.StringArrayVar(&o.tags, "tag", nil, "only with `TAG`; all of them when repeated")
	f.StringVar(&o.path, "path", "", "only those that concern the file or folder `PATH`")
	f.BoolVar(&o.all, "all", false, "dead ones too: ruled out, closed, superseded, forgotten")
	f.IntVarP(&o.limit, "max-count", "n", usualList, "show at most `N` lines; 0 shows all, as JSON and --porcelain do")
	o.read.bind(f)
	o.script.bind(f, "id, kind, state, standing, why, title")
	return cmd
}

// listArgs takes a kind named after list for the question it is.
func listArgs(k records.Kind) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if k == "" && len(args) == 1 {
			if kind, err := records.ParseKind(strings.TrimSuffix(args[0], "s")); err == nil {
				return usagef(fmt.Sprintf("git ctx %s list", kind), "'list' takes no argument, got '%s'", args[0])
			}
		}
		return noArgs(cmd, args)
	}
}

// A listed is one line of the list.
type listed struct {
	r  *records.Record
	st records.Standing
}

// usualList is how many lines a person or an agent is shown unless told otherwise.
const usualList = 100

func runList(ctx context.Context, env *Env, o *listOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	if o.limit < 0 {
		return usagef("git ctx list -n 50", "option '-n' '%d': give a number of records, or 0 for all", o.limit)
	}
	if !o.limited && (env.json() || o.script.wanted()) {
		o.limit = 0 // a program is not to find a part taken for the whole
	}
	kind, err := o.check()
	if err != nil {
		return err
	}
	rd, err := env.read(ctx, o.read)
	if err != nil {
		return err
	}
	file := ""
	if o.path != "" {
		if file, err = rd.Ledger.TopPath(o.path); err != nil {
			return err
		}
	}
	ls, more, err := o.gather(rd, kind, file)
	if err != nil {
		return err
	}
	switch {
	case env.json():
		return env.writeJSON(listJSON(rd, ls))
	case o.script.wanted():
		for _, l := range ls {
			if err := o.script.row(env, string(l.r.ID), string(l.r.Kind), stateWord(l.st.State), string(l.st.Class), string(l.st.Why), titleOf(l.r)); err != nil {
				return err
			}
		}
		return nil
	case len(ls) == 0 && !o.all && len(o.states) == 0 && rd.Len() > 0:
		env.note("nothing here stands or is open: --all lists what is settled too")
	case more:
		env.note("there are more: -n 0 lists all")
	}
	return env.page(ctx, rd.View, func(p *page) { p.list(rd, ls) })
}

// gather reads the records to list, kind by kind and most urgent first, and
// tells whether the limit left some out.
func (o *listOptions) gather(rd *reading, kind records.Kind, file string) (ls []listed, more bool, err error) {
	for _, s := range records.Schemas() {
		if kind != "" && s.Kind != kind {
			continue
		}
		q := index.Query{Kinds: []records.Kind{s.Kind}, Order: index.ByPriority}
		if !o.all && len(o.states) == 0 {
			q.Classes = []records.Class{records.Asserted, records.OpenQuestion, records.AwaitingReview, records.InDispute}
		}
		if len(o.tags) > 0 {
			q.Tag = o.tags[0]
		}
		for row, err := range rd.Rows(rd.Judge, q) {
			if err != nil {
				return nil, false, err
			}
			l, ok := o.line(rd, row, file)
			if !ok {
				continue
			}
			if o.limit > 0 && len(ls) == o.limit {
				return ls, true, nil
			}
			ls = append(ls, l)
		}
	}
	return ls, false, nil
}

// line makes a line of a row, unless the options leave it out.
func (o *listOptions) line(rd *reading, row index.Row, file string) (listed, bool) {
	if len(o.states) > 0 && !slices.Contains(o.states, stateWord(row.State)) && !slices.Contains(o.states, string(row.Class)) {
		return listed{}, false
	}
	r, ok := rd.Record(row.ID)
	if !ok || file != "" && !concerns(r, file) {
		return listed{}, false
	}
	for _, t := range o.tags {
		if !slices.Contains(r.Tags, t) {
			return listed{}, false
		}
	}
	st := records.Standing{Class: row.Class, State: row.State, Why: row.Why}
	if st.Why == records.WhyContradicted {
		st = rd.Standing(row.ID) // the row does not name by what
	}
	return listed{r, st}, true
}

// list writes aligned columns: id, state, title, remarks.
func (p *page) list(rd *reading, ls []listed) {
	idWidth, stateWidth := 0, 0
	for _, l := range ls {
		idWidth = max(idWidth, len(p.short(l.r.ID)))
		stateWidth = max(stateWidth, len(stateWord(l.st.State)))
	}
	for _, l := range ls {
		id := p.id(l.r.ID)
		id.width = idWidth
		remark := ""
		if rs := rd.remarks(l.r, l.st); len(rs) > 0 {
			remark = "  (" + strings.Join(rs, "; ") + ")"
		}
		p.printf("%s  %s  %s%s\n", id, painted{stateWord(l.st.State), classColour(l.st.Class), stateWidth},
			titleOf(l.r), painted{text: remark, colour: dim})
	}
}

// check reads the kind and refuses words that are no states.
func (o *listOptions) check() (records.Kind, error) {
	var kind records.Kind
	if o.kind != "" {
		k, err := records.ParseKind(o.kind)
		if err != nil {
			return "", usagef("git ctx list --kind task", "%w", err)
		}
		kind = k
	}
	for _, s := range o.states {
		if err := checkState(kind, s); err != nil {
			return "", err
		}
	}
	return kind, nil
}

// checkState refuses a word that is neither a state of the kind nor a standing.
func checkState(kind records.Kind, s string) error {
	if slices.Contains(classNames(), s) {
		return nil
	}
	var legal []string
	for _, sch := range records.Schemas() {
		if kind != "" && sch.Kind != kind {
			continue
		}
		for _, st := range sch.States {
			if string(st) == s {
				return nil
			}
			if !slices.Contains(legal, string(st)) {
				legal = append(legal, string(st))
			}
		}
	}
	of := ""
	if kind != "" {
		of = fmt.Sprintf(" of kind %s", kind)
	}
	return usagef("", "unknown --state '%s'%s: it is one of %s; or a standing: %s", s, of, strings.Join(legal, ", "), strings.Join(classNames(), ", "))
}

func classNames() []string {
	return []string{string(records.Asserted), string(records.OpenQuestion), string(records.AwaitingReview), string(records.InDispute),
		string(records.RuledOut), string(records.Closed), string(records.Gone)}
}

// concerns reports whether one of the record's globs or anchors meets a file,
// or something below a folder.
func concerns(r *records.Record, file string) bool {
	meets := func(name string) bool {
		return file == "." || name == file || strings.HasPrefix(name, file+"/") || strings.HasPrefix(file, name+"/")
	}
	for _, a := range r.Anchors {
		if meets(a.Path) {
			return true
		}
	}
	for _, g := range r.Paths {
		base, rest := doublestar.SplitPattern(g)
		matched, err := doublestar.Match(g, file)
		switch {
		case err == nil && matched, meets(path.Clean(g)):
			return true
		case rest != "" && base != "." && (base == file || strings.HasPrefix(base, file+"/")):
			return true // the glob looks below the folder
		}
	}
	return false
}

// listAnswer is the JSON answer of list.
type listAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch,omitempty"`
	Records []recordLine `json:"records"`
}

// recordLine is a record as lists show it: state and standing are what a
// reader may go by, the verdict's own state is in show.
type recordLine struct {
	ID   records.ID   `json:"id"`
	Kind records.Kind `json:"kind"`
	standingJSON
	Asks      records.State                     `json:"asks,omitempty"`
	Title     string                            `json:"title"`
	Priority  *int                              `json:"priority,omitempty"`
	Tags      []string                          `json:"tags,omitempty"`
	Paths     []string                          `json:"paths,omitempty"`
	Links     map[records.Relation][]records.ID `json:"links,omitempty"`
	Conflicts []string                          `json:"conflicts,omitempty"`
	CreatedAt string                            `json:"created_at,omitempty"`
}

func listJSON(rd *reading, ls []listed) listAnswer {
	out := listAnswer{Format: jsonFormat, Commit: rd.Commit, Branch: rd.Branch, Records: []recordLine{}}
	for _, l := range ls {
		out.Records = append(out.Records, asLine(l.r, l.st))
	}
	return out
}

func asLine(r *records.Record, st records.Standing) recordLine {
	line := recordLine{ID: r.ID, Kind: r.Kind, standingJSON: asStandingJSON(st), Title: r.Title, Priority: r.Priority,
		Tags: r.Tags, Paths: r.Paths, Links: r.Links}
	if r.Verdict != nil {
		line.Asks = r.Verdict.Asks
	}
	for _, c := range r.Conflicts {
		line.Conflicts = append(line.Conflicts, c.Field)
	}
	if !r.Created.At.IsZero() {
		line.CreatedAt = records.FormatInstant(r.Created.At)
	}
	return line
}
