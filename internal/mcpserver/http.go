package mcpserver

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Bounds of the HTTP transport.
const (
	idleSession = time.Hour
	lastAnswers = 10 * time.Second
)

// endpoint is where the HTTP transport answers.
const endpoint = "/mcp"

// listen opens a port of the loopback interface. Another address is refused: what
// agents write here is for this machine's user.
func listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address '%s': give it as 127.0.0.1:PORT", addr)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("address '%s': it is not of the loopback interface, and others are not served", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("address '%s': %w", addr, err)
	}
	return l, nil
}

// serveHTTP answers clients that know the token over streamable HTTP, until ctx is done.
func (s *Server) serveHTTP(ctx context.Context, l net.Listener, token string) error {
	transport := server.NewStreamableHTTPServer(s.mcp, server.WithSessionIdleTTL(idleSession), server.WithStateful(true),
		server.WithStreamableHTTPLogger(s.opts.Log))
	srv := &http.Server{Handler: guard(token, transport), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) }}
	var beside sync.WaitGroup
	watch, stopWatch := context.WithCancel(ctx)
	beside.Go(func() { s.watch(watch) })
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
		transport.CloseSessions(last) // ends the streams that wait for notices
		err = srv.Shutdown(last)
		cancel()
		_ = srv.Close() // what did not end by itself
		err = errors.Join(context.Cause(ctx), err)
	}
	stopWatch()
	beside.Wait()
	return err
}

// guard lets requests of local programs through that know the token: a web page
// that the user looks at must not get at the server, under whatever name it found it.
func guard(token string, next http.Handler) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !local(r.Host), !localOrigin(r.Header.Get("Origin")):
			http.Error(w, "this server answers local programs only", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
		case r.URL.Path != endpoint:
			http.NotFound(w, r)
		case r.ContentLength > mostMessage:
			http.Error(w, fmt.Sprintf("the message is longer than %d bytes: send less at once", mostMessage), http.StatusRequestEntityTooLarge)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, mostMessage) // one that does not say its length
			next.ServeHTTP(w, r)
		}
	})
}

// local reports whether a host, with or without a port, is this machine's loopback.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// localOrigin reports whether a page of that origin may ask; a program has none.
func localOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && local(u.Host)
}
