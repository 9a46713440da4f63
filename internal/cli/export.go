package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

type exportOptions struct {
	readFlags
	kinds []string
}

func newExportCmd(env *Env) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use: "export", Short: "write all records to standard output, as apply reads them",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("git ctx export > FILE\ngit ctx export adr DIR", "unknown target '%s': it is adr, or none", args[0])
			}
			return runExport(cmd.Context(), env, o)
		},
	}
	cmd.Flags().StringArrayVar(&o.kinds, "kind", nil, "only `KIND`, repeatable")
	o.bind(cmd.Flags())
	cmd.AddCommand(newExportADRCmd(env))
	return cmd
}

func runExport(ctx context.Context, env *Env, o *exportOptions) error {
	if err := env.formats("yaml"); err != nil {
		return err
	}
	var kinds []records.Kind
	for _, name := range o.kinds {
		k, err := records.ParseKind(name)
		if err != nil {
			return usagef("", "--kind '%s': %v", name, err)
		}
		kinds = append(kinds, k)
	}
	rd, err := env.read(ctx, o.readFlags)
	if err != nil {
		return err
	}
	rs := []*records.Record{}
	for r := range rd.All() {
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			rs = append(rs, r)
		}
	}
	if env.json() {
		err = env.writeJSON(struct {
			Format  int               `json:"format"`
			Records []*records.Record `json:"records"`
		}{records.FormatVersion, rs})
	} else {
		_, err = env.Stdout.Write(ledger.Export(records.NewSet(rs, nil)))
	}
	if err == nil && len(rd.Unreadable) > 0 {
		return errNo // an export that is not whole must not look like one
	}
	return err
}

func newExportADRCmd(env *Env) *cobra.Command {
	o := &readFlags{}
	cmd := &cobra.Command{
		Use: "adr DIR", Short: "write the decisions as Markdown files into a folder",
		Long: "Write the decisions as architecture decision records, one Markdown file each, into DIR.\n" +
			"A file that stands there already is replaced only when it is the same decision; nothing is deleted.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("git ctx export adr DIR", "'export adr' needs one folder, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runExportADR(cmd.Context(), env, *o, args[0]) },
	}
	o.bind(cmd.Flags())
	return cmd
}

func runExportADR(ctx context.Context, env *Env, o readFlags, dir string) error {
	if err := env.formats(); err != nil {
		return err
	}
	rd, err := env.read(ctx, o)
	if err != nil {
		return err
	}
	files, err := adr.Format(rd.View, rd.Eval)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(env.path(dir), 0o777); err != nil {
		return fmt.Errorf("export to '%s': %w", dir, trimPath(err))
	}
	root, err := os.OpenRoot(env.path(dir))
	if err != nil {
		return fmt.Errorf("export to '%s': %w", dir, trimPath(err))
	}
	defer root.Close()
	written, err := writeADRs(root, files)
	if err != nil {
		return fmt.Errorf("export to '%s': %w", dir, err)
	}
	if env.json() {
		return env.writeJSON(struct {
			Format  int      `json:"format"`
			Files   []string `json:"files"`
			Written []string `json:"written"`
		}{jsonFormat, append([]string{}, slices.Sorted(maps.Keys(files))...), append([]string{}, written...)})
	}
	for _, name := range written {
		if _, err := fmt.Fprintln(env.Stdout, text.Visible(name)); err != nil {
			return err
		}
	}
	env.note("%s written, %d unchanged", text.Plural(len(written), "file"), len(files)-len(written))
	return nil
}

// writeADRs writes the files that differ from what stands there, after it has
// seen that none of those is somebody else's.
func writeADRs(root *os.Root, files map[string][]byte) ([]string, error) {
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		old, err := root.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case string(old) == string(files[name]):
			continue
		case !sameDecision(old, files[name]):
			return nil, fmt.Errorf("file '%s' stands there already and is another decision; nothing was written", name)
		}
		differ = append(differ, name)
	}
	for _, name := range differ {
		if err := root.WriteFile(name, files[name], 0o666); err != nil {
			return nil, err
		}
	}
	return differ, nil
}

// sameDecision reports whether two ADR files have the same heading.
func sameDecision(a, b []byte) bool {
	h := heading(a)
	return h != "" && h == heading(b)
}

func heading(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return records.Normalize(title)
		}
	}
	return ""
}
