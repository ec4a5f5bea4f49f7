package bench_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/train"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// A pacer runs launches as often as requested, each on what the previous time left, in command buffers of up to a tenth of a second.
func TestPacer(t *testing.T) {
	const rate, n, times = 0.25, 4, 6
	for _, tc := range []struct {
		name        string
		seconds     []float64 // of each launch
		submissions int
	}{
		{"short", []float64{1e-3, 1e-3, 1e-3}, 3 + 1},
		{"two at a time", []float64{0.01, 0.02, 0.02}, 3 + 3},
		{"just long enough", []float64{0.03, 0.03, 0.03}, 3 + 5},
		{"divided", []float64{0.06, 0.03, 0.06}, 3 + 5*2},
		{"longer than a command buffer may be", []float64{0.2, 0.01, 0.3}, 3 + 5*3},
	} {
		script := gputest.Script{}
		for _, s := range tc.seconds {
			script.Steps = append(script.Steps, gputest.Step{Seconds: s})
		}
		rig := benchtest.New(t, script)
		s := bench.New(rig.Env).NewScope(t.Context())
		inputs := bench.Buffers{}
		var steps []bench.Step
		for _, g := range []string{"g 0", "g 1", "g 2"} {
			steps = append(steps, bench.Step{Pick: shaders.Pick{Op: "sgd"}, Params: train.SGDParams{N: n, Rate: rate}, Args: []string{"w", g}})
		}
		launches, err := s.Chain(steps, inputs)
		if err != nil {
			t.Fatal(err)
		}
		pace := s.Pace(launches)
		for _, part := range []int{1, times - 1} {
			if err := pace.Run(t.Context(), part); err != nil {
				t.Fatal(err)
			}
		}
		if got := rig.Engine.Submissions(); got != tc.submissions {
			t.Errorf("%s: %d command buffers, want %d", tc.name, got, tc.submissions)
		}
		before, after := make([]float32, n), make([]float32, n)
		sum := make([]float64, n)
		for _, label := range []string{"g 0", "g 1", "g 2"} {
			g := make([]float32, n)
			if err := s.Floats(inputs[label], shaders.F32)(g, 0); err != nil {
				t.Fatal(err)
			}
			for i := range g {
				sum[i] += float64(g[i])
			}
		}
		if err := errors.Join(s.Floats(inputs["w"], shaders.F32)(before, 0), s.Floats(launches[0].Bindings[0].Buffer, shaders.F32)(after, 0)); err != nil {
			t.Fatal(err)
		}
		for i := range after {
			if want := float64(before[i]) - times*rate*sum[i]; math.Abs(float64(after[i])-want) > 1e-5 {
				t.Errorf("%s: w[%d] is %g, want %g", tc.name, i, after[i], want)
			}
		}
		s.Release()
	}
}

// A pacer that is stopped submits no more.
func TestPacerStops(t *testing.T) {
	script := gputest.Script{Steps: []gputest.Step{{Seconds: 0.2}, {Hang: true}}}
	rig := benchtest.New(t, script)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := bench.New(rig.Env).NewScope(ctx)
	launches, err := s.Chain([]bench.Step{{Pick: shaders.Pick{Op: "sgd"}, Params: train.SGDParams{N: 1, Rate: 1}, Args: []string{"w", "g"}}}, bench.Buffers{})
	if err != nil {
		t.Fatal(err)
	}
	pace := s.Pace(launches)
	if err := pace.Run(ctx, 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := pace.Run(ctx, 100); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := rig.Engine.Submissions(); n != 2 {
		t.Errorf("%d command buffers", n)
	}
}
