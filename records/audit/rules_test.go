package audit

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-ctx/git-ctx/records"
)

const agent records.Actor = "agent/example"

// A ruleCase is a store with one fault, and the smallest change that mends it.
type ruleCase struct {
	rule     string
	name     string
	severity records.Severity
	// fault makes the store and returns the record that the finding is about, nil for none.
	fault func(s *store) *records.Record
	mend  func(s *store, r *records.Record)
}

func ruleCases() []ruleCase {
	return slices.Concat(storeCases(), clashCases(), standingCases(), gapCases(), likenessCases(), weightCases(), heldCases())
}

// anchored returns evidence that is anchored at lines that are no longer there.
func anchored(s *store) *records.Record {
	ev := s.add(records.Evidence, "a", "The eviction drops the newest", records.Recorded)
	ev.Anchors = []records.Anchor{{Path: "internal/cache/lru.go", Lines: "40-58"}}
	s.in.StaleAnchors = []StaleAnchor{{Record: ev.ID, Anchor: ev.Anchors[0]}}
	return ev
}

// storeCases are those of an unsound store.
func storeCases() []ruleCase {
	return []ruleCase{
		{"unreadable-record", "bad file", records.Error, func(s *store) *records.Record {
			s.in.Unreadable = []Unreadable{{Path: "records/task/a/a/task-aaaaaaaaaa.ctx.yaml", Err: errors.New("2:1: duplicate key")}}
			return nil
		}, func(s *store, _ *records.Record) { s.in.Unreadable = nil }},
		{"stale-anchor", "anchored anew", records.Warning, anchored, func(s *store, _ *records.Record) { s.in.StaleAnchors = nil }},
		{"stale-anchor", "retracted", records.Warning, anchored, func(_ *store, r *records.Record) { r.Verdict.State = records.Retracted }},
		{"lost-side", "members of one set", records.Error, func(s *store) *records.Record {
			for _, tag := range []string{"a", "b"} {
				s.in.LostSides = append(s.in.LostSides, LostSide{Merge: "0123456789abcdef", Record: "task-aaaaaaaaaa", Field: "tags", Value: tag})
			}
			return nil
		}, func(s *store, _ *records.Record) { s.in.LostSides = nil }},
		{"scope-leak", "link", records.Error, func(s *store) *records.Record {
			s.in.Leaks = []Leak{{From: "task-aaaaaaaaaa", To: "hyp-bbbbbbbbbb"}}
			return nil
		}, func(s *store, _ *records.Record) { s.in.Leaks = nil }},
		{"branch-left-behind", "merged", records.Warning, func(s *store) *records.Record {
			s.in.LeftBehind = []LeftBehind{{Branch: "fix", Commits: 2, Code: "merged", Command: "git ctx merge fix"}}
			return nil
		}, func(s *store, _ *records.Record) { s.in.LeftBehind = nil }},
		{"disputed-record", "conflict in the verdict", records.Error, func(s *store) *records.Record {
			r := s.add(records.Decision, "a", "Use a cache", records.Accepted)
			r.Verdict, r.Conflicts = nil, []records.Conflict{{Field: "verdict"}}
			return r
		}, func(s *store, r *records.Record) {
			r.Conflicts = nil
			r.Verdict = &records.Verdict{State: records.Proposed, Actor: records.Human}
		}},
		{"dangling-link", "link", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Task, "a", "Fix it", records.Todo)
			r.Links[records.Serves] = []records.ID{"goal-aaaaaaaaaa"}
			return r
		}, func(s *store, _ *records.Record) { s.add(records.Goal, "a", "Be fast", records.Active) }},
		{"dangling-link", "citation", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Hypothesis, "a", "It leaks", records.Supported)
			r.Verdict.Cites = []records.ID{"ev-aaaaaaaaaa"}
			return r
		}, func(s *store, _ *records.Record) { s.add(records.Evidence, "a", "Heap grows", records.Recorded) }},
		{"dangling-link", "successor", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Decision, "a", "Use a cache", records.Superseded)
			r.Verdict.SupersededBy = "dec-bbbbbbbbbb"
			return r
		}, func(s *store, _ *records.Record) { s.add(records.Decision, "b", "Use none", records.Accepted) }},
		{"dangling-link", "unless the target is unreadable", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Task, "a", "Fix it", records.Todo)
			r.Links[records.Serves] = []records.ID{"goal-aaaaaaaaaa"}
			return r
		}, func(s *store, _ *records.Record) {
			s.in.Unreadable = []Unreadable{{Path: "records/goal/a/a/goal-aaaaaaaaaa.ctx.yaml", Err: errors.New("bad")}}
		}},
		{"wrong-kind-link", "task serves a task", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Task, "a", "Fix it", records.Todo)
			link(r, records.Serves, s.add(records.Task, "b", "Test it", records.Todo))
			return r
		}, func(s *store, r *records.Record) {
			r.Links[records.Serves] = []records.ID{s.add(records.Goal, "a", "Be fast", records.Active).ID}
		}},
		{"cyclic-link", "three tasks", records.Warning, func(s *store) *records.Record {
			a := s.add(records.Task, "a", "One", records.Todo)
			b := s.add(records.Task, "b", "Two", records.Todo)
			c := s.add(records.Task, "c", "Three", records.Todo)
			into := s.add(records.Task, "0", "Leads into the circle", records.Todo)
			link(into, records.DependsOn, b)
			link(a, records.DependsOn, b)
			link(b, records.DependsOn, c)
			link(c, records.DependsOn, a)
			return a
		}, func(s *store, _ *records.Record) { delete(s.records[2].Links, records.DependsOn) }},
		{"cyclic-link", "itself", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Goal, "a", "Be fast", records.Active)
			link(r, records.Parent, r)
			return r
		}, func(s *store, r *records.Record) { delete(r.Links, records.Parent) }},
		{"unknown-rule", "misspelt", records.Warning, func(s *store) *records.Record {
			s.in.Policy = &records.Policy{Audit: map[string]records.Severity{"near-duplicates": records.Off}}
			return nil
		}, func(s *store, _ *records.Record) {
			s.in.Policy = &records.Policy{Audit: map[string]records.Severity{"near-duplicate": records.Off}}
		}},
	}
}

