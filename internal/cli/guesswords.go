package cli

import "github.com/git-ctx/git-ctx/records"

// The words that people and agents try first, from other trackers and from git.
var (
	guessAdd  = []string{"add", "create", "new", "record", "register", "insert", "write", "propose", "open", "make"}
	guessList = []string{"list", "ls", "all"}
	// guessSearch are the words for looking for words.
	guessSearch = []string{"search", "find", "query", "grep", "filter", "lookup"}

	// generalVerbs are verbs over any record.
	generalVerbs = map[string]string{
		"show": "show ID", "view": "show ID", "get": "show ID", "cat": "show ID", "info": "show ID", "describe": "show ID",
		"inspect": "show ID", "why": "lineage ID", "edit": "edit ID", "update": "edit ID", "modify": "edit ID", "set": "edit ID",
		"rename": "edit ID --title TEXT", "tag": "edit ID --tag TAG", "label": "edit ID --tag TAG", "history": "log ID", "log": "log ID",
		"timeline": "log ID", "link": "link ID REL=ID", "relate": "link ID REL=ID", "connect": "link ID REL=ID",
		"dep": "link ID depends-on=ID", "depend": "link ID depends-on=ID", "unlink": "unlink ID REL=ID",
		"claim": "claim ID", "take": "claim ID", "assign": "claim ID", "lock": "claim ID", "release": "claim --release ID", "unclaim": "claim --release ID",
		"comment": "evidence add 'TEXT' --link relates-to=ID", "replace": "supersede ID --by NEW --reason WHY",
		"obsolete": "supersede ID --by NEW --reason WHY",
	}

	// guessVerbs are other words for judgements. The first verb that applies to the kind is meant.
	guessVerbs = map[string][]records.Verb{
		"validate": {"support", "verify", "accept"}, "confirm": {"support", "verify", "accept"}, "prove": {"support", "verify"},
		"approve": {"accept", "support", "verify", "activate"}, "agree": {"accept", "support"}, "adopt": {"accept", "activate"},
		"ratify": {"accept"}, "choose": {"accept"}, "publish": {"accept", "activate"}, "enable": {"activate", "accept"},
		"disprove": {"refute", "reject"}, "falsify": {"refute"}, "invalidate": {"refute", "retract", "reject", "retire"}, "deny": {"reject", "refute"},
		"decline": {"reject", "drop"}, "close": {"done", "achieve", "accept", "retire"}, "finish": {"done", "achieve"}, "complete": {"done", "achieve"},
		"end": {"done", "achieve"}, "begin": {"start", "evaluate"}, "resume": {"start", "activate"},
		"continue": {"start"}, "doing": {"start"}, "wip": {"start"}, "pause": {"block", "park"}, "wait": {"block"}, "hold": {"block", "park"},
		"defer": {"park", "block"}, "cancel": {"drop", "abandon", "reject"}, "skip": {"drop"}, "wontfix": {"drop"},
		"rm": {"drop", "abandon", "refute", "retract", "reject", "retire"}, "delete": {"drop", "abandon", "refute", "retract", "reject", "retire"},
		"remove":  {"drop", "abandon", "refute", "retract", "reject", "retire"},
		"discard": {"drop", "abandon", "refute", "retract", "reject", "retire"}, "archive": {"retire", "park", "drop"},
		"disable": {"retire"}, "deprecate": {"retire"}, "test": {"evaluate"}, "investigate": {"evaluate"},
		// Verbs of one kind said of another.
		"reject": {"refute", "retract", "drop", "abandon"}, "accept": {"support", "verify", "activate"}, "support": {"verify", "accept"},
		"refute": {"reject", "retract"}, "verify": {"support", "accept"}, "done": {"achieve", "accept"}, "start": {"evaluate", "activate"},
		"activate": {"start", "accept"}, "drop": {"abandon", "reject", "refute", "retract"}, "abandon": {"drop"}, "retract": {"refute", "reject"},
		"retire": {"park"}, "block": {"park"},
	}

	// guessKinds are words for a kind, or for recording one.
	guessKinds = map[string]records.Kind{
		"remember": records.Evidence, "note": records.Evidence, "memory": records.Evidence, "observe": records.Evidence,
		"observation": records.Evidence, "finding": records.Evidence, "fact": records.Evidence, "measure": records.Evidence,
		"assume": records.Hypothesis, "assumption": records.Hypothesis, "guess": records.Hypothesis, "theory": records.Hypothesis, "question": records.Hypothesis,
		"decide": records.Decision, "adr": records.Decision, "choice": records.Decision, "conclude": records.Conclusion, "learn": records.Conclusion,
		"learned": records.Conclusion, "lesson": records.Conclusion, "playbook": records.Runbook, "procedure": records.Runbook, "guardrail": records.Runbook,
		"prompt": records.Trigger, "epic": records.Goal, "objective": records.Goal, "issue": records.Task, "ticket": records.Task, "bug": records.Task, "story": records.Task,
	}

	// guessWords are other words for whole commands.
	guessWords = map[string]string{
		"todo": "git ctx task list", "todos": "git ctx task list", "issues": "git ctx task list", "ready": "git ctx next",
		"work": "git ctx next", "queue": "git ctx next", "prime": "git ctx packet", "brief": "git ctx packet", "summary": "git ctx packet",
		"recall": "git ctx packet", "load": "git ctx packet", "read": "git ctx packet", "onboard": "git ctx packet", "checkpoint": "git ctx commit -m 'MESSAGE'",
		"save": "git ctx commit -m 'MESSAGE'", "snapshot": "git ctx commit -m 'MESSAGE'", "undo": "git ctx revert COMMIT",
		"rollback": "git ctx revert COMMIT", "reset": "git ctx revert COMMIT", "checkout": "git ctx switch BRANCH\ngit ctx switch -c NEW-BRANCH",
		"branches": "git ctx branch", "tree": "git ctx graph", "links": "git ctx graph", "lint": "git ctx audit",
		"health": "git ctx doctor", "diagnose": "git ctx doctor", "repair": "git ctx doctor", "claims": "git ctx claim",
		"st": "git ctx status", "dashboard": "git ctx status",
		"whoami": "git ctx status", "setup": "git ctx init", "install": "git ctx init", "config": "git ctx init -h",
		"upload": "git ctx sync", "share": "git ctx sync", "batch": "git ctx apply FILE", "bulk": "git ctx apply FILE",
		"dump": "git ctx export", "backup": "git ctx export",
		// Git's own verbs, each by what it would do here.
		"restore": "git ctx revert COMMIT", "rebase": "git ctx merge BRANCH", "cherry-pick": "git ctx merge BRANCH", "stash": "git ctx switch -c NEW-BRANCH",
		"clone": "git ctx sync", "remote": "git ctx sync -h", "reflog": "git ctx log --all", "shortlog": "git ctx stats", "whatchanged": "git ctx log --all",
		"bisect": "git ctx log ID", "annotate": "git ctx why PATH", "blame": "git ctx why PATH", "stage": "git ctx status", "unstage": "git ctx status",
		"gc": "git ctx doctor", "prune": "git ctx doctor", "clean": "git ctx doctor", "repack": "git ctx doctor", "maintenance": "git ctx doctor",
		"ls-files": "git ctx list", "ls-tree": "git ctx list", "cat-file": "git ctx show ID", "rev-parse": "git ctx status", "rev-list": "git ctx log --all",
		"mv": "git ctx edit ID --title TEXT", "amend": "git ctx edit ID", "squash": "git ctx supersede OLD --by NEW --reason WHY",
		"notes": "git ctx evidence list", "tags": "git ctx list --tag TAG", "difftool": "git ctx diff", "mergetool": "git ctx conflicts", "format-patch": "git ctx export",
		"am": "git ctx apply FILE", "bundle": "git ctx export", "submodule": "git ctx -h", "sparse-checkout": "git ctx -h",
		"request-pull": "git ctx closeout --format=markdown",
	}

	// guessFlags are other names of flags: the first that the command has is meant.
	guessFlags = map[string][]string{
		"description": {"body"}, "desc": {"body"}, "details": {"body"}, "content": {"body"}, "notes": {"body", "reason"}, "d": {"body"},
		"text": {"body", "reason"}, "message": {"reason", "body"}, "m": {"reason", "body"}, "msg": {"reason", "message", "body"},
		"because": {"reason"}, "why": {"reason"}, "rationale": {"reason", "body"}, "comment": {"reason", "body"}, "note": {"reason", "body"},
		"justification": {"reason"}, "close-reason": {"reason"}, "reason": {"body", "message"},
		"evidence-text": {"evidence"}, "proof": {"evidence"}, "evidence-id": {"cite", "rests-on"}, "cites": {"cite"}, "ref": {"cite", "source"},
		"evidence": {"rests-on", "cite"}, "status": {"state"}, "s": {"state"}, "label": {"tag"}, "labels": {"tag"}, "tags": {"tag"}, "l": {"tag"}, "t": {"type", "tag"},
		"prio": {"priority"}, "p": {"priority"}, "urgency": {"priority"}, "depends": {"depends-on"}, "deps": {"depends-on"}, "blocked-by": {"depends-on"},
		"requires": {"depends-on"}, "after": {"depends-on", "since"}, "before": {"until"}, "serves": {"goal"}, "epic": {"goal"}, "parent": {"part-of", "goal"},
		"task": {"about", "closes", "goal"}, "goal": {"parent", "about", "closes"}, "for": {"about", "supports", "goal"}, "against": {"refutes"},
		"hypothesis": {"supports", "rests-on"}, "decision": {"supports"}, "support": {"supports"}, "refute": {"refutes"}, "based-on": {"rests-on"},
		"context": {"body"}, "options": {"option"}, "alternative": {"option"}, "alternatives": {"option"}, "steps": {"step"}, "files": {"path"},
		"paths": {"path"}, "glob": {"path"}, "line": {"anchor"}, "lines": {"anchor"}, "url": {"source"}, "link-to": {"link"}, "links": {"link"},
		"force": {"new"}, "f": {"file", "new"}, "body-file": {"file"}, "limit": {"max-count", "number"}, "tokens": {"budget"}, "max-tokens": {"budget"},
		"replaced-by": {"by"}, "with": {"by"}, "superseded-by": {"by"}, "editor": {"edit"}, "learned": {"message"}, "expires": {"valid-until"},
		"create": {"create"}, "b": {"create"}, "focus": {"purpose"}, "query": {"purpose"}, "topic": {"purpose"},
	}
)
