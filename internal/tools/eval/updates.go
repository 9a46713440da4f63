package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/alike"
)

// updatesText are statements that a later one outdates, and later ones that outdate nothing.
//
//go:embed testdata/updates.jsonl
var updatesText string

// An update is a later statement, and the earlier one that it outdates, if any.
type update struct {
	Old string `json:"old"`
	New string `json:"new"`
}

func readUpdates(text string) ([]update, error) {
	var out []update
	in := bufio.NewScanner(strings.NewReader(text))
	for in.Scan() {
		var u update
		if err := json.Unmarshal(in.Bytes(), &u); err != nil {
			return nil, fmt.Errorf("read the updates: %w", err)
		}
		out = append(out, u)
	}
	return out, in.Err()
}

// A reconciling is how often a write was told of the record that it outdates.
type reconciling struct {
	updates, near, passed int // near: among the nearest; passed: named behind the gate
	idle, idleNoted       int // writes that outdate nothing, and those told of something
}

// reconcile writes each later statement into the store that holds the earlier ones beside others.
func reconcile(others []*records.Record, us []update) reconciling {
	rs := slices.Clone(others)
	claim := func(n int, title string) *records.Record {
		return &records.Record{ID: records.NewID(records.Decision, []byte{9, 9, 9, 9, 9, byte(n >> 8), byte(n)}), Kind: records.Decision, Title: title}
	}
	old := make([]records.ID, len(us))
	for i, u := range us {
		if u.Old != "" {
			r := claim(i, u.Old)
			rs, old[i] = append(rs, r), r.ID
		}
	}
	c := alike.NewCorpus(rs)
	var res reconciling
	for i, u := range us {
		ms := c.Nearest(claim(len(us)+i, u.New))
		has := func(ms []alike.Match) bool {
			return slices.ContainsFunc(ms[:min(len(ms), alike.Shown)], func(m alike.Match) bool { return m.Record.ID == old[i] })
		}
		passed := alike.Gate(ms)
		if u.Old == "" {
			res.idle++
			if len(passed) > 0 {
				res.idleNoted++
			}
			continue
		}
		res.updates++
		if has(ms) {
			res.near++
		}
		if has(passed) {
			res.passed++
		}
	}
	return res
}

// measureUpdates prints what writes are told beside short generated records, long shared ones, and both.
func measureUpdates(w io.Writer, dir string) error {
	us, err := readUpdates(updatesText)
	if err != nil {
		return err
	}
	l, err := newLife(1, 1000)
	if err != nil {
		return err
	}
	short := slices.Collect(maps.Values(l.main))
	fmt.Fprint(w, "\n| written beside | outdated record among the nearest 3 | and behind the gate | told in vain |\n|---|---|---|---|\n")
	printReconciling(w, "1,000 short records", reconcile(short, us))
	sh, err := sharedAccepted(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("load %s: %w", dir, err)
	}
	long := slices.Collect(sh.view.All())
	printReconciling(w, "long imported records", reconcile(long, us))
	printReconciling(w, "both", reconcile(append(short, long...), us))
	return nil
}

func printReconciling(w io.Writer, name string, r reconciling) {
	fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f |\n", name, float64(r.near)/float64(r.updates),
		float64(r.passed)/float64(r.updates), float64(r.idleNoted)/float64(r.idle))
}
