package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-ctx/git-ctx/internal/grammar"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/standing"
)

// A Judgement is what comes with a state verb.
type Judgement struct {
	Reason string
	Cites  []string // names of records
	// Evidence, when not empty, is recorded, linked and cited in the same commit.
	Evidence string
	// Type, Source and Anchors belong to that evidence.
	Type, Source string
	Anchors      []records.Anchor
	// Despite names records whose contradiction is known and overridden.
	Despite []string
	// Learned closes a task with a draft conclusion.
	Learned string
}

// A NamedEvidenceError says that the text of new evidence is the name of a record,
// which is to be cited instead.
type NamedEvidenceError struct {
	Verb      records.Verb
	ID, Named records.ID
}

func (e *NamedEvidenceError) Error() string {
	return fmt.Sprintf("evidence '%s': it is a record already, and not the text of a new one", e.Named)
}

// Move applies a state verb to a record.
func (tx *Tx) Move(verb records.Verb, name string, j Judgement) (*records.Record, error) {
	r, err := tx.Find(name)
	if err != nil {
		return nil, err
	}
	m := verb.Transition()
	if m == nil {
		return nil, fmt.Errorf("unknown state verb '%s'", verb)
	}
	to, ok := m.To[r.Kind]
	if !ok {
		return nil, tx.wrongKind(m, r)
	}
	if err := undisputed(r); err != nil {
		return nil, err
	}
	if m.NeedsReason && strings.TrimSpace(j.Reason) == "" {
		if j.Evidence == "" {
			return nil, &grammar.ReasonError{Verb: verb}
		}
		j.Reason = firstLine(j.Evidence)
	}
	if err := records.CheckTransition(r.Kind, r.State(), to); err != nil {
		return nil, fmt.Errorf("%s '%s': %w", verb, r.ID, err)
	}
	if verb == "start" {
		tx.session.Task = r.ID
	}
	if tx.settledAlready(r, to, j) {
		if r.State() != to {
			tx.Note("%s asks to be %s already", r.ID, to)
		} else {
			tx.Note("%s is %s already", r.ID, to)
		}
		return r, nil
	}
	r = r.Clone()
	if tx.outranked(r) {
		switch {
		case r.State() == to:
			return r, tx.agree(verb, r, j)
		case records.OverHigher(r.Kind, r.State(), to) == records.Challenges:
			return r, tx.challenge(verb, r, to, j)
		}
	}
	if err := tx.moveTo(verb, r, to, j); err != nil {
		return nil, err
	}
	tx.after(verb, r)
	return r, tx.learn(r, j.Learned)
}

func (tx *Tx) wrongKind(m *records.Transition, r *records.Record) error {
	var ks []string
	for _, k := range m.Kinds() {
		ks = append(ks, k.Phrase())
	}
	var verbs []string
	for _, s := range r.Kind.Schema().Next[r.State()] {
		if v := records.VerbFor(r.Kind, s); v != "" {
			verbs = append(verbs, string(v))
		}
	}
	can := "only reopen"
	if len(verbs) > 0 {
		can = strings.Join(verbs, ", ")
	}
	return fmt.Errorf("%s '%s': it is for %s, and this is %s, which is %s: %s applies",
		m.Verb, r.ID, strings.Join(ks, " or "), r.Kind.Phrase(), r.State(), can)
}

// settledAlready reports whether the verb has nothing to say that r does not say.
func (tx *Tx) settledAlready(r *records.Record, to records.State, j Judgement) bool {
	st := r.Verdict
	asked := st.Asks == to && tx.mustAsk(r.Kind, to)
	if st.State != to && !asked {
		return false
	}
	saysMore := len(r.Challenges) > 0 || j.Reason != "" || j.Evidence != "" || len(j.Cites) > 0 || len(j.Despite) > 0 || j.Learned != ""
	reviewed := asked || standing.Of(tx.Overlay, r.ID, tx.Eval).Why == ""
	current := st.Of == r.Digest() || (!r.CoversContent() && st.Asks == "")
	return !saysMore && reviewed && current
}

