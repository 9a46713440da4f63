// Package salvage finds the refs of a store that are dead, as objects that they lead
// to are missing, and what still stands: commits of which everything is there.
//
// It reads git and no index, and changes nothing. Whether what stands is sound is
// for package fsck to say.
package salvage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/commitmsg"
	"github.com/git-ctx/git-ctx/internal/ledger"
)

// A DeadRef is a ref that leads to an object that is missing.
type DeadRef struct {
	gitstore.Ref
	// Gap is the object of the oldest commit that lacks one: what came before is whole.
	Gap gitstore.Gap
	// Own are the newest commits of its history and reflog that are whole, Others
	// those that only other refs, or none, lead to; newest first.
	Own, Others []Standing
	// Records is the newest of its commits whose tree is whole and whose history is
	// not; nil where Own has one that is newer.
	Records *Standing
}

// A Standing is a commit of which everything is there.
type Standing struct {
	*gitstore.Commit
	In string // where it was found
}

// Find looks at every ref of the store but claims. A store that is whole costs one
// walk by git.
func Find(ctx context.Context, led *ledger.Ledger) ([]DeadRef, error) {
	repo := led.Repo()
	refs, _, err := repo.SoundRefs(ctx, "refs/ctx/") // that a ref is torn is for others to say
	if err != nil {
		return nil, err
	}
	refs = slices.DeleteFunc(refs, func(r gitstore.Ref) bool { return ledger.IsClaimRef(r.Name) })
	if whole, err := repo.Whole(ctx, oidsOf(refs)); err != nil || whole {
		return nil, err
	}
	s := &search{led: led, repo: repo, refs: refs, logs: make(map[string][]gitstore.OID)}
	tips := oidsOf(refs)
	for _, ref := range refs {
		if s.logs[ref.Name], err = repo.Reflog(ctx, ref.Name); err != nil {
			return nil, err
		}
		tips = append(tips, s.logs[ref.Name]...)
	}
	if s.gaps, err = repo.FindGaps(ctx, tips); err != nil {
		return nil, err
	}
	if err := s.readLoose(ctx, tips); err != nil {
		return nil, err
	}
	var dead []DeadRef
	for _, ref := range refs {
		if gap := s.gaps.Gap(ref.OID); gap != nil {
			d, err := s.dead(ctx, ref, *gap)
			if err != nil {
				return nil, err
			}
			dead = append(dead, d)
		}
	}
	return dead, nil
}

func oidsOf(refs []gitstore.Ref) []gitstore.OID {
	oids := make([]gitstore.OID, len(refs))
	for i, r := range refs {
		oids[i] = r.OID
	}
	return oids
}

type search struct {
	led   *ledger.Ledger
	repo  *gitstore.Repo
	refs  []gitstore.Ref
	logs  map[string][]gitstore.OID
	gaps  *gitstore.Gaps
	loose []gitstore.OID // commits of this store that no ref or reflog of it leads to
}

// readLoose finds the commits that descend from the roots that refs and reflogs lead to.
func (s *search) readLoose(ctx context.Context, tips []gitstore.OID) error {
	known := s.gaps.Reached(tips...)
	var roots []gitstore.OID
	for oid := range known {
		if s.gaps.Commit(oid) != nil && len(s.gaps.Parents(oid)) == 0 {
			roots = append(roots, oid)
		}
	}
	all, err := s.repo.Descendants(ctx, roots)
	if err != nil {
		return err
	}
	for oid := range all {
		if known[oid] {
			continue
		}
		c, err := s.repo.ReadCommit(ctx, oid)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // a tag, or damaged
		}
		// What another scope recorded is not told.
		if m, err := commitmsg.Parse(c.Message); err == nil && (m.Scope == "" || s.led.HeadRefs() == ledger.ScopesPrefix+m.Scope+"/heads/") {
			s.loose = append(s.loose, oid)
		}
	}
	if len(s.loose) > 0 {
		s.gaps, err = s.repo.FindGaps(ctx, append(tips, s.loose...))
	}
	return err
}

func (s *search) dead(ctx context.Context, ref gitstore.Ref, gap gitstore.Gap) (DeadRef, error) {
	d := DeadRef{Ref: ref, Gap: gap}
	own := make(map[gitstore.OID]string)
	for oid := range s.gaps.Reached(ref.OID) {
		own[oid] = "its history"
	}
	for _, oid := range s.logs[ref.Name] {
		own[oid] = "its reflog"
	}
	d.Own = s.newest(own, nil)
	var tips []gitstore.OID
	for _, o := range d.Own {
		tips = append(tips, o.OID)
	}
	covered := s.gaps.Reached(tips...)
	others := make(map[gitstore.OID]string)
	for _, oid := range s.loose {
		others[oid] = "no ref"
	}
	branch := ref.Name[strings.LastIndexByte(ref.Name, '/')+1:]
	for _, r := range s.refs {
		reached := s.gaps.Reached(r.OID)
		follows := slices.ContainsFunc(tips, func(oid gitstore.OID) bool { return reached[oid] })
		if follows || len(tips) == 0 || strings.HasSuffix(r.Name, "/"+branch) {
			others[r.OID] = r.Name
		}
	}
	d.Others = s.newest(others, covered)
	for _, oid := range append([]gitstore.OID{ref.OID}, s.logs[ref.Name]...) {
		if s.gaps.Gap(oid) == nil {
			break
		}
		if has, err := s.gaps.HasTree(ctx, oid); err != nil {
			return d, err
		} else if has {
			d.Records = &Standing{s.gaps.Commit(oid), "its reflog"}
			break
		}
	}
	return d, nil
}

// newest returns the whole commits among some of which no other is a descendant.
func (s *search) newest(where map[gitstore.OID]string, covered map[gitstore.OID]bool) []Standing {
	var parents []gitstore.OID
	whole := func(oid gitstore.OID) bool {
		return s.gaps.Commit(oid) != nil && s.gaps.Gap(oid) == nil && !covered[oid]
	}
	for oid := range where {
		if whole(oid) {
			parents = append(parents, s.gaps.Parents(oid)...)
		}
	}
	below := s.gaps.Reached(parents...)
	var out []Standing
	for oid, in := range where {
		if whole(oid) && !below[oid] {
			out = append(out, Standing{s.gaps.Commit(oid), in})
		}
	}
	slices.SortFunc(out, func(a, b Standing) int {
		return cmp.Or(b.Committer.When.Compare(a.Committer.When), strings.Compare(string(a.OID), string(b.OID)))
	})
	return out
}
