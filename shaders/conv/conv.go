// Package conv is the family of convolutions of images with filters.
package conv

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"math"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Names of the constants.
const (
	ByPixel    = "by_pixel"
	HasBias    = "has_bias"
	Activation = "activation"
)

// Names of the implementations of conv2d.
const (
	Direct = "direct"
	Tiled  = "tiled"
)

// Limits of a filter.
const (
	MaxSide   = 7
	MaxStride = 4
)

// ConvParams is the parameter struct of the family: N images of C channels with H × W pixels, and O filters of Side × Side. By
// channel (NCHW) they are x[N,C,H,W], filters[O,C,Side,Side] and out[N,O,·,·]; by pixel (NHWC) x[N,H,W,C], filters[O,Side,Side,C]
// and out[N,·,·,O]. Pixels outside the image are 0.
type ConvParams struct{ N, C, H, W, O, Side, Stride, Pad uint32 }

// Rows returns the number of rows of the output.
func (p ConvParams) Rows() int { return p.out(p.H) }

// Cols returns the number of columns of the output.
func (p ConvParams) Cols() int { return p.out(p.W) }

func (p ConvParams) out(in uint32) int {
	if p.Stride == 0 || p.padded(in) < int(p.Side) { // no kernel runs with these parameters
		return 0
	}
	return (p.padded(in)-int(p.Side))/int(p.Stride) + 1
}

// padded returns the rows or columns of an image including padding.
func (p ConvParams) padded(in uint32) int { return int(in) + 2*int(p.Pad) }

// Taps returns the number of elements of a filter.
func (p ConvParams) Taps() int { return shaders.Product(int(p.C), int(p.Side), int(p.Side)) }

// Family lists the implementations.
func Family() []*shaders.Impl {
	op := convOp()
	return []*shaders.Impl{direct(op), tiled(op), im2col()}
}

func params(c shaders.Call) ConvParams { return c.Params.(ConvParams) }

func images(c shaders.Call) int {
	p := params(c)
	return shaders.Product(int(p.N), int(p.C), int(p.H), int(p.W))
}

// pixels counts the elements of the images that a filter sees: strides longer than the filter skip others.
func pixels(c shaders.Call) int {
	p := params(c)
	return shaders.Product(int(p.N), int(p.C), p.seen(p.H), p.seen(p.W))
}

// seen returns how many of `in` rows or columns a filter sees.
func (p ConvParams) seen(in uint32) int {
	outs := p.out(in)
	if outs == 0 {
		return 0
	}
	side, stride, pad := int(p.Side), int(p.Stride), int(p.Pad)
	beyond := max(0, (outs-1)*stride+side-pad-int(in)) // for the last position; the first begins `pad` before the image
	return (outs-1)*min(side, stride) + side - pad - beyond
}

func weights(c shaders.Call) int { return shaders.Product(int(params(c).O), params(c).Taps()) }

func outputs(c shaders.Call) int {
	p := params(c)
	return shaders.Product(int(p.N), int(p.O), p.Rows(), p.Cols())
}

func byPixel() shaders.Constant {
	return shaders.Constant{Name: ByPixel, Index: 0, Max: 1, About: "channels are innermost (NHWC), not outside the pixels (NCHW)"}
}

func convOp() *shaders.Op {
	return &shaders.Op{
		Name: "conv2d",
		About: "out[n,o,y,x] = act(the sum of x[n,c,y·stride+i-pad,x·stride+j-pad] · filters[o,c,i,j] + bias[o]), " +
			"or with channels innermost",
		Params: ConvParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: images},
			{Name: "filters", Type: shaders.Var, Len: weights},
			{Name: "bias", Type: shaders.Var, If: HasBias, Len: func(c shaders.Call) int { return int(params(c).O) }},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: outputs},
		},
		Constants: []shaders.Constant{
			byPixel(),
			{Name: HasBias, Index: 1, Max: 1, About: "a bias per output channel is added"},
			{Name: Activation, Index: 2, Max: int32(len(shaders.Activations())) - 1, About: "number of the activation; 0: none"},
		},
		Finite: true, // padding may or may not be multiplied
		Valid:  validConv,
		// Taps outside the image count as operations, as is customary.
		Cost: func(c shaders.Call) shaders.Cost {
			p, epilogue := params(c), float64(c.Constants[HasBias])+activation(c).Ops
			return shaders.Cost{
				Ops:   float64(outputs(c)) * (2*float64(p.Taps()) + epilogue),
				Bytes: float64(c.Type.Bytes(pixels(c) + weights(c) + outputs(c) + int(c.Constants[HasBias])*int(p.O))),
			}
		},
		Reference: reference,
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.SumTolerance(params(c).Taps(), c.Type) },
		Cases:     cases(epilogues()),
	}
}

