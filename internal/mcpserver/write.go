package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/gitstore"
	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/internal/ledger"
	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
)

// writeAnswer is what every tool that writes answers.
type writeAnswer struct {
	Format int          `json:"format"`
	Commit gitstore.OID `json:"commit"` // of the branch, after it
	Branch string       `json:"branch"`
	// Wrote is the commit that holds the change, "" when there was none to make.
	Wrote   gitstore.OID          `json:"wrote,omitempty"`
	ID      records.ID            `json:"id,omitempty"`
	Created []records.ID          `json:"created"`
	Records []written             `json:"records"`
	Names   map[string]records.ID `json:"names,omitempty"`
	Notes   []string              `json:"notes"`
	Clashes []query.Contradiction `json:"contradictions,omitempty"`
	// Near are standing records about the same thing as a claim that was written, at
	// most three for each, and NearCalls the call for each answer.
	Near      []string `json:"near,omitempty"`
	NearCalls string   `json:"near_calls,omitempty"`
	DryRun    bool     `json:"dry_run,omitempty"`
	Repeated  bool     `json:"repeated,omitempty"`
	page
}

// written is a record after a write.
type written struct {
	ID    records.ID    `json:"id"`
	State records.State `json:"state"`
	Asks  records.State `json:"asks,omitempty"` // what a person is asked to decide
	Title string        `json:"title"`
}

func writeArgs() []arg {
	return []arg{{name: "id", form: text}, {name: "records", form: objects}}
}

func answerOf(res *ledger.Result) *writeAnswer {
	out := &writeAnswer{Format: query.AnswerFormat, Commit: res.Tip, Branch: res.Branch, Wrote: res.Commit, Repeated: res.Repeated,
		Created: append([]records.ID{}, res.Created...), Records: []written{}, Names: res.Named, Notes: append([]string{}, res.Notes...)}
	for _, id := range res.Changed {
		if len(out.Records) == mostItems {
			out.Truncated = true
			break
		}
		if r, ok := res.View.Record(id); ok {
			w := written{ID: id, State: r.State(), Title: query.TitleOf(r)}
			if r.Verdict != nil {
				w.Asks = r.Verdict.Asks
			}
			out.Records = append(out.Records, w)
		}
	}
	if len(res.Changed) > 0 {
		out.ID = res.Changed[0]
	}
	for _, c := range res.Made {
		out.Clashes = append(out.Clashes, query.Contradiction{Rule: c.Rule, IDs: c.IDs})
	}
	out.Near, out.NearCalls = nearest(res.Near)
	return out
}

// nearTitle is how many characters of a title are told: three records and the calls
// are to fit into 120 tokens.
const nearTitle = 32

// nearest tells what stands about the same things, and how to say how it relates.
func nearest(near []ledger.Near) (lines []string, calls string) {
	for _, n := range near {
		for _, o := range n.Nearest {
			title := []rune(query.TitleOf(o))
			line := string(o.ID) + " " + string(title[:min(len(title), nearTitle)])
			if len(near) > 1 {
				line += " (for " + string(n.Of.ID) + ")"
			}
			lines = append(lines, line)
		}
		calls = "OLD replaced: update verb=supersede ids=[OLD] by=" + string(n.Of.ID) + "; else update verb=link ids=[" + string(n.Of.ID) + "] links={contradicts:[OLD]}; both hold: {relates-to:[OLD]}"
	}
	if len(near) > 1 {
		calls = "OLD replaced: update verb=supersede ids=[OLD] by=NEW; else update verb=link ids=[NEW] links={contradicts:[OLD]}; both hold: {relates-to:[OLD]}"
	}
	return lines, calls
}

// keyed is the idempotency key of a call, and what it stands for.
type keyed struct {
	Request string `json:"request"`
}

func requestArg() arg {
	return arg{name: "request", form: text, about: "fresh key; repeat it on retry"}
}

// longestKey bounds an idempotency key.
const longestKey = 100

// asking is the author of a call that writes, with its request. What the call
// says goes into that, so that a key is not taken for another call's.
func (s *Server) asking(ctx context.Context, tool, key string, says any) (ledger.Author, error) {
	a := s.author(ctx)
	if key == "" {
		return a, nil
	}
	if len(key) > longestKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return a, &argumentError{name: "request", why: fmt.Sprintf("a key is of at most %d visible ASCII characters", longestKey)}
	}
	b, err := json.Marshal(says)
	if err != nil {
		return a, fmt.Errorf("read the request: %w", err)
	}
	sum := sha256.Sum256(append([]byte(tool+" "), b...))
	a.Request = key + " " + hex.EncodeToString(sum[:6])
	return a, nil
}

type addArgs struct {
	grammar.Op
	keyed
}

func (a *addArgs) read(v *grammar.Value) (err error) {
	a.Op, err = readKeyed(v, &a.keyed, grammar.Tool{Name: grammar.Add, Verbs: []string{grammar.Add}}, grammar.Add)
	return err
}

// readKeyed reads a call by the grammar, beside its idempotency key.
func readKeyed(v *grammar.Value, k *keyed, tool grammar.Tool, verb string) (grammar.Op, error) {
	if err := v.Take("request", &k.Request); err != nil {
		return grammar.Op{}, err
	}
	return grammar.ReadOp(v, tool, verb)
}

