// Package commitmsg formats and parses the messages of store commits: subject,
// body, and the trailers that say what was done, by whom and to which records.
//
// Its invariant: text that a user typed never reads as a trailer, and what
// [Message.Format] writes, [Parse] reads back.
package commitmsg

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/git-ctx/git-ctx/internal/lazyregexp"
	"github.com/git-ctx/git-ctx/records"
)

// Verbs that mean more to a reader of the history than their name.
const (
	VerbApply   = "apply"   // a batch
	VerbPromote = "promote" // brings a scope's records into the project
	VerbPolicy  = "policy"  // decides on the review policy
)

// A Message is a store commit's message, taken apart.
type Message struct {
	Subject string
	Body    string // without the trailers
	Verb    string
	Records []records.ID
	Actor   records.Actor
	Tool    string
	Model   string
	Session string // hashed
	Request string // idempotency key, and what it stood for
	// ClientClaimsConsent names the client that said its user agreed.
	ClientClaimsConsent string
	// Scope is the scope that the commit belongs to; "" is the project.
	Scope string
	// PromotedFrom is the scope that the records of this commit were promoted from.
	PromotedFrom string
	Code         string // code commit at HEAD when it was written
	// Verdicts are the bundles that this commit brought, by record; see [records.VerdictDigest].
	Verdicts []VerdictDigest
	// Allowed are the rules for secrets that the author had pass.
	Allowed []AllowedSecret
	// Policy is the digest of the ctx.yaml that a verb of this commit wrote.
	Policy string
	// Checkpoint is the trailer's value: "" on every commit that is not a checkpoint.
	Checkpoint string
	// Expires and Clone belong to claims: when the lease ends, and whose clone took it.
	Expires, Clone string
	// Signature, of a commit that changes the policy, proves who did: an SSHSIG
	// on one line, without its armor.
	Signature string
}

// A VerdictDigest names one bundle of a record by its digest.
type VerdictDigest struct {
	ID     records.ID
	Digest string
	// As is the state that a verdict gives, or what else the bundle is.
	As string
}

// What a bundle is that is not a verdict.
const (
	AsTombstone = "tombstone"
	AsChallenge = "challenge"
	AsSide      = "side" // of a conflict on the verdict
)

// IsRole reports whether a bundle named so is not a verdict.
func IsRole(as string) bool { return as == AsTombstone || as == AsChallenge || as == AsSide }

// An AllowedSecret is a rule for secrets that a commit's author had pass over a record,
// or over the commit's message where Record is "".
type AllowedSecret struct {
	Rule   string
	Record records.ID
}

// trailer binds a trailer key to the field that holds its single value.
type trailer struct {
	key   string
	value *string
}

func (m *Message) trailers() []trailer {
	return []trailer{
		{"Ctx-Verb", &m.Verb},
		{"Ctx-Actor", (*string)(&m.Actor)},
		{PolicyTrailer, &m.Policy},
		{"Ctx-Tool", &m.Tool},
		{"Ctx-Model", &m.Model},
		{"Ctx-Session", &m.Session},
		{"Ctx-Request", &m.Request},
		{"Ctx-Attested", &m.ClientClaimsConsent},
		{ScopeTrailer, &m.Scope},
		{"Ctx-Promoted-From", &m.PromotedFrom},
		{"Ctx-Code", &m.Code},
		{"Ctx-Checkpoint", &m.Checkpoint},
		{"Ctx-Expires", &m.Expires},
		{"Ctx-Clone", &m.Clone},
		{"Ctx-Signature", &m.Signature},
	}
}

const (
	recordTrailer  = "Ctx-Record"
	PolicyTrailer  = "Ctx-Policy"
	VerdictTrailer = "Ctx-Verdict" // an id, a digest, and the state or what else it is
	ScopeTrailer   = "Ctx-Scope"
	AllowTrailer   = "Ctx-Allow-Secret" // a rule, and the id of a record where it is about one
)

