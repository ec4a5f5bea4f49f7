package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/chart"
	"assay/workloads"
)

// A chart is marked if a processor stands in for a GPU, and only then; the Markdown table says why.
func TestFallbackIsMarked(t *testing.T) {
	const why = "no Metal: needs macOS"
	for _, c := range []struct {
		meta bundle.Meta
		want string
	}{
		{bundle.Meta{Engine: gpu.Info{Engine: "cpu"}, EngineReason: why}, "Rows · fallback to the CPU"},
		{bundle.Meta{Engine: gpu.Info{Engine: "cpu"}, EngineReason: bundle.EngineAsked}, "Rows"},
		{bundle.Meta{Engine: gpu.Info{Engine: "cpu"}}, "Rows"},
		{bundle.Meta{Engine: gpu.Info{Engine: "cuda", GPU: true}, EngineReason: why}, "Rows"},
	} {
		m := &chart.Model{X: chart.Axis{Title: "Rows"}}
		if got := MarkCaveats(&c.meta, m).X.Title; got != c.want || m.X.Title != "Rows" {
			t.Errorf("%+v: %q, want %q", c.meta.EngineReason, got, c.want)
		}
		says := strings.Contains(markdownCaption(&bundle.Run{Meta: c.meta}), why)
		if says != (c.want != "Rows") {
			t.Errorf("%+v: the caption says why: %v", c.meta.EngineReason, says)
		}
	}
	if MarkCaveats(&bundle.Meta{EngineReason: why}, nil) != nil {
		t.Error("a chart that is not there is marked")
	}
}

// A run with validated calls is not a timing run in any export, and its charts say so.
func TestExportsSayThatNothingWasTimed(t *testing.T) {
	run := &bundle.Run{
		Meta:    bundle.Meta{ID: "r1", Engine: gpu.Info{Engine: "metal", Device: "a GPU", GPU: true}, Validation: "Metal’s API validation"},
		Results: []workloads.Result{{Workload: "x", Case: "1", Variant: "f32", Status: workloads.OK, Samples: []float64{1e-3}}},
	}
	run.Results[0].Warn(workloads.Validated, run.Meta.NotTiming())
	for _, f := range Formats() {
		var out bytes.Buffer
		if err := f.Write(t.Context(), &out, run, nil); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if !strings.Contains(strings.ToLower(out.String()), bundle.NotTimingRun) {
			t.Errorf("%s does not say so:\n%s", f.Name, out.String())
		}
	}
	if got := MarkCaveats(&run.Meta, &chart.Model{X: chart.Axis{Title: "Rows"}}).X.Title; got != "Rows · not a timing run" {
		t.Errorf("%q", got)
	}
}

// What ran the kernels, and why, is in every export.
func TestExportsSayWhyTheEngine(t *testing.T) {
	run := &bundle.Run{
		Meta:    bundle.Meta{ID: "r1", Engine: gpu.Info{Engine: "cpu", Device: "a CPU"}, EngineReason: "no Metal: needs macOS"},
		Results: []workloads.Result{{Workload: "x", Case: "1", Variant: "f32", Status: workloads.OK, Samples: []float64{1e-3}}},
	}
	for _, f := range Formats() {
		if f.Name == "columns" { // explains columns
			continue
		}
		var out bytes.Buffer
		if err := f.Write(t.Context(), &out, run, nil); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		for _, want := range []string{"cpu", "no Metal: needs macOS"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s does not have %q", f.Name, want)
			}
		}
	}
}
