package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/vendorbranch"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/internal/importer/tracker"
	"github.com/git-ctx/git-ctx/internal/importer/workspace"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

// sources are what import can read, in the order in which help lists them.
func sources() []importer.Source {
	return []importer.Source{tracker.Beads(), adr.Source(), workspace.Source(), tracker.Taskmaster(), tracker.GitHub(), tracker.GitBug()}
}

func newImportCmd(env *Env) *cobra.Command {
	var usage, names []string
	cmd := &cobra.Command{
		Use: "import", Short: "import records from another tool, and merge them",
		Long: "Import records from another tool. They are committed on a branch of their source and merged\n" +
			"from there: the same file again changes nothing, and a changed item meets local edits in a merge.\n" +
			"What arrives in no record is listed with its reason on standard error.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(strings.Join(usage, "\n"), "'import' needs to know from what: %s", orList(names))
			}
			return usagef(strings.Join(usage, "\n"), "unknown source '%s': it is %s", args[0], orList(names))
		},
	}
	for _, s := range sources() {
		names = append(names, s.Name)
		usage = append(usage, "git ctx import "+s.Name+" "+s.Arg())
		cmd.AddCommand(newSourceCmd(env, s))
	}
	return cmd
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// importOptions are the flags of every source.
type importOptions struct {
	vendorbranch.ImportOptions
	verbose, strict   bool
	skip, only, again []string
	branches          []string
	allBranches       bool
}

// wants reports whether a further branch of the source was asked for.
func (o *importOptions) wants(source string) bool {
	_, branch, _ := strings.Cut(strings.TrimPrefix(source, workspace.System+"/"), "/")
	return o.allBranches || slices.Contains(o.branches, branch)
}

// withHistory are the options for a result, with the history that it has.
func (o *importOptions) withHistory(src *importer.Result) vendorbranch.ImportOptions {
	opts := o.ImportOptions
	opts.Reconcile, opts.History = src.Reconcile, src.History
	return opts
}

// bind defines the flags that every import has.
func (o *importOptions) bind(fs *pflag.FlagSet) {
	fs.BoolVarP(&o.DryRun, "dry-run", "n", false, "say what would be imported and write nothing")
	fs.StringArrayVar(&o.skip, "skip", nil, "leave out the item `KEY`")
	fs.StringArrayVar(&o.only, "only", nil, "take the item `KEY` and those named likewise alone")
	fs.BoolVar(&o.strict, "strict", false, "exit with 1 when an item was left out")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "list all that was skipped or noted, an item a line")
}

// reasons sorts out what --again says of all and of single keys.
func (o *importOptions) reasons(src *importer.Result) {
	for _, a := range o.again {
		key, reason, ok := strings.Cut(a, "=")
		if ok && slices.ContainsFunc(src.Records, func(r *records.Record) bool { return r.Origin.Key == key }) {
			if o.AgainKeys == nil {
				o.AgainKeys = make(map[string]string)
			}
			o.AgainKeys[key] = reason
			continue
		}
		o.Again = a
	}
}

func newSourceCmd(env *Env, src importer.Source) *cobra.Command {
	var o importOptions
	use := src.Name + " " + src.Arg()
	cmd := &cobra.Command{
		Use: use, Short: src.Short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx import "+use, "'import %s' needs one argument, got %d", cmd.Name(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			read := func(e *Env, from string) (*importer.Result, error) { return e.readSource(cmd.Context(), src, from) }
			return runImport(cmd.Context(), env, read, args[0], o)
		},
	}
	o.bind(cmd.Flags())
	if src.Name == workspace.System {
		cmd.Flags().StringArrayVar(&o.branches, "branch", nil, "merge the source's branch `NAME` too")
		cmd.Flags().BoolVar(&o.allBranches, "all-branches", false, "merge all branches of the source")
	}
	cmd.Flags().StringArrayVar(&o.again, "again", nil, "`[KEY=]REASON` to take over what was ruled out here, all or the item KEY")
	return cmd
}

