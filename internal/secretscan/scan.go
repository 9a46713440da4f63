// Package secretscan looks for secrets in what a write brings: in records, and in the
// message of the commit. What the author lets pass is kept, to be put on record. It
// tells where a secret stands and by which rule, never what it is.
package secretscan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/secrets"
	"github.com/git-ctx/git-ctx/records"
)

// A Secret tells where a password, token or key stands, and by which rule it is
// taken for one; never what it is.
type Secret struct {
	Rule string `json:"rule"`
	// Record is "" for the message of a commit, and for a record that is refused
	// before it has a name that anybody knows; Kind is then what it would be.
	Record records.ID   `json:"record,omitempty"`
	Kind   records.Kind `json:"-"`
	Field  string       `json:"field"`
	// Name says that Field is not a record's: it names whose name holds the secret.
	Name bool `json:"-"`
}

func (s Secret) String() string {
	where := string(s.Record)
	switch {
	case s.Name:
		return fmt.Sprintf("name of the %s: rule %s takes it for a secret", s.Field, s.Rule)
	case where == "" && s.Kind == "":
		where = "the commit message"
	case where == "":
		where = "the new " + string(s.Kind)
	}
	return fmt.Sprintf("field '%s' of %s: rule %s takes it for a secret", s.Field, where, s.Rule)
}

// Passing is the value of the trailer of a commit that lets it pass.
func (s Secret) Passing() string { return strings.TrimSpace(s.Rule + " " + string(s.Record)) }

// A Error refuses a write that would put secrets on record. It does not hold
// what they are.
type Error struct{ Found []Secret }

func (e *Error) Error() string {
	const shown = 5
	var places []string
	for _, s := range e.Found[:min(len(e.Found), shown)] {
		places = append(places, s.String())
	}
	if more := len(e.Found) - shown; more > 0 {
		places = append(places, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(places, "; ")
}

// Rules names the rules that found something, each once.
func (e *Error) Rules() []string {
	var ids []string
	for _, s := range e.Found {
		ids = append(ids, s.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// IsRule reports whether there is a rule for secrets of that name.
func IsRule(name string) bool { return secrets.Known(name) }

// WithoutSecrets returns the text with "[secret]" in the place of each that is found.
func WithoutSecrets(text string) string { return secrets.New().Redact(text) }

// A Scan looks for secrets in what one write brings.
type Scan struct {
	Pass    []string // rules that the author lets pass
	Found   []Secret
	Allowed []commitmsg.AllowedSecret // what was let pass, once each

	detector *secrets.Detector
}

// New starts the scan of one write.
func New(d *secrets.Detector, pass []string) *Scan { return &Scan{Pass: pass, detector: d} }

// Record scans what a record says that it did not say before; old is nil for a new
// one. What stood already passes: audit speaks of it, and an unrelated edit may go on.
// What the author lets pass is looked for in all of it, so that any verb can do that.
func (s *Scan) Record(r, old *records.Record) {
	at := Secret{Record: r.ID}
	var known []string
	if old == nil {
		at = Secret{Kind: r.Kind}
	} else {
		known = TextsOf(old)
	}
	if r.Created.By != "" && (old == nil || old.Created.By != r.Created.By) {
		at.Field = "created.by" // an import's, from its source
		s.Text(at, r.ID, r.Created.By, nil)
	}
	for field, text := range r.Texts() {
		if len(s.Pass) > 0 || !slices.Contains(known, text) {
			at.Field = field
			s.Text(at, r.ID, text, known)
		}
	}
}

// Message scans what goes into a commit's message; what a record says that the
// commit writes was looked at there.
func (s *Scan) Message(m *commitmsg.Message, written []string) {
	key, _, _ := strings.Cut(m.Request, " ")
	for _, t := range []struct{ field, text string }{
		{"subject", m.Subject}, {"body", m.Body}, {"tool", m.Tool}, {"model", m.Model}, {"request", key}, {"attested", m.ClientClaimsConsent},
	} {
		s.Text(Secret{Field: t.field}, "", t.text, written)
	}
}

// Text scans one text, where what stands in known passes.
func (s *Scan) Text(at Secret, id records.ID, text string, known []string) {
	for _, f := range s.detector.Find(text) {
		if slices.Contains(s.Pass, f.Rule) {
			if a := (commitmsg.AllowedSecret{Rule: f.Rule, Record: id}); !slices.Contains(s.Allowed, a) {
				s.Allowed = append(s.Allowed, a)
			}
			continue
		}
		value := text[f.Start:f.End]
		if slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, value) }) {
			continue
		}
		at.Rule = f.Rule
		if !slices.Contains(s.Found, at) {
			s.Found = append(s.Found, at)
		}
	}
}

// Err is a *[Error] where the scan found any.
func (s *Scan) Err() error {
	if len(s.Found) == 0 {
		return nil
	}
	return &Error{s.Found}
}

// TextsOf returns what a record says, field by field.
func TextsOf(r *records.Record) []string {
	var out []string
	for _, text := range r.Texts() {
		out = append(out, text)
	}
	return out
}

// In returns a function that tells which secrets a record holds, but for
// those that a commit which the given ones reach let pass. History is read when
// the first is found; where it cannot be, nothing counts as let pass.
func In(ctx context.Context, repo *gitstore.Repo, detector func() *secrets.Detector, tips ...gitstore.OID) func(*records.Record) []Secret {
	allowed := sync.OnceValue(func() map[commitmsg.AllowedSecret]bool { return allowedIn(ctx, repo, tips) })
	return func(r *records.Record) []Secret {
		s := New(detector(), nil)
		s.Record(r, nil)
		var out []Secret
		for _, f := range s.Found {
			if !allowed()[commitmsg.AllowedSecret{Rule: f.Rule, Record: r.ID}] {
				f.Record = r.ID
				out = append(out, f)
			}
		}
		return out
	}
}

// allowedIn collects what the commits that tips reach let pass.
func allowedIn(ctx context.Context, repo *gitstore.Repo, tips []gitstore.OID) map[commitmsg.AllowedSecret]bool {
	allowed := make(map[commitmsg.AllowedSecret]bool)
	for c, err := range repo.Log(ctx, gitstore.LogOptions{Tips: tips, Grep: "^" + commitmsg.AllowTrailer + ": "}) {
		if err != nil {
			return nil
		}
		for _, a := range commitmsg.NewLogEntry(c).Message.Allowed {
			allowed[a] = true
		}
	}
	return allowed
}
