package agenthost

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-ctx/git-ctx/internal/install"
)

// Options say where agents' hosts are set up.
type Options struct {
	// Root is the top of the project's worktree, or the user's home directory
	// where User is set.
	Root string
	User bool
	// Backups is a folder of ours for what files were before.
	Backups string
	// ReadOnly registers a server without the writing tools.
	ReadOnly bool
	// OnPath reports whether a program is found there.
	OnPath func(program string) bool
}

// A File is a file of an agent's host, and what is in it.
type File struct {
	Host, Part string
	Path       string // absolute
	State      install.State
	Why        string // why it is left alone
	// Changed reports whether it was written or removed just now.
	Changed bool
}

// Find names the hosts that the project has files of, or that are on PATH.
func Find(o Options) []string {
	var names []string
	for _, h := range agentHosts() {
		here := func(sign string) bool {
			_, err := os.Stat(filepath.Join(o.Root, filepath.FromSlash(sign)))
			return err == nil
		}
		if !o.User && slices.ContainsFunc(h.signs, here) || o.OnPath != nil && slices.ContainsFunc(h.programs, o.OnPath) {
			names = append(names, h.name)
		}
	}
	return names
}

// Install sets hosts up. It reads all files first, and changes none where
// one is not understood; a file that has somebody else's in our place is left alone.
func Install(o Options, names []string) ([]File, error) {
	return o.change(names, func(p *plannedFile) error {
		text, err := p.edit.put(p.now)
		var foreign *foreignError
		if errors.As(err, &foreign) {
			p.State, p.Why = install.LeftAlone, foreign.Error()
			return nil
		}
		if err != nil {
			return err
		}
		if text == p.now {
			return nil
		}
		p.was, p.stays = p.now, p.there
		if b, ok := o.backup(p.target); ok && b.holds(p.now) {
			p.was, p.stays = string(b.Before), b.There
		} else if was, err := p.edit.drop(p.now, nil); err == nil && p.State != install.Absent {
			p.was, p.stays = was, was != ""
		}
		p.next, p.State = text, install.Installed
		return nil
	})
}

// Uninstall takes out what [Install] put in: a file that nobody else
// has changed since gets its bytes back. What another host that is set up reads
// too stays.
func Uninstall(o Options, names []string) ([]File, error) {
	shared, err := o.others(names)
	if err != nil {
		return nil, err
	}
	return o.change(names, func(p *plannedFile) error {
		if slices.Contains(shared, p.target) {
			if p.State == install.Installed {
				p.Why = "another agent that is set up reads it too"
			}
			return nil
		}
		b, saved := o.backup(p.target)
		if saved && b.holds(p.now) {
			p.next, p.stays, p.State = string(b.Before), b.There, install.Absent
			return nil
		}
		var before *string
		if saved {
			text := string(b.Before)
			before = &text
		}
		text, err := p.edit.drop(p.now, before)
		if err != nil {
			return err
		}
		if text != p.now {
			p.next, p.State = text, install.Absent
		}
		return nil
	})
}

// Status says what of git ctx is in the hosts' files.
func Status(o Options, names []string) ([]File, error) {
	ps, err := o.plan(names)
	return files(ps), err
}

// A plannedFile is one that may be changed.
type plannedFile struct {
	File
	edit      fileEdit
	target    string // where links lead
	now, next string
	was       string // before anything of ours was in it
	there     bool
	stays     bool  // also with nothing in it
	err       error // why it is not understood
}

func files(ps []*plannedFile) []File {
	out := make([]File, len(ps))
	for i, p := range ps {
		out[i] = p.File
	}
	return out
}

// plan looks at the files of hosts.
func (o Options) plan(names []string) ([]*plannedFile, error) {
	var ps []*plannedFile
	for _, name := range names {
		h, ok := findHost(name)
		if !ok {
			return nil, &UnknownHostError{name}
		}
		other := o.parts(&h, !o.ReadOnly)
		for i, part := range o.parts(&h, o.ReadOnly) {
			p, err := o.look(name, part)
			if err != nil {
				return nil, err
			}
			if p.State == install.Outdated {
				if text, err := other[i].edit.put(p.now); err == nil && text == p.now {
					p.State = install.Installed // with, or without, the writing tools
				}
			}
			ps = append(ps, p)
		}
	}
	return ps, nil
}