func addRecordTool() tool[addArgs] {
	return tool[addArgs]{
		name: "add", title: "Add a record", writes: true,
		about:  "Record a goal, task, hypothesis, evidence, decision, conclusion, runbook or trigger. What was refuted or rejected before is refused unless again says why.",
		args:   addSchema(),
		answer: writeArgs(),
		run:    (*Server).add,
	}
}

func (s *Server) add(ctx context.Context, a addArgs) (*reply, error) {
	author, err := s.asking(ctx, "add", a.Request, a.Op)
	if err != nil {
		return nil, err
	}
	return s.edit(ctx, author, func(tx *ledger.Tx) (records.ID, error) {
		r, _, err := tx.Do(a.Op)
		if err != nil {
			return "", err
		}
		return r.ID, nil
	}, a.Op)
}

// edit runs one edit of ops, which returns the record that the answer is about.
func (s *Server) edit(ctx context.Context, author ledger.Author, fn func(*ledger.Tx) (records.ID, error), ops ...grammar.Op) (*reply, error) {
	var out *writeAnswer
	err := s.write(ctx, author, func(led *ledger.Ledger) error {
		var main records.ID
		res, err := led.Edit(ctx, func(tx *ledger.Tx) (err error) {
			main, err = fn(tx)
			return err
		}, ops...)
		if err != nil {
			return err
		}
		if out = answerOf(res); main != "" {
			out.ID = main
		}
		return res.Close()
	})
	return &reply{facts: out}, err
}

type applyArgs struct {
	batch  *grammar.Batch
	DryRun bool
	keyed
}

func (a *applyArgs) read(v *grammar.Value) (err error) {
	if err := errors.Join(v.Take("request", &a.Request), v.Take("dry_run", &a.DryRun)); err != nil {
		return err
	}
	a.batch, err = v.TakeBatch("ops")
	return err
}

func applyTool() tool[applyArgs] {
	return tool[applyArgs]{
		name: "apply", title: "Apply a batch", writes: true,
		about: "Several adds and updates in one commit, all or none. Each op has verb and the arguments of add or update; as: NAME lets later ops say $NAME.",
		args: []arg{
			{name: "ops", form: objects, need: true, about: `as [{"verb":"add","kind":"hypothesis","title":"It is the cache","as":"h"},{"verb":"refute","id":"$h","evidence":"p99 unchanged with a warm cache"}]`},
			{name: "dry_run", form: flag}, requestArg(),
		},
		answer: append(writeArgs(), arg{name: "names", form: object}),
		run:    (*Server).apply,
	}
}

func (s *Server) apply(ctx context.Context, a applyArgs) (*reply, error) {
	author, err := s.asking(ctx, "apply", a.Request, []any{a.batch.Ops, a.DryRun})
	if err != nil {
		return nil, err
	}
	var out *writeAnswer
	err = s.write(ctx, author, func(led *ledger.Ledger) error {
		res, err := led.Apply(ctx, a.batch, a.DryRun)
		if err != nil {
			return err
		}
		if res.Repeated {
			res.Named = namedAgain(a.batch, res)
		}
		out = answerOf(res)
		out.DryRun = a.DryRun
		return res.Close()
	})
	return &reply{facts: out}, err
}

// namedAgain finds the records that a batch named when it was applied first.
func namedAgain(b *grammar.Batch, res *ledger.Result) map[string]records.ID {
	named := make(map[string]records.ID)
	for _, op := range b.Ops {
		for _, id := range res.Changed {
			if r, ok := res.View.Record(id); ok && op.As != "" && r.Title == strings.TrimSpace(op.Title) {
				named[op.As] = id
			}
		}
	}
	return named
}

type checkpointArgs struct {
	Message string `json:"message"`
	keyed
}

func checkpointTool() tool[checkpointArgs] {
	return tool[checkpointArgs]{
		name: "checkpoint", title: "Make a checkpoint", writes: true,
		about:  "Name what was learned since the last checkpoint. Every write is a commit already; this gives them a heading in the log.",
		args:   []arg{{name: "message", form: text, need: true}, requestArg()},
		answer: append(writeArgs(), arg{name: "subject", form: text}),
		run:    (*Server).checkpoint,
	}
}

// checkpointAnswer is a checkpoint; without anything new there is none, and no subject.
type checkpointAnswer struct {
	Format  int          `json:"format"`
	Commit  gitstore.OID `json:"commit"`
	Branch  string       `json:"branch"`
	Subject string       `json:"subject,omitempty"`
	Changed int          `json:"changed"`
	Notes   []string     `json:"notes"`
}

func (s *Server) checkpoint(ctx context.Context, a checkpointArgs) (*reply, error) {
	author, err := s.asking(ctx, "checkpoint", a.Request, a.Message)
	if err != nil {
		return nil, err
	}
	out := &checkpointAnswer{Format: query.AnswerFormat, Notes: []string{}}
	err = s.write(ctx, author, func(led *ledger.Ledger) error {
		e, w, err := led.Checkpoint(ctx, a.Message)
		nothing := errors.Is(err, ledger.ErrNothingNew)
		if err != nil && !nothing {
			return err
		}
		if out.Branch, out.Commit, err = led.Tip(ctx); err != nil {
			return err
		}
		out.Changed = w.Changed
		if nothing {
			out.Notes = append(out.Notes, "nothing new since the last checkpoint: none was made")
			return nil
		}
		out.Commit, out.Subject = e.OID, e.Message.Subject
		return nil
	})
	return &reply{facts: out}, err
}
