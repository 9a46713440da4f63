package records

// FormatVersion is the version of the record format that this package reads and writes.
const FormatVersion = 1

// A Review is the project's policy on who accepts.
type Review string

// The review policies, loosest first.
const (
	ReviewAny    Review = "any"    // agents may accept
	ReviewHuman  Review = "human"  // only a human accepts
	ReviewSigned Review = "signed" // only a signature accepts
)

// A Severity is how bad an audit finding is.
type Severity string

// The severities; Off silences a rule.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
	Off     Severity = "off"
)

// A Policy is the project's ctx.yaml.
type Policy struct {
	Format int
	Review Review
	// Audit overrides the severity of audit rules by rule id.
	Audit map[string]Severity
	// Suppressed are the findings that do not count, sorted by rule and record.
	Suppressed []Suppression
	// Budget and MaxChars are the packet's default limits, in tokens and
	// characters; zero means the built-in ones.
	Budget, MaxChars int
	// Extra holds the keys this version does not know.
	Extra []Field
}

// Stricter returns the stricter of two review policies; an unknown one is the strictest.
func Stricter(a, b Review) Review {
	rank := func(r Review) int {
		switch r {
		case ReviewAny:
			return 0
		case ReviewHuman:
			return 1
		}
		return 2
	}
	if rank(a) >= rank(b) {
		return a
	}
	return b
}