func (o Options) parts(h *agentHost, readOnly bool) []agentPart {
	e := h.entries(readOnly)
	if o.User {
		return h.user(e)
	}
	return h.project(e)
}

// look finds out about one file.
func (o Options) look(host string, part agentPart) (*plannedFile, error) {
	p := &plannedFile{File: File{Host: host, Part: part.what, Path: filepath.Join(o.Root, filepath.FromSlash(part.path))}, edit: part.edit}
	if _, err := os.Stat(p.Path); errors.Is(err, fs.ErrNotExist) && part.or != "" {
		if or := filepath.Join(o.Root, filepath.FromSlash(part.or)); install.Exists(or) {
			p.Path = or
		}
	}
	var err error
	if p.target, err = followLink(p.Path); err != nil {
		return nil, fmt.Errorf("file '%s': %w", p.Path, err)
	}
	if p.now, p.there, err = install.ReadText(p.target); err != nil {
		return nil, fmt.Errorf("file '%s': %w", p.Path, err)
	}
	p.next = p.now
	p.State, p.err = stateOf(p.now, part.edit)
	if p.State == install.LeftAlone {
		p.Why = p.err.Error()
	}
	return p, nil
}

// followLink is the file that a path leads to, which need not be there.
func followLink(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", errors.New("it is a link to a file that is not there")
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path)), nil
	}
	return path, nil
}

// stateOf says what an edit has done to a text, and why it can do nothing.
func stateOf(text string, edit fileEdit) (install.State, error) {
	with, err := edit.put(text)
	if err != nil {
		return install.LeftAlone, err
	}
	if with == text {
		return install.Installed, nil
	}
	without, err := edit.drop(text, &text)
	if err == nil && without == text {
		return install.Absent, nil
	}
	return install.Outdated, err
}

// change plans for all files before it writes one.
func (o Options) change(names []string, decide func(*plannedFile) error) ([]File, error) {
	ps, err := o.plan(names)
	if err != nil {
		return nil, err
	}
	for i, p := range ps {
		for _, earlier := range ps[:i] { // the same file, under another name
			if earlier.target == p.target {
				p.now, p.next = earlier.next, earlier.next
				p.State, p.err = stateOf(p.now, p.edit)
			}
		}
		if err := decide(p); err != nil {
			return nil, fmt.Errorf("file '%s': %w", p.Path, err)
		}
	}
	for _, p := range ps {
		if p.next == p.now {
			continue
		}
		if err := o.write(p); err != nil {
			return files(ps), fmt.Errorf("write '%s': %w", p.Path, err)
		}
		p.Changed = true
	}
	return files(ps), nil
}

// others are the files that hosts which are set up and not named read.
func (o Options) others(names []string) ([]string, error) {
	rest := slices.DeleteFunc(hostNames(), func(n string) bool { return slices.Contains(names, n) })
	ps, err := o.plan(rest)
	if err != nil {
		return nil, err
	}
	up := make(map[string]bool)
	for _, p := range ps {
		if p.Part != partInstructions && (p.State == install.Installed || p.State == install.Outdated) {
			up[p.Host] = true
		}
	}
	var paths []string
	for _, p := range ps {
		if up[p.Host] {
			paths = append(paths, p.target)
		}
	}
	return paths, nil
}

// write puts a planned text in place, and keeps what was there before.
func (o Options) write(p *plannedFile) error {
	if p.State == install.Installed {
		if err := o.saveBackup(p.target, p.stays, p.was, p.next); err != nil {
			return err
		}
	}
	if p.next != "" || p.stays {
		if err := install.ReplaceFile(p.target, p.next, 0o666); err != nil {
			return err
		}
	} else if err := os.Remove(p.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	} else {
		o.tidy(filepath.Dir(p.target))
	}
	if p.State == install.Absent {
		return o.dropBackup(p.target)
	}
	return nil
}

// tidy removes folders below the root that hold nothing any more.
func (o Options) tidy(dir string) {
	root := cmp.Or(o.Root, ".")
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	for dir != root && install.Within(dir, root) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}
