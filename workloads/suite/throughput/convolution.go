package throughput

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/conv"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// Convolution compares layouts and methods of convolution, by image size.
func Convolution() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "convolution", Title: "Convolution", Group: "Throughput",
		About:    "Convolution of images with filters: directly, in tiles, or as a matmul, in NCHW and NHWC.",
		Question: "Which layout and method suit which convolution?",
		Params:   convolutionParams(),
		Axes: []workloads.Axis{
			{Name: "filter", Title: "Filter"},
			bench.OperandsAxis(),
			{Name: "side", Title: "Image side", Unit: "pixels"},
			bench.FoundKernel(),
		},
		Quick:   convolutionQuick(),
		Presets: convolutionPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "side", From: "min_side", To: "max_side", Steps: workloads.Doubled, Title: "Image",
			About: "Sides of the square images; the sweep doubles them.",
		}},
		Valid:    convolutionValid,
		Variants: func(v workloads.Values) int { return len(chosenConvolutions(v)) },
		Run:      bench.Run(runConvolution),
		Views:    views(bySide(), convolutions(), workloads.Throughput, workloads.Speedup),
	}, "tile=32", "matmul")
}

// Layouts and methods: values of the parameters of these names.
const (
	byChannel = "NCHW"
	byPixel   = "NHWC"

	directly = "direct"
	inTiles  = "tiled"
	asMatmul = "im2col"
)

// Padding of the images.
const (
	samePadding = "same"
	noPadding   = "none"
)

func convolutionParams() []workloads.Param {
	side := func(name, title, about string, byDefault int) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "pixels", Min: 1, Max: 2048, Log2: true, Role: workloads.RoleSweep,
			Default: byDefault, About: about,
		}
	}
	amount := func(name, title, unit, zero, about string, least, most, byDefault int) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: unit, Min: float64(least), Max: float64(most), Zero: zero, Log2: least > 0 && most > 64,
			Role: workloads.RoleCase, Default: byDefault, About: about,
		}
	}
	return []workloads.Param{
		{
			Name: "filter", Title: "Filter", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: "3x3",
			Choices: []workloads.Option{
				{Value: all},
				{Value: "1x1", Title: "1 × 1"},
				{Value: "3x3", Title: "3 × 3", Typical: true},
				{Value: "5x5", Title: "5 × 5"},
				{Value: "7x7", Title: "7 × 7"},
			},
			About: "Size of the filters, or all in turn.",
		},
		dtypeParam("Format of images and filters; sums are always in f32.", bench.AllOf("conv2d")),
		{
			Name: "layout", Title: "Layout", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
			Choices: []workloads.Option{
				{Value: all},
				{Value: byChannel, About: "An image is a plane of pixels for each channel.", Typical: true},
				{Value: byPixel, About: "Channels are innermost: each pixel has all of them side by side."},
			},
			About: "Layouts to compare with the direct method by planes (NCHW), or both.",
		},
		{
			Name: "method", Title: "Method", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
			Choices: []workloads.Option{
				{Value: all},
				{Value: directly, Title: "Direct", About: "One thread per sum, reading device memory."},
				{Value: inTiles, Title: "Tiled", About: "Tiles of pixels, with their borders, in threadgroup memory."},
				{Value: asMatmul, Title: "im2col", About: "The pixels under the filter are laid out side by side for a matmul.", Typical: true},
			},
			About: "Methods to compare with the direct one by planes (NCHW), or all.",
		},
		bench.OperandsParam(bench.FromCache), // images have just been written by the previous layer
		side("min_side", "Smallest image", "Side of the smallest square image; the sweep doubles it up to the largest.", 16),
		side("max_side", "Largest image", "Side of the largest square image.", 128),
		amount("channels", "Channels", "channels", "", "Channels of the images.", 1, 4096, 64),
		amount("outputs", "Output channels", "channels", "as many as channels", "Filters, each of which produces an output channel.", 0, 4096, 0),
		amount("images", "Images", "images", "", "Images per batch.", 1, 64, 1),
		amount("stride", "Stride", "pixels", "", "Pixels from one filter position to the next.", 1, conv.MaxStride, 1),
		{
			Name: "padding", Title: "Padding", Type: workloads.Choice, Role: workloads.RoleCase, Default: samePadding,
			Choices: []workloads.Option{
				{Value: samePadding, Title: "Same", About: "Zeros around the image: at stride 1, the output keeps its size."},
				{Value: noPadding, Title: "None", About: "Filters stay within the image."},
			},
			About: "What filters read beyond the image’s edges.",
		},
	}
}

func convolutionQuick() map[string]any {
	return map[string]any{"min_side": 16, "max_side": 64, "channels": 32}
}

func convolutionPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Filters of 3 × 3 on 32 channels; takes seconds.", convolutionQuick()),
		{
			Name: "resnet", Title: "ResNet block", About: "Filters of 1 × 1 to 7 × 7 on 128 channels, images of 14 to 56 pixels.",
			Values: workloads.Values{"filter": all, "channels": 128, "min_side": 14, "max_side": 56},
		},
		{
			Name: "stem", Title: "First layer", About: "7 × 7 filters at stride 2 from 3 channels to 64.",
			Values: workloads.Values{"filter": "7x7", "channels": 3, "outputs": 64, "stride": 2, "min_side": 64, "max_side": 224},
		},
		{
			Name: "wide-image", Title: "3 × 3, 64 × 224 × 224", About: "From 64 channels to 64, on one image of 224 × 224.",
			Values: workloads.Values{"min_side": 224, "max_side": 224},
		},
	}
}

// sideOf returns the side of a filter; for all, the largest.
func sideOf(filter string) int {
	side := conv.MaxSide
	_, _ = fmt.Sscanf(filter, "%d", &side) // one of the choices
	return side
}

func convolutionValid(v workloads.Values) error {
	side := sideOf(v.String("filter"))
	if v.String("padding") == noPadding && v.Int("min_side") < side {
		return workloads.NewParamError([]string{"min_side"}, "{min_side} is %v, want at least the filter’s %v without padding", v.Int("min_side"), side)
	}
	c := convolutionOf(v, bench.Types(v.String("dtype"))[0], v.String("filter"), v.Int("max_side"))
	ways := len(chosenConvolutions(v))
	return load{c.ops(), float64(c.bytes(0)), float64(ways * c.bytes(0))}.within(maxOps, "max_side", "filter", "channels", "outputs", "images")
}

// convolution is a layout and a method.
type convolution struct{ layout, method string }

func (c convolution) name() string {
	if c.method == asMatmul {
		return c.layout + " im2col + matmul"
	}
	return c.layout + " " + c.method
}

func (c convolution) itself() way { return way{name: c.name(), words: c.name()} }

// planes is the baseline of the others.
func planes() convolution { return convolution{byChannel, directly} }

func convolutions() []convolution {
	var list []convolution
	for _, layout := range []string{byChannel, byPixel} {
		for _, method := range []string{directly, inTiles, asMatmul} {
			list = append(list, convolution{layout, method})
		}
	}
	return list
}

// chosenConvolutions are the ones selected by the values.
func chosenConvolutions(v workloads.Values) []convolution {
	layout, method := v.String("layout"), v.String("method")
	return slices.DeleteFunc(convolutions(), func(c convolution) bool {
		wanted := (layout == all || layout == c.layout) && (method == all || method == c.method)
		return !wanted && c != planes()
	})
}

func bySide() versus { return versus{axis: "side", scale: chart.Log2, facet: "filter"} }

func runConvolution(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	missing := lacking(v.String("layout") == all && v.String("method") == all)
	if err := b.MeasurePoints(ctx, v, func(at workloads.Point) bench.Case { return convolutionCase(v, t, missing, at) }); err != nil {
		return err
	}
	base := planes()
	c := bySide()
	for _, filter := range c.values(b.Results()) {
		subject := workloads.Subject{Name: filtered(v, t, filter)}
		b.Find(workloads.Leaders(b.Workload.Axis(c.axis), workloads.Throughput, "FLOP/s", subject, c.of(b.Results(), filter))...)
	}
	find(b, c, convolutions(), func(filter string) workloads.Subject {
		return workloads.Subject{Name: filtered(v, t, filter), Baseline: base.name()}
	})
	return nil
}

// filtered describes in a sentence what was measured.
func filtered(v workloads.Values, t shaders.Type, filter string) string {
	side := sideOf(filter)
	text := fmt.Sprintf("Filters of %d × %d on %s in %v", side, side, workloads.WithUnit(strconv.Itoa(v.Int("channels")), "channels"), t)
	if n := v.Int("outputs"); n > 0 && n != v.Int("channels") {
		text += fmt.Sprintf(", to %d", n)
	}
	if n := v.Int("stride"); n > 1 {
		text += fmt.Sprintf(", at stride %d", n)
	}
	if n := v.Int("images"); n > 1 {
		text += fmt.Sprintf(", %d images", n)
	}
	return text
}

// convolutionShape is what a case computes.
type convolutionShape struct {
	t shaders.Type
	p conv.ConvParams
}

func convolutionOf(v workloads.Values, t shaders.Type, filter string, pixels int) convolutionShape {
	side := uint32(pixels)
	p := conv.ConvParams{
		N: uint32(v.Int("images")), C: uint32(v.Int("channels")), H: side, W: side, O: uint32(v.Int("outputs")),
		Side: uint32(sideOf(filter)), Stride: uint32(v.Int("stride")),
	}
	if p.O == 0 {
		p.O = p.C
	}
	if v.String("padding") == samePadding {
		p.Pad = p.Side / 2
	}
	return convolutionShape{t, p}
}

