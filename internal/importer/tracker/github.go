package tracker

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

const github = "github"

// GitHub reads issues as gh issue list --json prints them.
func GitHub() importer.Source {
	return importer.Source{
		Name: github, Short: "import issues as gh issue list --json prints them", File: readGitHub,
	}
}

type githubIssue struct {
	Number      int                     `json:"number"`
	URL         string                  `json:"url"`
	Title       string                  `json:"title"`
	Body        string                  `json:"body"`
	State       string                  `json:"state"`
	StateReason string                  `json:"stateReason"`
	Author      struct{ Login string }  `json:"author"`
	Labels      []struct{ Name string } `json:"labels"`
	CreatedAt   string                  `json:"createdAt"`
	ClosedAt    string                  `json:"closedAt"`
}

// readGitHub makes a task of each issue: what was closed as not planned is dropped.
func readGitHub(r io.Reader) (*importer.Result, error) {
	b := importer.NewBatch(github)
	err := values(r, b, func(is githubIssue) {
		w := work{title: is.Title, body: is.Body, by: is.Author.Login, made: moment(is.CreatedAt), moved: moment(is.ClosedAt), raw: is}
		if w.key = strings.TrimSpace(is.URL); w.key == "" {
			w.key = fmt.Sprintf("#%d", is.Number)
		}
		for _, l := range is.Labels {
			w.tags = append(w.tags, l.Name)
		}
		switch {
		case strings.EqualFold(is.State, "open"):
			w.state = records.Todo
		case strings.EqualFold(is.State, "closed") && strings.EqualFold(is.StateReason, "not_planned"):
			w.state, w.reason = records.Dropped, "not planned in the source"
		case strings.EqualFold(is.State, "closed") && strings.EqualFold(is.StateReason, "duplicate"):
			w.state, w.reason = records.Dropped, "a duplicate in the source"
		case strings.EqualFold(is.State, "closed"):
			w.state = records.Done
		default:
			b.Found(w.key)
			b.Skip(w.key, "state '%s' maps to no state of a task", importer.Short(is.State))
			return
		}
		task(b, github, w)
	})
	if err != nil {
		return nil, fmt.Errorf("read issues: %w", err)
	}
	return b.Result()
}
