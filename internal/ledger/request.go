package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/records"
)

// requestsKept is among how many of a branch's newest commits a request is
// looked for: a caller that repeats one does so within moments.
const requestsKept = 1000

// A RequestReusedError refuses an idempotency key that stood for another request.
type RequestReusedError struct {
	Key    string
	Commit gitstore.OID // that answered the other one
}

func (e *RequestReusedError) Error() string {
	return fmt.Sprintf("request '%s': that key stood for another request, which commit %.12s answered", e.Key, e.Commit)
}

// answered finds the commit that answered this author's request before; nil
// when none did. The caller holds the writers' lock.
func (l *Ledger) answered(ctx context.Context, tip gitstore.OID) (*commitmsg.LogEntry, error) {
	a := l.opts.Author
	if a.Request == "" {
		return nil, nil
	}
	key, _, _ := strings.Cut(a.Request, " ")
	seen := 0
	for e, err := range l.History(ctx, HistoryQuery{From: []gitstore.OID{tip}}) {
		if err != nil {
			return nil, err
		}
		if had, _, _ := strings.Cut(e.Message.Request, " "); had == key && e.Message.Actor == a.Actor && e.Message.Session == l.SessionKey() {
			if e.Message.Request != a.Request {
				return nil, &RequestReusedError{key, e.OID}
			}
			return e, nil
		}
		if seen++; seen == requestsKept {
			break
		}
	}
	return nil, nil
}

// again is the result of an edit whose request was answered before.
func (l *Ledger) again(ctx context.Context, e *commitmsg.LogEntry, branch string, tip gitstore.OID) (*Result, error) {
	view, err := l.loadView(ctx, &View{Commit: tip, Branch: branch}, false)
	if err != nil {
		return nil, err
	}
	res := &Result{Commit: e.OID, Tip: tip, Branch: branch, Changed: e.Message.Records, View: view, Repeated: true, read: view,
		Notes: []string{"this request was answered before: nothing was written again"}}
	for _, id := range e.Message.Records {
		var before *records.Record
		if len(e.Parents) > 0 {
			before, err = l.RecordAt(ctx, e.Parents[0], id)
		}
		if err != nil {
			_ = view.Close() // the error that counts is the first
			return nil, err
		}
		if before == nil {
			res.Created = append(res.Created, id)
		}
	}
	return res, nil
}
