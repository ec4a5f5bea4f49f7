package throughput

import (
	"context"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads"
	"assay/workloads/bench"
)

// Broadcast measures additions in which one operand is broadcast over rows, columns or channels.
func Broadcast() workloads.Workload {
	const fewest, most = "min_images", "max_images"
	return workloads.Workload{
		Name: "broadcast", Title: "Broadcasting", Group: "Throughput",
		About:    "Adding a bias per column, row, channel or image to a batch of images, against adding an array of full size.",
		Question: "What does broadcasting save, and how should a kernel compute indices?",
		Params: []workloads.Param{
			{
				Name: "shape", Title: "Second operand", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: spreadOptions(), About: "What to combine with each [images, channels, height, width] array, or all in turn.",
			},
			{
				Name: "op", Title: "Operation", Type: workloads.Choice, Role: workloads.RoleCase, Default: byAdding,
				Choices: []workloads.Option{{Value: byAdding, Title: "Add"}, {Value: byScaling, Title: "Multiply"}},
				About:   "How to combine it.",
			},
			dtypeParam("Format of the arrays; arithmetic is always in f32.", bench.OneOf("add", "mul")),
			{
				Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: byRows, Title: "By rows", About: "A row’s position is computed once for the whole row.", Typical: true},
					{Value: byElements, Title: "By elements", About: "Each thread computes its element’s position by division."},
				},
				About: "What to compare with an array of full size, or both.",
			},
			bench.OperandsParam(bench.FromMemory),
			imagesEnd(fewest, "Smallest batch", "Images in the smallest batch; the sweep doubles up to the largest.", 1),
			imagesEnd(most, "Largest batch", "Images in the largest batch.", 64),
			imageSide("channels", "Channels", "Channels of an image.", "channels", 64),
			imageSide("height", "Height", "Rows of a channel.", "rows", 32),
			imageSide("width", "Width", "Elements of a row.", "elements", 32),
		},
		Axes: []workloads.Axis{
			{Name: "shape", Title: "Second operand"},
			bench.OperandsAxis(),
			{Name: "images", Title: "Batch", Unit: "images"},
			bench.FoundKernel(),
		},
		Quick:   broadcastQuick(),
		Presets: broadcastPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "images", From: fewest, To: most, Steps: workloads.Doubling, Title: "Batch", About: "Images in a batch; the sweep doubles them.",
		}},
		Valid:    broadcastValid,
		Variants: counted(spreadWays),
		Run:      bench.Run(runBroadcast),
		Views:    views(byImages(), spreadWays(), workloads.ItemRate, workloads.Speedup),
	}
}

func imagesEnd(name, title, about string, value int) workloads.Param {
	return workloads.Param{
		Name: name, Title: title, Type: workloads.Int, Unit: "images", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
		Default: value, About: about,
	}
}

func imageSide(name, title, about, unit string, value int) workloads.Param {
	return workloads.Param{
		Name: name, Title: title, Type: workloads.Int, Unit: unit, Min: 1, Max: 4096, Log2: true, Role: workloads.RoleCase,
		Default: value, About: about,
	}
}

// maxBroadcast is the maximum number of result elements: 1 GiB in f32.
const maxBroadcast = 1 << 28

func broadcastValid(v workloads.Values) error {
	n := v.Int("max_images") * v.Int("channels") * v.Int("height") * v.Int("width")
	if n <= maxBroadcast {
		return nil
	}
	return workloads.NewParamError([]string{"max_images", "channels", "height", "width"}, "{max_images} · {channels} · {height} · {width} is %v elements; the maximum is %v", n, maxBroadcast)
}

func broadcastQuick() map[string]any {
	return map[string]any{"max_images": 4, "operands": bench.FromCache}
}

func broadcastPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Small batches in the cache; takes half a minute.", broadcastQuick()),
		{
			Name: "channel-bias", Title: "Channel’s bias", About: "A bias per channel, as after a convolution with 64 channels of 224 × 224.",
			Values: workloads.Values{"shape": "channel", "height": 224, "width": 224, "max_images": 16},
		},
		{
			Name: "short-rows", Title: "Short rows", About: "Rows of 7 elements, as in a network’s last layers, where locating a row costs the most.",
			Values: workloads.Values{"channels": 512, "height": 7, "width": 7},
		},
	}
}

// Operations: the values of the parameter op, and the names of the full-size operations.
const (
	byAdding  = "add"
	byScaling = "mul"
)

// spread is a kind of second operand. Bit i of a mask means that dimension i of the operand is 1.
type spread struct {
	name, title     string
	a, b            uint32
	added, multiply string // in words
}

// words describe the spread in a sentence.
func (s *spread) words(op string) string {
	if op == byScaling {
		return s.multiply
	}
	return s.added
}

