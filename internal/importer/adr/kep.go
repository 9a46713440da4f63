package adr

import (
	"io/fs"
	"path"

	"github.com/git-ctx/git-ctx/internal/importer"
)

// kepFile tells the fields of an enhancement proposal of Kubernetes, whose text
// is the README beside it.
const kepFile = "kep.yaml"

// kep maps a folder that holds one enhancement proposal.
func (imp *run) kep(fsys fs.FS, name string) {
	key := path.Join(imp.folder, name)
	meta, err := fs.ReadFile(fsys, path.Join(name, kepFile))
	if err != nil {
		imp.Skip(key, "%s", importer.Reason(err))
		return
	}
	front, err := yamlFields(path.Join(imp.folder, name, kepFile), meta, 0)
	if err != nil {
		imp.SkipError(key, err)
		return
	}
	text, _ := fs.ReadFile(fsys, path.Join(name, "README.md")) // its text may be missing
	doc, err := parseDocument(path.Join(imp.folder, name, "README.md"), text)
	if err != nil {
		imp.SkipError(key, err)
		return
	}
	doc.front = kepFields(front)
	if i := doc.find(func(n string) bool { return n == "summary" }); i >= 0 && doc.find(isOutcome) < 0 {
		doc.sections[i].heading = "Decision"
	}
	imp.keep(imp.decision(name, doc), append(meta, text...))
}

// kepFields are the fields under the names that decision records have for them.
// A KEP with its number is titled by its kep.yaml.
func kepFields(front []frontField) []frontField {
	var out []frontField
	for _, f := range front {
		switch f.key {
		case "title", "status", "superseded-by", "replaces":
		case "creation-date":
			f.key = "date"
		case "approvers":
			f.key = "deciders"
		default:
			continue // milestones, graduation and the like
		}
		out = append(out, f)
	}
	return out
}