// clashCases are those of records that clash.
func clashCases() []ruleCase {
	return []ruleCase{
		{"rests-on-dead", "decision on a refuted hypothesis", records.Error, restingOn(records.Hypothesis, records.Refuted),
			func(s *store, _ *records.Record) { s.records[0].Verdict.State = records.Supported }},
		{"supported-by-retracted", "decision on retracted evidence", records.Error, restingOn(records.Evidence, records.Retracted),
			func(s *store, r *records.Record) {
				r.Verdict.Despite = []records.Despite{{ID: s.records[0].ID, State: s.records[0].State(), Of: s.records[0].Digest()}}
			}},
		{"rests-on-dead", "conclusion on a rejected decision", records.Error, func(s *store) *records.Record {
			d := s.add(records.Decision, "a", "Use a cache", records.Rejected)
			c := s.add(records.Conclusion, "b", "Caches help", records.Accepted)
			link(c, records.RestsOn, d)
			return c
		}, func(s *store, c *records.Record) { c.Verdict.State = records.Draft }},
		{"circular-basis", "two conclusions", records.Error, func(s *store) *records.Record {
			a, b := s.add(records.Conclusion, "a", "Caches help", records.Accepted), s.add(records.Conclusion, "b", "Caches pay", records.Accepted)
			link(a, records.RestsOn, b)
			link(b, records.RestsOn, a)
			return a
		}, func(s *store, _ *records.Record) { s.records[1].Links = nil }},
		{"unreadable-veto", "on the default branch", records.Error, func(s *store) *records.Record {
			a := s.add(records.Decision, "a", "Use a cache", records.Accepted)
			s.vetoes = map[records.ID]records.State{a.ID: ""}
			return a
		}, func(s *store, _ *records.Record) { s.vetoes = nil }},
		{"deleted-record", "by hand", records.Error, func(s *store) *records.Record {
			a := s.add(records.Decision, "a", "Use a cache", records.Accepted)
			s.in.Eval.Lost = func(id records.ID) []records.Loss { return []records.Loss{{Rule: records.RuleDeleted, Commit: "abc"}} }
			return a
		}, func(s *store, _ *records.Record) { s.in.Eval.Lost = nil }},
		{"forged-tombstone", "by hand", records.Error, func(s *store) *records.Record {
			a := s.add(records.Decision, "a", "Use a cache", records.Rejected)
			a.Tombstone = &records.Tombstone{Fingerprint: "none", Salt: "00", Actor: records.Human}
			s.in.Eval.Lost = func(id records.ID) []records.Loss {
				return []records.Loss{{Rule: records.RuleTombstone, Commit: "abc"}}
			}
			return a
		}, func(s *store, _ *records.Record) { s.in.Eval.Lost = nil }},
		{"displaced-verdict", "put back", records.Error, func(s *store) *records.Record {
			s.provenance(records.Provenance{Named: true, Displaced: "abc"})
			return s.add(records.Decision, "a", "Use a cache", records.Accepted)
		}, func(s *store, _ *records.Record) { s.provenance(records.Provenance{Named: true}) }},
		{"overruled-verdict", "over a person's", records.Error, func(s *store) *records.Record {
			s.provenance(records.Provenance{Over: "abc"})
			return s.add(records.Decision, "a", "Use a cache", records.Accepted)
		}, func(s *store, _ *records.Record) { s.provenance(records.Provenance{Named: true}) }},
		{"rival-decisions", "one question", records.Error, func(s *store) *records.Record {
			a := s.add(records.Decision, "a", "Use a cache", records.Accepted)
			b := s.add(records.Decision, "b", "Use no cache", records.Accepted)
			a.Question, b.Question = "Do we cache?", "do we  cache"
			return a
		}, func(s *store, r *records.Record) { r.Verdict.State = records.Rejected }},
		{"closed-task-open-child", "done task", records.Warning, func(s *store) *records.Record {
			b := s.add(records.Task, "b", "Whole", records.Done)
			link(s.add(records.Task, "a", "Part", records.Blocked), records.PartOf, b)
			return b
		}, func(s *store, _ *records.Record) { s.records[1].Verdict.State = records.Dropped }},
		{"supersession-fork", "two successors", records.Error, func(s *store) *records.Record {
			c := s.add(records.Decision, "c", "Old", records.Superseded)
			a := s.add(records.Decision, "a", "New", records.Accepted)
			b := s.add(records.Decision, "b", "Other", records.Accepted)
			c.Verdict.SupersededBy = a.ID
			c.Also = []records.Verdict{{State: records.Superseded, SupersededBy: b.ID}}
			return c
		}, func(s *store, r *records.Record) { r.Also = nil }},
		{"supersession-cycle", "each other", records.Error, func(s *store) *records.Record {
			a := s.add(records.Decision, "a", "One", records.Superseded)
			b := s.add(records.Decision, "b", "Two", records.Superseded)
			a.Verdict.SupersededBy, b.Verdict.SupersededBy = b.ID, a.ID
			return a
		}, func(s *store, r *records.Record) { r.Verdict.State, r.Verdict.SupersededBy = records.Accepted, "" }},
		{"rests-on-superseded", "hypothesis replaced", records.Warning, func(s *store) *records.Record {
			r := restingOn(records.Hypothesis, records.Superseded)(s)
			next := s.add(records.Hypothesis, "c", "It leaks slowly", records.Supported)
			s.records[0].Verdict.SupersededBy = next.ID
			return r
		}, func(s *store, r *records.Record) { link(r, records.RestsOn, s.records[2]) }},
		{"ruled-out-again", "refuted", records.Warning, func(s *store) *records.Record {
			s.add(records.Hypothesis, "b", "the cache, LEAKS", records.Refuted)
			return s.add(records.Hypothesis, "a", "The cache leaks", records.Proposed)
		}, func(s *store, r *records.Record) { link(r, records.Reopens, s.records[0]) }},
		{"ruled-out-again", "forgotten", records.Warning, func(s *store) *records.Record {
			old := s.add(records.Evidence, "b", "Ada's number is 5", records.Recorded)
			s.records[len(s.records)-1] = old.Forget(records.Tombstone{Salt: "s", Actor: records.Human}, "")
			return s.add(records.Evidence, "a", "ADAs number is 5", records.Recorded)
		}, func(s *store, r *records.Record) { r.Verdict.State = records.Retracted }},
		{"rests-on-superseded", "evidence forgotten", records.Warning, func(s *store) *records.Record {
			r := restingOn(records.Evidence, records.Recorded)(s)
			s.records[0].Tombstone = &records.Tombstone{Reason: "private"}
			return r
		}, func(s *store, r *records.Record) { r.Verdict.State = records.Rejected }},
		{"supported-by-retracted", "cited", records.Warning, func(s *store) *records.Record {
			r, ev := supported(s)
			r.Verdict.Cites = []records.ID{ev.ID, s.add(records.Evidence, "b", "Stands", records.Recorded).ID}
			ev.Verdict.State = records.Retracted
			return r
		}, func(s *store, r *records.Record) { r.Verdict.Cites = r.Verdict.Cites[1:] }},
		{"supported-by-retracted", "all that is linked", records.Warning, func(s *store) *records.Record {
			r, ev := supported(s)
			ev.Verdict.State = records.Retracted
			return r
		}, func(s *store, r *records.Record) {
			link(s.add(records.Evidence, "b", "Stands", records.Recorded), records.Supports, r)
		}},
		{"supported-despite-refutation", "not weighed", records.Error, func(s *store) *records.Record {
			r, _ := supported(s)
			link(s.add(records.Evidence, "b", "No growth", records.Recorded), records.Refutes, r)
			return r
		}, func(s *store, r *records.Record) {
			ev := s.records[2]
			r.Verdict.Despite = []records.Despite{{ID: ev.ID, State: ev.State(), Of: ev.Digest()}}
		}},
		{"supported-despite-refutation", "until retracted", records.Error, func(s *store) *records.Record {
			r, _ := supported(s)
			link(s.add(records.Evidence, "b", "No growth", records.Recorded), records.Refutes, r)
			return r
		}, func(s *store, _ *records.Record) { s.records[2].Verdict.State = records.Retracted }},
	}
}

