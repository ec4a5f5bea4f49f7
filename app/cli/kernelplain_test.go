package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app"
)

// Text from a kernel's folder is shown, but never interpreted by a terminal or by GitHub's runner.
func TestOwnTextsArePlain(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	const nasty = "k\n::error::taken\x1b[2J"
	source := filepath.Join(t.TempDir(), "a.metal")
	if err := os.WriteFile(source, []byte("\u00a0\t::error ::taken\n// ###[error]taken\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := &app.OwnReport{
		Name: nasty, Path: nasty, Entry: nasty, Source: nasty, Device: "d", Done: true,
		Arguments: []app.OwnBound{{Name: nasty, Type: nasty, Holds: nasty}},
		Stages:    []app.OwnStage{{Name: "compile", State: "skipped", Why: nasty}},
		Outputs:   []app.OwnOutcome{{Name: nasty, Why: nasty}, {Name: nasty, Compared: 1, Elements: 1}},
		Points:    []app.OwnPoint{{Sizes: map[string]float64{nasty: 1}}},
		Problems: []app.OwnProblem{
			{Kind: "compile", File: nasty, Key: nasty, Message: nasty},
			{Kind: "compile", File: "::error::x.metal", Message: "m ##[error]taken"},
			{Kind: "compile", File: source, Line: 1, Column: 2},
			{Kind: "compile", File: source, Line: 2},
		},
	}
	for _, annotations := range []bool{false, true} {
		var out bytes.Buffer
		c := &command{out: &out, errOut: &out}
		(&kernelTest{command: c, annotations: annotations}).tell(r)
		if !annotations {
			c.printOwn(r)
		}
		if n := commands(out.String()); annotations != (n == len(r.Problems)) || !annotations && n != 0 ||
			strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), `\x1b[2J`) {
			t.Errorf("%d commands:\n%q", n, out.String())
		}
	}
}

// commands counts the lines that GitHub's runner obeys.
func commands(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "::") || strings.Contains(line, "##[") {
			n++
		}
	}
	return n
}

func TestInertWriter(t *testing.T) {
	for text, want := range map[string]string{
		"a::b": "a::b", "::a": ": :a", " \t::a\n\u3000::b": " \t: :a\n\u3000: :b", ":a::b": ":a::b", "x\r::y": "x\r: :y", ":::": ": ::",
		"#[#": "#[#", "a ##[b]": "a ## [b]", "###[": "### [", ": :": ": :",
	} {
		for _, whole := range []bool{true, false} {
			var out strings.Builder
			w := &inertWriter{w: &out, leading: true}
			parts := []string{text}
			if !whole {
				parts = strings.Split(text, "")
			}
			for _, part := range parts {
				if n, err := io.WriteString(w, part); n != len(part) || err != nil {
					t.Error(n, err)
				}
			}
			if out.String() != want {
				t.Errorf("%q: %q, want %q", text, out.String(), want)
			}
		}
	}
}
