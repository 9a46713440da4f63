package index

import (
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

// An item is one record file and all that the index keeps of it.
type item struct {
	path, oid string
	data      []byte
	rec       int64
	known     bool                 // rec is set: the path is that of a record
	record    *records.Record      // nil when gone or unreadable
	err       *records.SyntaxError // why it is unreadable
	postings  []posting
	text      [4]string // for search: title, tags, reason, body
	doc       int64     // names the text, 0 for none
}

// newItem reads a change. Data is kept.
func newItem(path, oid string, data []byte) *item {
	it := &item{path: path, oid: oid, data: data}
	id, perr := records.PathID(path)
	if perr == nil {
		it.rec, it.known = number(id)
	}
	if data == nil {
		return it
	}
	r, err := records.Parse(path, data)
	if err == nil {
		err = perr // a file that is not where its id belongs is found by nobody
	}
	if err != nil {
		if !errors.As(err, &it.err) {
			it.err = &records.SyntaxError{Path: path, Msg: err.Error()}
		}
		return it
	}
	it.record = r
	it.postings = postingsOf(r, it.rec)
	it.text = textOf(r)
	return it
}

// postingsOf returns what finds r, sorted, without repetition.
func postingsOf(r *records.Record, rec int64) []posting {
	ls := records.Lookups(r)
	ps := make([]posting, 0, len(ls)+len(r.Tags)+1)
	for _, l := range ls {
		ps = append(ps, posting{keyOf(l), rec})
	}
	for _, t := range r.Tags {
		ps = append(ps, posting{keyOf(tagLookup(t)), rec})
	}
	for _, dir := range foldersOf(r) {
		ps = append(ps, posting{keyOf(pathLookup(dir)), rec})
		for _, above := range parents(dir) {
			ps = append(ps, posting{keyOf(belowLookup(above)), rec})
		}
	}
	if len(r.Anchors) > 0 {
		ps = append(ps, posting{keyOf(anchoredLookup()), rec})
	}
	if len(r.Challenges) > 0 {
		ps = append(ps, posting{keyOf(challengedLookup()), rec})
	}
	if r.Verdict != nil {
		ps = append(ps, posting{keyOf(stateLookup(r.Kind, r.Verdict.State)), rec})
	}
	slices.SortFunc(ps, comparePostings)
	return slices.Compact(ps)
}

// noText is the text of a record without any, such as a forgotten one.
var noText [4]string

// textOf returns what is searched of r. Nothing of a forgotten record is.
func textOf(r *records.Record) [4]string {
	if r.Forgotten() {
		return noText
	}
	reason := ""
	if r.Verdict != nil {
		reason = r.Verdict.Reason
	}
	return [4]string{r.Title, strings.Join(r.Tags, "\n"), reason, strings.Join(bodyParts(r), "\n")}
}

// bodyParts returns the texts of r beside title, tags and reason, none empty.
func bodyParts(r *records.Record) []string {
	var parts []string
	for field, text := range r.Prose() {
		if field != "title" {
			parts = append(parts, text)
		}
	}
	return parts
}

const insertRecord = `INSERT INTO records
	(rec, kind, state, asks, class, why, title, priority, at, created, timed, doc) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`

// row returns the arguments of insertRecord.
func (it *item) row(st records.Standing) []driver.Value {
	r := it.record
	var asks, title string
	var at time.Time
	var priority driver.Value
	if !r.Forgotten() {
		title = r.Title
	}
	if v := r.Verdict; v != nil {
		asks, at = string(v.Asks), v.At
	}
	if r.Priority != nil {
		priority = int64(*r.Priority)
	}
	timed := r.Valid != (records.Validity{})
	return []driver.Value{
		it.rec, it.rec >> randomBits, string(st.State), asks, string(st.Class), string(st.Why), title, priority,
		at.Unix(), r.Created.At.Unix(), truth(timed), it.doc,
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// instant undoes time.Time.Unix.
func instant(sec int64) time.Time {
	if sec == (time.Time{}).Unix() {
		return time.Time{}
	}
	return time.Unix(sec, 0).UTC()
}
