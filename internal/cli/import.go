package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

func newImportCmd(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import", Short: "import records from another tool, and merge them",
		Long: "Import records from another tool. They are committed on a branch of their source and merged\n" +
			"from there: the same file again changes nothing, and a changed item meets local edits in a merge.\n" +
			"What arrives in no record is listed with its reason on standard error.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("git ctx import beads FILE\ngit ctx import adr DIR", "'import' needs to know from what: beads or adr")
			}
			return usagef("git ctx import beads FILE\ngit ctx import adr DIR", "unknown source '%s': it is beads or adr", args[0])
		},
	}
	cmd.AddCommand(
		newSourceCmd(env, "beads FILE", "import a JSONL export of beads; - is standard input", readBeads),
		newSourceCmd(env, "adr DIR", "import a folder of architecture decision records", readADR),
	)
	return cmd
}

// importOptions are the flags of every source.
type importOptions struct {
	ledger.ImportOptions
	verbose bool
}

func newSourceCmd(env *Env, use, short string, read func(*Env, string) (*importer.Result, error)) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx import "+use, "'import %s' needs one argument, got %d", cmd.Name(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runImport(cmd.Context(), env, read, args[0], o)
		},
	}
	cmd.Flags().BoolVarP(&o.DryRun, "dry-run", "n", false, "say what would be imported and write nothing")
	cmd.Flags().StringVar(&o.Again, "again", "", "`REASON` to take over what was ruled out here")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list all that was skipped or noted, an item a line")
	return cmd
}

func readBeads(e *Env, file string) (*importer.Result, error) {
	in, err := e.openInput(file, maxInput, "an import holds")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	res, err := importer.Beads(in)
	return res, located(file, err)
}

func readADR(e *Env, dir string) (*importer.Result, error) {
	info, err := os.Stat(e.path(dir))
	if err == nil && !info.IsDir() {
		err = errors.New("it is no directory")
	}
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", dir, trimPath(err))
	}
	root, err := os.OpenRoot(e.path(dir))
	if err != nil {
		return nil, fmt.Errorf("read '%s': %w", dir, trimPath(err))
	}
	defer root.Close()
	res, err := importer.ADR(root.FS())
	return res, located(dir, err)
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
}

func runImport(ctx context.Context, env *Env, read func(*Env, string) (*importer.Result, error), from string, o importOptions) error {
	if err := env.formats(); err != nil {
		return err
	}
	src, err := read(env, from)
	if err != nil {
		return err
	}
	led, err := env.ledger(ctx)
	if err != nil {
		return err
	}
	res, err := led.Import(ctx, src.Source, src.Records, src.Time, o.ImportOptions)
	if err != nil {
		return err
	}
	if env.json() {
		err = env.writeJSON(jsonOfImport(src, res, o.DryRun))
	} else {
		if len(res.Forgotten) > 0 {
			env.note("note: left out, as forgotten here: %s", joinIDs(res.Forgotten))
		}
		env.noteTwins(res.Twins)
		if o.verbose || len(src.Records) == 0 || res.New+res.Changed > 0 {
			env.noteSkipped(src.Skipped, o.verbose)
		}
		err = env.writeImported(src, res, o.DryRun)
	}
	if err == nil && res.Merged != nil && !res.Clean() {
		return errNo
	}
	return err
}

func jsonOfImport(src *importer.Result, res *ledger.Imported, dryRun bool) importedJSON {
	out := importedJSON{
		Format: jsonFormat, Source: src.Source, DryRun: dryRun, Vendor: res.Vendor,
		New: res.New, Changed: res.Changed, Same: res.Same, Records: []sourceIDJSON{}, Skipped: []skippedJSON{}, Notes: []skippedJSON{},
		Forgotten: append([]records.ID{}, res.Forgotten...), Twins: []twinJSON{},
	}
	for _, t := range res.Twins {
		out.Twins = append(out.Twins, twinJSON(t))
	}
	for _, r := range src.Records {
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
		*list = append(*list, skippedJSON{s.Item, s.Reason})
	}
	if res.Merged != nil {
		m := jsonOfMerged(res.Merged, false)
		out.Merge = &m
	}
	return out
}

func (e *Env) writeImported(src *importer.Result, res *ledger.Imported, dryRun bool) error {
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
