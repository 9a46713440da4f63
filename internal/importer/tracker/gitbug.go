package tracker

import (
	"cmp"
	"fmt"
	"io"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/records"
)

const gitBug = "git-bug"

// GitBug reads bugs as git bug prints them in JSON.
func GitBug() importer.Source {
	return importer.Source{Name: gitBug, Short: "import bugs: git bug bug --format json, or a bug a line", File: readGitBug}
}

type bugTime struct {
	Time string `json:"time"`
}

type bugAuthor struct {
	Name  string `json:"name"`
	Login string `json:"login"`
}

type bug struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Status   string    `json:"status"`
	Labels   []string  `json:"labels"`
	Author   bugAuthor `json:"author"`
	Created  bugTime   `json:"create_time"`
	Edited   bugTime   `json:"edit_time"`
	Comments []struct {
		Author  bugAuthor `json:"author"`
		Message string    `json:"message"`
	} `json:"comments"`
}

func (a bugAuthor) String() string { return cmp.Or(a.Name, a.Login) }

// readGitBug makes a task of each bug.
func readGitBug(r io.Reader) (*importer.Result, error) {
	b := importer.NewBatch(gitBug)
	err := values(r, b, func(is bug) {
		if is.ID == "" {
			b.Skip(cmp.Or(importer.Short(is.Title), "a bug"), "has no id")
			return
		}
		edited := is.Edited
		is.Edited = bugTime{} // it moves by itself
		w := work{key: is.ID, title: is.Title, by: is.Author.String(), made: moment(is.Created.Time), moved: moment(edited.Time), tags: is.Labels, raw: is}
		for i, c := range is.Comments {
			text := c.Message
			if i > 0 && importer.Clean(text) != "" {
				text = importer.OneLine(c.Author.String()) + ":\n\n" + text
			}
			w.body = importer.BodyOf(w.body, text)
		}
		switch is.Status {
		case "open":
			w.state = records.Todo
		case "closed":
			w.state = records.Done
		default:
			b.Found(w.key)
			b.Skip(w.key, "status '%s' maps to no state of a task", importer.Short(is.Status))
			return
		}
		task(b, gitBug, w)
	})
	if err != nil {
		return nil, fmt.Errorf("read bugs: %w", err)
	}
	return b.Result()
}
