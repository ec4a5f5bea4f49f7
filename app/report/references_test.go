package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/app/internal/runstest"
	"assay/internal/imported"
	"assay/workloads"
)

// External figures are in the report, in Markdown and in JSON, marked as external, and never among the results.
func TestReferencesStayApart(t *testing.T) {
	r := comparedRun("run", timed("a", 1e-3, 0.01, 40, 1))
	r.References = []imported.File{
		{Name: "llama.json", Rows: []imported.Row{{Source: "llama-bench", Name: "qwen2 <7B>, tg128", Seconds: 1.25, Rate: 118.88, Of: "tokens", Context: "build 8cf4"}}},
		{Name: "baseline:release", Rows: []imported.Row{{Source: imported.Own, Name: "matmul, a, tiled", Seconds: 0.002, Lo: 0.0019, Hi: 0.0021, Samples: 40}}},
	}
	all := []workloads.Workload{runstest.Workload()}
	for _, c := range []struct {
		format Format
		wants  []string
	}{
		{HTML(), []string{"Figures for reference", "qwen2 &lt;7B&gt;, tg128", "118.9 tokens/s", "1.25 s", "Others’ figures", "Figures of an earlier run", "(1.90 to 2.10) ms"}},
		{Formats()[1], []string{`"references"`, `"rate": 118.88`}},
		{CSV(), nil},
	} {
		var out bytes.Buffer
		if err := c.format.Write(t.Context(), &out, r, all); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q", c.format.Title, want)
			}
		}
		if c.wants == nil && strings.Contains(out.String(), "qwen2") {
			t.Error("the results have others’ figures")
		}
	}
	text := MarkdownTable(r, all)
	for _, want := range []string{"**For reference: llama.json.** Others’ figures", `| llama-bench | qwen2 \<7B>, tg128 | 1.25 s | 118.9 tokens/s | build 8cf4 |`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

func TestLongReferencesAreCut(t *testing.T) {
	table := ReferenceRows(&imported.File{Name: "a", Rows: make([]imported.Row, 7)}, 5)
	if len(table.Rows) != 5 || !strings.HasPrefix(table.More, "2 rows more") {
		t.Errorf("%d rows, %q", len(table.Rows), table.More)
	}
}
