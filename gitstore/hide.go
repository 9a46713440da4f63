package gitstore

import "strings"

// HideRefs makes refs unseen to [Repo.Ref], [Repo.Refs], [Repo.SoundRefs] and
// to names given to [Repo.ResolveCommit]: to them a hidden ref does not exist.
// A pattern is a ref or a folder of refs, as in git's transfer.hideRefs; one
// that starts with "!" shows again what an earlier one hides. It is called
// before the repository is used.
func (r *Repo) HideRefs(patterns ...string) { r.hidden = patterns }

// Hides reports whether a ref of that name is hidden, if there is one.
func (r *Repo) Hides(name string) bool {
	hidden := false
	for _, p := range r.hidden {
		p, shows := strings.CutPrefix(p, "!")
		if rest, ok := strings.CutPrefix(name, p); ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(p, "/")) {
			hidden = !shows
		}
	}
	return hidden
}
