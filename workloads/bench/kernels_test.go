package bench_test

import (
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// A row reports why its kernel was chosen, and not why another row's was, even if that is the same kernel.
func TestKernelsSayWhyTheyWereChosen(t *testing.T) {
	rig := benchtest.New(t, gputest.Script{})
	w := workloads.Workload{Name: "test", Axes: []workloads.Axis{bench.FoundKernel()}}
	rig.Env.Workload = &w
	p := gemm.MatmulParams{M: 8, N: 8, K: 8, Batch: 1}
	c := bench.Case{Name: "case", Build: func(s *bench.Scope) ([]bench.Variant, error) {
		var list []bench.Variant
		for _, name := range []string{"", gemm.SIMD, gemm.Tiled} {
			launches, err := s.Chain([]bench.Step{{
				Pick: shaders.Pick{Op: "matmul", Impl: name}, Params: p, Args: []string{"a", "b", bench.None, "out"},
			}}, bench.Buffers{})
			if err != nil {
				return nil, err
			}
			sets := [][]gpu.Launch{launches}
			list = append(list, bench.Variant{Name: "by " + name, Work: s.Launches(sets...), Items: 1})
		}
		return list, nil
	}}
	if err := bench.New(rig.Env).MeasureAll(t.Context(), []bench.Case{c}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"matmul/simd/f32 (the device has simdgroup_matrix)", "matmul/simd/f32", "matmul/tiled/f32"} {
		if got := rig.Measured[i].Setting("kernel"); got != want {
			t.Errorf("%s: %v, want %s", rig.Measured[i].Variant, got, want)
		}
	}
}

// Dispatches whose kernel the catalog chose by device report that, each once.
func TestKernelsOfAChain(t *testing.T) {
	rig := benchtest.New(t, gputest.Script{Compute: 90})
	w := workloads.Workload{Name: "test", Axes: []workloads.Axis{bench.FoundKernel()}}
	rig.Env.Workload = &w
	one := func(a, out string) bench.Step {
		return bench.Step{
			Pick: shaders.Pick{Op: "matmul"}, Params: gemm.MatmulParams{M: 8, N: 8, K: 8, Batch: 1}, Args: []string{a, "b", bench.None, out},
		}
	}
	c := bench.Case{Name: "case", Build: func(s *bench.Scope) ([]bench.Variant, error) {
		launches, err := s.Chain([]bench.Step{one("a", "c"), one("c", "d")}, bench.Buffers{})
		return []bench.Variant{{Name: "chain", Work: s.Launches(launches), Items: 1}}, err
	}}
	if err := bench.New(rig.Env).MeasureAll(t.Context(), []bench.Case{c}); err != nil {
		t.Fatal(err)
	}
	got, _ := rig.Measured[0].Setting("kernel").(string)
	if !strings.HasPrefix(got, "matmul/blocked/f32{buffered=1,tile_cols=128} (an NVIDIA GPU") || strings.Contains(got, "; ") {
		t.Errorf("%q", got)
	}
}
