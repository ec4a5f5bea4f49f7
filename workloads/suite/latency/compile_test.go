package latency

import (
	"math"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// A kernel's time is the sum of its two parts, the warm variant is compared with the cold one, and both charts show them.
func TestCompile(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	w := Compile()
	if err := b.Run(t.Context(), t, w, workloads.Values{"kernel": few}); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 2*len(picks()) || len(b.Findings) != 1 {
		t.Fatalf("%d results, findings %+v", len(b.Measured), b.Findings)
	}
	for i := range b.Measured {
		r := &b.Measured[i]
		source, pipeline, all := r.Number(sourceTime), r.Number(pipelineTime), r.Time().Median
		if r.Status != workloads.OK || math.Abs(source+pipeline-all) > 1e-9*all || math.Abs(source-0.75*all) > 1e-9*all {
			t.Errorf("%s %s: %s, %g s from source and %g s to the pipeline of %g s", r.Case, r.Variant, r.Status, source, pipeline, all)
		}
		if s := r.Speedup().Median; r.Variant == warm && math.Abs(s-10) > 1e-9 {
			t.Errorf("%s: warm is %g× as fast", r.Case, s)
		}
	}
	bars, histograms := 0, 0
	for _, c := range w.Charts(b.Measured) {
		switch {
		case c.Facet != "" && len(c.Boxes)+len(c.Model.Series) > 0:
			histograms++
		case len(c.Model.Series) == 2:
			bars++
		}
	}
	if bars != 1 || histograms != len(picks()) {
		t.Errorf("%d charts of bars, %d histograms", bars, histograms)
	}
}

// Every kernel that has a source is a separate case, and its needs are known before the run.
func TestCompileAll(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	w := Compile()
	v := w.Defaults(false).With(workloads.Values{"kernel": every})
	if err := b.Run(t.Context(), t, w, v); err != nil {
		t.Fatal(err)
	}
	n := len(sources())
	if points := w.Points(v); n < 100 || len(points) != n || len(b.Measured) != 2*n {
		t.Errorf("%d sources, %d points, %d results", n, len(points), len(b.Measured))
	}
	pairs := w.Paired(b.Measured)
	if len(pairs) != n || pairs[0].Baseline.Time().Median < pairs[n-1].Baseline.Time().Median || pairs[0].Way.Variant != warm {
		t.Errorf("%d pairs", len(pairs))
	}
	if charts := w.Charts(b.Measured); len(charts) != 1 {
		t.Errorf("%d charts, want the bars alone", len(charts))
	}
	if narrow, _, err := w.Narrow(v, "kernel", ""); err != nil || narrow.String("kernel") != "matmul" {
		t.Errorf("live tuning measures %v, %v", narrow, err)
	}
}

// builtIn is an engine that compiles nothing.
type builtIn struct{ gpu.Engine }

func TestCompileWithoutCompiler(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Engine = builtIn{b.Env.Engine}
	if err := b.Run(t.Context(), t, Compile(), workloads.Values{"kernel": "add"}); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 1 || b.Measured[0].Status != workloads.Unsupported || !strings.Contains(b.Measured[0].Failure.Text, "part of the program") ||
		len(b.Findings) != 0 {
		t.Errorf("%+v, %d findings", b.Measured, len(b.Findings))
	}
}
