package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-ctx/git-ctx/internal/codebranch"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/claim"
	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// AuditOptions narrow an audit. The zero value asks for all findings.
type AuditOptions struct {
	Rules    []string         // none is all
	Severity records.Severity // the least wanted, "" is info
	// Since, when not "", asks for what the changes since a revision brought in,
	// and for what is wrong with the records that changed.
	Since string
	// Staged asks for findings that name a record whose paths or anchors meet a
	// file staged in the code's index.
	Staged bool
	// Files, when not nil, are the staged files, for who has asked git already.
	Files []string
}

// An Audit is the answer to an audit.
type Audit struct {
	Findings []audit.Finding
	// Since is the commit that was compared with, "" without [AuditOptions.Since].
	Since gitstore.OID
	// Files are the staged files, InForce the decisions in force on them.
	Files   []string
	InForce []records.ID
	// Unverified counts merges that no audit of this clone has looked at.
	Unverified int
}

// Severities are those that a finding can have, worst first.
func Severities() []records.Severity {
	return []records.Severity{records.Error, records.Warning, records.Info}
}

// AtLeast reports whether a severity is as bad as another, or worse; "" is the least.
func AtLeast(s, least records.Severity) bool {
	return least == "" || slices.Index(Severities(), s) <= slices.Index(Severities(), least)
}

func (o AuditOptions) check() error {
	for _, id := range o.Rules {
		if audit.Lookup(id) == nil {
			return &OptionError{Option: "rule", Err: fmt.Errorf("unknown rule '%s'", id)}
		}
	}
	if o.Severity != "" && !slices.Contains(Severities(), o.Severity) {
		return &OptionError{Option: "severity", Err: fmt.Errorf("unknown severity '%s': it is error, warning or info", o.Severity)}
	}
	if o.Staged && o.Since != "" {
		return &OptionError{Option: "staged", Err: errors.New("it goes without a revision to compare with")}
	}
	return nil
}

// RunAudit audits a reading. The error is an *[OptionError] or that of a read.
func RunAudit(ctx context.Context, rd *Reading, o AuditOptions) (*Audit, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	out := &Audit{}
	var err error
	if o.Staged {
		err = out.staged(ctx, rd, o)
	} else {
		err = out.all(ctx, rd, o)
	}
	out.Findings = slices.DeleteFunc(out.Findings, func(f audit.Finding) bool { return !AtLeast(f.Severity, o.Severity) })
	return out, err
}

// all audits the whole reading, or what changed in it.
func (a *Audit) all(ctx context.Context, rd *Reading, o AuditOptions) error {
	in, unverified, err := AuditInput(ctx, rd)
	if err != nil {
		return err
	}
	a.Unverified, in.Only = unverified, o.Rules
	if o.Since == "" {
		a.Findings = audit.Run(in)
		return nil
	}
	return a.since(ctx, rd, in, o.Since)
}

// AuditInput gathers what an audit of the reading looks at, and tells how many
// merges were made before this clone looked, which it does not verify.
func AuditInput(ctx context.Context, rd *Reading) (in audit.Input, unverified int, err error) {
	in = ownInput(ctx, rd)
	if w := rd.Loosened; w != nil {
		in.Loosened = &audit.Loosened{Commit: string(w.Commit), Review: w.Review, Held: w.Held}
	}
	if in.View, err = rd.Whole(); err != nil {
		return in, 0, err
	}
	check, err := rd.Ledger.VerifyMerges(ctx, rd.Commit)
	if err != nil {
		return in, 0, err
	}
	in.LostSides = lostSides(check)
	leaks, err := rd.Ledger.Leaks(ctx, rd.View)
	if err != nil {
		return in, 0, err
	}
	for _, l := range leaks {
		in.Leaks = append(in.Leaks, audit.Leak(l))
	}
	branches, err := codebranch.UnmergedBranches(ctx, rd.Ledger)
	if err != nil {
		return in, 0, err
	}
	for _, b := range branches {
		in.LeftBehind = append(in.LeftBehind, audit.LeftBehind{Branch: b.Branch, Commits: b.Commits, Code: string(b.Code), Command: b.Command})
	}
	if rd.AsOf != "" {
		return in, check.Unverified, nil // claims and the worktree have no past
	}
	claims, _, err := claim.List(ctx, rd.Ledger)
	if err != nil {
		return in, 0, err
	}
	for _, c := range claims {
		in.Claims = append(in.Claims, audit.Claim{Task: c.Task, Holder: c.Holder, Expires: c.Expires})
	}
	in.StaleAnchors, err = staleAnchors(ctx, rd, in.View)
	return in, check.Unverified, err
}

