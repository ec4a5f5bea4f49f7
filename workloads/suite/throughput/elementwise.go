package throughput

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads"
	"assay/workloads/bench"
)

// formDifference is a metric of this workload.
const formDifference metric.Name = "gelu_form_difference"

// Elementwise measures elementwise operations by array length.
func Elementwise() workloads.Workload {
	shortest, most, sweep := lengths(10_000_000)
	return workloads.Workload{
		Name: "elementwise", Title: "Elementwise", Group: "Throughput",
		About:    "Unary and binary operations on arrays: by length, by vector width, and in one dispatch or many.",
		Question: "How fast are elementwise operations, and which width pays off?",
		Params: []workloads.Param{
			{
				Name: "op", Title: "Operation", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: elementwiseOptions(), About: "What to compute for each element, or all in turn.",
			},
			dtypeParam("Format of the arrays; arithmetic is always in f32.", bench.OneOf(elementwiseNames()...)),
			{
				Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: byPieces, Title: "Dispatches", About: "One dispatch, or one for each of many pieces.", Typical: true},
					{Value: byWidth, Title: "Width", About: "One, two, four or eight elements per thread."},
					{Value: byAttribute, Title: "Attribute", About: "With max_total_threads_per_threadgroup set to the threadgroup’s size, or without it."},
				},
				About: "What to compare with one dispatch of four elements per thread, or all.",
			},
			bench.OperandsParam(bench.FromMemory),
			shortest, most,
			{
				Name: "pieces", Title: "Pieces", Type: workloads.Int, Unit: "dispatches", Min: 2, Max: 1024, Log2: true, Role: workloads.RoleVariant,
				Default: 16, About: "Dispatches that the same work is split into, each on its own arrays; at most one per element.",
			},
			{
				Name: "threads", Title: "Threadgroup", Type: workloads.Int, Unit: "threads", Min: 32, Max: 4096, Log2: true, Role: workloads.RoleVariant,
				Default: elementwise.UsualThreads,
				About:   "Threads per threadgroup, a power of two up to the device’s limit; engines without threadgroups accept only 256.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "op", Title: "Operation"},
			bench.OperandsAxis(),
			{Name: "elements", Title: "Length", Unit: "elements"},
			bench.FoundKernel(),
		},
		Metrics: metric.List{{
			Name: formDifference, Title: "Tanh form error", Shape: metric.Scalar, Better: metric.Less,
			About: "Largest difference between the tanh form and the erf form of GELU, in float64, over inputs from -6 to 6.",
		}},
		Quick:    elementwiseQuick(),
		Presets:  elementwisePresets(),
		Sweeps:   []workloads.Sweep{sweep},
		Valid:    elementwiseValid,
		Variants: counted(dispatchShapes),
		Run:      bench.Run(runElementwise),
		Views:    elementwiseViews(),
	}
}

// elementwiseValid rejects a number of threads that no kernel has.
func elementwiseValid(v workloads.Values) error {
	if n := v.Int("threads"); n&(n-1) != 0 {
		return workloads.NewParamError([]string{"threads"}, "{threads} is %v, want a power of two", n)
	}
	return nil
}

// elementwiseViews draw each shape by length, and the rates of activations next to published ones.
func elementwiseViews() []chart.View {
	drawn := views(byLength(), dispatchShapes(), workloads.ItemRate, workloads.Bandwidth, workloads.Speedup)
	const least, most = 100e6, 500e6
	band := chart.Band{Lo: least, Hi: most, Label: "published: 100 to 500 Mop/s, " + string(pensieveAnalysis)}
	drawn[0].Layers = append(drawn[0].Layers, chart.Only{Facets: []string{"relu", "silu", "gelu", "gelu_erf"}, Of: band})
	return drawn
}

func elementwiseQuick() map[string]any {
	return map[string]any{"op": "add", "min_elements": 10_000, "max_elements": 1_000_000}
}

func elementwisePresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Addition at a few lengths; takes seconds.", elementwiseQuick()),
		{
			Name: "activations", Title: "GELU", About: "GELU in its tanh form, as wide as a transformer’s hidden layer.",
			Values: workloads.Values{"op": "gelu", "operands": bench.FromCache, "min_elements": 10_000, "max_elements": 10_000_000},
		},
	}
}

// elementwiseOp is an operation, as data.
type elementwiseOp struct {
	name, title string
	inputs      int
	typical     bool
}

func elementwiseOps() []elementwiseOp {
	return []elementwiseOp{
		{name: "add", title: "Add", inputs: 2, typical: true},
		{name: "mul", title: "Multiply", inputs: 2},
		{name: "relu", title: "ReLU", inputs: 1},
		{name: "silu", title: "SiLU", inputs: 1},
		{name: "gelu", title: "GELU (tanh form)", inputs: 1},
		{name: "gelu_erf", title: "GELU (erf form)", inputs: 1},
	}
}

// elementwiseNamed returns the operation with that name.
func elementwiseNamed(name string) *elementwiseOp {
	ops := elementwiseOps()
	return &ops[slices.IndexFunc(ops, func(o elementwiseOp) bool { return o.name == name })]
}

func elementwiseOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, o := range elementwiseOps() {
		list = append(list, workloads.Option{Value: o.name, Title: o.title, Typical: o.typical})
	}
	return list
}

// elementwiseNames lists the operations.
func elementwiseNames() []string {
	var names []string
	for _, o := range elementwiseOps() {
		names = append(names, o.name)
	}
	return names
}

// What distinguishes shapes: the values of the parameter compare.
const (
	byPieces    = "dispatches"
	byWidth     = "width"
	byAttribute = "attribute"
)

// dispatchShape is how many elements a thread processes, whether the work is split into many pieces, and whether the kernel has the
// attribute.
type dispatchShape struct {
	way
	width int32
	many  bool
	bound int32
}

// inOne is the baseline of the others.
const inOne = "one dispatch"

func dispatchShapes() []dispatchShape {
	return []dispatchShape{
		{way: way{name: inOne}, width: 4},
		{way: way{"many dispatches", byPieces, "splitting into small dispatches"}, width: 4, many: true},
		{way: way{"1 wide", byWidth, "one element per thread"}, width: 1},
		{way: way{"2 wide", byWidth, "two elements per thread"}, width: 2},
		{way: way{"8 wide", byWidth, "eight elements per thread"}, width: 8},
		{way: way{"threads limited", byAttribute, "limiting threads by max_total_threads_per_threadgroup"}, width: 4, bound: 1},
	}
}

func runElementwise(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	plan := elementwisePlan{
		t: bench.Types(v.String("dtype"))[0], threads: int32(v.Int("threads")), pieces: v.Int("pieces"),
		shapes: compared(dispatchShapes(), v.String("compare")), missing: lacking(v.String("compare") == all),
	}
	if err := b.MeasurePoints(ctx, v, plan.at); err != nil {
		return err
	}
	worthDispatching(b, byLength(), inOne, "op/s", func(op string) string {
		return fmt.Sprintf("%s in %v, in one dispatch", elementwiseNamed(op).title, plan.t)
	})
	first := withDetail(b, plan.shapes, inOne, " of four elements per thread", byWidth)
	find(b, byLength(), widthsFirst(plan.shapes), func(op string) workloads.Subject {
		return workloads.Subject{Name: fmt.Sprintf("%s in %v", elementwiseNamed(op).title, plan.t), Baseline: first}
	})
	plan.noteForms(b)
	return nil
}

// widthsFirst puts the shapes that differ in width right after the first, since the workload's question is about them.
func widthsFirst(shapes []dispatchShape) []dispatchShape {
	order := func(s dispatchShape) int {
		switch s.differs {
		case "":
			return 0
		case byWidth:
			return 1
		}
		return 2
	}
	return slices.SortedStableFunc(slices.Values(shapes), func(a, b dispatchShape) int { return cmp.Compare(order(a), order(b)) })
}

