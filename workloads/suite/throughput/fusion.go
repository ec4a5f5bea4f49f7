package throughput

import (
	"context"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/stats"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// Fusion measures fused kernels against the same work in separate dispatches.
func Fusion() workloads.Workload {
	return workloads.Workload{
		Name: "fusion", Title: "Fusion", Group: "Throughput",
		About: "When is one fused kernel faster than the same work in separate dispatches, and where does it stop paying.",
		Params: []workloads.Param{
			{
				Name: "pattern", Title: "Pattern", Type: workloads.Choice, Role: workloads.RoleCase,
				Choices: patternOptions(), All: "all", Default: "all",
				About: "Which operations to fuse, or all of them in turn.",
			},
			{
				Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase,
				Choices: workloads.Options("f32", "f16"), Default: "f32",
				About: "Format of the operands; arithmetic is always in f32.",
			},
			bench.OperandsParam(bench.FromCache), // what a layer takes was written by the one before
			{
				Name: "min_size", Title: "Smallest matrix", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
				Default: 64,
				About:   "Side of the smallest square matrix in the patterns with a matrix product.",
			},
			{
				Name: "max_size", Title: "Largest matrix", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
				Default: 1024,
				About:   "Side of the largest square matrix; the sweep doubles up to it.",
			},
			{
				Name: "min_elements", Title: "Smallest vector", Type: workloads.Int, Unit: "elements", Min: 1, Max: 1 << 26,
				Log2: true, Default: 1000, Role: workloads.RoleSweep,
				About: "Elements in the smallest vector of the elementwise patterns.",
			},
			{
				Name: "max_elements", Title: "Largest vector", Type: workloads.Int, Unit: "elements", Min: 1, Max: 1 << 26, Log2: true, Role: workloads.RoleSweep,
				Default: 10_000_000,
				About:   "Elements in the largest vector; the sweep grows tenfold up to it.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "pattern", Title: "Pattern"},
			bench.OperandsAxis(),
			{Name: "size", Title: "Matrix side", Unit: "rows"},
			{Name: "elements", Title: "Vector length", Unit: "elements"},
		},
		Quick:   fusionQuick(),
		Presets: fusionPresets(),
		Sweeps: []workloads.Sweep{
			{
				Axis: "size", From: "min_size", To: "max_size", Steps: workloads.Doubling, Title: "Matrix",
				About: "Sides of the square matrices in the patterns with a matrix product; the sweep doubles them.",
			},
			{
				Axis: "elements", From: "min_elements", To: "max_elements", Steps: workloads.Tenfold, Title: "Vector",
				About: "Elements in the vectors of the elementwise patterns; the sweep grows them tenfold.",
			},
		},
		Run:   bench.Run(runFusion),
		Views: []chart.View{fusionView("size"), fusionView("elements"), fusionPairs("size"), fusionPairs("elements")},
	}
}

// fusionView shows what fusing gains at each size.
func fusionView(along string) chart.View {
	v := chart.View{
		X: chart.Enc{Of: along, Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Speedup), Title: "Speed-up over separate"}, Color: "pattern",
		Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1, Label: "no difference"}},
	}
	for _, p := range patterns() {
		v.Places = append(v.Places, p.name)
	}
	return v
}

// fusionPairs shows the throughput of both forms of a pattern beside each other.
func fusionPairs(along string) chart.View {
	return chart.View{
		Title: "Side by side", Facet: "pattern", X: chart.Enc{Of: along, Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Throughput)},
		Layers: []chart.Layer{chart.Bars{}},
	}
}

// A pattern is a chain of operations with a fused form.
type pattern struct {
	name    string
	mat     bool // a matrix product with epilogue, else elementwise
	typical bool // it stands for all patterns of its kind in live tuning
	// fused is the kernel of the fused form, without the type suffix; steps those of the separate form.
	fused     string
	constants shaders.Constants
	steps     []string
}

// axis names what the pattern's sweep varies.
func (p *pattern) axis() string {
	if p.mat {
		return "size"
	}
	return "elements"
}

