package throughput

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// A request for the library yields the engine's libraries; a library of another engine is named only if this one can have none.
func TestLibrariesThatWereAskedFor(t *testing.T) {
	ofCPU := shaders.OpenBLAS.Engine()
	for _, tc := range []struct {
		name, kind string
		workload   workloads.Workload
		set        workloads.Values
		want       []string
	}{
		{"an engine with libraries", ofCPU, Matmul(), workloads.Values{"min_size": 4, "max_size": 4}, []string{"tiled 64", "OpenBLAS"}},
		{"without one for this", ofCPU, Normalization(), workloads.Values{"op": "softmax", "min_cols": 4, "max_cols": 4}, []string{"one pass", "MPS"}},
		{"everything, without one", ofCPU, Normalization(), workloads.Values{"op": "softmax", "compare": all, "min_cols": 4, "max_cols": 4}, []string{
			"one pass", "two passes", "rows in registers", "SIMD group per row", "1 wide", "8 wide",
		}},
	} {
		b := benchtest.New(t, gputest.Script{Kind: tc.kind})
		if err := b.Run(t.Context(), t, tc.workload, workloads.Values{"compare": byLibrary}.With(tc.set)); err != nil {
			t.Fatal(err)
		}
		got := variantsOf(b.Measured)
		got = slices.DeleteFunc(got, func(name string) bool { return name == "Accelerate" }) // on macOS only
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: variants %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A finding names what distinguishes the first way from others only if one of these was measured.
func TestDetailOfTheFirstWay(t *testing.T) {
	set := workloads.Values{"op": "softmax", "min_cols": 256, "max_cols": 256, "elements": 1024}
	for _, tc := range []struct {
		compare, want, never string
	}{
		{widths, "one pass, a threadgroup per row and four elements at a time", "nothing"},
		{"twopass", "one pass", "threadgroup"},
	} {
		b := benchtest.New(t, gputest.Script{Compute: 1})
		w := Normalization()
		if err := b.Run(t.Context(), t, w, set.With(workloads.Values{"compare": tc.compare})); err != nil {
			t.Fatal(err)
		}
		if len(b.Findings) == 0 {
			t.Errorf("%s: no findings of %q", tc.compare, variantsOf(b.Measured))
		}
		for _, f := range b.Findings {
			if !strings.Contains(f.Text, tc.want) || strings.Contains(f.Text, tc.never) {
				t.Errorf("%s: %q", tc.compare, f.Text)
			}
		}
	}
}

func variantsOf(results []workloads.Result) []string {
	var names []string
	for i := range results {
		names = append(names, results[i].Variant)
	}
	return names
}
