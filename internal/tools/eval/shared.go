package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/adr"
	"github.com/git-ctx/git-ctx/internal/importer/tracker"
	"github.com/git-ctx/git-ctx/records"
)

// The files of a shared folder: a tracker's issues, a folder of decision records,
// and questions about both.
const (
	issuesFile    = "beads-issues.jsonl"
	decisionsDir  = "madr"
	questionsFile = "questions.jsonl"
)

// An issue is what a tracker's export says of one.
type issue struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Design      string    `json:"design"`
	Acceptance  string    `json:"acceptance_criteria"`
	Notes       string    `json:"notes"`
	CloseReason string    `json:"close_reason"`
	CreatedAt   time.Time `json:"created_at"`
}

// A sharedQuestion is one of the questions: Gold are ids of issues, or the number of a decision record.
type sharedQuestion struct {
	Q     string   `json:"q"`
	Gold  []string `json:"gold"`
	Class string   `json:"class"`
}

// sharedAt is when the questions are asked: after all that the data tells.
func sharedAt() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }

// sharedAccepted loads the folder as a project that a person has reviewed: an
// issue is an accepted conclusion, a decision record an accepted decision.
func sharedAccepted(dir string) (*store, error) {
	var rs []*records.Record
	of := map[string][]records.ID{}
	err := readLines(filepath.Join(dir, issuesFile), func(is *issue) {
		body := strings.Join(slices.DeleteFunc([]string{is.Description, is.Design, is.Acceptance, is.Notes, is.CloseReason},
			func(s string) bool { return s == "" }), "\n\n")
		r := accepted(records.Conclusion, is.ID, is.Title, body, is.CreatedAt)
		rs, of[is.ID] = append(rs, r), []records.ID{r.ID}
	})
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(os.DirFS(filepath.Join(dir, decisionsDir)), "[0-9]*.md")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, decisionsDir, name))
		if err != nil {
			return nil, err
		}
		title, body := name, string(text)
		if before, after, ok := strings.Cut("\n"+body, "\n# "); ok {
			title, after, _ = strings.Cut(after, "\n")
			body = before + after
		}
		r := accepted(records.Decision, name, title, body, sharedAt().AddDate(-1, 0, 0))
		rs, of[name[:4]] = append(rs, r), []records.ID{r.ID}
	}
	return sharedStore(dir, rs, of)
}

func accepted(k records.Kind, key, title, body string, at time.Time) *records.Record {
	title, whole := importer.TitleOf(title)
	at = at.UTC().Truncate(time.Second)
	r := &records.Record{
		ID: records.ImportID(k, "shared", key), Kind: k, Title: title, Body: importer.BodyOf(whole, body),
		Verdict: &records.Verdict{State: records.Accepted, By: "Ada Example", Actor: records.Human, At: at, N: "8f3k2m"},
		Created: records.Created{By: "Ada Example", Actor: records.Human, At: at},
	}
	r.Verdict.Of = r.Digest()
	return r
}

// sharedImported loads the folder through the importers, unreviewed as they leave it.
func sharedImported(dir string) (*store, error) {
	f, err := os.Open(filepath.Join(dir, issuesFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	issues, err := tracker.ReadBeads(f)
	if err != nil {
		return nil, err
	}
	decisions, err := adr.Folder(os.DirFS(filepath.Join(dir, decisionsDir)), decisionsDir)
	if err != nil {
		return nil, err
	}
	of := map[string][]records.ID{}
	for _, r := range issues.Records {
		key, _, _ := strings.Cut(r.Origin.Key, "#")
		of[key] = append(of[key], r.ID)
	}
	for _, r := range decisions.Records {
		of[filepath.Base(r.Origin.Key)[:4]] = []records.ID{r.ID}
	}
	return sharedStore(dir, append(issues.Records, decisions.Records...), of)
}

// sharedStore is the records with the folder's questions; of are the records that
// tell of each key.
func sharedStore(dir string, rs []*records.Record, of map[string][]records.ID) (*store, error) {
	s := &store{
		view: records.NewSet(rs, nil), now: sharedAt(), judge: records.EvalContext{Review: records.ReviewHuman, ValidAt: sharedAt()},
		stale: func(records.ID) bool { return false },
	}
	err := readLines(filepath.Join(dir, questionsFile), func(a *sharedQuestion) {
		q := question{Purpose: a.Q, Class: a.Class, Gold: map[string][]fact{}}
		for _, key := range a.Gold {
			q.Gold[anyhow] = append(q.Gold[anyhow], fact{or: of[key]}) // of none, where an importer left it out
		}
		s.questions = append(s.questions, q)
	})
	return s, err
}

// readLines calls use with each line of a file of JSON lines.
func readLines[T any](name string, use func(*T)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 4*records.MaxSize)
	for n := 1; in.Scan(); n++ {
		v := new(T)
		if err := json.Unmarshal(in.Bytes(), v); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		use(v)
	}
	return in.Err()
}