func patterns() []pattern {
	matmul := func(name string, c shaders.Constants, steps ...string) pattern {
		return pattern{name: name, mat: true, fused: "matmul", constants: c, steps: append([]string{"matmul"}, steps...)}
	}
	bias := shgemm.HasBias
	act := shgemm.Activation
	layer := matmul("matmul+bias+relu", shaders.Constants{bias: 1, act: shaders.ActRelu}, "add_bias", "relu")
	layer.typical = true
	all := []pattern{matmul("matmul+bias", shaders.Constants{bias: 1}, "add_bias")}
	for i, a := range shaders.Activations()[1:] {
		all = append(all, matmul("matmul+"+a.Name, shaders.Constants{act: int32(i + 1)}, a.Name))
	}
	return append(all, layer,
		pattern{name: "add+relu", typical: true, fused: "add_relu", steps: []string{"add", "relu"}},
		pattern{name: "mul+relu", fused: "mul_relu", steps: []string{"mul", "relu"}},
		pattern{name: "affine", fused: "affine", steps: []string{"mul", "add"}},
	)
}

// patternOptions are the patterns as values of a parameter; the longest chain of each kind is the typical one.
func patternOptions() []workloads.Option {
	options := workloads.Options("all")
	for _, p := range patterns() {
		options = append(options, workloads.Option{Value: p.name, Axis: p.axis(), Typical: p.typical})
	}
	return options
}

func runFusion(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	byName := map[string]pattern{}
	for _, p := range patterns() {
		byName[p.name] = p
	}
	build := func(at workloads.Point) bench.Case { return fusionCase(byName[at.String("pattern")], t, at) }
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	for _, p := range patterns() {
		b.Find(speedups(b.Workload, b.Results(), &p, t).Crossover()...)
	}
	return nil
}

func fusionCase(p pattern, t shaders.Type, at workloads.Point) bench.Case {
	n := at.Int(p.axis())
	return bench.Case{
		Name:     fmt.Sprintf("%s %d", p.name, n) + bench.OperandsSuffix(at.String("operands"), bench.FromCache),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			build, operands := elementwisePair, int64(4*n)
			if p.mat {
				build, operands = matmulPair, int64(2*n*n)
			}
			rotation := s.Rotation(at.String("operands"), operands*int64(t.Bytes(1)), maxSets)
			var separate, fused [][]gpu.Launch
			for range rotation.Sets {
				one, other, err := build(s, p, t, n)
				if err != nil {
					return nil, err
				}
				separate, fused = append(separate, one), append(fused, other)
			}
			return []bench.Variant{
				{Name: "separate", Work: s.Launches(separate...), Items: 1, Notes: rotation.Notes()},
				{Name: "fused", Work: s.Launches(fused...), Items: 1, Notes: rotation.Notes(), Baseline: "separate"},
			}, nil
		},
	}
}

// maxSets bounds the sets of operands of a case: of small vectors it takes too many to fill a cache.
const maxSets = 64

// matmulPair builds a pattern that starts with an n×n×n product, both ways on the same operands.
func matmulPair(s *bench.Scope, p pattern, t shaders.Type, n int) (separate, fused []gpu.Launch, err error) {
	in, err := randoms(s, t, []int{n * n, n * n}, "a", "b")
	if err != nil {
		return nil, nil, err
	}
	var bias gpu.Buffer
	if p.constants[shgemm.HasBias] != 0 {
		if bias, err = s.Random(t, n, "bias"); err != nil {
			return nil, nil, err
		}
	}
	outs, err := outputs(s, t, n*n, 1+len(p.steps))
	if err != nil {
		return nil, nil, err
	}
	size := shgemm.MatmulParams{M: uint32(n), N: uint32(n), K: uint32(n)}
	pick := func(op string) shaders.Pick { return shaders.Pick{Op: op, Type: t} }
	d, err := s.Dispatch(pick(p.fused), p.constants, size, in[0], in[1], bias, outs[0])
	if err != nil {
		return nil, nil, err
	}
	fused = append(fused, d)
	for i, step := range p.steps {
		switch step {
		case "matmul":
			d, err = s.Dispatch(pick(step), nil, size, in[0], in[1], nil, outs[1])
		case "add_bias":
			rows := elementwise.BiasParams{Rows: uint32(n), Cols: uint32(n)}
			d, err = s.Dispatch(pick(step), nil, rows, outs[i], bias, outs[i+1])
		default:
			d, err = s.Dispatch(pick(step), nil, elementwise.ElementwiseParams{N: uint32(n * n)}, outs[i], outs[i+1])
		}
		if err != nil {
			return nil, nil, err
		}
		separate = append(separate, d)
	}
	return separate, fused, nil
}

