package controls

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/internal/chart"
	"assay/shaders"
	"assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// group is the group of all controls.
const group = "Controls"

// sizeParam is the side of the matrices that the controls multiply.
func sizeParam() workloads.Param {
	return workloads.Param{
		Name: "size", Title: "Size", Type: workloads.Int, Unit: "rows", Min: 8, Max: 4096, Log2: true, Default: 512, Role: workloads.RoleCase,
		About: "Side of the square f32 matrices that are multiplied.",
	}
}

// kernelAxis is what the cases of a control differ in.
const kernelAxis = "kernel"

func axes() []workloads.Axis { return []workloads.Axis{{Name: kernelAxis, Title: "Kernel"}} }

// views draw the time of each case.
func views() []chart.View {
	return []chart.View{{
		X: chart.Enc{Of: kernelAxis, Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Time)}, Color: "variant",
		Layers: []chart.Layer{chart.Bars{}},
	}}
}

// named returns a case.
func named(name string, build func(s *bench.Scope) ([]bench.Variant, error)) bench.Case {
	return bench.Case{Name: name, Settings: workloads.Point{{Name: kernelAxis, Value: name}}, Build: build}
}

// run is a workload's Run in its own environment, parts of which it may replace.
func run(work func(ctx context.Context, b *bench.Bench, v workloads.Values) error) func(context.Context, *workloads.Env, workloads.Values) error {
	return func(ctx context.Context, env *workloads.Env, v workloads.Values) error {
		own := *env
		return bench.Run(work)(ctx, &own, v)
	}
}

// product returns a launch of the default kernel for a GEMM of square matrices, on the operands that variants share.
func product(s *bench.Scope, side int) (gpu.Launch, error) {
	var args []gpu.Buffer
	for _, label := range []string{"a", "b"} {
		x, err := s.Random(shaders.F32, side*side, label)
		if err != nil {
			return gpu.Launch{}, err
		}
		args = append(args, x)
	}
	out, err := s.Output(shaders.F32, side*side, "out")
	if err != nil {
		return gpu.Launch{}, err
	}
	n := uint32(side)
	return s.Dispatch(shaders.Pick{Op: "matmul", Type: shaders.F32}, nil, gemm.MatmulParams{M: n, N: n, K: n, Batch: 1}, args[0], args[1], nil, out)
}

// products returns variants that do the same work; the first is the baseline of the others.
func products(s *bench.Scope, side int, names ...string) ([]bench.Variant, error) {
	var out []bench.Variant
	for i, name := range names {
		s.For(name)
		launch, err := product(s, side)
		if err != nil {
			return nil, err
		}
		v := bench.Variant{Name: name, Items: 1, Work: s.Launches([]gpu.Launch{launch})}
		if i > 0 {
			v.Baseline = names[0]
		}
		out = append(out, v)
	}
	return out, nil
}

// only returns the results of a case.
func only(results []workloads.Result, name string) (out []workloads.Result) {
	for i := range results {
		if results[i].Case == name {
			out = append(out, results[i])
		}
	}
	return out
}

// untimed explains why a control cannot decide from the results of a correct kernel's case; nil: all have a time.
func untimed(results []workloads.Result, name string) *workloads.Proof {
	p := workloads.Undecided(name + ": not measured")
	if len(results) == 0 {
		return &p
	}
	for i := range results {
		r := &results[i]
		switch r.Status {
		case workloads.OK:
			continue
		case workloads.Failed:
			p = workloads.Missed(fmt.Sprintf("%s, %s: a correct result was rejected (%s)", name, r.Variant, r.Reason()))
		default:
			p = workloads.Undecided(fmt.Sprintf("%s, %s: no time (%s)", name, r.Variant, r.WithoutTime()))
		}
		return &p
	}
	return nil
}

// untimedCase applies untimed to each of the cases.
func untimedCase(all []workloads.Result, names ...string) *workloads.Proof {
	for _, name := range names {
		if p := untimed(only(all, name), name); p != nil {
			return p
		}
	}
	return nil
}
