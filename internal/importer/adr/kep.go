package adr

import (
	"io/fs"
	"path"

	"github.com/git-ctx/git-ctx/internal/importer"
)

// KEPFile tells the fields of an enhancement proposal of Kubernetes, whose text
// is the README beside it.
const KEPFile = "kep.yaml"

// kep maps a folder that holds one enhancement proposal.
func (imp *run) kep(fsys fs.FS, name string) {
	key := path.Join(imp.folder, name)
	meta, err := fs.ReadFile(fsys, path.Join(name, KEPFile))
	if err != nil {
		imp.Skip(key, "%s", importer.Reason(err))
		return
	}
	text, _ := fs.ReadFile(fsys, path.Join(name, "README.md")) // its text may be missing
	doc, err := kepDocument(key, meta, text)
	if err != nil {
		imp.SkipError(key, err)
		return
	}
	imp.keep(imp.decision(name, doc), append(meta, text...))
}

// kepDocument is the text of a proposal's folder with the fields of its kep.yaml.
func kepDocument(folder string, meta, text []byte) (*document, error) {
	front, err := yamlFields(path.Join(folder, KEPFile), meta, 0)
	if err != nil {
		return nil, err
	}
	doc, err := parseDocument(path.Join(folder, "README.md"), text)
	if err != nil {
		return nil, err
	}
	if doc.front = kepFields(front); doc.value("title") != nil {
		doc.title = ""
	}
	if i := doc.find(func(n string) bool { return n == "summary" }); i >= 0 && doc.find(isOutcome) < 0 {
		doc.sections[i].heading = "Decision"
	}
	return doc, nil
}

// kepFields are the fields under the names that decision records have for them.
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
