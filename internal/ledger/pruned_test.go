package ledger

import (
	"errors"
	"testing"

	"github.com/git-ctx/git-ctx/gitstore"
)

// TestUnpruned: a write whose objects a collection took runs again, once, and no
// other failure does.
func TestUnpruned(t *testing.T) {
	pruned, other := &gitstore.PrunedError{Ref: "refs/ctx/heads/main"}, errors.New("other")
	for _, tt := range []struct {
		name   string
		fails  []error
		writes int
		want   error
	}{
		{"no failure", nil, 1, nil},
		{"pruned once", []error{pruned}, 2, nil},
		{"pruned twice", []error{pruned, pruned}, 2, pruned},
		{"another failure", []error{other}, 1, other},
	} {
		n := 0
		err := unpruned(func() error {
			if n++; n <= len(tt.fails) {
				return tt.fails[n-1]
			}
			return nil
		})
		if n != tt.writes || err != tt.want { // the very error
			t.Errorf("%s: %d writes, %v", tt.name, n, err)
		}
	}
}