// restingOn makes an accepted decision that rests on a record of the given kind and state.
func restingOn(k records.Kind, st records.State) func(s *store) *records.Record {
	return func(s *store) *records.Record {
		basis := s.add(k, "b", "It leaks", st)
		r := s.add(records.Decision, "a", "Use a cache", records.Accepted)
		link(r, records.RestsOn, basis)
		return r
	}
}

// supported makes a supported hypothesis and evidence for it.
func supported(s *store) (r, ev *records.Record) {
	r = s.add(records.Hypothesis, "a", "It leaks", records.Supported)
	ev = s.add(records.Evidence, "a", "Heap grows", records.Recorded)
	ev.Source = "heap profile"
	link(ev, records.Supports, r)
	return r, ev
}

// standingCases are those of records that are not asserted though their state says so.
func standingCases() []ruleCase {
	accepted := func(s *store) *records.Record {
		r := s.add(records.Decision, "a", "Use a cache", records.Accepted)
		r.Verdict.Reason = "measured"
		return r
	}
	return []ruleCase{
		{"changed-since-review", "edited", records.Warning, func(s *store) *records.Record {
			r := accepted(s)
			s.changed[r.ID] = true
			return r
		}, func(s *store, r *records.Record) { s.changed[r.ID] = false }},
		{"changed-since-review", "edited and contradicted", records.Warning, func(s *store) *records.Record {
			r := restingOn(records.Hypothesis, records.Refuted)(s)
			s.changed[r.ID] = true
			return r
		}, func(s *store, r *records.Record) { s.changed[r.ID] = false }},
		{"changed-since-review", "unless vetoed", records.Warning, func(s *store) *records.Record {
			r := accepted(s)
			s.changed[r.ID] = true
			return r
		}, func(s *store, r *records.Record) { s.vetoes[r.ID] = records.Rejected }},
		{"unreviewed-verdict", "accepted by an agent", records.Warning, func(s *store) *records.Record {
			r := accepted(s)
			r.Verdict.Actor = agent
			return r
		}, func(s *store, _ *records.Record) { s.in.Eval.Review = records.ReviewAny }},
		{"loosened-policy", "by hand", records.Error, func(s *store) *records.Record {
			s.in.Loosened = &Loosened{Commit: "0123456789abcdef", Review: records.ReviewAny, Held: records.ReviewHuman}
			return nil
		}, func(s *store, _ *records.Record) { s.in.Loosened = nil }},
		{"secret", "in a body", records.Error, func(s *store) *records.Record {
			r := accepted(s)
			s.in.Secrets = func(o *records.Record) []Secret {
				if o.ID != r.ID || o.Body == "" {
					return nil
				}
				return []Secret{{Rule: "github-pat", Field: "body"}}
			}
			r.Body = "what the function takes for a secret\n"
			return r
		}, func(_ *store, r *records.Record) { r.Body = "" }},
		{"unattested-verdict", "no commit gave it", records.Error, func(s *store) *records.Record {
			s.in.Eval.Provenance = func(*records.Record, *records.Verdict) records.Provenance { return records.Provenance{Named: false} }
			s.in.GivenIn = func(*records.Record) string { return "0123456789abcdef" }
			return accepted(s)
		}, func(s *store, _ *records.Record) {
			s.in.Eval.Provenance = func(*records.Record, *records.Verdict) records.Provenance { return records.Provenance{Named: true} }
		}},
		{"unattested-verdict", "where anyone may accept", records.Warning, func(s *store) *records.Record {
			s.in.Eval.Review = records.ReviewAny
			s.in.Eval.Provenance = func(*records.Record, *records.Verdict) records.Provenance { return records.Provenance{Named: false} }
			return accepted(s)
		}, func(_ *store, r *records.Record) { r.Verdict.Actor = agent }},
		{"unsigned-acceptance", "accepted without a signature", records.Warning, func(s *store) *records.Record {
			s.in.Eval.Review = records.ReviewSigned
			return accepted(s)
		}, func(s *store, _ *records.Record) {
			s.in.Eval.Signed = func(*records.Record, *records.Verdict) bool { return true }
		}},
		{"unsigned-acceptance", "says what is wrong with it", records.Info, func(s *store) *records.Record {
			s.in.Eval.Review = records.ReviewSigned
			s.in.SignatureFault = func(*records.Record) error { return errors.New("it is revoked") }
			return s.add(records.Evidence, "a", "Heap grows", records.Verified)
		}, func(s *store, _ *records.Record) {
			s.in.Eval.Signed = func(*records.Record, *records.Verdict) bool { return true }
		}},
		{"unreviewed-verdict", "verified by an agent", records.Info, func(s *store) *records.Record {
			r := s.add(records.Evidence, "a", "Heap grows", records.Verified)
			r.Verdict.Actor = agent
			return r
		}, func(s *store, r *records.Record) { r.Verdict.Actor = records.Human }},
		{"expired-validity", "ended an hour ago", records.Warning, func(s *store) *records.Record {
			r := accepted(s)
			r.Valid.Until = noon.Add(-time.Hour)
			return r
		}, func(s *store, r *records.Record) { r.Valid.Until = noon.Add(time.Hour) }},
		{"expired-validity", "only while it claims to hold", records.Warning, func(s *store) *records.Record {
			r := accepted(s)
			r.Valid.Until = noon
			return r
		}, func(s *store, r *records.Record) { r.Verdict.State = records.Rejected }},
		{"awaiting-review", "proposed by an agent", records.Info, func(s *store) *records.Record {
			r := s.add(records.Decision, "a", "Use a cache", records.Proposed)
			r.Verdict.Actor, r.Verdict.Asks = agent, records.Accepted
			return r
		}, func(s *store, r *records.Record) { r.Verdict.Asks = "" }},
		{"unsourced-support", "cites nothing", records.Info, func(s *store) *records.Record {
			r, _ := supported(s)
			r.Verdict.Actor = agent
			return r
		}, func(s *store, r *records.Record) { r.Verdict.Cites = []records.ID{s.records[1].ID} }},
	}
}

