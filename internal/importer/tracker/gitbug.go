package tracker

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
)

const gitBug = "git-bug"

// GitBug reads bugs as git bug prints them in JSON.
func GitBug() importer.Source {
	return importer.Source{Name: gitBug, Short: "import bugs as git bug bug, or git bug bug show, --format json prints them", File: readGitBug}
}

type bugTime struct {
	Time string `json:"time"`
}

type bugAuthor struct {
	Name  string `json:"name"`
	Login string `json:"login"`
}

type bug struct {
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	Status   string      `json:"status"`
	Labels   []string    `json:"labels"`
	Author   bugAuthor   `json:"author"`
	Created  bugTime     `json:"create_time"`
	Edited   bugTime     `json:"edit_time"`
	Comments bugComments `json:"comments"`
}

// bugComments are texts where one bug is shown, and their number in a list of bugs.
type bugComments struct {
	Texts []bugComment
	Count int
}

type bugComment struct {
	Author  bugAuthor `json:"author"`
	Message string    `json:"message"`
}

// UnmarshalJSON reads either form.
func (c *bugComments) UnmarshalJSON(src []byte) error {
	if json.Unmarshal(src, &c.Count) == nil {
		return nil
	}
	return json.Unmarshal(src, &c.Texts)
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
		if is.Comments.Count > 0 {
			b.Skip(is.ID+": comments", "%s: a list of bugs has their number alone; git bug bug show --format json ID prints them", text.Plural(is.Comments.Count, "comment"))
		}
		for i, c := range is.Comments.Texts {
			said := c.Message
			if i > 0 && importer.Clean(said) != "" {
				said = importer.OneLine(c.Author.String()) + ":\n\n" + said
			}
			w.body = importer.BodyOf(w.body, said)
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
