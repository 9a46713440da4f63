package adr

import (
	"bytes"
	"path"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
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
// it: the same key, id and text. It is nil where the file is no decision record.
func ReadOne(file string, src []byte) (*One, error) {
	name := path.Base(file)
	if stem := stemOf(name); !isText(name) || indexName.MatchString(stem) || IsTemplate(stem) {
		return nil, nil
	}
	doc, err := parseDocument(file, src)
	if err != nil {
		return nil, err
	}
	if doc.notDecision() != "" {
		return nil, nil
	}
	one := &One{First: 1, Last: max(1, strings.Count(strings.TrimRight(string(src), "\r\n\t "), "\n")+1)}
	if i := doc.find(isOutcome); i >= 0 {
		one.Outcome = true
		one.First = doc.sections[i].no
		one.Last = one.First + len(doc.sections[i].head) - 1
		for ; i < len(doc.sections); i++ {
			if s := doc.sections[i]; s.no != one.First && s.level <= doc.sections[doc.find(isOutcome)].level {
				break
			}
			for _, l := range doc.sections[i].lines {
				if strings.TrimSpace(l.text) != "" {
					one.Last = l.no
				}
			}
		}
	}
	folder := path.Dir(file)
	if folder == "." {
		folder = ""
	}
	d := newRun(folder).decision(name, doc)
	d.rec.Origin.Digest = importer.Digest(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
	if d.status.state == records.Superseded {
		d.bury()
	}
	one.Record, one.Stated = d.rec, d.status.stated
	return one, nil
}
