package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNoIdentity reports that git does not know who the user is; the wrapped
// *GitError holds its advice.
var ErrNoIdentity = errors.New("author identity unknown")

// Identity returns who git would record now as author and committer; callers
// may replace the time. In a hook, which GIT_INDEX_FILE shows, the author is
// the committer: `git commit --author` exports the commit's author there, who
// did not write what the hook writes. The common case needs no process beyond
// the configuration's; anything unusual is left to `git var`.
func (r *Repo) Identity(ctx context.Context) (author, committer Signature, err error) {
	committer, err = r.identity(ctx, "committer")
	if err != nil {
		return author, committer, err
	}
	if _, inHook := lookupEnv(r.env, "GIT_INDEX_FILE"); inHook {
		return committer, committer, nil
	}
	author, err = r.identity(ctx, "author")
	return author, committer, err
}

func (r *Repo) identity(ctx context.Context, role string) (Signature, error) {
	name, err := r.identityField(ctx, role, "name")
	if err != nil {
		return Signature{}, err
	}
	email, err := r.identityField(ctx, role, "email")
	if err != nil {
		return Signature{}, err
	}
	env := strings.ToUpper(role)
	when, exact := time.Now(), true
	if date, _ := lookupEnv(r.env, "GIT_"+env+"_DATE"); date != "" {
		when, exact = plainDate(date)
	}
	if exact && plainIdentity(name) && plainIdentity(email) {
		return Signature{name, email, when.Truncate(time.Second)}, nil
	}
	out, err := r.Git(ctx, nil, "var", "GIT_"+env+"_IDENT")
	var ge *GitError
	switch {
	case !errors.As(err, &ge):
	case !exact && plainIdentity(name) && plainIdentity(email):
		date, _ := lookupEnv(r.env, "GIT_"+env+"_DATE")
		return Signature{}, fmt.Errorf("read identity: GIT_%s_DATE is '%s': git takes it for no date", env, date)
	default:
		return Signature{}, fmt.Errorf("%w: %w", ErrNoIdentity, ge)
	}
	if err != nil {
		return Signature{}, fmt.Errorf("read identity: %w", err)
	}
	return parseSignature(strings.TrimSuffix(string(out), "\n")), nil
}

// identityField looks where git does: environment, then the role's own
// configuration, then the user's.
func (r *Repo) identityField(ctx context.Context, role, field string) (string, error) {
	if v, ok := lookupEnv(r.env, "GIT_"+strings.ToUpper(role+"_"+field)); ok && v != "" {
		return v, nil
	}
	for _, section := range []string{role, "user"} {
		v, ok, err := r.Config(ctx, section+"."+field)
		if err != nil {
			return "", err
		}
		if ok {
			return v, nil
		}
	}
	return "", nil
}

// plainIdentity reports whether git would take the text as it is, without
// stripping anything.
func plainIdentity(s string) bool {
	const stripped = " .,:;<>\"\\'"
	if s == "" || strings.Trim(s, stripped) != s || strings.ContainsAny(s, "<>") {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' {
			return false
		}
	}
	return true
}

// plainDate reads the two exact forms scripts use; git knows many more.
func plainDate(s string) (time.Time, bool) {
	if secs, zone, ok := strings.Cut(strings.TrimPrefix(s, "@"), " "); ok && len(zone) == 5 && len(secs) > 8 {
		return parseRawTime(secs + " " + zone)
	}
	t, err := time.Parse(time.RFC3339, s)
	return t, err == nil
}
