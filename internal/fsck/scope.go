package fsck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
)

// scopes looks for commits of a scope in the project's history, where a merge
// by hand or a push brought them. What the message says of them is not told.
func (ck *checker) scopes(ctx context.Context) {
	project := slices.DeleteFunc(slices.Clone(ck.sound), func(r gitstore.Ref) bool { return strings.HasPrefix(r.Name, ledger.ScopesPrefix) })
	seen := make(map[gitstore.OID]bool)
	ck.each(project, func(refs []gitstore.Ref) error {
		for c, err := range ck.repo().Log(ctx, gitstore.LogOptions{Tips: oidsOf(refs), Grep: "^" + commitmsg.ScopeTrailer + ": "}) {
			if err != nil {
				return err
			}
			m, err := commitmsg.Parse(c.Message)
			if err != nil || m.Scope == "" || seen[c.OID] {
				continue
			}
			seen[c.OID] = true
			ck.rep.Faults = append(ck.rep.Faults, Fault{Severity: records.Error, Check: CheckScope, Commit: c.OID,
				Message: fmt.Sprintf("it was made in scope '%s', and the project's history holds it", m.Scope)})
		}
		return nil
	})
}