func spreads() []spread {
	return []spread{
		{name: "column", title: "Per column", b: 0b0111, added: "a bias per column", multiply: "a scale per column"},
		{name: "row", title: "Per row", b: 0b1000, added: "a bias per row", multiply: "a scale per row"},
		{name: "channel", title: "Per channel", b: 0b1101, added: "a bias per channel", multiply: "a scale per channel"},
		{name: "image", title: "The same for all images", b: 0b0001, added: "one image added to all", multiply: "all images multiplied by one"},
		{name: "scalar", title: "One number", b: 0b1111, added: "one number added to all elements", multiply: "all elements multiplied by one number"},
		{name: "outer", title: "Rows with columns", a: 0b1000, b: 0b0111, added: "a value per row added to one per column", multiply: "a value per row times one per column"},
	}
}

// spreadNamed returns the spread with that name.
func spreadNamed(name string) *spread {
	list := spreads()
	return &list[slices.IndexFunc(list, func(s spread) bool { return s.name == name })]
}

func spreadOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, s := range spreads() {
		list = append(list, workloads.Option{Value: s.name, Title: s.title, Typical: s.name == "channel"})
	}
	return list
}

// What distinguishes ways to broadcast: the values of the parameter compare.
const (
	byRows     = "rows"
	byElements = "elements"
)

// spreadWay is a way to add the operands.
type spreadWay struct {
	way
	impl string
}

// fullSize is the baseline of the others.
const fullSize = "full size"

func spreadWays() []spreadWay {
	return []spreadWay{
		{way: way{name: fullSize}},
		{way: way{"by rows", byRows, "broadcasting by rows"}, impl: shaders.Plain},
		{way: way{"by elements", byElements, "broadcasting by elements"}, impl: elementwise.Indexed},
	}
}

func byImages() versus { return versus{axis: "images", scale: chart.Log2, facet: "shape"} }

func runBroadcast(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	plan := broadcastPlan{
		t: bench.Types(v.String("dtype"))[0], ways: compared(spreadWays(), v.String("compare")), missing: lacking(v.String("compare") == all),
		image: [3]int{v.Int("channels"), v.Int("height"), v.Int("width")}, op: v.String("op"),
	}
	if err := b.MeasurePoints(ctx, v, plan.at); err != nil {
		return err
	}
	find(b, byImages(), plan.ways, func(shape string) workloads.Subject {
		return workloads.Subject{Name: fmt.Sprintf("In %v, %s", plan.t, spreadNamed(shape).words(plan.op)), Baseline: "an array of full size"}
	})
	return nil
}

// broadcastPlan is what all cases of a run share.
type broadcastPlan struct {
	t       shaders.Type
	image   [3]int
	op      string
	ways    []spreadWay
	missing *lacks
}

func (p *broadcastPlan) at(at workloads.Point) bench.Case {
	s, n := spreadNamed(at.String("shape")), at.Int("images")
	return bench.Case{
		Name:     fmt.Sprintf("%s, %s", s.name, si.Counted(n, "image")) + bench.OperandsSuffix(at.String("operands"), bench.FromMemory),
		Settings: at,
		Build: func(scope *bench.Scope) ([]bench.Variant, error) {
			var variants []bench.Variant
			for i := range p.ways {
				variants = p.missing.add(scope, variants, p.variant(scope, s, &p.ways[i], n, at.String("operands")))
			}
			return variants, nil
		},
	}
}

func (p *broadcastPlan) params(s *spread, images int) elementwise.BroadcastParams {
	return elementwise.BroadcastParams{
		D0: uint32(images), D1: uint32(p.image[0]), D2: uint32(p.image[1]), D3: uint32(p.image[2]), A: s.a, B: s.b,
	}
}

func (p *broadcastPlan) variant(scope *bench.Scope, s *spread, w *spreadWay, images int, operands string) bench.Variant {
	params := p.params(s, images)
	if w.impl == "" {
		params.A, params.B = 0, 0
	}
	n := elements(params)
	rotation := scope.Rotation(operands, int64(p.t.Bytes(params.Size(params.A)+params.Size(params.B)+n)), maxSets)
	v := bench.Variant{Name: w.name, Items: float64(n), Baseline: w.baseline(fullSize)}
	return rotated(scope, v, rotation, func(int) ([]gpu.Launch, error) {
		l, err := p.launch(scope, w, params)
		return []gpu.Launch{l}, err
	})
}

func elements(p elementwise.BroadcastParams) int {
	d := p.Dims()
	return d[0] * d[1] * d[2] * d[3]
}

// launch combines two operands, using the plain elementwise operation if both have full size.
func (p *broadcastPlan) launch(scope *bench.Scope, w *spreadWay, params elementwise.BroadcastParams) (gpu.Launch, error) {
	sizes := []int{params.Size(params.A), params.Size(params.B)}
	args, err := randoms(scope, p.t, sizes, "a", "b")
	if err != nil {
		return gpu.Launch{}, err
	}
	out, err := scope.Output(p.t, elements(params), "out")
	if err != nil {
		return gpu.Launch{}, err
	}
	if w.impl == "" {
		return scope.Dispatch(shaders.Pick{Op: p.op, Type: p.t}, nil, elementwise.ElementwiseParams{N: uint32(sizes[0])}, append(args, out)...)
	}
	return scope.Dispatch(shaders.Pick{Op: p.op + "_broadcast", Impl: w.impl, Type: p.t}, nil, params, append(args, out)...)
}
