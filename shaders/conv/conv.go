// Package conv is the family of convolutions of images with filters.
package conv

import (
	"embed"
	"fmt"
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

// ConvParams is the parameter struct of the family: N images of C channels with H × W pixels, and O filters of Side × Side.
// By channel (NCHW) they are x[N,C,H,W], filters[O,C,Side,Side] and out[N,O,·,·]; by pixel (NHWC) x[N,H,W,C],
// filters[O,Side,Side,C] and out[N,·,·,O]. Pixels beside the image are 0.
type ConvParams struct{ N, C, H, W, O, Side, Stride, Pad uint32 }

// Rows and Cols are those of the output.
func (p ConvParams) Rows() int { return p.out(p.H) }

// Cols are those of the output; see Rows.
func (p ConvParams) Cols() int { return p.out(p.W) }

func (p ConvParams) out(in uint32) int {
	if p.Stride == 0 || in+2*p.Pad < p.Side { // which no kernel runs with
		return 0
	}
	return int((in+2*p.Pad-p.Side)/p.Stride) + 1
}

// Taps are the elements of a filter.
func (p ConvParams) Taps() int { return int(p.C * p.Side * p.Side) }

// Family lists the implementations.
func Family() []*shaders.Impl {
	op := convOp()
	return []*shaders.Impl{direct(op), tiled(op), im2col()}
}

func params(c shaders.Call) ConvParams { return c.Params.(ConvParams) }

func product(sizes ...int) int {
	all := 1
	for _, n := range sizes {
		all = shaders.Product(all, n)
	}
	return all
}

func images(c shaders.Call) int {
	p := params(c)
	return product(int(p.N), int(p.C), int(p.H), int(p.W))
}

func weights(c shaders.Call) int { return product(int(params(c).O), params(c).Taps()) }

func outputs(c shaders.Call) int {
	p := params(c)
	return product(int(p.N), int(p.O), p.Rows(), p.Cols())
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
		Valid:  valid,
		Cost: func(c shaders.Call) shaders.Cost {
			p, epilogue := params(c), float64(c.Constants[HasBias])+activation(c).Ops
			return shaders.Cost{
				Ops:   float64(outputs(c)) * (2*float64(p.Taps()) + epilogue),
				Bytes: float64(c.Type.Bytes(images(c) + weights(c) + outputs(c) + int(c.Constants[HasBias])*int(p.O))),
			}
		},
		Reference: reference,
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.SumTolerance(params(c).Taps(), c.Type) },
		Cases:     cases(),
	}
}

func activation(c shaders.Call) shaders.Activation {
	return shaders.Activations()[c.Constants[Activation]]
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
	case p.H+2*p.Pad < p.Side || p.W+2*p.Pad < p.Side:
		return fmt.Errorf("an image of %d × %d, padded by %d, is smaller than a filter of %d", p.H, p.W, p.Pad, p.Side)
	}
	return nil
}

// pixel is element i of x, or 0 if it is beside the image.
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

// position is the image, the output channel, the row and the column of element i of the output.
func position(c shaders.Call, i int) (n, o, row, col int) {
	p := params(c)
	rows, cols, channels := p.Rows(), p.Cols(), int(p.O)
	if c.Constants[ByPixel] != 0 {
		return i / channels / cols / rows, i % channels, i / channels / cols % rows, i / channels % cols
	}
	return i / cols / rows / channels, i / cols / rows % channels, i / cols % rows, i % cols
}

// cases have every filter, strides and edges in either layout, and outputs that end within a tile.
func cases() []shaders.Case {
	var all []shaders.Case
	for i, p := range []ConvParams{
		{0, 3, 5, 5, 2, 3, 1, 1},
		{1, 1, 1, 1, 1, 1, 1, 0},
		{2, 3, 9, 7, 5, 3, 1, 1},
		{1, 2, 13, 19, 3, 5, 2, 2},
		{1, 9, 17, 33, 10, 3, 1, 0},
		{1, 2, 15, 12, 9, 7, 3, 3},
	} {
		bias := shaders.Constants{HasBias: 1, Activation: shaders.ActRelu}
		if i%2 == 0 {
			bias = nil
		}
		all = append(all, shaders.Case{Params: p, Constants: with(bias, 0)}, shaders.Case{Params: p, Constants: with(bias, 1)})
	}
	return all
}

func with(c shaders.Constants, byPixel int32) shaders.Constants {
	out := shaders.Constants{ByPixel: byPixel}
	for name, v := range c {
		out[name] = v
	}
	return out
}

func types() []shaders.Type { return []shaders.Type{shaders.F32, shaders.F16} }

func parts(n, each int) uint32 { return uint32((n + each - 1) / each) }

func direct(op *shaders.Op) *shaders.Impl {
	const each = 4
	return &shaders.Impl{
		Op: op, Name: Direct, Types: types(), Source: shaders.Embedded(files, "direct.metal"), Constants: op.Constants,
		About: "convolution with each sum by one thread, from device memory",
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

// The tiled form: rows and columns of a threadgroup’s output, outputs of a thread, and floats of the input in its memory.
const (
	tile       = 16
	tileEach   = 8
	tileFloats = 5476
)

func tiled(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: types(), Needs: shaders.ThreadgroupMemory, Source: shaders.Embedded(files, "tiled.metal"), Constants: op.Constants,
		About: "convolution of tiles of 16 × 16 pixels, with those around them in threadgroup memory",
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			p := params(c)
			edge := (tile-1)*p.Stride + p.Side
			chunk := max(1, min(p.C, tileFloats/(edge*edge)))
			return shaders.Launch{
				Groups:  [3]uint32{parts(p.Cols(), tile), parts(p.Rows(), tile), p.N * parts(int(p.O), tileEach)},
				Threads: [3]uint32{tile, tile, 1},
				Shared:  []int{floatBytes(chunk * edge * edge), floatBytes(chunk * p.Side * p.Side * tileEach)},
			}
		},
	}
}

// floatBytes are the bytes of a [[threadgroup(n)]] argument of n floats.
func floatBytes(n uint32) int { return int(4*n+15) / 16 * 16 }

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
		Valid:     valid,
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Bytes: float64(c.Type.Bytes(images(c) + unfolded(c)))}
		},
		Reference: im2colReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Tolerance{Why: "elements are copied"} },
		Cases:     cases(),
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
	return product(int(p.N), p.Taps(), p.Rows(), p.Cols())
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