// ownInput is what an audit knows of the reading without another look at git.
func ownInput(ctx context.Context, rd *Reading) audit.Input {
	return audit.Input{
		View: rd.View, Eval: rd.Eval, Policy: rd.Policy, Unreadable: unreadable(rd.View), Now: rd.Ledger.Now(),
		SignatureFault: func(r *records.Record) error {
			fault, err := rd.Ledger.Signatures().FaultOf(ctx, r)
			return cmp.Or(err, fault)
		},
		GivenIn: func(r *records.Record) string { return rd.Ledger.GivenIn(ctx, rd.Commit, r) },
		Secrets: secretsIn(ctx, rd),
		Decided: rd.Ledger.Policies().SuppressionDecided(ctx, rd.Commit, rd.Policy),
	}
}

func secretsIn(ctx context.Context, rd *Reading) func(*records.Record) []audit.Secret {
	find := rd.Ledger.SecretsIn(ctx, rd.Commit)
	return func(r *records.Record) []audit.Secret {
		var out []audit.Secret
		for _, s := range find(r) {
			out = append(out, audit.Secret{Rule: s.Rule, Field: s.Field})
		}
		return out
	}
}

// staged looks at the records that the staged files touch.
func (a *Audit) staged(ctx context.Context, rd *Reading, o AuditOptions) error {
	in := ownInput(ctx, rd)
	in.Only = o.Rules
	if a.Files = o.Files; a.Files == nil {
		var err error
		if a.Files, err = codelink.StagedFiles(ctx, rd.Ledger.Repo()); err != nil || len(a.Files) == 0 {
			return err
		}
	}
	near, err := rd.Touching(a.Files)
	if err != nil {
		return err
	}
	var ids []records.ID
	for _, id := range near {
		r, ok := rd.Record(id)
		if !ok || r.Forgotten() || !slices.ContainsFunc(a.Files, func(f string) bool { return Concerns(r, f) }) {
			continue
		}
		ids = append(ids, id)
		if id.Kind() == records.Decision && rd.Standing(id).Class == records.Asserted {
			a.InForce = append(a.InForce, id)
		}
	}
	a.Findings = audit.About(in, ids)
	return rd.Err()
}

// since compares with a revision.
func (a *Audit) since(ctx context.Context, rd *Reading, in audit.Input, rev string) error {
	var err error
	if a.Since, err = rd.Ledger.Resolve(ctx, rev); err != nil {
		return err
	}
	ds, err := rd.Ledger.Diff(ctx, a.Since, rd.Commit)
	if err != nil {
		return err
	}
	before := in
	base := records.NewOverlay(in.View)
	before.View = base
	before.Unreadable = slices.Clone(in.Unreadable)
	var changed []records.ID
	for _, d := range ds {
		before.Unreadable = slices.DeleteFunc(before.Unreadable, func(u audit.Unreadable) bool { return u.Path == d.Path })
		if d.ID == "" {
			continue
		}
		changed = append(changed, d.ID)
		if d.Old != nil {
			base.Put(d.Old)
		} else {
			base.Drop(d.ID)
		}
	}
	if in.LostSides != nil {
		was, err := rd.Ledger.VerifyMerges(ctx, a.Since)
		if err != nil {
			return err
		}
		before.LostSides = lostSides(was)
	}
	a.Findings = audit.Since(in, before, changed)
	return nil
}

func lostSides(check *ledger.MergeCheck) []audit.LostSide {
	var out []audit.LostSide
	for _, s := range check.Lost {
		out = append(out, audit.LostSide{Merge: string(s.Merge), Record: s.ID, Field: s.Field, Value: s.Value})
	}
	return out
}

// staleAnchors compares the anchors of the view with the worktree.
func staleAnchors(ctx context.Context, rd *Reading, v records.View) ([]audit.StaleAnchor, error) {
	var stale []audit.StaleAnchor
	as, err := checkAnchors(ctx, rd, func(yield func(*records.Record) bool) {
		for r := range v.All() {
			if len(r.Anchors) > 0 && !yield(r) {
				return
			}
		}
	})
	if errors.Is(err, codelink.ErrNoWorktree) {
		return nil, nil
	}
	for _, a := range as {
		for _, c := range a.Checks {
			if c.Lost() {
				stale = append(stale, audit.StaleAnchor{Record: a.Record.ID, Anchor: c.Anchor, Gone: c.State == codelink.Gone})
			}
		}
	}
	return stale, err
}

// unreadable lists the files that the view had to leave out, its policy among them.
func unreadable(v *ledger.View) []audit.Unreadable {
	var us []audit.Unreadable
	for _, u := range v.Unreadable {
		us = append(us, audit.Unreadable{Path: u.Path, Err: u.Err})
	}
	var newer *records.NewerFormatError
	if v.PolicyErr != nil && !errors.As(v.PolicyErr, &newer) {
		us = append(us, audit.Unreadable{Path: records.PolicyFile, Err: v.PolicyErr})
	}
	return us
}
