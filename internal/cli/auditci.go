package cli

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/git-ctx/git-ctx/internal/query"
	"github.com/git-ctx/git-ctx/records"
	"github.com/git-ctx/git-ctx/records/audit"
)

// A report is findings on their way to a program, with the rules that they may be of and
// the code that each is about.
type report struct {
	rules  []*audit.Rule
	page   string // which explains the rules
	found  []audit.Finding
	places func(audit.Finding) []records.Anchor
}

// writeAnnotations writes the findings that count as commands of GitHub's
// workflow log, at the code that they are about.
func (e *Env) writeAnnotations(r report) error {
	for _, f := range r.found {
		if f.Suppressed != nil {
			continue
		}
		level := string(f.Severity)
		if f.Severity == records.Info {
			level = "notice"
		}
		props := []string{"title=" + annotationValue(f.Rule)}
		if as := r.places(f); len(as) > 0 { // a log line has one place
			at := []string{"file=" + annotationValue(as[0].Path)}
			if first, last := as[0].LineRange(); first > 0 {
				at = append(at, fmt.Sprintf("line=%d", first), fmt.Sprintf("endLine=%d", last))
			}
			props = append(at, props...)
		}
		text := f.Message
		if f.Hint != "" {
			text += "\n" + f.Hint
		}
		if _, err := fmt.Fprintf(e.Stdout, "::%s %s::%s\n", level, strings.Join(props, ","), annotationText(text)); err != nil {
			return err
		}
	}
	return nil
}

// annotationText and annotationValue escape what would end a command, or its value.
func annotationText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func annotationValue(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotationText(s))
}

// The parts of a JUnit report.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Failure *junitNote `xml:"failure"`
		Skipped *junitNote `xml:"skipped"`
		Out     string     `xml:"system-out,omitempty"`
	}
	junitNote struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a suite for each rule and a case for each finding; a rule
// without any has one case that passes. Findings below failOn pass too.
func (e *Env) writeJUnit(in report, failOn records.Severity) error {
	var out junitSuites
	for _, r := range in.rules {
		s := junitSuite{Name: r.ID}
		for _, f := range in.found {
			if f.Rule == r.ID {
				s.add(f, failOn)
			}
		}
		if len(s.Cases) == 0 {
			s.Tests, s.Cases = 1, []junitCase{{Class: r.ID, Name: r.Summary}}
		}
		out.Suites = append(out.Suites, s)
	}
	data, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "%s%s\n", xml.Header, data)
	return err
}

func (s *junitSuite) add(f audit.Finding, failOn records.Severity) {
	c := junitCase{Class: f.Rule, Name: string(f.Record)}
	if c.Name == "" {
		c.Name = f.Fingerprint
	}
	text := f.Message
	if f.Hint != "" {
		text += "\n" + f.Hint
	}
	switch {
	case f.Suppressed != nil:
		c.Skipped = &junitNote{Message: f.Suppressed.Reason, Text: text}
		s.Skipped++
	case query.AtLeast(f.Severity, failOn):
		c.Failure = &junitNote{Message: f.Message, Type: string(f.Severity), Text: text}
		s.Failures++
	default:
		c.Out = string(f.Severity) + ": " + text
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}
