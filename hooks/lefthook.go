package hooks

import (
	"fmt"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-ctx/git-ctx/internal/install"
)

const lefthookLocal = "lefthook-local.yml"

// lefthook puts the lines of a hook that lefthook manages into its local
// configuration: in git's own hook they would be lost at its next install.
func (r room) lefthook(name string, p place) (place, error) {
	top := r.repo.WorkTree()
	p.via, p.mode, p.head = lefthook, 0o666, install.Created
	p.file, p.own, p.byHand = filepath.Join(top, lefthookLocal), lefthookLines(name), lefthookLines(name)
	if top == "" {
		p.why = "lefthook manages it, and there is no worktree for its configuration"
		return p, nil
	}
	for _, other := range []string{"lefthook-local.yaml", "lefthook-local.toml", "lefthook-local.json", ".lefthook-local.yml", ".lefthook-local.yaml",
		".lefthook-local.toml", ".lefthook-local.json"} {
		if install.Exists(filepath.Join(top, other)) {
			p.why = fmt.Sprintf("lefthook manages it, and is configured in '%s'", other)
			return p, nil
		}
	}
	text, _, err := install.ReadText(p.file)
	if err != nil {
		return p, err
	}
	rest := install.Shell().Without(text)
	var theirs map[string]any
	if err := yaml.Unmarshal([]byte(rest), &theirs); err != nil {
		p.why = fmt.Sprintf("lefthook manages it, and '%s' is not YAML", lefthookLocal)
		return p, nil
	}
	if _, taken := theirs[name]; taken {
		p.why = fmt.Sprintf("lefthook manages it, and '%s' has a '%s' of its own", lefthookLocal, name)
		return p, nil
	}
	p.lines = ""
	for _, other := range gitHooks() { // one block holds them all
		hook, _, err := install.ReadText(filepath.Join(r.dir, other))
		if err != nil {
			return p, err
		}
		if _, taken := theirs[other]; !taken && strings.Contains(hook, "call_lefthook") {
			p.lines += lefthookLines(other)
		}
	}
	var whole map[string]any
	if yaml.Unmarshal([]byte(install.Shell().With(text, p.lines, len(text))), &whole) != nil {
		p.why = fmt.Sprintf("lefthook manages it, and '%s' is written so that nothing can be added at its end", lefthookLocal)
	}
	return p, nil
}

// lefthookLines is our part of a hook as lefthook is told of it.
func lefthookLines(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n  commands:\n    git-ctx:\n", name)
	if readsInput(name) {
		b.WriteString("      use_stdin: true\n")
	}
	b.WriteString("      run: |\n")
	for line := range strings.Lines(guarded(name, call(name, "{0}"))) {
		b.WriteString("        " + strings.ReplaceAll(line, "\t", "  "))
	}
	return b.String()
}
