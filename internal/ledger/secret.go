package ledger

import (
	"context"
	"slices"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/secretscan"
	"github.com/git-ctx/git-ctx/records"
)

// ScanSecrets starts the scan of one write.
func (l *Ledger) ScanSecrets() *secretscan.Scan {
	return secretscan.New(l.secrets(), l.opts.AllowSecrets)
}

// refuseSecretName refuses a name that a ref, a commit or a record would carry.
func (l *Ledger) refuseSecretName(of, name string) error {
	s := l.ScanSecrets()
	s.Text(secretscan.Secret{Field: of, Name: true}, "", name, nil)
	return s.Err()
}

// refuseSecrets scans what the transaction would write, and keeps what its author
// lets pass for the commit's message.
func (tx *Tx) refuseSecrets() error {
	s := tx.l.ScanSecrets()
	for _, id := range tx.Changed() {
		r, _ := tx.Overlay.Record(id)
		old, _ := tx.before.Record(id)
		s.Record(r, old)
	}
	tx.allowed = s.Allowed
	return s.Err()
}

// RefuseSecrets scans the message of a commit that writes the given records, and
// adds to it what its author lets pass.
func (l *Ledger) RefuseSecrets(m *commitmsg.Message, written ...*records.Record) error {
	var texts []string
	for _, r := range written {
		texts = append(texts, secretscan.TextsOf(r)...)
	}
	s := l.ScanSecrets()
	s.Message(m, texts)
	m.Allowed = append(m.Allowed, s.Allowed...)
	return s.Err()
}

// SecretsIn returns a function that tells which secrets a record holds; see [secretscan.In].
func (l *Ledger) SecretsIn(ctx context.Context, tips ...gitstore.OID) func(*records.Record) []secretscan.Secret {
	return secretscan.In(ctx, l.repo, l.secrets, tips...)
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
		brought := m.l.ScanSecrets()
		brought.Record(r, before)
		for _, f := range found {
			if slices.ContainsFunc(brought.Found, func(b secretscan.Secret) bool { return b.Rule == f.Rule && b.Field == f.Field }) {
				m.res.Secrets = append(m.res.Secrets, f)
			}
		}
	}
	return nil
}
