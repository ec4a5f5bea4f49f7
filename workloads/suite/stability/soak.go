// Package stability has the workloads about sustained performance.
package stability

import (
	"context"
	"fmt"
	"time"

	"assay/gpu"
	"assay/internal/chart"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// Soak repeats one GEMM for minutes and follows its throughput.
func Soak() workloads.Workload {
	return workloads.Workload{
		Name: "soak", Title: "Soak", Group: "Stability", Series: true,
		About:    "Does throughput hold over minutes of the same work, or drift as the machine heats up?",
		Question: "Does the machine keep its speed for minutes, or throttle?",
		Params: []workloads.Param{
			{
				Name: "size", Title: "Matrix side", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Default: 1024,
				Role: workloads.RoleCase, About: "Side of the square matrices multiplied.",
			},
			{
				Name: "dtype", Title: "Number format", Type: workloads.Choice, Choices: workloads.Options("f32", "f16"), Default: "f32",
				Role: workloads.RoleCase, About: "Format of the operands; sums are always taken in f32.",
			},
			{
				Name: "duration", Title: "Duration", Type: workloads.Float, Unit: "s", Min: 1, Max: 7200, Default: 180.0,
				Role: workloads.RoleBudget, About: "Duration of the run; heat takes minutes to show.",
			},
			{
				Name: "window", Title: "Window", Type: workloads.Float, Unit: "s", Min: 0.1, Max: 60, Default: 5.0,
				Role: workloads.RoleBudget, About: "Measuring time per point of the curve.",
			},
		},
		Axes:  []workloads.Axis{{Name: "size", Title: "Matrix side", Unit: "rows"}, bench.FoundOperands(), bench.Elapsed()},
		Quick: map[string]any{"duration": 10.0, "window": 0.5},
		Presets: []workloads.Preset{
			workloads.QuickLook("Ten seconds: a functional check, too short for heat.", map[string]any{"duration": 10.0, "window": 0.5}),
			{
				Name: "half-an-hour", Title: "Half an hour", About: "Long enough for a fanless machine to reach thermal equilibrium.",
				Values: workloads.Values{"duration": 1800.0, "window": 15.0},
			},
		},
		Valid: func(v workloads.Values) error {
			if v.Float("window") > v.Float("duration") {
				return &workloads.ParamError{
					Params: []string{"window", "duration"},
					Text:   fmt.Sprintf("{window} is %g s, longer than {duration}, which is %g s", v.Float("window"), v.Float("duration")),
				}
			}
			return nil
		},
		Run: bench.Run(runSoak),
		Views: []chart.View{{
			X: chart.Enc{Of: "elapsed"}, Y: chart.Enc{Of: string(workloads.Throughput)},
			Layers: []chart.Layer{chart.Lines{}},
		}},
	}
}

func runSoak(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t, n := bench.Types(v.String("dtype"))[0], v.Int("size")
	c := bench.Case{
		Name:     fmt.Sprintf("matmul %d", n),
		Settings: workloads.Point{{Name: "size", Value: n}},
		Build:    func(s *bench.Scope) ([]bench.Variant, error) { return product(s, t, n) },
	}
	if err := b.Follow(ctx, c, seconds(v.Float("duration")), seconds(v.Float("window"))); err != nil {
		return err
	}
	b.Find(throughput(b, t).Drift()...)
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// product is one n×n×n product of random operands.
func product(s *bench.Scope, t shaders.Type, n int) ([]bench.Variant, error) {
	var operands []gpu.Buffer
	for _, label := range []string{"a", "b"} {
		x, err := s.Random(t, n*n, label)
		if err != nil {
			return nil, err
		}
		operands = append(operands, x)
	}
	out, err := s.Buffer(t, n*n, "out")
	if err != nil {
		return nil, err
	}
	p := shgemm.MatmulParams{M: uint32(n), N: uint32(n), K: uint32(n), Batch: 1}
	d, err := s.Dispatch(shaders.Pick{Op: "matmul", Type: t}, nil, p, operands[0], operands[1], nil, out)
	if err != nil {
		return nil, err
	}
	return []bench.Variant{{Name: t.String(), Work: s.Launches([]gpu.Launch{d}), Items: 1}}, nil
}

// throughput is the curve over time, in FLOP/s; empty if anything failed, so that there is no finding.
func throughput(b *bench.Bench, t shaders.Type) *workloads.Curve {
	c := &workloads.Curve{
		Axis: b.Workload.Axis("elapsed"), Unit: "FLOP/s", Subject: workloads.Subject{Name: fmt.Sprintf("Products in %v", t), Plural: true},
		Of: workloads.Throughput,
	}
	for _, r := range b.Results() {
		if r.Status != workloads.OK {
			c.Results = nil
			break
		}
		c.Results = append(c.Results, r)
	}
	return c
}
