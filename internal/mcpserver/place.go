package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// A place is the repository that a server works on. Once found it stays: no
// later call, client or root moves the server to another.
type place struct {
	mu        sync.Mutex
	found     bool
	dir       string // to open it from, "" is where the program was started
	gitDir    string // that was found
	commonDir string
}

// find finds the repository from where the program was started and makes sure
// that it can be opened. [gitstore.ErrNotRepository] leaves it to the client's roots.
func (s *Server) find(ctx context.Context) error {
	led, err := s.openAt(ctx, "", s.author(ctx), false)
	if err != nil {
		return err
	}
	return errors.Join(led.Close(), led.Repo().Close())
}

// open opens the server's repository, which the first call may have to find.
func (s *Server) open(ctx context.Context, a ledger.Author, noIndex bool) (*ledger.Ledger, error) {
	s.place.mu.Lock()
	found, dir := s.place.found, s.place.dir
	s.place.mu.Unlock()
	if found {
		return s.openAt(ctx, dir, a, noIndex)
	}
	led, err := s.openAt(ctx, "", a, noIndex)
	if !errors.Is(err, gitstore.ErrNotRepository) {
		return led, err
	}
	for _, root := range s.roots(ctx) {
		if led, rerr := s.openAt(ctx, root, a, noIndex); rerr == nil {
			return led, nil
		}
	}
	return nil, err
}

// openAt opens the repository at dir, and refuses one that is not the server's.
func (s *Server) openAt(ctx context.Context, dir string, a ledger.Author, noIndex bool) (*ledger.Ledger, error) {
	led, err := s.opts.Open(ctx, dir, a, noIndex)
	if err != nil {
		return nil, err
	}
	s.place.mu.Lock()
	defer s.place.mu.Unlock()
	if got := led.Repo().GitDir(); !s.place.found {
		s.place.found, s.place.dir, s.place.gitDir, s.place.commonDir = true, dir, got, led.Repo().CommonDir()
	} else if got != s.place.gitDir {
		_, _ = led.Close(), led.Repo().Close() // nothing was asked of them
		return nil, fmt.Errorf("the repository is at '%s' now, and this server was started for '%s'", got, s.place.gitDir)
	}
	return led, nil
}

// roots are the directories that the client works in, where it declared to tell.
func (s *Server) roots(ctx context.Context) []string {
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithRoots)
	if !ok || session.SessionID() != stdioSession || clientCapabilities(ctx).Roots == nil {
		return nil
	}
	res, err := s.mcp.RequestRoots(ctx, mcp.ListRootsRequest{})
	if err != nil {
		s.opts.Log.Warn("the client did not tell its roots", "error", err)
		return nil
	}
	var dirs []string
	for _, r := range res.Roots {
		if u, err := url.Parse(r.URI); err == nil && u.Scheme == "file" && filepath.IsAbs(filepath.FromSlash(u.Path)) {
			dirs = append(dirs, filepath.FromSlash(u.Path))
		}
	}
	return dirs
}
