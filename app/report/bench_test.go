package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"assay/app/bundle"
	"assay/workloads"
)

func TestBenchFormatIsReadBack(t *testing.T) {
	run := &bundle.Run{
		Meta: bundle.Meta{ID: "r1"},
		Results: []workloads.Result{
			{
				Workload: "batching", Case: "matmul 64", Variant: "f32", Status: workloads.OK,
				Samples: []float64{1e-3, 1e-3, 2e-3, 2e-3},
			},
			{Workload: "batching", Case: "matmul 128", Variant: "f32", Status: workloads.Failed},
		},
	}
	run.Results[0].Values.SetNumber(workloads.Repetitions, 7)
	run.Results[0].Values.SetNumber(workloads.Ops, 2e6)
	var buf bytes.Buffer
	if err := WriteBench(&buf, run, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(buf.String(), "# Run r1, ") {
		t.Errorf("the file does not name its run:\n%s", buf.String())
	}
	reader := benchfmt.NewReader(&buf, "x")
	var seconds []float64
	for reader.Scan() {
		res, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		if got := res.Name.String(); got != "Batching/matmul_64/f32" {
			t.Errorf("name %q", got)
		}
		if got := res.GetConfig("run"); got != "" || res.Iters != 14 {
			t.Errorf("run %q, %d iterations", got, res.Iters)
		}
		s, _ := res.Value("sec/op")
		f, _ := res.Value("FLOP/s")
		if math.Abs(s*f-2e6) > 1 {
			t.Errorf("%g s at %g FLOP/s", s, f)
		}
		seconds = append(seconds, s)
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	if len(seconds) != 2 || seconds[0] != 1e-3 || seconds[1] != 2e-3 {
		t.Errorf("samples %v came back", seconds)
	}
}