// gapCases are those of unfinished work.
func gapCases() []ruleCase {
	hypothesisOn := func(work records.State) func(s *store) *records.Record {
		return func(s *store) *records.Record {
			r := s.add(records.Hypothesis, "a", "It leaks", records.UnderEvaluation)
			link(r, records.About, s.add(records.Task, "a", "Find it", work))
			return r
		}
	}
	return []ruleCase{
		{"task-without-goal", "open", records.Info, func(s *store) *records.Record {
			return s.add(records.Task, "a", "Fix it", records.Todo)
		}, func(s *store, r *records.Record) {
			link(r, records.Serves, s.add(records.Goal, "a", "Be fast", records.Active))
		}},
		{"task-without-goal", "done", records.Warning, func(s *store) *records.Record {
			return s.add(records.Task, "a", "Fix it", records.Done)
		}, func(s *store, r *records.Record) {
			link(s.add(records.Hypothesis, "a", "It leaks", records.Proposed), records.About, r)
		}},
		{"task-without-goal", "not when dropped", records.Warning, func(s *store) *records.Record {
			return s.add(records.Task, "a", "Fix it", records.Done)
		}, func(s *store, r *records.Record) { r.Verdict.State = records.Dropped }},
		{"done-without-conclusion", "none", records.Warning, func(s *store) *records.Record {
			return s.add(records.Task, "a", "Fix it", records.Done)
		}, func(s *store, r *records.Record) {
			link(s.add(records.Conclusion, "a", "It leaked", records.Accepted), records.Closes, r)
		}},
		{"done-without-conclusion", "rejected", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Task, "a", "Fix it", records.Done)
			link(s.add(records.Conclusion, "a", "It leaked", records.Rejected), records.Closes, r)
			return r
		}, func(s *store, _ *records.Record) { s.records[1].Verdict.State = records.Accepted }},
		{"draft-conclusion", "on a done task", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Conclusion, "a", "It leaked", records.Draft)
			link(r, records.Closes, s.add(records.Task, "a", "Fix it", records.Done))
			return r
		}, func(s *store, r *records.Record) { r.Verdict.State = records.Accepted }},
		{"draft-conclusion", "not while work is open", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Conclusion, "a", "It leaked", records.Draft)
			link(r, records.Closes, s.add(records.Goal, "a", "Be fast", records.Achieved))
			return r
		}, func(s *store, _ *records.Record) { s.records[1].Verdict.State = records.Active }},
		{"open-hypothesis-on-closed-work", "dropped task", records.Warning, hypothesisOn(records.Dropped),
			func(s *store, r *records.Record) {
				link(r, records.About, s.add(records.Task, "b", "Look again", records.Todo))
			}},
		{"open-hypothesis-on-closed-work", "done task", records.Warning, hypothesisOn(records.Done),
			func(s *store, r *records.Record) { r.Verdict.State = records.Refuted }},
		{"hypothesis-without-evidence", "open", records.Info, func(s *store) *records.Record {
			return s.add(records.Hypothesis, "a", "It leaks", records.Proposed)
		}, func(s *store, r *records.Record) {
			link(s.add(records.Evidence, "a", "No growth", records.Recorded), records.Refutes, r)
		}},
		{"hypothesis-without-evidence", "judged", records.Warning, func(s *store) *records.Record {
			return s.add(records.Hypothesis, "a", "It leaks", records.Refuted)
		}, func(s *store, r *records.Record) {
			r.Verdict.Cites = []records.ID{s.add(records.Evidence, "a", "No growth", records.Recorded).ID}
		}},
		{"decision-without-basis", "nothing", records.Warning, func(s *store) *records.Record {
			return s.add(records.Decision, "a", "Use a cache", records.Accepted)
		}, func(s *store, r *records.Record) { r.Verdict.Reason = "measured" }},
		{"decision-without-basis", "until evidence supports it", records.Warning, func(s *store) *records.Record {
			return s.add(records.Decision, "a", "Use a cache", records.Accepted)
		}, func(s *store, r *records.Record) {
			link(s.add(records.Evidence, "a", "Faster", records.Recorded), records.Supports, r)
		}},
		{"goal-without-open-work", "no task", records.Info, func(s *store) *records.Record {
			return s.add(records.Goal, "a", "Be fast", records.Active)
		}, func(s *store, r *records.Record) {
			link(s.add(records.Task, "a", "Fix it", records.InProgress), records.Serves, r)
		}},
		{"goal-without-open-work", "only a done task", records.Info, func(s *store) *records.Record {
			r := s.add(records.Goal, "a", "Be fast", records.Active)
			link(s.add(records.Task, "a", "Fix it", records.Done), records.Serves, r)
			return r
		}, func(s *store, r *records.Record) {
			link(s.add(records.Goal, "b", "Start fast", records.Proposed), records.Parent, r)
		}},
	}
}