// readSource reads the file or the folder that the source is.
func (e *Env) readSource(ctx context.Context, src importer.Source, from string) (*importer.Result, error) {
	info, err := os.Stat(e.path(from))
	isDir := err == nil && info.IsDir()
	if src.Dir == nil || src.File != nil && !isDir {
		in, err := e.openInput(from, maxInput, "an import holds")
		if err != nil {
			return nil, err
		}
		defer in.Close()
		res, err := src.File(in)
		return res, located(from, err)
	}
	if err == nil && !isDir {
		err = errors.New("it is not a directory")
	}
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", from, trimPath(err))
	}
	if abs, err := filepath.Abs(e.path(from)); err == nil && filepath.Base(abs) == src.Inner {
		from = filepath.Dir(abs)
	}
	folder, err := e.sourceFolder(ctx, from)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(e.path(from))
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", from, trimPath(err))
	}
	defer root.Close()
	res, err := src.Dir(root.FS(), folder)
	return res, located(from, err)
}

// sourceFolder names a folder for the keys of what lies in it: from the
// worktree's top, or, outside of it, by its own name below "..".
func (e *Env) sourceFolder(ctx context.Context, dir string) (string, error) {
	abs, err := filepath.Abs(e.path(dir))
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("read '%s': %w", dir, trimPath(err))
	}
	led, err := e.ledger(ctx)
	if err != nil {
		return "", err
	}
	if top, err := filepath.EvalSymlinks(led.Repo().WorkTree()); err == nil && top != "" {
		if rel, err := filepath.Rel(top, abs); err == nil && filepath.IsLocal(rel) {
			if rel == "." {
				return "", nil
			}
			return filepath.ToSlash(rel), nil
		}
	}
	return "../" + filepath.Base(abs), nil
}

// located names the source in an error that does not.
func located(source string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("import '%s': %w", source, err)
}

// importedJSON is the JSON answer of import.
type importedJSON struct {
	Format  int            `json:"format"`
	Source  string         `json:"source"`
	DryRun  bool           `json:"dry_run"`
	Vendor  gitstore.OID   `json:"vendor"`
	New     int            `json:"new"`
	Changed int            `json:"changed"`
	Same    int            `json:"same"`
	Records []sourceIDJSON `json:"records"`
	Skipped []skippedJSON  `json:"skipped"`
	Notes   []skippedJSON  `json:"notes"`
	// Forgotten are left out: they are forgotten here.
	Forgotten []records.ID `json:"forgotten"`
	// Twins are left out: another record has their text.
	Twins []twinJSON  `json:"twins"`
	Merge *mergedJSON `json:"merge"` // null in a dry run, and where there is nothing to import
}

type sourceIDJSON struct {
	ID  records.ID `json:"id"`
	Key string     `json:"key"`
}

type twinJSON struct {
	ID    records.ID    `json:"id"`
	Of    records.ID    `json:"of"`
	State records.State `json:"state"`
}

type skippedJSON struct {
	Item   string `json:"item"`
	Reason string `json:"reason"`
	Line   int    `json:"line,omitempty"`
}

