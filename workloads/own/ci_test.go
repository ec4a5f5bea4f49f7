package own

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
)

func reports2() []*Report {
	return []*Report{
		{Name: "good", Path: "k/good.kernel.toml", Done: true, Seconds: 0.25},
		{Name: "bad", Path: "k/bad.kernel.toml", Done: true, Seconds: 1, Problems: []Problem{
			{Kind: Bounds, File: "k/bad,1.metal", Line: 6, Column: 12, Message: "read of 4 bytes <x> 100 %\nmore"},
			{Kind: Invalid, File: "k/bad.kernel.toml", Line: 3, Key: "args.x", Message: "is missing"},
		}},
		{Name: "unfinished", Path: "k/u.kernel.toml"},
	}
}

func TestAnnotations(t *testing.T) {
	p := reports2()[1].Problems
	if got, want := p[0].Annotation(), "::error file=k/bad%2C1.metal,line=6,col=12,title=Assay%3A out of bounds::read of 4 bytes <x> 100 %25%0Amore"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := p[1].Annotation(), "::error file=k/bad.kernel.toml,line=3,title=Assay%3A description::args.x: is missing"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSARIF(&b, "1.2", reports2()); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.Tool.Driver.Version != "1.2" || len(run.Results) != 2 {
		t.Fatalf("%s", b.String())
	}
	if at := run.Results[0].Locations[0].Physical; at.Artifact.URI != "k/bad,1.metal" || *at.Region != (sarifRegion{6, 12}) {
		t.Errorf("%+v", at)
	}
	known := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		known[r.ID] = true
	}
	for _, r := range run.Results {
		if !known[r.RuleID] {
			t.Errorf("no rule %s", r.RuleID)
		}
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJUnit(&b, reports2()); err != nil {
		t.Fatal(err)
	}
	var s junitSuite
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Tests != 3 || s.Failures != 2 || s.Time != "1.250" || s.Cases[0].Failure != nil || s.Cases[2].Failure == nil {
		t.Fatalf("%s", b.String())
	}
	if f := s.Cases[1].Failure; f.Type != "out of bounds" || !strings.Contains(f.Text, "k/bad,1.metal:6:12: read") || !strings.Contains(f.Text, "args.x: is missing") {
		t.Errorf("%+v", f)
	}
}
