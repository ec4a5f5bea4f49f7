package throughput

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/internal/chart"
	"assay/shaders"
	"assay/shaders/norm"
	"assay/workloads"
	"assay/workloads/bench"
)

// Normalization measures ways to normalize the rows of a matrix, by row length.
func Normalization() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "normalization", Title: "Normalization", Group: "Throughput",
		About:    "Softmax, layer norm and RMS norm of rows: the fastest method, by row length.",
		Question: "Which softmax or layer norm suits which row length?",
		Params: []workloads.Param{
			{
				Name: "op", Title: "Operation", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: normOptions(), About: "What to compute for each row, or all in turn.",
			},
			dtypeParam("Format of the matrix; arithmetic is always in f32.", bench.OneOf(normNames()...)),
			{
				Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
				Choices: comparedOptions(), About: "Which methods to compare with one pass by a threadgroup, or all.",
			},
			bench.OperandsParam(bench.FromCache), // a layer's input has just been written by the previous one
			{
				Name: "min_cols", Title: "Shortest row", Type: workloads.Int, Unit: "columns", Min: 1, Max: 1 << 20, Log2: true,
				Role: workloads.RoleSweep, Default: 64, About: "Columns of the narrowest matrix; the sweep doubles them up to the widest.",
			},
			{
				Name: "max_cols", Title: "Longest row", Type: workloads.Int, Unit: "columns", Min: 1, Max: 1 << 20, Log2: true,
				Role: workloads.RoleSweep, Default: 16384, About: "Columns of the widest matrix.",
			},
			{
				Name: "elements", Title: "Elements", Type: workloads.Int, Unit: "elements", Min: 1, Max: 1 << 26, Log2: true,
				Role: workloads.RoleCase, Default: 1 << 20, About: "Elements of the matrix at every row length, rounded down to whole rows, but at least one row.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "op", Title: "Operation"},
			bench.OperandsAxis(),
			{Name: "cols", Title: "Row length", Unit: "columns"},
			bench.FoundKernel(),
		},
		Quick:   normQuick(),
		Presets: normPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "cols", From: "min_cols", To: "max_cols", Steps: workloads.Doubling, Title: "Row length",
			About: "Columns of the matrix; the sweep doubles them.",
		}},
		Variants: counted(methods),
		Run:      bench.Run(runNormalization),
		Views:    views(byRowLength(), methods(), workloads.Bandwidth, workloads.Speedup),
	}, "threads=128", normNames()...)
}

// normOp is an operation on rows, as data.
type normOp struct {
	name   string // name of the operation, and value of the parameter
	title  string
	params func(rows, cols uint32) any
	scales int // row-length vectors that it reads: weight, bias
	// inPlace means that it overwrites the matrix.
	inPlace bool
	typical bool
}

const epsilon = 1e-5

func normOps() []normOp {
	return []normOp{
		{name: "softmax", title: "Softmax", typical: true, params: func(r, c uint32) any { return norm.SoftmaxParams{Rows: r, Cols: c} }},
		{name: "layernorm", title: "Layer norm", scales: 2, params: func(r, c uint32) any {
			return norm.LayerNormParams{Rows: r, Cols: c, Eps: epsilon}
		}},
		{name: "rmsnorm", title: "RMS norm", scales: 1, inPlace: true, params: func(r, c uint32) any {
			return norm.RMSNormParams{Rows: r, Cols: c, Eps: epsilon}
		}},
	}
}

func normOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, o := range normOps() {
		list = append(list, workloads.Option{Value: o.name, Title: o.title, Typical: o.typical})
	}
	return list
}

// What distinguishes methods of one implementation: values of the parameter compare, in addition to the names of the others.
const (
	groups = "groups"
	widths = "widths"
)

// normNames lists the operations.
func normNames() []string {
	var names []string
	for _, o := range normOps() {
		names = append(names, o.name)
	}
	return names
}

func comparedOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for i, m := range implementations(normNames()...)[1:] {
		o := option(m)
		o.Typical = i == 0
		list = append(list, o)
	}
	return append(list,
		workloads.Option{Value: groups, Title: "Threads per row", About: "A threadgroup for each row, or a SIMD group."},
		workloads.Option{Value: widths, Title: "Width", About: "One, four or eight elements at a time."},
		workloads.Option{Value: byLibrary, Title: "Library", About: "The softmax of the platform’s library."},
	)
}

// method is a way to normalize rows: an implementation and its tunables, or the ones preferred for the device.
type method struct {
	way
	impl      string
	constants shaders.Constants
	tuned     bool
	library   shaders.Library
}

// onePass is the baseline of the others.
const onePass = "one pass"

func methods() []method {
	list := []method{{way: way{name: onePass}, impl: shaders.Plain}}
	for _, m := range implementations(normNames()...)[1:] {
		list = append(list, method{way: by(m), impl: m.Name, tuned: true})
	}
	list = append(list,
		method{
			way: way{"SIMD group per row", groups, "a SIMD group per row"}, impl: shaders.Plain,
			constants: shaders.Constants{norm.Threads: 32, norm.Rows: 8},
		},
		method{way: way{"1 wide", widths, "one element at a time"}, impl: shaders.Plain, constants: shaders.Constants{norm.Width: 1}},
		method{way: way{"8 wide", widths, "eight elements at a time"}, impl: shaders.Plain, constants: shaders.Constants{norm.Width: 8}},
	)
	for _, m := range libraryImpls(normNames()...) {
		list = append(list, method{way: inLibrary(m.Library), impl: m.Name, library: m.Library})
	}
	return list
}

