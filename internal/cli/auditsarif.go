package cli

import (
	"strings"

	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

const (
	homePage  = "https://github.com/git-ctx/git-ctx"
	rulesPage = homePage + "/blob/main/docs/rules.md"
	// storeBase and codeBase are what the paths of a report start from: the tree of
	// the context commit, and the worktree.
	storeBase = "CTX"
	codeBase  = "SRCROOT"
	// fingerprintKey names how fingerprints are made; another way gets another name.
	fingerprintKey = "gitCtxFinding/v1"
)

// The parts of SARIF 2.1.0 that a report has.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool                `json:"tool"`
		Bases      map[string]sarifArtifact `json:"originalUriBaseIds"`
		ColumnKind string                   `json:"columnKind"`
		Results    []sarifResult            `json:"results"`
		Properties map[string]string        `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string      `json:"id"`
		Short   sarifText   `json:"shortDescription"`
		Full    sarifText   `json:"fullDescription"`
		Help    sarifText   `json:"help"`
		HelpURI string      `json:"helpUri"`
		Default sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule         string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI         string     `json:"uri,omitempty"`
		Base        string     `json:"uriBaseId,omitempty"`
		Description *sarifText `json:"description,omitempty"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
		End   int `json:"endLine,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
)

// writeSARIF writes the findings as a SARIF 2.1.0 log.
func (e *Env) writeSARIF(rd *reading, in report) error {
	index := make(map[string]int)
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "git-ctx", Version: Version, URI: homePage}},
		ColumnKind: "unicodeCodePoints",
		Bases: map[string]sarifArtifact{
			storeBase: {Description: &sarifText{"the tree of the context commit"}},
			codeBase:  {Description: &sarifText{"the top of the worktree"}},
		},
		Results:    []sarifResult{},
		Properties: map[string]string{"contextBranch": rd.Branch, "contextCommit": string(rd.Commit)},
	}
	for i, r := range in.rules {
		index[r.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.ID, Short: sarifText{r.Summary}, Full: sarifText{r.Summary}, Help: sarifText{r.Explanation},
			HelpURI: in.page + "#" + r.ID, Default: sarifConfig{sarifLevel(r.Severity)},
		})
	}
	for _, f := range in.found {
		run.Results = append(run.Results, sarifOf(f, index[f.Rule], in.places(f)))
	}
	return e.writeJSON(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifOf(f audit.Finding, rule int, places []records.Anchor) sarifResult {
	res := sarifResult{
		Rule: f.Rule, RuleIndex: rule, Level: sarifLevel(f.Severity), Message: sarifText{f.Message},
		Fingerprints: map[string]string{fingerprintKey: f.Fingerprint},
	}
	if f.Hint != "" {
		res.Message.Text += "\n" + f.Hint
	}
	if f.Path != "" {
		loc := sarifLocation{Physical: &sarifPhysical{Artifact: sarifArtifact{URI: uriPath(f.Path), Base: storeBase}}}
		if f.Record != "" {
			loc.Logical = []sarifLogical{{Name: string(f.Record), Kind: string(f.Record.Kind())}}
		}
		res.Locations = []sarifLocation{loc}
	}
	for _, a := range places {
		p := &sarifPhysical{Artifact: sarifArtifact{URI: uriPath(a.Path), Base: codeBase}}
		if first, last := a.LineRange(); first > 0 {
			p.Region = &sarifRegion{first, last}
		}
		if f.Path == "" { // the finding is about the code itself
			res.Locations = append(res.Locations, sarifLocation{Physical: p})
			continue
		}
		res.Related = append(res.Related, sarifLocation{ID: len(res.Related) + 1, Physical: p, Message: &sarifText{"the record cites this"}})
	}
	if s := f.Suppressed; s != nil {
		res.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted", Justification: s.Reason}}
	}
	return res
}

// anchorsOf lists the places in the code that the finding's record cites.
func anchorsOf(rd *reading) func(audit.Finding) []records.Anchor {
	return func(f audit.Finding) []records.Anchor {
		r, ok := rd.Record(f.Record)
		if !ok {
			return nil
		}
		return r.Anchors
	}
}

func sarifLevel(s records.Severity) string {
	if s == records.Info {
		return "note"
	}
	return string(s)
}

// uriPath writes a path as a relative URI. A first part with a colon would read as a scheme.
func uriPath(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.WriteString("%" + string(digits[c>>4]) + string(digits[c&15]))
		}
	}
	return b.String()
}
