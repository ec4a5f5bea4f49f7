package controls

import (
	"context"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/gpu/inject"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/gemm"
	"assay/shaders/stream"
	"assay/workloads"
	"assay/workloads/bench"
)

// Wrong is a control: kernels that compute something wrong, which verification must detect.
func Wrong() workloads.Workload {
	return workloads.Workload{
		Name: "wrong", Title: "Wrong kernels", Group: group, Control: true, Prove: proveWrong,
		About:    "Runs matrix products with deliberate errors, which verification must reject, and a correct one, which must pass.",
		Question: "Would Assay notice a wrong kernel?",
		Params:   []workloads.Param{sizeParam()},
		Quick:    map[string]any{"size": 128},
		Run:      run(runWrong),
		Axes:     axes(), Views: views(),
	}
}

// rightCase is the case without a defect.
const rightCase = "right"

// defect is one kind of wrong result.
type defect struct {
	name  string
	after int // number of correct submissions before it
	// edit turns the correct launch into wrong commands.
	edit func(s *bench.Scope, right gpu.Launch) ([]gpu.Command, error)
}

// defects are typical mistakes of kernels: in all or part of the output, from the start or only later.
func defects() []defect {
	return []defect{
		{name: "operands swapped", edit: swapped},
		{name: "last row not written", edit: lastRow},
		{name: "wrong last element", edit: lastElement},
		{name: "0.1 % too large", edit: tooLarge},
		{name: "correct at first", after: 3, edit: swapped},
	}
}

// swapped computes b · a.
func swapped(_ *bench.Scope, right gpu.Launch) ([]gpu.Command, error) {
	wrong := right
	wrong.Bindings = append([]gpu.Binding{right.Bindings[1], right.Bindings[0]}, right.Bindings[2:]...)
	return gpu.Launches(wrong), nil
}

// lastRow omits the last row.
func lastRow(_ *bench.Scope, right gpu.Launch) ([]gpu.Command, error) {
	wrong := right
	p := right.Params.(gemm.MatmulParams)
	p.M--
	wrong.Params = p
	return gpu.Launches(wrong), nil
}

// lastElement overwrites the last element with the first.
func lastElement(_ *bench.Scope, right gpu.Launch) ([]gpu.Command, error) {
	p, out := right.Params.(gemm.MatmulParams), right.Bindings[len(right.Bindings)-1]
	size := shaders.F32.Bytes(1)
	return []gpu.Command{right, gpu.Copy{From: out, To: gpu.Binding{Buffer: out.Buffer, Offset: size * (int(p.M*p.N) - 1)}, Bytes: size}}, nil
}

// tooLarge multiplies the result by 1.001.
func tooLarge(s *bench.Scope, right gpu.Launch) ([]gpu.Command, error) {
	p, last := right.Params.(gemm.MatmulParams), len(right.Bindings)-1
	between, err := s.Buffer(shaders.F32, int(p.M*p.N), "before scaling")
	if err != nil {
		return nil, err
	}
	scale, err := s.Dispatch(shaders.Pick{Op: "scale", Type: shaders.F32}, nil, stream.ScaleParams{N: p.M * p.N, S: 1.001}, between, right.Bindings[last].Buffer)
	if err != nil {
		return nil, err
	}
	wrong := right
	wrong.Bindings = append(append([]gpu.Binding(nil), right.Bindings[:last]...), gpu.Binding{Buffer: between})
	return gpu.Launches(wrong, scale), nil
}

func runWrong(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	side := v.Int("size")
	right := named(rightCase, func(s *bench.Scope) ([]bench.Variant, error) { return products(s, side, "product") })
	if err := b.MeasureAll(ctx, []bench.Case{right}); err != nil {
		return err
	}
	for _, d := range defects() {
		if err := d.measure(ctx, b, side); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the GEMM on an engine with the defect.
func (d *defect) measure(ctx context.Context, b *bench.Bench, side int) error {
	engine, queue := b.Engine, b.Queue
	defer func() { b.Engine, b.Queue = engine, queue }()
	plan := inject.Defect{After: d.after}
	b.Engine = inject.Wrong(engine, &plan)
	q, err := b.Engine.NewQueue("deliberate error")
	if err != nil {
		return err
	}
	defer q.Close()
	b.Queue = q
	return b.MeasureAll(ctx, []bench.Case{named(d.name, func(s *bench.Scope) ([]bench.Variant, error) {
		launch, err := product(s, side)
		if err != nil {
			return nil, err
		}
		wrong, err := d.edit(s, launch)
		if err != nil {
			return nil, err
		}
		plan.Edit = func([]gpu.Command) []gpu.Command { return wrong }
		return []bench.Variant{{
			Name: "product", Items: 1, Work: s.Launches([]gpu.Launch{launch}), Notes: []workloads.Warning{workloads.Note("deliberate error: %s", d.name)},
		}}, nil
	})})
}

func proveWrong(s workloads.Seen) workloads.Proof {
	var unseen []string
	for _, d := range defects() {
		mine := only(s.Results, d.name)
		switch {
		case len(mine) == 0:
			return *untimed(mine, d.name)
		case mine[0].Status == workloads.OK:
			unseen = append(unseen, d.name)
		case mine[0].Status != workloads.Failed:
			return *untimed(mine, d.name)
		}
	}
	if len(unseen) > 0 {
		return workloads.Missed("verification accepted wrong results: " + strings.Join(unseen, ", "))
	}
	if p := untimedCase(s.Results, rightCase); p != nil {
		return *p
	}
	return workloads.Passed(fmt.Sprintf("verification rejected %s and accepted the correct one", si.Counted(len(defects()), "wrong kernel")))
}