func (tx *Tx) moveTo(verb records.Verb, r *records.Record, to records.State, j Judgement) error {
	cites, evidence, err := tx.evidence(verb, r, j)
	if err != nil {
		return err
	}
	if err := tx.setVerdict(r, to, j.Reason, cites); err != nil {
		return err
	}
	for _, name := range j.Despite {
		o, err := tx.Find(name)
		if err != nil {
			return err
		}
		if o.Verdict == nil {
			return fmt.Errorf("despite '%s': it is in dispute itself", o.ID)
		}
		r.Verdict.Despite = append(r.Verdict.Despite, records.Despite{ID: o.ID, State: o.State(), Of: o.Digest()})
	}
	if r.Verdict.State == to && verb == "accept" {
		tx.knowOpenBasis(r)
	}
	if verb == "support" && len(cites) == 0 && len(tx.Backlinks(r.ID, records.Supports)) == 0 {
		tx.Note("%s is supported by nothing on record: --evidence TEXT or --cite ID says what speaks for it", r.ID)
	}
	tx.put(string(verb), r, j.Reason)
	for _, ev := range evidence {
		tx.put("", ev, "")
	}
	return tx.takePlace(r, j.Reason)
}

// knowOpenBasis puts into an acceptance that what the record rests on was open then.
func (tx *Tx) knowOpenBasis(r *records.Record) {
	for _, id := range r.Links[records.RestsOn] {
		o, ok := tx.Overlay.Record(id)
		if !ok || o.Kind == records.Evidence || o.Verdict == nil || !o.Kind.Schema().Open(o.State()) {
			continue
		}
		if !slices.ContainsFunc(r.Verdict.Despite, func(d records.Despite) bool { return d.ID == id }) {
			r.Verdict.Despite = append(r.Verdict.Despite, records.Despite{ID: id, State: o.State(), Of: o.Digest()})
			tx.Note("%s rests on %s, which is %s: it is accepted all the same", r.ID, id, o.State())
		}
	}
}

// setVerdict writes a new verdict into r: the state asked for, or, where the policy
// keeps that state for a reviewer whom this actor is not, the present state
// with a proposal.
func (tx *Tx) setVerdict(r *records.Record, to records.State, reason string, cites []records.ID) error {
	if err := tx.mayTakeOut(r, to); err != nil {
		return err
	}
	n, err := tx.l.random(4)
	if err != nil {
		return err
	}
	if was := r.Verdict; reason == "" && r.Origin != nil && was != nil && (was.State == to || was.Asks == to) {
		reason = was.Reason // the source's own, which whoever agrees with it says too
	}
	v := &records.Verdict{
		State: to, Reason: strings.TrimSpace(reason), Cites: cites,
		By: tx.by, Actor: tx.l.opts.Author.Actor, At: tx.now, N: records.NewNonce(n),
	}
	if r.Verdict != nil && r.Verdict.N != tx.given[r.ID] {
		v.After = r.Verdict.N
	} else if r.Verdict != nil {
		v.After = r.Verdict.After
	}
	if tx.Eval.Review == records.ReviewAny || v.Actor == records.Human {
		r.Challenges = nil // whoever gives it saw them
	}
	if tx.mustAsk(r.Kind, to) {
		v.Asks, v.State = to, r.Kind.Schema().Birth()
		if r.Verdict != nil && r.Open() {
			v.State = r.Verdict.State
		}
		tx.Note("%s asks to be %s and waits: by the policy a person decides, with git ctx %s %s",
			r.ID, to, records.VerbFor(r.Kind, to), r.ID)
	}
	r.Verdict, r.Also = v, nil
	tx.given[r.ID] = v.N
	if r.CoversContent() || v.Asks != "" {
		v.Of = r.Digest()
	}
	return nil
}

// outranked reports whether the verdict of a record weighs more than this actor's word.
func (tx *Tx) outranked(r *records.Record) bool {
	return tx.Eval.Review != records.ReviewAny && tx.l.opts.Author.Actor != records.Human &&
		r.Verdict != nil && standing.RankOf(tx.Overlay, r, tx.Eval) > records.AgentRank
}

// mayTakeOut refuses to put another state in the place of one that outranks this actor, but
// for moves that act all the same.
func (tx *Tx) mayTakeOut(r *records.Record, to records.State) error {
	if r.Verdict == nil || records.OverHigher(r.Kind, r.Verdict.State, to) == records.Acts || !tx.outranked(r) {
		return nil
	}
	return &ReviewedError{r.ID, r.Kind, r.Verdict.State}
}

// mustAsk reports whether this actor may only propose state s.
func (tx *Tx) mustAsk(k records.Kind, s records.State) bool {
	return tx.Eval.Review != records.ReviewAny && k.Schema().Reviewed == s && tx.l.opts.Author.Actor != records.Human
}

