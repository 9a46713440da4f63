package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// watchEvery is how often the refs are looked at: a few stats a second, where
// there is a client to tell.
const watchEvery = time.Second

// watch tells clients when the context branches moved, whoever moved them.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var seen uint64
	tips := make(map[string]gitstore.OID)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		dir := s.place.known()
		if dir == "" {
			continue
		}
		now := refsPrint(dir)
		if now == seen {
			continue
		}
		moved, err := s.moved(ctx, tips, seen == 0)
		if err != nil {
			continue // the next look will tell
		}
		seen = now
		if len(moved) > 0 {
			s.tell(moved)
		}
	}
}

// refsPrint changes when a ref under refs/ctx may have: it is made of names, sizes
// and times alone.
func refsPrint(commonDir string) uint64 {
	h := fnv.New64a()
	note := func(path string, info fs.FileInfo) {
		fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
	}
	for _, f := range []string{"packed-refs", filepath.Join("reftable", "tables.list")} {
		if info, err := os.Stat(filepath.Join(commonDir, f)); err == nil {
			note(f, info)
		}
	}
	_ = filepath.WalkDir(filepath.Join(commonDir, "refs", "ctx"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone since it was listed
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			note(path, info)
		}
		return nil
	})
	return h.Sum64() | 1 // 0 is not looked at yet
}

// moved brings the tips up to date and returns the resources that changed; none
// on the first look, which has nothing to compare with.
func (s *Server) moved(ctx context.Context, tips map[string]gitstore.OID, first bool) (map[string]bool, error) {
	uris := make(map[string]bool)
	err := s.with(ctx, s.author(ctx), func(led *ledger.Ledger) error {
		if led.Scope() != "" { // reading takes over what the project has new
			if _, err := led.View(ctx); err != nil && !errors.Is(err, ledger.ErrNotInitialised) {
				return err
			}
		}
		branches, err := led.Branches(ctx)
		if err != nil {
			return err
		}
		now := make(map[string]gitstore.OID)
		for _, b := range branches {
			now[b.Name] = b.Commit
			if first || tips[b.Name] == b.Commit {
				continue
			}
			uris[branchURI(b.Name)], uris[uriPacket], uris[uriAudit] = true, true, true
			if !b.Current {
				continue
			}
			uris[branchURI("HEAD")] = true
			s.movedRecords(ctx, led, tips[b.Name], b.Commit, uris)
		}
		clear(tips)
		maps.Copy(tips, now)
		return nil
	})
	return uris, err
}

// movedRecords notes the records that differ. Where that cannot be told, as the
// commit before is gone by a purge, it is all that a client looks at: one may
// show what was purged.
func (s *Server) movedRecords(ctx context.Context, led *ledger.Ledger, from, to gitstore.OID, uris map[string]bool) {
	ds, err := led.Diff(ctx, from, to)
	for _, d := range ds {
		if d.ID != "" {
			uris[recordURI(d.ID)] = true
		}
	}
	if err == nil {
		return
	}
	s.watchMu.Lock()
	defer s.watchMu.Unlock()
	for _, watched := range s.watched {
		for uri := range watched {
			if strings.HasPrefix(uri, uriRecord) {
				uris[uri] = true
			}
		}
	}
}

// tell sends what was asked for.
func (s *Server) tell(moved map[string]bool) {
	s.mcp.SendNotificationToAllClients(mcp.MethodNotificationResourcesListChanged, nil)
	s.watchMu.Lock()
	defer s.watchMu.Unlock()
	for session, uris := range s.watched {
		for uri := range uris {
			if !moved[uri] {
				continue
			}
			n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
				Method: string(mcp.MethodNotificationResourceUpdated), Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}}}}
			select {
			case session.NotificationChannel() <- n:
			default: // its client does not read: it will ask when it does
			}
		}
	}
}

// watchSubscriptions keeps what each session wants to hear of, until it ends.
func (s *Server) watchSubscriptions(hooks *server.Hooks) {
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, req *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		s.wants(ctx, req.Params.URI, 1)
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, req *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		s.wants(ctx, req.Params.URI, -mostItems)
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, req *mcp.SubscriptionsListenRequest) {
		for _, uri := range req.Params.Notifications.ResourceSubscriptions {
			s.wants(ctx, uri, 1)
		}
	})
	hooks.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, req *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		for _, uri := range req.Params.Notifications.ResourceSubscriptions {
			s.wants(ctx, uri, -1)
		}
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) {
		s.watchMu.Lock()
		defer s.watchMu.Unlock()
		delete(s.watched, session)
	})
}

// wants counts a session's interest in a resource up or down.
func (s *Server) wants(ctx context.Context, uri string, by int) {
	session := server.ClientSessionFromContext(ctx)
	if session == nil || !strings.HasPrefix(uri, scheme) {
		return
	}
	s.watchMu.Lock()
	defer s.watchMu.Unlock()
	uris := s.watched[session]
	switch {
	case uris == nil && by > 0:
		s.watched[session] = map[string]int{uri: by}
	case uris == nil:
	case uris[uri]+by <= 0:
		if delete(uris, uri); len(uris) == 0 {
			delete(s.watched, session)
		}
	case len(uris) < mostWatched:
		uris[uri] += by
	}
}

// mostWatched bounds what one session subscribes to.
const mostWatched = 1000

// known is the common directory of the server's repository, "" before it is found.
func (p *place) known() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commonDir
}
