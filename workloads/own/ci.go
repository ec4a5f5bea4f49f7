package own

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Annotation formats a problem for GitHub's runners, which show it at its line.
func (p Problem) Annotation() string {
	level := "error"
	if p.Hint {
		level = "notice"
	}
	var at []string
	add := func(name string, value any, given bool) {
		if given {
			at = append(at, fmt.Sprintf("%s=%s", name, escapeProperty(fmt.Sprint(value))))
		}
	}
	add("file", filepath.ToSlash(p.File), p.File != "")
	add("line", p.Line, p.Line > 0)
	add("col", p.Column, p.Column > 0)
	add("title", "Assay: "+string(p.Kind), true)
	return fmt.Sprintf("::%s %s::%s", level, strings.Join(at, ","), escapeData(p.text()))
}

// text returns the message with the key it concerns.
func (p Problem) text() string {
	if p.Key != "" {
		return p.Key + ": " + p.Message
	}
	return p.Message
}

func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}

// The part of SARIF 2.1.0 that code scanners read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		About sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

// kindsAbout explains each kind of problem.
func kindsAbout() []sarifRule {
	rule := func(k Kind, about string) sarifRule { return sarifRule{k.rule(), sarifMessage{about}} }
	return []sarifRule{
		rule(Invalid, "The kernel’s description is not valid."),
		rule(Compile, "The source does not compile."),
		rule(Mismatch, "The description and the entry point do not match."),
		rule(Bounds, "The kernel reads or writes outside of a buffer."),
		rule(Diverged, "Not all threads reach a barrier or SIMD function."),
		rule(Race, "The result depends on the order of threads."),
		rule(Wrong, "The result does not match the reference."),
		rule(Endless, "The kernel did not end within its time limit."),
		rule(Memory, "The kernel needs more memory than its limit."),
		rule(Crashed, "The process that ran the kernel crashed."),
		rule(Refused, "The engine cannot run the kernel."),
		rule(Reference, "The reference failed."),
	}
}

// rule returns the kind as an identifier.
func (k Kind) rule() string { return "assay/" + strings.ReplaceAll(string(k), " ", "-") }

// WriteSARIF writes the problems of kernels as SARIF, for code scanning.
func WriteSARIF(w io.Writer, version string, all []*Report) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{"Assay", version, kindsAbout()}}, Results: []sarifResult{}}
	for _, r := range all {
		for _, p := range r.Problems {
			run.Results = append(run.Results, p.sarif())
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func (p Problem) sarif() sarifResult {
	s := sarifResult{RuleID: p.Kind.rule(), Level: "error", Message: sarifMessage{p.text()}}
	if p.Hint {
		s.Level = "note"
	}
	if p.File == "" {
		return s
	}
	at := sarifPhysical{Artifact: sarifArtifact{filepath.ToSlash(filepath.Clean(p.File))}}
	if p.Line > 0 {
		at.Region = &sarifRegion{p.Line, p.Column}
	}
	s.Locations = []sarifLocation{{at}}
	return s
}

// The part of JUnit's XML that CI systems read.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes a test case for each kernel.
func WriteJUnit(w io.Writer, all []*Report) error {
	s := junitSuite{Name: "assay kernel test", Tests: len(all)}
	seconds := 0.0
	for _, r := range all {
		c := r.junit()
		if c.Failure != nil {
			s.Failures++
		}
		seconds += r.Seconds
		s.Cases = append(s.Cases, c)
	}
	s.Time = fmt.Sprintf("%.3f", seconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Report) junit() junitCase {
	name := r.Name
	if name == "" {
		name = (&Description{Path: r.Path}).Name()
	}
	c := junitCase{Name: name, Class: filepath.ToSlash(filepath.Dir(r.Path)), File: filepath.ToSlash(r.Path), Time: fmt.Sprintf("%.3f", r.Seconds)}
	if r.OK() {
		return c
	}
	var lines []string
	c.Failure = &junitFailure{Type: "unfinished", Message: "it did not finish"}
	for i, p := range slices.DeleteFunc(slices.Clone(r.Problems), func(p Problem) bool { return p.Hint }) {
		if lines = append(lines, p.Error()); i == 0 {
			c.Failure.Type, c.Failure.Message = string(p.Kind), p.text()
		}
	}
	c.Failure.Text = strings.Join(lines, "\n")
	return c
}