// Format returns the commit message. Text that git or a reader of trailers
// could take for structure is indented.
func (m *Message) Format() string {
	var b strings.Builder
	b.WriteString(OneLine(m.Subject))
	b.WriteString("\n\n")
	if body := guardBody(m.Body); body != "" {
		b.WriteString(body)
		b.WriteString("\n\n")
	}
	for i, t := range m.trailers() {
		if i == 1 {
			for _, id := range m.Records {
				fmt.Fprintf(&b, "%s: %s\n", recordTrailer, id)
			}
			for _, v := range m.Verdicts {
				fmt.Fprintf(&b, "%s: %s\n", VerdictTrailer, strings.TrimSpace(string(v.ID)+" "+v.Digest+" "+v.As))
			}
			for _, a := range m.Allowed {
				fmt.Fprintf(&b, "%s: %s\n", AllowTrailer, strings.TrimSpace(a.Rule+" "+string(a.Record)))
			}
		}
		if *t.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", t.key, OneLine(*t.value))
		}
	}
	return b.String()
}

// Parse takes a commit message apart. Only the last paragraph is read
// for trailers. A single-valued key that stands twice is an error: somebody
// tried to say two things.
func Parse(text string) (*Message, error) {
	text = strings.TrimRight(text, "\n")
	subject, rest, _ := strings.Cut(text, "\n")
	m := &Message{Subject: subject, Body: strings.TrimSpace(rest)}
	body, last := "", strings.Trim(rest, "\n")
	if i := strings.LastIndex(last, "\n\n"); i >= 0 {
		body, last = last[:i], last[i+2:]
	}
	if !strings.HasPrefix(last, "Ctx-") {
		return m, nil
	}
	m.Body = strings.TrimSpace(body)
	byKey := make(map[string]*string)
	for _, t := range m.trailers() {
		byKey[t.key] = t.value
	}
	for line := range strings.SplitSeq(last, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		switch dst := byKey[key]; {
		case !ok:
			return nil, fmt.Errorf("trailer line %q is no 'Key: value'", line)
		case key == recordTrailer:
			m.Records = append(m.Records, records.ID(value))
		case key == VerdictTrailer:
			id, digest, _ := strings.Cut(value, " ")
			digest, as, _ := strings.Cut(digest, " ")
			m.Verdicts = append(m.Verdicts, VerdictDigest{records.ID(id), digest, as})
		case key == AllowTrailer:
			rule, id, _ := strings.Cut(value, " ")
			m.Allowed = append(m.Allowed, AllowedSecret{rule, records.ID(id)})
		case dst == nil:
			// another tool's trailer
		case *dst != "":
			return nil, fmt.Errorf("trailer %s stands twice", key)
		default:
			*dst = value
		}
	}
	return m, nil
}

var structural = lazyregexp.New(`^(---|#|[A-Za-z0-9][A-Za-z0-9-]*\s*[:#]|\(cherry picked from|diff |Index: )`)

// guardBody indents every line of user text that could read as a trailer, a
// patch separator or a comment.
func guardBody(s string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(s, "\r", "")), "\n")
	for i, l := range lines {
		l = strings.TrimRightFunc(l, unicode.IsSpace)
		if structural.MatchString(l) {
			l = "    " + l
		}
		lines[i] = l
	}
	// Two empty lines would survive, but git strips them from its own messages.
	return strings.Join(slices.CompactFunc(lines, func(a, b string) bool { return a == "" && b == "" }), "\n")
}

// OneLine folds white space and control characters into single spaces.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

const subjectTitle = 72 // characters of a title that a commit subject shows

// SubjectOf is the commit subject of a verb on one record.
func SubjectOf(verb string, r *records.Record) string {
	if r.Title == "" {
		return fmt.Sprintf("%s: %s %s %s", r.Kind, verb, r.ID, r.Heading())
	}
	title := []rune(OneLine(r.Title))
	if len(title) > subjectTitle {
		title = append(title[:subjectTitle-1], '…')
	}
	return fmt.Sprintf("%s: %s %s \"%s\"", r.Kind, verb, r.ID, string(title))
}
