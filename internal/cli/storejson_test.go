package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-ctx/git-ctx/internal/codebranch"

	"github.com/git-ctx/git-ctx/internal/worktree"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/fsck"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/importer"
	"github.com/git-ctx/git-ctx/internal/importer/bootstrap"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/purge"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/internal/secretscan"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// TestStoreAnswersKeepTheirKeys fixes the names that scripts rely on.
func TestStoreAnswersKeepTheirKeys(t *testing.T) {
	merged := mergedJSON{Disputed: []disputedJSON{{}}, Contradictions: []query.Contradiction{{}}, Dropped: []droppedJSON{{ID: "i", Field: "f", Value: "v"}},
		Secrets: []secretscan.Secret{{Record: "i"}}}
	tests := []struct {
		name   string
		answer any
		want   string
	}{
		{"audit", auditJSON{Since: "c", Files: []string{"f"}, Findings: []audit.Finding{{Record: "i", Path: "p", Hint: "h", Suppressed: &records.Suppression{By: "b"}}}},
			"branch commit counts files findings findings.fingerprint findings.hint findings.message findings.path findings.record findings.rule " +
				"findings.severity findings.suppressed findings.suppressed.actor findings.suppressed.at findings.suppressed.by " +
				"findings.suppressed.reason findings.suppressed.record findings.suppressed.rule format since suppressed"},
		{"audit --fix", fixJSON{Commit: "c", Repairs: []ledger.Repair{{}}}, "commit format repairs repairs.id repairs.what"},
		{"evidence recheck", query.AnchorsAnswer{Anchors: []query.AnchorLine{{Lines: "l", NowPath: "p", NowLines: "l"}}},
			"anchors anchors.id anchors.kind anchors.lines anchors.now_lines anchors.now_path anchors.path anchors.state anchors.title commit format updated"},
		{"why", query.WhyAnswer{Branch: "b", Lines: "l", Records: []query.WhyRecord{{Reason: "r", Because: []query.Match{{Path: "p", Lines: "l", State: "s",
			Glob: "g", Commit: "c", Subject: "s", Via: "v", Instead: "i"}}}}},
			"branch commit format in_git left_out lines names path records records.because records.because.commit records.because.glob " +
				"records.because.how records.because.instead_of records.because.lines records.because.path records.because.state " +
				"records.because.subject records.because.via records.class records.id records.kind records.reason records.state records.title uncommitted"},
		{"merge", merged,
			"changed commit contradictions contradictions.ids contradictions.rule disputed disputed.fields disputed.id " +
				"dropped dropped.field dropped.id dropped.rule dropped.value fast_forward refused secrets secrets.field secrets.record secrets.rule up_to_date"},
		{"import", importedJSON{Records: []sourceIDJSON{{}}, Skipped: []skippedJSON{{}}, Notes: []skippedJSON{{}}, Twins: []twinJSON{{}}},
			"changed dry_run forgotten format merge new notes notes.item notes.reason records records.id records.key same skipped skipped.item skipped.reason source twins twins.id twins.of twins.state vendor"},
		{"bootstrap map", bootstrap.Plan{Skipped: []importer.Skip{{}}, Proposals: []bootstrap.Proposal{{Question: "q", Options: []string{"o"}, Body: "b", Asks: "a", Date: "d", Anchors: []bootstrap.Cited{{}}}}},
			"format proposals proposals.anchors proposals.anchors.lines proposals.anchors.path proposals.anchors.sha256 proposals.asks proposals.body proposals.confidence proposals.date " +
				"proposals.key proposals.kind proposals.options proposals.question proposals.title proposals.why skipped skipped.item skipped.reason"},
		{"purge", jsonOfPurged(&purge.Purged{Refs: []gitstore.RefUpdate{{}}}, false),
			"alternates commits dry_run elsewhere files format ids kept kept_by objects quoted refs refs.commits refs.new refs.old refs.ref remotes versions"},
		{"scope list", scopesAnswer{}, "format scopes"},
		{"scope create", scopeAnswer{}, "commit format scope"},
		{"conflicts", conflictsJSON{Disputed: []disputeJSON{{Fields: []fieldDisputeJSON{{
			Bases: []records.Field{}, Sides: []sideJSON{{Value: records.Field{Value: nil}, By: "b", Actor: "a", At: "t", Commit: "c"}},
		}}}}},
			"branch commit disputed disputed.fields disputed.fields.bases disputed.fields.field disputed.fields.sides " +
				"disputed.fields.sides.actor disputed.fields.sides.at disputed.fields.sides.by disputed.fields.sides.commit " +
				"disputed.fields.sides.n disputed.fields.sides.value disputed.id disputed.kind disputed.title format"},
		{"fsck", fsckJSON{Refs: []refJSON{{}}, Findings: []fsck.Fault{{Ref: "r", Commit: "c", Path: "p", ID: "i"}}},
			"commits counts findings findings.check findings.commit findings.id findings.message findings.path findings.ref " +
				"findings.severity format records refs refs.commit refs.ref"},
		{"agent", agentJSON{Files: []agentFileJSON{{Why: "w"}}},
			"files files.changed files.host files.part files.path files.state files.why format user"},
		{"hooks", hooksJSON{Driver: driverJSON{Command: "c"}, Hooks: []hookJSON{{Why: "w"}}},
			"format hooks hooks.name hooks.path hooks.state hooks.why merge_driver merge_driver.attributes merge_driver.command " +
				"merge_driver.ready merge_driver.runs"},
		{"review", query.ReviewAnswer{Branch: "b", Proposals: []query.Proposal{{Why: "w", Task: "t", By: "b", Reason: "r",
			Chain: []query.ChainLink{{Cites: []records.ID{"i"}}}}}},
			"branch challenges commit format proposals proposals.accept proposals.actor proposals.asks proposals.at proposals.by proposals.chain " +
				"proposals.chain.cites proposals.chain.id proposals.chain.verb proposals.id proposals.kind proposals.of proposals.reason " +
				"proposals.reject proposals.state proposals.task proposals.title proposals.why"},
		{"review show", reviewedJSON{Reasoning: &query.Reasoning{
			RestsOn: []query.Ground{{Type: "t", Source: "s", Evidence: []query.Ground{{Stance: "s"}}}}, Supersedes: []query.Replaced{{Fields: []query.FieldChange{{}}}}}},
			"proposal reasoning reasoning.rests_on reasoning.rests_on.class reasoning.rests_on.depth reasoning.rests_on.evidence " +
				"reasoning.rests_on.evidence.class reasoning.rests_on.evidence.depth reasoning.rests_on.evidence.id reasoning.rests_on.evidence.kind " +
				"reasoning.rests_on.evidence.stance reasoning.rests_on.evidence.state reasoning.rests_on.evidence.title reasoning.rests_on.id " +
				"reasoning.rests_on.kind reasoning.rests_on.source reasoning.rests_on.state reasoning.rests_on.title reasoning.rests_on.type " +
				"reasoning.rivals reasoning.supersedes reasoning.supersedes.fields reasoning.supersedes.fields.field reasoning.supersedes.fields.new " +
				"reasoning.supersedes.fields.old reasoning.supersedes.id reasoning.supersedes.title record"},
		{"worktree", worktreesJSON{Worktrees: []worktree.Worktree{{}}}, "format worktrees worktrees.branch worktrees.commit worktrees.dir"},
		{"left_behind of status", codebranch.Unmerged{}, "branch code command commit commits"},
		{"apply", appliedJSON{edited: edited{Commit: "c"}, Names: map[string]records.ID{}},
			"branch commit created dry_run format names notes records"},
	}
	for _, tt := range tests {
		data, err := json.Marshal(tt.answer)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		keys := make(map[string]bool)
		collectKeys(v, "", keys)
		if got := strings.Join(slices.Sorted(maps.Keys(keys)), " "); got != tt.want {
			t.Errorf("%s has the keys\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

func collectKeys(v any, prefix string, keys map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			keys[prefix+k] = true
			collectKeys(x, prefix+k+".", keys)
		}
	case []any:
		for _, x := range v {
			collectKeys(x, prefix, keys)
		}
	}
}

func TestAddTemplateRoundTrips(t *testing.T) {
	op := grammar.Op{Verb: "add", Kind: "hypothesis", Title: "It is the cache: # or not", Body: "one\n\n# two\n", Tags: []string{"slow"}, Again: "new facts"}
	text, err := addTemplate(records.Hypothesis.Schema(), op)
	if err != nil {
		t.Fatal(err)
	}
	stripped, above := withoutComments(text)
	if above != 2 {
		t.Errorf("the template has %d lines of comment above, want 2", above)
	}
	got, err := parseOp(stripped, op)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	a, _ := json.Marshal(op)
	b, _ := json.Marshal(got)
	if string(a) != string(b) {
		t.Errorf("the template gives back %s, want %s\n%s", b, a, text)
	}
	for _, s := range records.Schemas() {
		if _, err := addTemplate(s, grammar.Op{Verb: "add", Kind: string(s.Kind)}); err != nil {
			t.Errorf("%s: %v", s.Kind, err)
		}
		for _, field := range s.Fields {
			if _, ok := fieldHints()[field]; !ok {
				t.Errorf("the template of %s has no hint for %s", s.Kind, field)
			}
		}
	}
	if _, err := parseOp([]byte("verb: refute\n"), op); err == nil {
		t.Error("a template that names a verb is accepted")
	}
}
