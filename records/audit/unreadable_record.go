package audit

import (
	"fmt"
	"path"
	"strings"

	"github.com/git-ctx/git-ctx/records"
)

var unreadableRecord = &Rule{
	ID:       "unreadable-record",
	Severity: records.Error,
	Summary:  "A file of the store cannot be read as a record",
	Explanation: `The file breaks the record format: a hand edit, a merge without our driver, or a
push by another program. Readers leave the record out, so whatever it said is
silently missing from every packet.

See what is wrong and where, and which commit brought it in:

    git ctx fsck
    git log --patch refs/ctx/heads/main -- PATH

Mend the file in a context worktree and commit it there, or take the commit back:

    git ctx worktree add DIR
    git ctx revert COMMIT`,
	store: func(p *pass) {
		for _, u := range p.in.Unreadable {
			p.report(Finding{
				Path:    u.Path,
				Message: "cannot read " + located(u),
				Hint:    "git ctx fsck",
			})
		}
	},
}

// located returns what is wrong with the file, its path first and once.
func located(u Unreadable) string {
	if why := u.Err.Error(); strings.HasPrefix(why, u.Path+":") {
		return why
	}
	return fmt.Sprintf("%s: %v", u.Path, u.Err)
}

// unreadableIDs returns the ids that the names of unreadable files give.
func unreadableIDs(us []Unreadable) map[records.ID]bool {
	ids := make(map[records.ID]bool, len(us))
	for _, u := range us {
		id, _, _ := strings.Cut(path.Base(u.Path), ".")
		ids[records.ID(id)] = true
	}
	return ids
}
