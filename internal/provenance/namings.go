package provenance

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/regfile"
	"github.com/git-ctx/git-ctx/records"
)

// A naming is one bundle of a record that a commit's trailers name, or the record
// alone where digest is "".
type naming struct {
	commit gitstore.OID
	digest string
	as     string // the state that a verdict gives, or commitmsg.AsTombstone and the like
	actor  records.Actor
	author string // "" where the verdict's own author counts
	verb   string
}

// namings are those of a history by record, children before parents.
type namings map[records.ID][]naming

// add takes up what a commit's trailers name. Trailers without one meaning name nothing.
func (g namings) add(e *commitmsg.LogEntry) {
	if e.MessageErr != nil {
		return
	}
	n := naming{commit: e.OID, actor: e.Message.Actor, author: e.Author.Name, verb: e.Message.Verb}
	if n.verb == commitmsg.VerbApply || n.verb == commitmsg.VerbPromote {
		n.author = "" // a batch that a person restores bears the names of who gave its verdicts first
	}
	named := make(map[records.ID]bool, len(e.Message.Verdicts))
	for _, v := range e.Message.Verdicts {
		n.digest, n.as = v.Digest, v.As
		named[v.ID] = true
		g[v.ID] = append(g[v.ID], n)
	}
	n.digest, n.as = "", ""
	for _, id := range e.Message.Records {
		if !named[id] {
			g[id] = append(g[id], n)
		}
	}
}

func (g namings) read(log func(func(*gitstore.Commit, error) bool)) error {
	for c, err := range log {
		if err != nil {
			return err
		}
		g.add(commitmsg.NewLogEntry(c))
	}
	return nil
}

// person reports whether a person's verb made the commit, as its trailers say.
func (n naming) person() bool { return n.actor == records.Human && n.verb != "" }

// isVerdict reports whether the bundle named gives the record a state.
func (n naming) isVerdict() bool { return n.digest != "" && !commitmsg.IsRole(n.as) }

// names reports whether the commit answers for a verdict of that digest.
func (n naming) names(m *records.Verdict, digest string) bool {
	return n.digest == digest && (m.Actor != records.Human || n.person() && SameAuthor(n.author, m.By))
}

// brings reports whether the verb of the commit puts back verdicts that were given before.
func (n naming) brings() bool {
	return slices.Contains([]string{commitmsg.VerbApply, commitmsg.VerbPromote, "restore", "resolve"}, n.verb)
}

// interesting selects the commits whose trailers name something.
const interesting = "^Ctx-[VR]e"

// namedBy collects what the history of a commit names. What an earlier call found is kept in
// the file cache; only commits since are read then.
func namedBy(ctx context.Context, repo *gitstore.Repo, cache string, to gitstore.OID) (namings, error) {
	was, old := loadNamings(cache)
	opts := gitstore.LogOptions{Tips: []gitstore.OID{to}, Grep: interesting}
	if was != "" {
		if held, err := repo.IsAncestor(ctx, was, to); err != nil || !held {
			was, old = "", nil // of another line of history
		} else if was == to {
			return old, nil
		} else {
			opts.Exclude = []gitstore.OID{was}
		}
	}
	g := make(namings)
	if err := g.read(repo.Log(ctx, opts)); err != nil {
		return nil, err
	}
	for id, list := range old {
		g[id] = append(g[id], list...)
	}
	if cache != "" && !repo.Shallow() {
		_ = gitstore.WriteFile(cache, g.format(to)) // best effort: it is read anew where it is missing
	}
	return g, nil
}

const namingsEnd = "end\n"

// format writes the namings of a commit's history, one a line.
func (g namings) format(to gitstore.OID) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "namings 1 %s\n", to)
	for id, list := range g {
		for _, n := range list {
			fmt.Fprintln(&b, strings.Join([]string{string(id), string(n.commit), n.digest, n.as, string(n.actor), n.verb, n.author}, "\t"))
		}
	}
	b.WriteString(namingsEnd)
	return b.Bytes()
}

// loadNamings reads them back; a file that is missing or damaged counts as empty.
func loadNamings(cache string) (gitstore.OID, namings) {
	if cache == "" {
		return "", nil
	}
	data, err := regfile.Read(cache)
	text, whole := strings.CutSuffix(string(data), namingsEnd)
	head, text, ok := strings.Cut(text, "\n")
	to, first := strings.CutPrefix(head, "namings 1 ")
	if err != nil || !whole || !ok || !first {
		return "", nil
	}
	g := make(namings)
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 7 {
			return "", nil
		}
		id := records.ID(f[0])
		g[id] = append(g[id], naming{gitstore.OID(f[1]), f[2], f[3], records.Actor(f[4]), f[6], f[5]})
	}
	return gitstore.OID(to), g
}
