package packet

// A sectionID numbers the sections in the order in which they are printed.
type sectionID int

const (
	secFocus sectionID = iota
	secFallen
	secDecisions
	secConclusions
	secSupported
	secEvidence
	secRunbooks
	secReview
	secOpen
	secRuledOut
	secDoubt
	secNext
	sectionCount
	secNone sectionID = -1
)

// A layout is what is fixed about one section.
type layout struct {
	name    string
	heading string
	// share is its part of the space, in hundredths, while all sections have
	// records left that bear on the focus.
	share float64
	// text is how many characters of a record's text it shows; 0 shows none.
	text int
	// worth orders sections where records bear on the focus equally, the least
	// number first.
	worth int
}

// leastWorth is that of records which hold nobody up: see [builder.blocked].
const leastWorth = 8

// layouts is indexed by sectionID.
var layouts = [sectionCount]layout{
	secFocus:       {"focus", "Focus", 8, 600, 0},
	secFallen:      {"no-longer-holds", "No longer holds (it did when last told)", 20, 0, 0},
	secDecisions:   {"decisions", "Decisions in force", 18, 400, 1},
	secConclusions: {"conclusions", "Conclusions", 11, 400, 2},
	secSupported:   {"supported", "Supported", 10, 400, 3},
	secEvidence:    {"evidence", "Evidence", 8, 240, leastWorth},
	secRunbooks:    {"runbooks", "Runbooks", 6, 1200, 7},
	secReview:      {"awaiting-review", "Awaiting review (not decided: do not propose a rival; cite it if you depend on it)", 7, 300, 6},
	secOpen:        {"open", "Open questions", 5, 240, leastWorth},
	secRuledOut:    {"ruled-out", "Ruled out (do not try again without new evidence)", 9, 0, 4},
	secDoubt:       {"in-doubt", "In doubt (do not rely on it)", 16, 0, 0},
	secNext:        {"next", "Next", 2, 0, leastWorth},
}

// The most entries that two sections show, however large the budget.
const (
	maxNext         = 5
	maxFullRunbooks = 2
)
