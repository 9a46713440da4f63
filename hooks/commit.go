package hooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/worktree"

	"github.com/git-ctx/git-ctx/internal/codelink"
	"github.com/git-ctx/git-ctx/internal/fsck"
	"github.com/git-ctx/git-ctx/internal/guard"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/text"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// shownBeforeCommit bounds the lines of each part of the report.
const shownBeforeCommit = 10

// beforeCommit shows what the staged files are subject to and what is wrong
// with it, or, in a worktree of the context, what is wrong with the files.
func beforeCommit(ctx context.Context, led *ledger.Ledger, c *Call) error {
	value, _, err := led.Repo().Config(ctx, "ctx.hooks.block")
	if err != nil {
		return err
	}
	blocks := value == "true"
	look := lookAtCode
	if in, err := worktree.OfContext(ctx, led); err != nil {
		return err
	} else if in {
		look = lookAtRecords
	}
	bad, err := look(ctx, led, c)
	if err != nil && blocks {
		c.say("its part of the pre-commit hook failed: %v", err)
	}
	if blocks && (bad || err != nil) {
		c.say("the commit is stopped, as ctx.hooks.block asks for; 'git commit --no-verify' lets one pass,")
		c.say("and 'git config ctx.hooks.block false' all")
		return ErrStop
	}
	return err
}

// lookAtCode reports on the records that the staged files touch; bad is an error among the findings.
func lookAtCode(ctx context.Context, led *ledger.Ledger, c *Call) (bad bool, err error) {
	var files []string
	var filesErr error
	asked := make(chan struct{})
	go func() { // git takes as long to tell as we to open the index
		defer close(asked)
		files, filesErr = codelink.StagedFiles(ctx, led.Repo())
	}()
	rd, err := query.Read(ctx, led, query.Clocks{})
	<-asked
	if err := cmp.Or(err, filesErr); err != nil || len(files) == 0 {
		return false, err
	}
	a, err := query.RunAudit(ctx, rd, query.AuditOptions{Staged: true, Files: files, Severity: records.Warning})
	if err != nil {
		return false, err
	}
	if len(a.InForce) > 0 {
		c.say("in force on the staged files (%d)", len(a.InForce))
	}
	for i, id := range a.InForce {
		if i == shownBeforeCommit {
			c.more(len(a.InForce) - i)
			break
		}
		if r, ok := rd.Record(id); ok {
			fmt.Fprintf(c.Out, "  %s  %s\n", rd.Abbreviate(id, query.ShownID), query.TitleOf(r))
		}
	}
	if err := standsOnStaged(ctx, rd, files, c); err != nil {
		return false, err
	}
	var found []audit.Finding
	for _, f := range a.Findings {
		if f.Suppressed == nil {
			found = append(found, f)
			bad = bad || f.Severity == records.Error
		}
	}
	if len(found) > 0 {
		c.say("%s about the records that the staged files touch", text.Plural(len(found), "finding"))
	}
	for i, f := range found {
		if i == shownBeforeCommit {
			c.more(len(found) - i)
			break
		}
		fmt.Fprintf(c.Out, "  %s %s: %s\n", f.Severity, f.Rule, strings.ReplaceAll(f.Message, "\n", "\n    "))
		if f.Hint != "" {
			fmt.Fprintf(c.Out, "    hint: %s\n", f.Hint)
		}
	}
	return bad, rd.Err()
}

// standsOnStaged shows the records that cite lines which the index changes, and what stands
// on them. The lines are asked of git only where a record cites a staged file.
func standsOnStaged(ctx context.Context, rd *query.Reading, files []string, c *Call) error {
	ids, err := rd.Touching(files)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(ids, func(id records.ID) bool {
		r, ok := rd.Record(id)
		return ok && slices.ContainsFunc(r.Anchors, func(a records.Anchor) bool { return slices.Contains(files, a.Path) })
	}) {
		return nil
	}
	res, err := guard.Run(ctx, rd, guard.Options{})
	if err != nil {
		return err
	}
	cited := slices.DeleteFunc(res.Touched, func(t guard.Touched) bool {
		return len(t.On) == 0 && !slices.ContainsFunc(t.At, func(p guard.Place) bool { return p.Anchor != nil })
	})
	if len(cited) > 0 {
		c.say("these stand on the lines that change (%d): still true?", len(cited))
	}
	name := func(id records.ID) string { return rd.Abbreviate(id, query.ShownID) }
	for i, t := range cited {
		if i == shownBeforeCommit {
			fmt.Fprintf(c.Out, "  and %d more: git ctx guard\n", len(cited)-i)
			break
		}
		fmt.Fprintf(c.Out, "  %s  %s  %s: %s\n", name(t.Record.ID), query.StateWord(t.Standing.State), query.TitleOf(t.Record), t.Reason(name))
	}
	return nil
}

func (c *Call) more(n int) { fmt.Fprintf(c.Out, "  and %d more: git ctx audit --staged\n", n) }

// lookAtRecords reports on record files that a person is about to commit.
func lookAtRecords(ctx context.Context, led *ledger.Ledger, c *Call) (bad bool, err error) {
	faults, err := fsck.Staged(ctx, led)
	for _, f := range faults {
		c.say("%s: %s: %s", f.Severity, f.Path, strings.TrimPrefix(f.Message, f.Path+":"))
		bad = bad || f.Severity == records.Error
	}
	return bad, err
}