// inputs is how many operands an elementwise operation takes.
func inputs(op string) int { return len(catalog.Default().Op(op)[0].Args) - 1 }

// elementwisePair builds an elementwise pattern on n elements, both ways on the same operands. The steps but the
// first take the result of the one before, and further operands in order.
func elementwisePair(s *bench.Scope, p pattern, t shaders.Type, n int) (separate, fused []gpu.Launch, err error) {
	pick := func(op string) shaders.Pick { return shaders.Pick{Op: op, Type: t} }
	sizes := make([]int, inputs(p.fused))
	for i := range sizes {
		sizes[i] = n
	}
	in, err := randoms(s, t, sizes, "x", "y", "z")
	if err != nil {
		return nil, nil, err
	}
	outs, err := outputs(s, t, n, 1+len(p.steps))
	if err != nil {
		return nil, nil, err
	}
	params := elementwise.ElementwiseParams{N: uint32(n)}
	d, err := s.Dispatch(pick(p.fused), nil, params, append(in[:len(in):len(in)], outs[0])...)
	if err != nil {
		return nil, nil, err
	}
	fused = append(fused, d)
	carried, rest := in[0], in[1:]
	for i, step := range p.steps {
		more := inputs(step) - 1
		args := append([]gpu.Buffer{carried}, rest[:more]...)
		if d, err = s.Dispatch(pick(step), nil, params, append(args, outs[i+1])...); err != nil {
			return nil, nil, err
		}
		separate = append(separate, d)
		carried, rest = outs[i+1], rest[more:]
	}
	return separate, fused, nil
}

// randoms makes one random buffer per size, with the labels in order.
func randoms(s *bench.Scope, t shaders.Type, sizes []int, labels ...string) ([]gpu.Buffer, error) {
	var out []gpu.Buffer
	for i, n := range sizes {
		b, err := s.Random(t, n, labels[i])
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// outputs makes count buffers of n elements.
func outputs(s *bench.Scope, t shaders.Type, n, count int) ([]gpu.Buffer, error) {
	var out []gpu.Buffer
	for i := range count {
		b, err := s.Buffer(t, n, fmt.Sprintf("output %d", i))
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// speedups is how much faster a pattern is when fused, along the axis of its sweep.
func speedups(w *workloads.Workload, results []workloads.Result, p *pattern, t shaders.Type) *workloads.Curve {
	c := &workloads.Curve{Axis: w.Axis(p.axis()), Of: func(r *workloads.Result) stats.Interval { return r.Speedup() }}
	for _, r := range results {
		if r.Setting("pattern") == p.name && r.Variant == "fused" && r.Speedup().Bounded() {
			c.Results = append(c.Results, r)
		}
	}
	from := "in cache"
	if len(c.Results) > 0 && c.Results[0].Setting("operands") == bench.FromMemory {
		from = "from memory"
	}
	c.Subject = workloads.Subject{
		Name: fmt.Sprintf("%s in %v, operands %s", strings.ToUpper(p.name[:1])+p.name[1:], t, from),
		Way:  "one fused kernel", Baseline: "separate dispatches",
	}
	return c
}

func fusionQuick() map[string]any {
	return map[string]any{"min_size": 128, "max_size": 512, "min_elements": 10_000, "max_elements": 1_000_000}
}

func fusionPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All patterns at sizes that take seconds.", fusionQuick()),
		{
			Name: "layer-epilogue", Title: "Layer’s epilogue",
			About:  "A matmul with bias and ReLU, as in an MLP layer, up to 2048 rows.",
			Values: workloads.Values{"pattern": "matmul+bias+relu", "min_size": 32, "max_size": 2048},
		},
		{
			Name: "elementwise", Title: "Elementwise chain",
			About:  "Add and ReLU in one pass over memory instead of two, from small vectors to large.",
			Values: workloads.Values{"pattern": "add+relu", "min_elements": 1000, "max_elements": 50_000_000},
		},
		{
			Name: "half-precision", Title: "Half precision",
			About:  "All patterns in f16, with half the memory traffic.",
			Values: workloads.Values{"dtype": "f16"},
		},
	}
}
