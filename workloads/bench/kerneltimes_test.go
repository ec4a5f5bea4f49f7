package bench

import (
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

func TestKernelsAreTimedByStages(t *testing.T) {
	list := perRepetition([]gpu.Stage{
		{Label: "matmul", Seconds: 3e-3},
		{Label: "relu", Seconds: 0.5e-3},
		{Label: "matmul", Seconds: 1e-3},
		{Label: "matmul", Seconds: 3e-3},
		{Label: "relu", Seconds: 1.5e-3},
		{Label: "matmul", Seconds: 1e-3},
	}, 2)
	if got, want := stageText(list), "matmul 4.00 ms (80.0 %); relu 1.00 ms (20.0 %)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	list = perRepetition([]gpu.Stage{{Label: "copy", Why: "it is empty"}, {Label: "relu", Seconds: 1e-3}}, 1)
	if got, want := stageText(list), "copy not available: it is empty; relu 1.00 ms (100 %)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A chain of launches has a time per kernel; a single launch has that of the repetition, and a short measurement none.
func TestChainHasKernelTimes(t *testing.T) {
	for _, c := range []struct {
		launches int
		short    bool
		want     string
	}{{2, false, "relu_f32 "}, {1, false, ""}, {2, true, ""}} {
		b := benchtest.New(t, gputest.Script{})
		b.Env.Workload = &workloads.Workload{Name: "test"}
		b.Env.Options.Short = c.short
		build := func(s *Scope) ([]Variant, error) {
			var all []gpu.Launch
			for range c.launches {
				in, err := s.Random(shaders.F32, 8, "x")
				if err != nil {
					return nil, err
				}
				out, err := s.Buffer(shaders.F32, 8, "out")
				if err != nil {
					return nil, err
				}
				d, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: 8}, in, out)
				if err != nil {
					return nil, err
				}
				all = append(all, d)
			}
			return []Variant{{Name: "chain", Work: s.Launches(all)}}, nil
		}
		if err := New(b.Env).MeasureAll(t.Context(), []Case{{Name: "case", Build: build}}); err != nil {
			t.Fatal(err)
		}
		r := &b.Measured[0]
		if got := r.Values.Text(workloads.KernelTimes); r.Status != workloads.OK || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, %q", c, r.Status, got)
		}
	}
}