// likenessCases are those of near-duplicates; the finding is about the larger id.
func likenessCases() []ruleCase {
	two := func(a, b string) func(s *store) *records.Record {
		return func(s *store) *records.Record {
			s.add(records.Hypothesis, "a", a, records.Proposed)
			return s.add(records.Hypothesis, "b", b, records.Proposed)
		}
	}
	retitle := func(title string) func(*store, *records.Record) {
		return func(_ *store, r *records.Record) { r.Title = title }
	}
	return []ruleCase{
		{"near-duplicate", "case and punctuation", records.Warning, two("The cache leaks!", "the Cache: leaks"), retitle("the cache grows")},
		{"near-duplicate", "one word more", records.Warning, two("cache misses cause slow starts", "cache misses cause slow cold starts"), retitle("cache misses cause few cold ends")},
		{"near-duplicate", "exactly 4 in 5", records.Warning, two("one two three four", "one two three four five"), retitle("one two three five")},
		{"near-duplicate", "numbers tell apart", records.Warning, two("move the old build to go 26 this week", "move the old build to go 26 this month"), retitle("move the old build to go 27 this week")},
		{"near-duplicate", "competing hypotheses", records.Warning, two("The cache leaks", "The cache leaks"),
			func(s *store, r *records.Record) { link(r, records.CompetesWith, s.records[0]) }},
		{"near-duplicate", "one is settled", records.Warning, two("The cache leaks", "The cache leaks"),
			func(s *store, _ *records.Record) { s.records[0].Verdict.State = records.Refuted }},
		{"near-duplicate", "another kind", records.Warning, two("The cache leaks", "The cache leaks"),
			func(s *store, r *records.Record) {
				s.records = s.records[:1]
				s.add(records.Task, "b", "The cache leaks", records.Todo)
			}},
	}
}