// stance is the relation by which evidence bears on what a verb judges.
func stance(verb records.Verb) records.Relation {
	switch verb {
	case "refute", "reject":
		return records.Refutes
	}
	return records.Supports
}

// evidence gathers what the judgement of r cites: new evidence is created, and
// a cited record that does not bear on r yet is linked. It returns the ids to
// cite and the evidence records to write; r itself may gain rests-on links.
func (tx *Tx) evidence(verb records.Verb, r *records.Record, j Judgement) ([]records.ID, []*records.Record, error) {
	var cites []records.ID
	var changed []*records.Record
	if text := strings.TrimSpace(j.Evidence); text != "" {
		if named, err := tx.Find(text); err == nil && strings.ContainsAny(text, "@$-") {
			return nil, nil, &NamedEvidenceError{verb, r.ID, named.ID}
		}
		ev := records.Record{Kind: records.Evidence, Title: firstLine(j.Evidence), Type: j.Type, Source: j.Source, Anchors: j.Anchors}
		if text != ev.Title {
			ev.Body = text + "\n"
		}
		added, _, err := tx.Add(Addition{Record: ev})
		if err != nil {
			return nil, nil, fmt.Errorf("record the evidence: %w", err)
		}
		tx.steps = slices.DeleteFunc(tx.steps, func(s step) bool { return s.id == added.ID })
		j.Cites = append(slices.Clone(j.Cites), string(added.ID))
	}
	for _, name := range j.Cites {
		c, err := tx.Find(name)
		if err != nil {
			return nil, nil, fmt.Errorf("cite: %w", err)
		}
		if c.ID == r.ID {
			return nil, nil, fmt.Errorf("cite '%s': a record does not cite itself", c.ID)
		}
		cites = insertSorted(cites, c.ID)
		if ev := tx.bear(verb, r, c); ev != nil {
			changed = append(changed, ev)
		}
	}
	return cites, changed, nil
}

// bear links cited evidence to r, or r to what it rests on, where that link is
// missing. It returns the evidence as changed, or nil.
func (tx *Tx) bear(verb records.Verb, r, cited *records.Record) *records.Record {
	if verb != "refute" && verb != "reject" && records.CheckLink(r.Kind, records.RestsOn, cited.Kind) == nil {
		setLink(r, records.RestsOn, cited.ID)
	}
	if cited.Kind != records.Evidence || cited.CoversContent() {
		return nil // a link is content: it would outdate what a person verified; the cite says enough
	}
	rel := stance(verb)
	if records.CheckLink(records.Evidence, rel, r.Kind) != nil {
		rel = records.RelatesTo
	}
	if slices.Contains(cited.Links[records.Supports], r.ID) || slices.Contains(cited.Links[records.Refutes], r.ID) || slices.Contains(cited.Links[rel], r.ID) {
		return nil
	}
	ev := cited.Clone()
	setLink(ev, rel, r.ID)
	return ev
}

// after keeps the session's current records in step with what a verb did.
func (tx *Tx) after(verb records.Verb, r *records.Record) {
	switch {
	case verb == "activate" && r.Kind == records.Goal:
		tx.session.Goal = r.ID
	case r.Kind == records.Task && tx.session.Task == r.ID && !r.Open():
		tx.session.Task = ""
	}
}

// learn adds the draft conclusion that closes a task.
func (tx *Tx) learn(task *records.Record, learned string) error {
	learned = strings.TrimSpace(learned)
	if learned == "" {
		return nil
	}
	con := records.Record{Kind: records.Conclusion, Title: firstLine(learned)}
	if con.Title != learned {
		con.Body = learned + "\n"
	}
	added, _, err := tx.Add(Addition{Record: con, Links: []LinkTo{{records.Closes, string(task.ID)}}})
	if err == nil {
		tx.Note("%s closes it, as a draft; once accepted it is in force", added.ID)
	}
	return err
}

func undisputed(r *records.Record) error {
	if r.Disputed() || r.Verdict == nil {
		return &DisputedError{r.ID}
	}
	if r.Forgotten() {
		return fmt.Errorf("'%s' is forgotten: nothing changes it any more", r.ID)
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rs := []rune(line); len(rs) > records.MaxTitle {
		return string(rs[:records.MaxTitle-1]) + "…"
	}
	return line
}

func insertSorted(ids []records.ID, id records.ID) []records.ID {
	i, found := slices.BinarySearch(ids, id)
	if found {
		return ids
	}
	return slices.Insert(slices.Clone(ids), i, id)
}