// noteForms reports how much the two forms of GELU differ, if one was measured.
func (p *elementwisePlan) noteForms(b *bench.Bench) {
	results := b.Results()
	i := slices.IndexFunc(results, func(r workloads.Result) bool { return r.Status == workloads.OK && r.Number(formDifference) > 0 })
	if i < 0 {
		return
	}
	s := workloads.Subject{Name: fmt.Sprintf("%s in %v", elementwiseNamed("gelu").title, p.t)}
	b.Find(workloads.Noted(&results[i], s, "it is off by "+si.Format(results[i].Number(formDifference), "")+" at most from the erf form, in float64, over inputs from -6 to 6")...)
}

// elementwisePlan is what all cases of a run share.
type elementwisePlan struct {
	t       shaders.Type
	threads int32
	pieces  int
	shapes  []dispatchShape
	missing *lacks
}

func (p *elementwisePlan) at(at workloads.Point) bench.Case {
	o, n := elementwiseNamed(at.String("op")), at.Int("elements")
	return bench.Case{
		Name:     fmt.Sprintf("%s %d", o.name, n) + bench.OperandsSuffix(at.String("operands"), bench.FromMemory),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var variants []bench.Variant
			for i := range p.shapes {
				variants = p.missing.add(s, variants, p.variant(s, o, &p.shapes[i], n, at.String("operands")))
			}
			return variants, nil
		},
	}
}

func (p *elementwisePlan) constants(shape *dispatchShape) shaders.Constants {
	return shaders.Constants{elementwise.Width: shape.width, elementwise.Threads: p.threads, shaders.BoundThreads: shape.bound}
}

func (p *elementwisePlan) variant(s *bench.Scope, o *elementwiseOp, shape *dispatchShape, n int, operands string) bench.Variant {
	rotation := s.Rotation(operands, int64(p.t.Bytes((o.inputs+1)*n)), maxSets)
	v := bench.Variant{Name: shape.name, Items: float64(n), Baseline: shape.baseline(inOne)}
	if v.Err = s.SupportsWith(shaders.Pick{Op: o.name, Type: p.t}, p.constants(shape)); v.Err != nil {
		return v // before arrays are made
	}
	if o.name == "gelu" {
		v.Adjust = func(r *workloads.Result) { r.Values.SetNumber(formDifference, geluFormDifference()) }
	}
	return rotated(s, v, rotation, func(int) ([]gpu.Launch, error) { return p.launches(s, o, shape, n) })
}

// launches processes n elements: at once, or in pieces, each on its own arrays.
func (p *elementwisePlan) launches(s *bench.Scope, o *elementwiseOp, shape *dispatchShape, n int) ([]gpu.Launch, error) {
	pieces := 1
	if shape.many {
		pieces = min(p.pieces, n)
	}
	var launches []gpu.Launch
	for i := range pieces {
		size := n*(i+1)/pieces - n*i/pieces
		sizes, labels := slices.Repeat([]int{size}, o.inputs), []string{"a", "b"}[:o.inputs]
		args, err := randoms(s, p.t, sizes, labels...)
		if err != nil {
			return nil, err
		}
		out, err := s.Output(p.t, size, "out")
		if err != nil {
			return nil, err
		}
		l, err := s.Dispatch(shaders.Pick{Op: o.name, Type: p.t}, p.constants(shape), elementwise.ElementwiseParams{N: uint32(size)}, append(args, out)...)
		if err != nil {
			return nil, err
		}
		launches = append(launches, l)
	}
	return launches, nil
}

// geluFormDifference is the largest difference between the two forms of GELU, over a grid of inputs; outside of it both are 0 or the
// input itself.
func geluFormDifference() float64 {
	const limit, steps = 6.0, 4096
	tanh := shaders.Activations()[shaders.ActGelu]
	worst := 0.0
	for i := range steps + 1 {
		x := limit * (2*float64(i)/steps - 1)
		worst = max(worst, math.Abs(tanh.Eval(x)-elementwise.GeluErf(x)))
	}
	return worst
}