func runImport(ctx context.Context, env *Env, read func(*Env, string) (*importer.Result, error), from string, o importOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	src, err := read(env, from)
	if err != nil {
		return err
	}
	if err := src.Filter(o.only, o.skip); err != nil {
		return err
	}
	o.reasons(src)
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	if o.Renew == nil {
		o.Renew = importer.Renew
	}
	o.Progress = env.progressOf("Importing records")
	res, err := vendorbranch.Import(ctx, led, src.Source, src.Records, src.Time, o.withHistory(src))
	if err != nil {
		return err
	}
	for _, other := range src.Others {
		if !o.wants(other.Source) {
			continue
		}
		if _, err := vendorbranch.Import(ctx, led, other.Source, other.Records, other.Time, o.withHistory(other)); err != nil {
			return err
		}
	}
	for _, l := range res.LeftOut {
		src.Skipped = append(src.Skipped, skipOf(l))
	}
	if env.json() {
		err = env.writeJSON(jsonOfImport(src, res, o.DryRun))
	} else {
		if len(res.Forgotten) > 0 {
			env.note("note: left out, as forgotten here: %s", joinIDs(res.Forgotten))
		}
		env.noteTwins(res.Twins)
		if o.verbose || o.strict || len(src.Records) == 0 || res.New+res.Changed > 0 || len(res.LeftOut) > 0 {
			env.noteSkipped(src.Skipped, o.verbose)
		}
		err = env.writeImported(src, res, o.DryRun)
	}
	leftOut := slices.ContainsFunc(src.Skipped, func(s importer.Skip) bool { return !s.Note })
	if err == nil && (res.Merged != nil && !res.Clean() || o.strict && leftOut) {
		return errNo
	}
	return err
}

// skipOf lists what the store refused of an import.
func skipOf(l vendorbranch.LeftOut) importer.Skip {
	return importer.Skip{Item: cmp.Or(l.Key, string(l.ID)), Reason: l.Err.Error()}
}

func jsonOfImport(src *importer.Result, res *vendorbranch.Imported, dryRun bool) importedJSON {
	out := importedJSON{
		Format: jsonFormat, Source: src.Source, DryRun: dryRun, Vendor: res.Vendor,
		New: res.New, Changed: res.Changed, Same: res.Same, Records: []sourceIDJSON{}, Skipped: []skippedJSON{}, Notes: []skippedJSON{},
		Forgotten: append([]records.ID{}, res.Forgotten...), Twins: []twinJSON{},
	}
	for _, t := range res.Twins {
		out.Twins = append(out.Twins, twinJSON(t))
	}
	for _, r := range res.Records {
		key := ""
		if r.Origin != nil {
			key = r.Origin.Key
		}
		out.Records = append(out.Records, sourceIDJSON{r.ID, key})
	}
	for _, s := range src.Skipped {
		list := &out.Skipped
		if s.Note {
			list = &out.Notes
		}
		*list = append(*list, skippedJSON{s.Item, s.Reason, s.Line})
	}
	if res.Merged != nil {
		m := jsonOfMerged(res.Merged, false)
		out.Merge = &m
	}
	return out
}

func (e *Env) writeImported(src *importer.Result, res *vendorbranch.Imported, dryRun bool) error {
	done := "imported"
	if dryRun {
		done = "would import"
	}
	notes := 0
	for _, s := range src.Skipped {
		if s.Note {
			notes++
		}
	}
	headline := fmt.Sprintf("%s from %s: %d new, %d changed, %d same, %d skipped", done, src.Source, res.New, res.Changed, res.Same, len(src.Skipped)-notes)
	if notes > 0 {
		headline += ", " + text.Plural(notes, "note")
	}
	if len(src.Records) == 0 {
		headline = fmt.Sprintf("nothing to import from %s: %d skipped", src.Source, len(src.Skipped)-notes)
	}
	if res.Merged == nil {
		_, err := fmt.Fprintln(e.Stdout, headline)
		return err
	}
	return e.writeMerged(res.Merged, headline, true)
}

// progressOf tells a person at a terminal how far an import of many items is, as git does.
func (e *Env) progressOf(what string) func(done, all int) {
	if !e.StderrTTY {
		return nil
	}
	return progressLine(e.Stderr, what)
}

// leastProgress is how many items are worth a line that moves.
const leastProgress = 200

func progressLine(to io.Writer, what string) func(done, all int) {
	last := -1
	return func(done, all int) {
		percent := done * 100 / max(all, 1)
		if all < leastProgress || percent == last {
			return
		}
		last = percent
		end := ""
		if done == all {
			end = ", done.\n"
		}
		_, _ = fmt.Fprintf(to, "\r%s: %3d%% (%d/%d)%s", what, percent, done, all, end) // a person's comfort, no answer
	}
}
