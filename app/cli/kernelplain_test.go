package cli

import (
	"bytes"
	"strings"
	"testing"

	"assay/app"
)

// What a kernel's folder says is shown, never obeyed: by a terminal or by GitHub's runner.
func TestOwnTextsArePlain(t *testing.T) {
	const nasty = "k\n::error::taken\x1b[2J"
	r := &app.OwnReport{
		Name: nasty, Path: nasty, Entry: nasty, Source: nasty, Device: "d", Done: true,
		Arguments: []app.OwnBound{{Name: nasty, Type: nasty, Holds: nasty}},
		Stages:    []app.OwnStage{{Name: "compile", State: "skipped", Why: nasty}},
		Outputs:   []app.OwnOutcome{{Name: nasty, Why: nasty}, {Name: nasty, Compared: 1, Elements: 1}},
		Points:    []app.OwnPoint{{Sizes: map[string]float64{nasty: 1}}},
		Problems: []app.OwnProblem{
			{Kind: "compile", File: nasty, Key: nasty, Message: nasty},
			{Kind: "compile", File: "::error::x.metal", Message: "m"},
		},
	}
	for _, annotations := range []bool{false, true} {
		var out bytes.Buffer
		c := &command{out: &out, errOut: &out}
		(&kernelTest{command: c, annotations: annotations}).tell(r)
		if !annotations {
			c.printOwn(r)
		}
		commands := 0
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") {
				commands++
			}
		}
		if want := map[bool]int{true: len(r.Problems)}[annotations]; commands != want || strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), `\x1b[2J`) {
			t.Errorf("%d commands, want %d:\n%q", commands, want, out.String())
		}
	}
}