func TestRules(t *testing.T) {
	covered := make(map[string]bool)
	for _, c := range ruleCases() {
		covered[c.rule] = true
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			s := newStore()
			r := c.fault(s)
			fs := of(c.rule, Run(s.input()))
			if len(fs) != 1 {
				t.Fatalf("the fault gave %d findings, want 1: %v", len(fs), fs)
			}
			checkFinding(t, fs[0], c, r)
			c.mend(s, r)
			if fs := of(c.rule, Run(s.input())); len(fs) != 0 {
				t.Errorf("the mended store still has %v", fs)
			}
		})
	}
	for _, rule := range Rules() {
		if !covered[rule.ID] {
			t.Errorf("rule %s has no case", rule.ID)
		}
	}
}

func checkFinding(t *testing.T, f Finding, c ruleCase, r *records.Record) {
	t.Helper()
	if f.Severity != c.severity {
		t.Errorf("severity %s, want %s", f.Severity, c.severity)
	}
	if !strings.HasPrefix(f.Hint, "git ctx ") || strings.ContainsAny(f.Hint, "<>|") {
		t.Errorf("hint %q is not a command", f.Hint)
	}
	if f.Path == "" && c.rule != "branch-left-behind" { // it is about no file
		t.Error("no path")
	}
	if r == nil {
		return
	}
	if f.Record != r.ID || f.Path != records.IDPath(r.ID) {
		t.Errorf("finding is about %s in %s, want %s", f.Record, f.Path, r.ID)
	}
	if !strings.Contains(f.Message, string(r.ID)) || !strings.Contains(f.Message, r.Title) {
		t.Errorf("message %q does not name the record", f.Message)
	}
	for _, id := range f.Related {
		if !strings.Contains(f.Message, string(id)) {
			t.Errorf("message %q does not name %s", f.Message, id)
		}
	}
}

