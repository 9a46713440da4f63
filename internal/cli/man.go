package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/git-ctx/git-ctx/internal/text"
)

type manOptions struct {
	install string // a folder of manual pages, with man1 below
	dir     string // the folder itself
}

func newManCmd(env *Env) *cobra.Command {
	o := &manOptions{}
	cmd := &cobra.Command{
		Use: "man [COMMAND]", Short: "print or install the manual pages",
		Long: `Git finds the manual by itself once it is installed where man looks:
    git ctx man --install ~/.local/share/man
    git help ctx`,
		RunE: func(cmd *cobra.Command, args []string) error { return runMan(env, cmd.Root(), o, args) },
	}
	cmd.Flags().StringVar(&o.install, "install", "", "write all pages to man1 below `DIR`")
	cmd.Flags().StringVar(&o.dir, "dir", "", "write all pages to `DIR` itself")
	return cmd
}

func runMan(env *Env, root *cobra.Command, o *manOptions, args []string) error {
	pages := manPages(root)
	switch {
	case o.install != "" && o.dir != "":
		return usagef("git ctx man --install DIR", "options '--install' and '--dir' exclude each other")
	case o.install == "" && o.dir == "":
		return printPage(env, pages, args)
	case len(args) > 0:
		return usagef("git ctx man "+args[0], "'man' writes all pages or prints one, not both")
	case o.dir != "":
		return writePages(env, env.path(o.dir), pages, "")
	}
	home, err := filepath.Abs(env.path(o.install))
	if err != nil {
		return fmt.Errorf("find '%s': %w", o.install, err)
	}
	add := ""
	if !manSearches(env, home) {
		add = fmt.Sprintf(`export MANPATH="%s:$MANPATH"`, home)
	}
	return writePages(env, filepath.Join(home, "man1"), pages, add)
}

// printPage prints one command's page as roff; without a command, the first.
func printPage(env *Env, pages []manPage, args []string) error {
	name := strings.Join(append([]string{"git-ctx"}, args...), "-") + ".1"
	i := slices.IndexFunc(pages, func(p manPage) bool { return p.name == name })
	if i < 0 {
		return usagef("git ctx -h", "unknown command '%s'", strings.Join(args, " "))
	}
	_, err := fmt.Fprint(env.Stdout, pages[i].text)
	return err
}

// writePages writes the pages to dir and says what is left to do.
func writePages(env *Env, dir string, pages []manPage, add string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make '%s': %w", dir, trimPath(err))
	}
	names := make([]string, len(pages))
	for i, p := range pages {
		names[i] = p.name
		if err := os.WriteFile(filepath.Join(dir, p.name), []byte(p.text), 0o666); err != nil {
			return fmt.Errorf("write '%s': %w", filepath.Join(dir, p.name), trimPath(err))
		}
	}
	if env.json() {
		return env.writeJSON(struct {
			Format  int      `json:"format"`
			Dir     string   `json:"dir"`
			Pages   []string `json:"pages"`
			MANPATH string   `json:"manpath,omitempty"`
		}{jsonFormat, dir, names, add})
	}
	if _, err := fmt.Fprintf(env.Stdout, "wrote %s to %s\n", text.Plural(len(pages), "page"), text.Visible(dir)); err != nil {
		return err
	}
	if add != "" {
		env.note("man does not look there yet; add to your shell's start-up file:\n%s", add)
	}
	return nil
}

// manSearches reports whether man looks in dir: MANPATH names it, or it stands
// beside a folder of PATH, where man looks by itself.
func manSearches(env *Env, dir string) bool {
	manpath := env.Getenv("MANPATH")
	for _, d := range filepath.SplitList(manpath) {
		if d != "" && filepath.Clean(d) == dir {
			return true
		}
	}
	// An empty element of MANPATH stands for the folders below.
	if manpath != "" && !slices.Contains(filepath.SplitList(manpath), "") {
		return false
	}
	for _, d := range filepath.SplitList(env.Getenv("PATH")) {
		for _, man := range []string{"man", "share/man", "../man", "../share/man"} {
			if filepath.Join(d, man) == dir {
				return true
			}
		}
	}
	return false
}