func (m method) of() shaders.Library { return m.library }

func (m *method) pick(o *normOp, t shaders.Type) shaders.Pick {
	return shaders.Pick{Op: o.name, Impl: m.impl, Type: t, Tuned: m.tuned}
}

func byRowLength() versus { return versus{axis: "cols", scale: chart.Log2, facet: "op"} }

func runNormalization(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	byName := map[string]normOp{}
	for _, o := range normOps() {
		byName[o.name] = o
	}
	missing := lacking(v.String("compare") == all)
	ways := mayRun(b, compared(methods(), v.String("compare")), v.String("compare") == byLibrary)
	build := func(at workloads.Point) bench.Case {
		return normCase(byName[at.String("op")], t, v.Int("elements"), ways, missing, at)
	}
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	first := withDetail(b, ways, onePass, ", a threadgroup per row and four elements at a time", groups, widths)
	find(b, byRowLength(), ways, func(op string) workloads.Subject {
		return workloads.Subject{Name: fmt.Sprintf("%s in %v", byName[op].title, t), Baseline: first}
	})
	return nil
}

func normCase(o normOp, t shaders.Type, elements int, methods []method, missing *lacks, at workloads.Point) bench.Case {
	cols := at.Int("cols")
	rows := max(1, elements/cols)
	return bench.Case{
		Name:     fmt.Sprintf("%s %d × %d", o.name, rows, cols) + bench.OperandsSuffix(at.String("operands"), bench.FromCache),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var variants []bench.Variant
			for _, m := range methods {
				if !exists(m.pick(&o, t)) {
					continue // the operation has no such method
				}
				variants = missing.add(s, variants, normVariant(s, &o, &m, t, rows, cols, at.String("operands")))
			}
			return variants, nil
		},
	}
}

// normVariant is one method on the shared matrices, except those that it overwrites.
func normVariant(s *bench.Scope, o *normOp, m *method, t shaders.Type, rows, cols int, operands string) bench.Variant {
	rotation := s.Rotation(operands, int64(t.Bytes(2*rows*cols)), maxSets)
	v := bench.Variant{Name: m.name, Items: float64(rows), Baseline: m.baseline(onePass)}
	if v.Err = s.SupportsCall(m.pick(o, t), m.constants, o.params(uint32(rows), uint32(cols))); v.Err != nil {
		return v
	}
	return rotated(s, v, rotation, func(int) ([]gpu.Launch, error) {
		l, err := normLaunch(s, o, m, t, rows, cols)
		return []gpu.Launch{l}, err
	})
}

func normLaunch(s *bench.Scope, o *normOp, m *method, t shaders.Type, rows, cols int) (gpu.Launch, error) {
	args, err := o.operands(s, t, rows, cols)
	if err != nil {
		return gpu.Launch{}, err
	}
	return s.Dispatch(m.pick(o, t), m.constants, o.params(uint32(rows), uint32(cols)), args...)
}

// operands returns the matrix, the scale vectors, and the output of an operation that is not in place.
func (o *normOp) operands(s *bench.Scope, t shaders.Type, rows, cols int) ([]gpu.Buffer, error) {
	if o.inPlace {
		return inPlaceOperands(s, t, rows, cols)
	}
	sizes, labels := []int{rows * cols}, []string{"x"}
	for _, label := range []string{"weight", "bias"}[:o.scales] {
		sizes, labels = append(sizes, cols), append(labels, label)
	}
	args, err := randoms(s, t, sizes, labels...)
	if err != nil {
		return nil, err
	}
	out, err := s.Output(t, rows*cols, "out")
	return append(args, out), err
}

// inPlaceOperands returns a matrix to overwrite, and weights of ±1: other weights, applied repeatedly, would drive most of a row to
// zero, where arithmetic may be slower.
func inPlaceOperands(s *bench.Scope, t shaders.Type, rows, cols int) ([]gpu.Buffer, error) {
	from, err := s.Random(t, rows*cols, "x before")
	if err != nil {
		return nil, err
	}
	x, err := s.Buffer(t, rows*cols, "x")
	if err != nil {
		return nil, err
	}
	if err := s.FillFloats(x, t, rows*cols, s.Floats(from, t)); err != nil {
		return nil, err
	}
	weight, err := bench.Cached(s, fmt.Sprintf("signs %v × %d", t, cols), func(s *bench.Scope) (gpu.Buffer, error) {
		b, err := s.Buffer(t, cols, "weight")
		if err != nil {
			return nil, err
		}
		return b, s.FillFloats(b, t, cols, signs)
	})
	return []gpu.Buffer{x, weight}, err
}

// signs are 1, 1, −1 and so on: a kernel that used its neighbor's would be caught.
func signs(dst []float32, at int) error {
	for i := range dst {
		dst[i] = 1
		if (at+i)%3 == 2 {
			dst[i] = -1
		}
	}
	return nil
}

func normQuick() map[string]any {
	return map[string]any{"min_cols": 256, "max_cols": 4096, "elements": 1 << 18}
}

func normPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All operations at a few lengths; takes seconds.", normQuick()),
		{
			Name: "attention-rows", Title: "Attention’s softmax", About: "Softmax of rows of 128 to 8192 elements, the length of a sequence.",
			Values: workloads.Values{"op": "softmax", "min_cols": 128, "max_cols": 8192},
		},
		{
			Name: "hidden-sizes", Title: "Hidden sizes", About: "Layer norm at the widths of a transformer’s layers.",
			Values: workloads.Values{"op": "layernorm", "min_cols": 512, "max_cols": 8192},
		},
	}
}