// weightCases are those of evidence that does not carry what stands on it.
func weightCases() []ruleCase {
	confident := func(c records.Fraction) func(s *store) *records.Record {
		return func(s *store) *records.Record {
			r, _ := supported(s)
			r.Confidence = &c
			return r
		}
	}
	wordOf := func(s *store) *records.Record {
		r := restingOn(records.Evidence, records.Recorded)(s)
		s.records[0].Created.Actor = agent
		return r
	}
	return []ruleCase{
		{"contradicting-records", "two decisions", records.Error, func(s *store) *records.Record {
			a := s.add(records.Decision, "a", "Use a cache", records.Accepted)
			link(s.add(records.Decision, "b", "Use none", records.Accepted), records.Contradicts, a)
			return a
		}, func(s *store, _ *records.Record) { s.records[1].Verdict.State = records.Rejected }},
		{"contradicting-records", "decision and conclusion", records.Error, func(s *store) *records.Record {
			a := s.add(records.Conclusion, "a", "Caches do not help", records.Accepted)
			link(a, records.Contradicts, s.add(records.Decision, "b", "Use a cache", records.Accepted))
			return a
		}, func(s *store, r *records.Record) {
			s.records[1].Verdict.Despite = []records.Despite{{ID: r.ID, State: r.State(), Of: r.Digest()}}
		}},
		{"contradicting-records", "only where both are reviewed", records.Error, func(s *store) *records.Record {
			a := s.add(records.Conclusion, "a", "Caches do not help", records.Accepted)
			link(a, records.Contradicts, s.add(records.Decision, "b", "Use a cache", records.Accepted))
			return a
		}, func(s *store, r *records.Record) { s.records[1].Verdict.Actor = agent }},
		{"agent-only-evidence", "under a decision", records.Warning, wordOf,
			func(s *store, _ *records.Record) { s.records[0].Source = "bench run 12" }},
		{"agent-only-evidence", "unless a person verified it", records.Warning, wordOf,
			func(s *store, _ *records.Record) { s.records[0].Verdict.State = records.Verified }},
		{"agent-only-evidence", "model output, whatever its source", records.Warning, func(s *store) *records.Record {
			r := wordOf(s)
			s.records[0].Type, s.records[0].Source = "model-output", "a chat"
			return r
		}, func(s *store, _ *records.Record) { s.records[0].Created.Actor = records.Human }},
		{"agent-only-evidence", "below a hypothesis", records.Warning, func(s *store) *records.Record {
			r := restingOn(records.Hypothesis, records.Supported)(s)
			ev := s.add(records.Evidence, "c", "Heap grows", records.Recorded)
			ev.Created.Actor = agent
			link(ev, records.Supports, s.records[0])
			return r
		}, func(s *store, _ *records.Record) {
			link(s.add(records.Evidence, "d", "Heap shrinks", records.Recorded), records.Supports, s.records[0])
		}},
		{"confidence-far-off", "low on support", records.Warning, confident(20), func(_ *store, r *records.Record) { *r.Confidence = 70 }},
		{"confidence-far-off", "strong support", records.Warning, confident(20), func(s *store, _ *records.Record) {
			weak := records.Fraction(10)
			s.records[1].Strength = &weak
		}},
		{"confidence-far-off", "high on refutation, open", records.Info, func(s *store) *records.Record {
			r := confident(95)(s)
			r.Verdict.State = records.UnderEvaluation
			s.records[1].Links = map[records.Relation][]records.ID{records.Refutes: {r.ID}}
			return r
		}, func(s *store, _ *records.Record) { s.records[1].Type = "model-output"; *s.records[0].Confidence = 80 }},
		{"same-text", "accepted twice", records.Warning, func(s *store) *records.Record {
			s.add(records.Decision, "a", "Use a cache", records.Accepted)
			return s.add(records.Decision, "b", "use a  Cache.", records.Accepted)
		}, func(_ *store, r *records.Record) { r.Body = "A small one." }},
		{"same-text", "known", records.Warning, func(s *store) *records.Record {
			s.add(records.Decision, "a", "Use a cache", records.Accepted)
			return s.add(records.Decision, "b", "Use a cache", records.Accepted)
		}, func(s *store, r *records.Record) { link(r, records.Duplicates, s.records[0]) }},
		{"duplicate-origin", "both there", records.Warning, func(s *store) *records.Record {
			o := s.add(records.Task, "a", "Fix it", records.Todo)
			o.ID = records.ImportID(records.Task, "beads", "bd-1")
			r := s.add(records.Task, "b", "Mend it", records.Todo)
			r.Origin = &records.Origin{System: "beads", Key: "bd-1"}
			return r
		}, func(s *store, r *records.Record) { r.Verdict.State = records.Dropped }},
		{"duplicate-origin", "own id", records.Warning, func(s *store) *records.Record {
			r := s.add(records.Task, "a", "Fix it", records.Todo)
			r.Origin = &records.Origin{System: "beads", Key: "bd-1"}
			return r
		}, func(s *store, r *records.Record) { r.ID = records.ImportID(records.Task, "beads", "bd-1") }},
	}
}