func activation(c shaders.Call) shaders.Activation {
	return shaders.ActivationOf(c.Constants[Activation])
}

func valid(c shaders.Call) error {
	p := params(c)
	switch {
	case p.C == 0 || p.O == 0:
		return fmt.Errorf("%d channels to %d, want at least one each", p.C, p.O)
	case p.Side == 0 || p.Side > MaxSide:
		return fmt.Errorf("filters of %d × %d, want 1 to %d", p.Side, p.Side, MaxSide)
	case p.Stride == 0 || p.Stride > MaxStride:
		return fmt.Errorf("stride %d, want 1 to %d", p.Stride, MaxStride)
	case p.Pad >= p.Side:
		return fmt.Errorf("padding of %d, want less than the filter’s %d", p.Pad, p.Side)
	case min(p.padded(p.H), p.padded(p.W)) < int(p.Side):
		return fmt.Errorf("an image of %d × %d, padded by %d, is smaller than a filter of %d", p.H, p.W, p.Pad, p.Side)
	}
	return shaders.Indexable("elements of the images", images(c))
}

// validConv also checks the limits specific to convolutions.
func validConv(c shaders.Call) error {
	return cmp.Or(valid(c), shaders.Indexable("elements of the filters", weights(c)), shaders.Indexable("elements of the output", outputs(c)))
}

// pixel is element i of x, or 0 if it is outside the image.
func pixel(c shaders.Call, x shaders.View, n, channel, row, col int) float64 {
	p := params(c)
	channels, h, w := int(p.C), int(p.H), int(p.W)
	switch {
	case row < 0 || row >= h || col < 0 || col >= w:
		return 0
	case c.Constants[ByPixel] != 0:
		return x.At(((n*h+row)*w+col)*channels + channel)
	}
	return x.At(((n*channels+channel)*h+row)*w + col)
}

func reference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	p := params(c)
	n, o, row, col := position(c, i)
	side, channels := int(p.Side), int(p.C)
	var v shaders.Value
	for tap := range p.Taps() {
		channel, place := tap/(side*side), tap%(side*side)
		if c.Constants[ByPixel] != 0 {
			channel, place = tap%channels, tap/channels
		}
		y, x := row*int(p.Stride)+place/side-int(p.Pad), col*int(p.Stride)+place%side-int(p.Pad)
		term := pixel(c, args[0], n, channel, y, x) * args[1].At(o*p.Taps()+tap)
		v.Want += term
		v.Scale += math.Abs(term)
	}
	if c.Constants[HasBias] != 0 {
		v.Want += args[2].At(o)
		v.Scale += math.Abs(args[2].At(o))
	}
	act := activation(c)
	return shaders.Value{Want: act.Eval(v.Want), Scale: v.Scale * act.Slope}
}

// position returns the image, output channel, row and column of element i of the output.
func position(c shaders.Call, i int) (n, o, row, col int) {
	p := params(c)
	rows, cols, channels := p.Rows(), p.Cols(), int(p.O)
	if c.Constants[ByPixel] != 0 {
		return i / channels / cols / rows, i % channels, i / channels / cols % rows, i / channels % cols
	}
	return i / cols / rows / channels, i / cols / rows % channels, i / cols % rows, i % cols
}

// epilogues returns the epilogues of a case in both layouts.
func epilogues() [][2]shaders.Constants {
	const relu, gelu = shaders.ActRelu, shaders.ActGelu
	return [][2]shaders.Constants{
		{},
		{{HasBias: 1, Activation: relu}, {HasBias: 1, Activation: gelu}},
		{},
		{{HasBias: 1}, {Activation: relu}},
	}
}

// cases have every filter, stride and edge in both layouts, and outputs that end within a tile.
func cases(epilogues [][2]shaders.Constants) []shaders.Case {
	var all []shaders.Case
	for i, p := range []ConvParams{
		{0, 3, 5, 5, 2, 3, 1, 1},
		{1, 1, 1, 1, 1, 1, 1, 0},
		{2, 3, 9, 7, 5, 3, 1, 1},
		{1, 2, 13, 19, 3, 5, 2, 2},
		{1, 9, 17, 33, 10, 3, 1, 0},
		{1, 2, 15, 12, 9, 7, 3, 3},
	} {
		all = append(all, inBothLayouts(p, epilogues[i%len(epilogues)])...)
	}
	return all
}

func inBothLayouts(p ConvParams, epilogues [2]shaders.Constants) []shaders.Case {
	var all []shaders.Case
	for layout, epilogue := range epilogues {
		c := shaders.Constants{ByPixel: int32(layout)}
		maps.Copy(c, epilogue)
		all = append(all, shaders.Case{Params: p, Constants: c})
	}
	return all
}

