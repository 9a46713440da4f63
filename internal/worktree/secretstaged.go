package worktree

import (
	"context"
	"errors"

	"github.com/git-ctx/git-ctx/internal/ledger"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/secretscan"
	"github.com/git-ctx/git-ctx/records"
)

// StagedSecrets finds what a commit by hand on a checked out context branch would put on
// record: in the staged record files, as far as HEAD does not hold it, and in the
// message that git is given. Trailers of that message let rules pass, as those of a verb do.
func StagedSecrets(ctx context.Context, l *ledger.Ledger, message string) ([]secretscan.Secret, error) {
	_, head, err := l.Repo().Head(ctx)
	if err != nil {
		return nil, err
	}
	m, err := commitmsg.Parse(message)
	if err != nil {
		m = &commitmsg.Message{Body: message} // git takes it, so it is looked at
	}
	s := l.ScanSecrets()
	pass := s.Pass
	let := func(id records.ID) {
		s.Pass = pass
		for _, a := range m.Allowed {
			if a.Record == id {
				s.Pass = append(s.Pass[:len(s.Pass):len(s.Pass)], a.Rule)
			}
		}
	}
	files, err := StagedFiles(ctx, l)
	if err != nil {
		return nil, err
	}
	err = ReadStaged(ctx, l, files, func(f StagedFile, data []byte) error {
		id, err := records.PathID(f.Path)
		if err != nil {
			return nil // of no record
		}
		let(id)
		return scanStaged(ctx, l, s, head, f.Path, id, data)
	})
	let("")
	s.Message(&commitmsg.Message{Subject: m.Subject, Body: m.Body}, nil)
	return s.Found, err
}

// scanStaged scans one record file. One that cannot be read is text like any other.
func scanStaged(ctx context.Context, l *ledger.Ledger, s *secretscan.Scan, head gitstore.OID, path string, id records.ID, data []byte) error {
	old, err := l.RecordAt(ctx, head, id)
	var unreadable *records.SyntaxError
	if err != nil && !errors.As(err, &unreadable) {
		return err
	}
	r, err := records.Parse(path, data)
	if err != nil {
		s.Text(secretscan.Secret{Record: id, Field: "file"}, id, string(data), nil)
		return nil
	}
	found := len(s.Found)
	s.Record(r, old)
	for i := range s.Found[found:] {
		s.Found[found+i].Record = id // its file has the name already
	}
	return nil
}
