package adr

import (
	"path"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

// One is a decision record that was read by itself, without the folder it lies in.
type One struct {
	Record *records.Record
	// Stated says that the file tells a status.
	Stated bool
	// Outcome says that a section tells what was decided; First and Last are its
	// lines, else those of the whole file.
	Outcome     bool
	First, Last int
}

// ReadOne reads the file of that path from the repository's top as [Folder] reads
// it: the same key, id and text. It is nil where the file is not a decision record.
func ReadOne(file string, src []byte) (*One, error) {
	name := path.Base(file)
	if stem := stemOf(name); !isText(name) || indexName.MatchString(stem) || IsTemplate(stem) {
		return nil, nil
	}
	doc, err := parseDocument(file, src)
	if err != nil {
		return nil, err
	}
	if doc.notDecision(false) != "" {
		return nil, nil
	}
	return newOne(path.Dir(file), name, doc, src), nil
}

// ReadKEP reads the enhancement proposal of that folder, from the repository's top,
// as [Folder] reads it. The lines are those of the text beside its kep.yaml.
func ReadKEP(folder string, meta, text []byte) (*One, error) {
	doc, err := kepDocument(folder, meta, text)
	if err != nil {
		return nil, err
	}
	one := newOne(path.Dir(folder), path.Base(folder), doc, text)
	one.Record.Origin.Digest = digestOf(append(meta, text...))
	return one, nil
}

// newOne makes the record of a document by that name in a folder.
func newOne(folder, name string, doc *document, src []byte) *One {
	one := &One{First: 1, Last: max(1, strings.Count(strings.TrimRight(string(src), "\r\n\t "), "\n")+1)}
	if i := doc.find(isOutcome); i >= 0 {
		one.Outcome = true
		one.First, one.Last = doc.linesOf(i)
	}
	if folder == "." {
		folder = ""
	}
	d := newRun(folder).decision(name, doc)
	d.rec.Origin.Digest = digestOf(src)
	if d.status.state == records.Superseded {
		d.bury()
	}
	one.Record, one.Stated = d.rec, d.status.stated
	return one
}

// linesOf are the first and the last line of a section with those below it.
func (doc *document) linesOf(i int) (first, last int) {
	top := doc.sections[i]
	first = top.no
	last = first + len(top.head) - 1
	for ; i < len(doc.sections); i++ {
		if s := doc.sections[i]; s.no != first && s.level <= top.level {
			break
		}
		for _, l := range doc.sections[i].lines {
			if strings.TrimSpace(l.text) != "" {
				last = l.no
			}
		}
	}
	return first, last
}