// heldCases are those of claims and suppressions, which end.
func heldCases() []ruleCase {
	return []ruleCase{
		{"expired-claim", "task left", records.Info, func(s *store) *records.Record {
			r := s.add(records.Task, "a", "Fix it", records.InProgress)
			s.in.Now, s.in.Claims = noon, []Claim{{Task: r.ID, Holder: "Ada Example", Expires: noon.Add(-time.Hour)}}
			return nil
		}, func(s *store, _ *records.Record) { s.in.Claims[0].Expires = noon.Add(time.Hour) }},
		{"expired-claim", "until the task is closed", records.Info, func(s *store) *records.Record {
			r := s.add(records.Task, "a", "Fix it", records.InProgress)
			s.in.Now, s.in.Claims = noon, []Claim{{Task: r.ID, Holder: "Ada Example", Expires: noon}}
			return nil
		}, func(s *store, _ *records.Record) { s.records[0].Verdict.State = records.Done }},
		{"idle-suppression", "no such rule", records.Info, idle(records.Suppression{Rule: "near-duplicates", Record: "task-aaaaaaaaaa"}),
			func(s *store, _ *records.Record) { s.in.Policy.Suppressed[0].Rule = "near-duplicate" }},
		{"idle-suppression", "no such record", records.Info, idle(records.Suppression{Rule: "near-duplicate", Record: "task-bbbbbbbbbb"}),
			func(s *store, _ *records.Record) { s.add(records.Task, "b", "Test it", records.Todo) }},
		{"idle-suppression", "ended", records.Info, idle(records.Suppression{Rule: "near-duplicate", Record: "task-aaaaaaaaaa", Until: noon}),
			func(s *store, _ *records.Record) { s.in.Policy.Suppressed[0].Until = noon.Add(time.Hour) }},
	}
}

func idle(sup records.Suppression) func(s *store) *records.Record {
	return func(s *store) *records.Record {
		s.add(records.Task, "a", "Fix it", records.Todo)
		s.in.Now, s.in.Policy = noon, &records.Policy{Suppressed: []records.Suppression{sup}}
		return nil
	}
}