func types() []shaders.Type { return []shaders.Type{shaders.F32, shaders.F16} }

func parts(n, each int) uint32 { return uint32((n + each - 1) / each) }

func direct(op *shaders.Op) *shaders.Impl {
	const each = 4
	return &shaders.Impl{
		Op: op, Name: Direct, Types: types(), Source: shaders.Embedded(files, "direct.metal"), Constants: op.Constants,
		About: "convolution with one thread per sum, from device memory",
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			p := params(c)
			n, o, rows, cols := int(p.N), int(p.O), p.Rows(), p.Cols()
			if c.Constants[ByPixel] != 0 {
				return shaders.Launch{Groups: [3]uint32{parts(o, 32), parts(cols, 4*each), uint32(n * rows)}, Threads: [3]uint32{32, 4, 1}}
			}
			return shaders.Launch{Groups: [3]uint32{parts(cols, 32), parts(rows, 4), uint32(n) * parts(o, each)}, Threads: [3]uint32{32, 4, 1}}
		},
	}
}

// The tiled form: rows and columns of a threadgroup’s output, outputs per thread, and floats in its memory.
const (
	Tile        = 16
	TileOutputs = 8
	TileFloats  = 8192
)

func tiled(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: types(), Needs: shaders.Threadgroups, Source: shaders.Embedded(files, "tiled.metal"), Constants: op.Constants,
		About: "convolution of tiles of 16 × 16 pixels, with their borders in threadgroup memory",
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			p := params(c)
			edge, square := (Tile-1)*p.Stride+p.Side, p.Side*p.Side
			chunk := min(p.C, TileFloats/(edge*edge+TileOutputs*square)) // channels at a time
			return shaders.Launch{
				Groups:  [3]uint32{parts(p.Cols(), Tile), parts(p.Rows(), Tile), p.N * parts(int(p.O), TileOutputs)},
				Threads: [3]uint32{Tile, Tile, 1},
				Shared:  []int{shaders.FloatBytes(chunk * edge * edge), shaders.FloatBytes(chunk * square * TileOutputs)},
			}
		},
		Cases: severalChunks(),
	}
}

// severalChunks returns cases whose channels do not fit into a threadgroup’s memory at once, with the smallest and the largest
// stride.
func severalChunks() []shaders.Case {
	return append(inBothLayouts(ConvParams{1, 10, 9, 9, 3, 7, 1, 3}, [2]shaders.Constants{}),
		inBothLayouts(ConvParams{1, 3, 9, 9, 2, 5, 4, 2}, [2]shaders.Constants{})...)
}

func im2col() *shaders.Impl {
	op := &shaders.Op{
		Name: "im2col",
		About: "the pixels that each filter is multiplied with: out[n,c·side·side,pixels], or with channels innermost " +
			"out[n·pixels,side·side·c]",
		Params: ConvParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: images},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: unfolded},
		},
		Constants: []shaders.Constant{byPixel()},
		Valid: func(c shaders.Call) error {
			return cmp.Or(valid(c), shaders.Indexable("elements of the output", unfolded(c)))
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Bytes: float64(c.Type.Bytes(pixels(c) + unfolded(c)))}
		},
		Reference: im2colReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Tolerance{Why: "elements are copied"} },
		Cases:     cases([][2]shaders.Constants{{}}),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: types(), Source: shaders.Embedded(files, "im2col.metal"), Constants: op.Constants,
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			p := params(c)
			rows, cols := p.Taps(), p.Rows()*p.Cols()
			if c.Constants[ByPixel] != 0 {
				rows, cols = cols, rows
			}
			return shaders.Grid(p.N*uint32(rows), uint32(cols))
		},
	}
}

func unfolded(c shaders.Call) int {
	p := params(c)
	return shaders.Product(int(p.N), p.Taps(), p.Rows(), p.Cols())
}

func im2colReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	p := params(c)
	side, taps, pixels := int(p.Side), p.Taps(), p.Rows()*p.Cols()
	n, tap, at := i/pixels/taps, i/pixels%taps, i%pixels
	channel, place := tap/(side*side), tap%(side*side)
	if c.Constants[ByPixel] != 0 {
		n, at, tap = i/taps/pixels, i/taps%pixels, i%taps
		channel, place = tap%int(p.C), tap/int(p.C)
	}
	y, x := at/p.Cols()*int(p.Stride)+place/side-int(p.Pad), at%p.Cols()*int(p.Stride)+place%side-int(p.Pad)
	v := pixel(c, args[0], n, channel, y, x)
	return shaders.Value{Want: v, Scale: math.Abs(v)}
}
