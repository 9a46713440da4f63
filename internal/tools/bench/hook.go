package main

import (
	"os"
	"path/filepath"
)

// hook runs the pre-commit hook, as git does, with one file staged.
func (s *shop) hook(file string) func() error {
	ready := false
	return func() error {
		if !ready {
			if err := s.stage(file); err != nil {
				return err
			}
			ready = true
		}
		return s.exec(nil, filepath.Join(s.dir, ".git", "hooks", "pre-commit"))
	}
}

// stage stages one file alone, and sees to the hooks and to a decision on it.
func (s *shop) stage(file string) error {
	if err := os.MkdirAll(filepath.Join(s.dir, filepath.Dir(file)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, file), []byte("1"), 0o644); err != nil {
		return err
	}
	batch := `[{"verb": "add", "kind": "decision", "as": "d", "title": "Stage with care", "paths": ["staged/**"], "new": true},
		{"verb": "accept", "id": "$d", "reason": "for the hook"}]`
	if err := s.exec([]byte(batch), s.bin, "apply", "-"); err != nil {
		return err
	}
	for _, args := range [][]string{{"reset", "-q"}, {"add", file}} {
		if err := s.git(args...); err != nil {
			return err
		}
	}
	return s.ctx("hooks", "install")
}
