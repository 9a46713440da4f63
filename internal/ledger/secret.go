package ledger

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
}

func (s Secret) String() string {
	where := string(s.Record)
	switch {
	case where == "" && s.Kind == "":
		where = "the commit message"
	case where == "":
		where = "the new " + string(s.Kind)
	}
	return fmt.Sprintf("field '%s' of %s: rule %s takes it for a secret", s.Field, where, s.Rule)
}

// Passing is the value of the trailer of a commit that lets it pass.
func (s Secret) Passing() string { return strings.TrimSpace(s.Rule + " " + string(s.Record)) }

// A SecretError refuses a write that would put secrets on record. It does not hold
// what they are.
type SecretError struct{ Found []Secret }

func (e *SecretError) Error() string {
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
func (e *SecretError) Rules() []string {
	var ids []string
	for _, s := range e.Found {
		ids = append(ids, s.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// IsSecretRule reports whether there is a rule for secrets of that name.
func IsSecretRule(name string) bool { return secrets.Known(name) }

// WithoutSecrets returns the text with "[secret]" in the place of each that is found.
func WithoutSecrets(text string) string { return secrets.New().Redact(text) }

// A secretScan looks for secrets in what a write brings.
type secretScan struct {
	detector *secrets.Detector
	pass     []string // rules that the author lets pass
	found    []Secret
	allowed  []commitmsg.AllowedSecret
}

// scanSecrets starts the scan of one write.
func (l *Ledger) scanSecrets() *secretScan {
	return &secretScan{detector: l.secrets(), pass: l.opts.AllowSecrets}
}

// record scans what a record says that it did not say before; old is nil for a new
// one. What stood already passes: audit speaks of it, and an unrelated edit may go on.
// What the author lets pass is looked for in all of it, so that any verb can do that.
func (s *secretScan) record(r, old *records.Record) {
	at := Secret{Record: r.ID}
	var known []string
	if old == nil {
		at = Secret{Kind: r.Kind}
	} else {
		known = textsOf(old)
	}
	for field, text := range r.Texts() {
		if len(s.pass) > 0 || !slices.Contains(known, text) {
			at.Field = field
			s.text(at, r.ID, text, known)
		}
	}
}

// message scans what goes into a commit's message; what a record says that the
// commit writes was looked at there.
func (s *secretScan) message(m *commitmsg.Message, written []string) {
	key, _, _ := strings.Cut(m.Request, " ")
	for _, t := range []struct{ field, text string }{
		{"subject", m.Subject}, {"body", m.Body}, {"tool", m.Tool}, {"model", m.Model}, {"request", key}, {"attested", m.ClientClaimsConsent},
	} {
		s.text(Secret{Field: t.field}, "", t.text, written)
	}
}

// text scans one text, where what stands in known passes.
func (s *secretScan) text(at Secret, id records.ID, text string, known []string) {
	for _, f := range s.detector.Find(text) {
		if slices.Contains(s.pass, f.Rule) {
			if a := (commitmsg.AllowedSecret{Rule: f.Rule, Record: id}); !slices.Contains(s.allowed, a) {
				s.allowed = append(s.allowed, a)
			}
			continue
		}
		value := text[f.Start:f.End]
		if slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, value) }) {
			continue
		}
		at.Rule = f.Rule
		if !slices.Contains(s.found, at) {
			s.found = append(s.found, at)
		}
	}
}

// err is a *[SecretError] where the scan found any.
func (s *secretScan) err() error {
	if len(s.found) == 0 {
		return nil
	}
	return &SecretError{s.found}
}

func textsOf(r *records.Record) []string {
	var out []string
	for _, text := range r.Texts() {
		out = append(out, text)
	}
	return out
}

// refuseSecrets scans what the transaction would write, and keeps what its author
// lets pass for the commit's message.
func (tx *Tx) refuseSecrets() error {
	s := tx.l.scanSecrets()
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		old, _ := tx.before.Record(id)
		s.record(r, old)
	}
	tx.allowed = s.allowed
	return s.err()
}

// RefuseSecrets scans the message of a commit that writes the given records, and
// adds to it what its author lets pass.
func (l *Ledger) RefuseSecrets(m *commitmsg.Message, written ...*records.Record) error {
	var texts []string
	for _, r := range written {
		texts = append(texts, textsOf(r)...)
	}
	s := l.scanSecrets()
	s.message(m, texts)
	m.Allowed = append(m.Allowed, s.allowed...)
	return s.err()
}

// SecretsIn returns a function that tells which secrets a record holds, but for
// those that a commit which the given ones reach let pass. History is read when
// the first is found; where it cannot be, nothing counts as let pass.
func (l *Ledger) SecretsIn(ctx context.Context, tips ...gitstore.OID) func(*records.Record) []Secret {
	allowed := sync.OnceValue(func() map[commitmsg.AllowedSecret]bool { return l.allowedIn(ctx, tips) })
	return func(r *records.Record) []Secret {
		s := &secretScan{detector: l.secrets()}
		s.record(r, nil)
		var out []Secret
		for _, f := range s.found {
			if !allowed()[commitmsg.AllowedSecret{Rule: f.Rule, Record: r.ID}] {
				f.Record = r.ID
				out = append(out, f)
			}
		}
		return out
	}
}

// allowedIn collects what the commits that tips reach let pass.
func (l *Ledger) allowedIn(ctx context.Context, tips []gitstore.OID) map[commitmsg.AllowedSecret]bool {
	allowed := make(map[commitmsg.AllowedSecret]bool)
	for c, err := range l.repo.Log(ctx, gitstore.LogOptions{Tips: tips, Grep: "^" + commitmsg.AllowTrailer + ": "}) {
		if err != nil {
			return nil
		}
		for _, a := range commitmsg.NewLogEntry(c).Message.Allowed {
			allowed[a] = true
		}
	}
	return allowed
}

// secrets finds those in the records that the merge takes over or joins, and that
// our side does not have.
func (m *merging) secrets(ctx context.Context) error {
	find := m.l.SecretsIn(ctx, m.ours, m.theirs)
	for _, c := range m.changes {
		if _, err := records.PathID(c.Path); err != nil {
			continue
		}
		r, err := records.Parse(c.Path, c.Data)
		if err != nil {
			continue // audit speaks of it
		}
		found := find(r)
		if len(found) == 0 {
			continue
		}
		ours, err := m.ourSnap.Content(c.Path)
		if err != nil {
			return err
		}
		before, _ := records.Parse(c.Path, ours) // one that cannot be read said nothing
		brought := m.l.scanSecrets()
		brought.record(r, before)
		for _, f := range found {
			if slices.ContainsFunc(brought.found, func(b Secret) bool { return b.Rule == f.Rule && b.Field == f.Field }) {
				m.res.Secrets = append(m.res.Secrets, f)
			}
		}
	}
	return nil
}