func convolutionCase(v workloads.Values, t shaders.Type, missing *lacks, at workloads.Point) bench.Case {
	shape := convolutionOf(v, t, at.String("filter"), at.Int("side"))
	return bench.Case{
		Name:     fmt.Sprintf("%d × %d on %d", shape.p.Side, shape.p.Side, shape.p.H) + bench.OperandsSuffix(at.String("operands"), bench.FromCache),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var variants []bench.Variant
			for _, c := range chosenConvolutions(v) {
				variants = missing.add(s, variants, shape.variant(s, &c, at.String("operands")))
			}
			return variants, nil
		},
	}
}

func (c *convolutionShape) pixels() int { return c.p.Rows() * c.p.Cols() }
func (c *convolutionShape) inputs() int {
	return int(c.p.N) * int(c.p.C) * int(c.p.H) * int(c.p.W)
}
func (c *convolutionShape) filters() int  { return int(c.p.O) * c.p.Taps() }
func (c *convolutionShape) outputs() int  { return int(c.p.N) * int(c.p.O) * c.pixels() }
func (c *convolutionShape) unfolded() int { return int(c.p.N) * c.pixels() * c.p.Taps() }

func (c *convolutionShape) ops() float64 { return 2 * float64(c.outputs()) * float64(c.p.Taps()) }

// bytes returns the size of a set of operands plus `more` elements.
func (c *convolutionShape) bytes(more int) int {
	return c.t.Bytes(c.inputs() + c.filters() + c.outputs() + more)
}

// variant is one layout and method, on the shared operands.
func (c *convolutionShape) variant(s *bench.Scope, one *convolution, operands string) bench.Variant {
	more := 0
	if one.method == asMatmul {
		more = c.unfolded()
	}
	rotation := s.Rotation(operands, int64(c.bytes(more)), maxSets)
	base := planes()
	v := bench.Variant{Name: one.name(), Items: float64(c.p.N)}
	if *one != base {
		v.Baseline = base.name()
	}
	return rotated(s, v, rotation, func(int) ([]gpu.Launch, error) { return c.launches(s, one) })
}

func (c *convolutionShape) launches(s *bench.Scope, one *convolution) ([]gpu.Launch, error) {
	constants := shaders.Constants{}
	if one.layout == byPixel {
		constants[conv.ByPixel] = 1
	}
	if one.method == asMatmul {
		return c.products(s, constants)
	}
	pick := shaders.Pick{Op: "conv2d", Impl: one.method, Type: c.t}
	if err := s.Supports(pick); err != nil {
		return nil, err
	}
	in, err := randoms(s, c.t, []int{c.inputs(), c.filters()}, "x", "filters")
	if err != nil {
		return nil, err
	}
	out, err := s.Output(c.t, c.outputs(), "out")
	if err != nil {
		return nil, err
	}
	l, err := s.Dispatch(pick, constants, c.p, in[0], in[1], nil, out)
	return []gpu.Launch{l}, err
}

// maxUnfolded limits what im2col stores, in bytes.
const maxUnfolded = 1 << 30

// products unfold the images and multiply them by the filters: by pixel all at once; by channel one image after another, since each is
// a separate matrix there.
func (c *convolutionShape) products(s *bench.Scope, constants shaders.Constants) ([]gpu.Launch, error) {
	pieces, each := int(c.p.N), *c
	each.p.N = 1
	if constants[conv.ByPixel] != 0 {
		pieces, each = 1, *c
	}
	if bytes := c.t.Bytes(c.unfolded()); bytes > maxUnfolded {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "im2col", "", "it would store %s; the maximum is %s", si.Bytes(float64(bytes)), si.Bytes(maxUnfolded))
	}
	filters, err := s.Random(c.t, c.filters(), "filters")
	if err != nil {
		return nil, err
	}
	var all []gpu.Launch
	for range pieces {
		two, err := each.product(s, constants, filters)
		if err != nil {
			return nil, err
		}
		all = append(all, two...)
	}
	return all, nil
}

func (c *convolutionShape) product(s *bench.Scope, constants shaders.Constants, filters gpu.Buffer) ([]gpu.Launch, error) {
	x, err := s.Random(c.t, c.inputs(), "x")
	if err != nil {
		return nil, err
	}
	rows := int(c.p.N) * c.pixels()
	unfolded, err := s.Output(c.t, rows*c.p.Taps(), "unfolded")
	if err != nil {
		return nil, err
	}
	out, err := s.Output(c.t, c.outputs(), "out")
	if err != nil {
		return nil, err
	}
	first, err := s.Dispatch(shaders.Pick{Op: "im2col", Type: c.t}, constants, c.p, x, unfolded)
	if err != nil {
		return nil, err
	}
	a, b, p := filters, unfolded, shgemm.MatmulParams{M: c.p.O, N: uint32(rows), K: uint32(c.p.Taps()), Batch: 1}
	transposed := shaders.Constants(nil)
	if constants[conv.ByPixel] != 0 {
		a, b, transposed = b, a, shaders.Constants{shgemm.TransposeB: 1}
		p.M, p.N = p.N, p.M
	}
	second, err := s.Dispatch(shaders.Pick{Op: "matmul", Type: c.t}, transposed, p, a, b, nil, out)
	return []gpu.Launch{first, second}, err
}
