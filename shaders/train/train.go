// Package train is the family of operations that training adds to the forward pass: gradients and weight updates.
package train

import (
	"embed"
	"errors"
	"math"

	"assay/shaders"
	"assay/shaders/norm"
)

//go:embed *.metal
var files embed.FS

// Family lists the implementations, each in f32 and f16, computed in float and rounded once.
func Family() []*shaders.Impl {
	xent := softmaxXent()
	return []*shaders.Impl{reluGrad(), columnSum(), xent, softmaxXentRegisters(xent.Op), sgd()}
}

// Tunables of column_sum.
const (
	Threads = "threads"
	Across  = "across"
)

// ReluGradParams is the parameter struct of relu_grad: N elements.
type ReluGradParams struct{ N uint32 }

// ColumnSumParams is the parameter struct of column_sum: a [Rows, Cols] matrix.
type ColumnSumParams struct{ Rows, Cols uint32 }

// SoftmaxXentParams is the parameter struct of softmax_xent: logits of Rows examples and Cols classes.
type SoftmaxXentParams struct{ Rows, Cols uint32 }

// Dims returns the dimensions of the logits.
func (p SoftmaxXentParams) Dims() (rows, cols uint32) { return p.Rows, p.Cols }

// SGDParams is the parameter struct of sgd: N weights and the learning rate.
type SGDParams struct {
	N    uint32
	Rate float32
}

func implementation(op *shaders.Op, source string, launch func(c shaders.Call, l shaders.Limits) shaders.Launch) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16},
		Source: shaders.Embedded(files, source), Launch: launch,
	}
}

// linear has a thread for every 16 bytes of n elements.
func linear(n func(c shaders.Call) int) func(c shaders.Call, l shaders.Limits) shaders.Launch {
	return func(c shaders.Call, _ shaders.Limits) shaders.Launch {
		return shaders.Linear(n(c), shaders.Sixteen(c.Type))
	}
}

func reluGrad() *shaders.Impl {
	n := func(c shaders.Call) int { return int(c.Params.(ReluGradParams).N) }
	op := &shaders.Op{
		Name: "relu_grad", About: "dx = dy where y > 0, else 0: the gradient of y = max(x, 0)", Params: ReluGradParams{},
		Args: []shaders.Arg{
			{Name: "y", Type: shaders.Var, Len: n},
			{Name: "dy", Type: shaders.Var, Len: n},
			{Name: "dx", Type: shaders.Var, Access: shaders.Out, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: float64(n(c)), Bytes: 3 * float64(c.Type.Bytes(n(c)))}
		},
		Reference: func(_ shaders.Call, args []shaders.View, _, i int) (v shaders.Value) {
			if args[0].At(i) > 0 {
				v.Want = args[1].At(i)
			}
			v.Scale = math.Abs(v.Want)
			return v
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases:     []shaders.Case{{Params: ReluGradParams{0}}, {Params: ReluGradParams{1}}, {Params: ReluGradParams{1003}}},
		Valid:     func(c shaders.Call) error { return shaders.Indexable("elements", n(c)) },
	}
	return implementation(op, "relu_grad.metal", linear(n))
}

func columnSum() *shaders.Impl {
	params := func(c shaders.Call) ColumnSumParams { return c.Params.(ColumnSumParams) }
	area := func(c shaders.Call) int { return shaders.Product(int(params(c).Rows), int(params(c).Cols)) }
	cols := func(c shaders.Call) int { return int(params(c).Cols) }
	op := &shaders.Op{
		Name: "column_sum", About: "out[c] = the sum of x[·,c]: the gradient of a bias", Params: ColumnSumParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: area},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: cols},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: float64(area(c)), Bytes: float64(c.Type.Bytes(area(c) + cols(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) (v shaders.Value) {
			for r := range int(params(c).Rows) {
				x := args[0].At(r*cols(c) + i)
				v.Want += x
				v.Scale += math.Abs(x)
			}
			return v
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.SumTolerance(int(params(c).Rows), c.Type) },
		Cases: []shaders.Case{
			{Params: ColumnSumParams{5, 0}},
			{Params: ColumnSumParams{0, 5}},
			{Params: ColumnSumParams{1, 1}},
			{Params: ColumnSumParams{37, 67}},
			{Params: ColumnSumParams{300, 10}},
		},
		Valid: func(c shaders.Call) error { return shaders.Indexable("rows", int(params(c).Rows)) },
	}
	m := implementation(op, "column_sum.metal", columnLaunch)
	m.Tunables = []shaders.Tunable{
		{
			Name: Threads, Index: shaders.LaunchOnly, Values: []int32{128, 256, 512, 1024}, Default: 1024,
			About: "threads that share the rows of a few columns",
		},
		{
			Name: Across, Index: shaders.LaunchOnly, Values: []int32{2, 4, 8, 16, 32}, Default: 8,
			About: "threads that take neighboring columns, 16 bytes each, as far as that leaves work for a GPU",
		},
	}
	m.Cases = []shaders.Case{
		{Params: ColumnSumParams{700, 72}, Constants: shaders.Constants{Threads: 128, Across: 4}},
		{Params: ColumnSumParams{9, 264}, Constants: shaders.Constants{Across: 32}},
	}
	return m
}

// columnLaunch has many threadgroups: each takes fewer neighboring columns if the matrix has few.
func columnLaunch(c shaders.Call, l shaders.Limits) shaders.Launch {
	const many = 128 // threadgroups
	cols, each := c.Params.(ColumnSumParams).Cols, uint32(shaders.Sixteen(c.Type))
	threads, across := l.Fit(uint32(c.Constants[Threads])), uint32(c.Constants[Across])
	for across > 2 && cols/(across*each) < many {
		across /= 2
	}
	return shaders.Launch{
		Groups:  [3]uint32{(cols + across*each - 1) / (across * each), 1, 1},
		Threads: [3]uint32{across, threads / across, 1},
		Shared:  []int{shaders.FloatBytes(threads / 32 * across * each)},
	}
}

// Arguments of softmax_xent that are written.
const loss = 2

func softmaxXent() *shaders.Impl {
	params := func(c shaders.Call) SoftmaxXentParams { return c.Params.(SoftmaxXentParams) }
	rows := func(c shaders.Call) int { return int(params(c).Rows) }
	area := func(c shaders.Call) int { return shaders.Product(rows(c), int(params(c).Cols)) }
	op := &shaders.Op{
		Name:   "softmax_xent",
		About:  "loss[r] = -log softmax(x[r,·])[label[r]], and dx = the gradient of the mean loss; labels count modulo the classes",
		Params: SoftmaxXentParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: area},
			{Name: "label", Type: shaders.U32, Len: rows},
			{Name: "loss", Type: shaders.F32, Access: shaders.Out, Len: rows},
			{Name: "dx", Type: shaders.Var, Access: shaders.Out, Len: area},
		},
		Valid: func(c shaders.Call) error {
			if params(c).Cols == 0 {
				return errors.New("cols is 0, want at least one class")
			}
			return nil
		},
		Cost: func(c shaders.Call) shaders.Cost { // the same as for softmax, and the difference of the label
			return shaders.Cost{Ops: 5*float64(area(c)) + 3*float64(rows(c)), Bytes: float64(c.Type.Bytes(2*area(c)) + 8*rows(c))}
		},
		Reference: func(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
			return crossEntropy(c, params(c), args, arg, i)
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			t := shaders.SumTolerance(int(params(c).Cols), c.Type)
			t.Why += "; the difference from the largest element is rounded, which its power multiplies"
			return t
		},
		Cases: []shaders.Case{
			{Params: SoftmaxXentParams{0, 5}},
			{Params: SoftmaxXentParams{1, 1}},
			{Params: SoftmaxXentParams{9, 10}},
			{Params: SoftmaxXentParams{3, 67}},
			{Params: SoftmaxXentParams{5, 40}, Magnitude: 1000},
		},
		Prefer: norm.Keep(
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {4, 1, 16384}, {8, 1, 65536}},
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {4, 1, 4096}, {8, 1, 65536}}),
	}
	return implementation(op, "softmax_xent.metal", func(c shaders.Call, l shaders.Limits) shaders.Launch {
		side := l.Fit(256) / 32 // a SIMD group for each row
		return shaders.Launch{Groups: [3]uint32{(params(c).Rows + side - 1) / side, 1, 1}, Threads: [3]uint32{32, side, 1}}
	})
}

// softmaxXentRegisters keeps the logits of an example in registers.
func softmaxXentRegisters(op *shaders.Op) *shaders.Impl {
	m := norm.InRegisters(op, shaders.Embedded(files, "softmax_xent_registers.metal"), func(rows, cols uint32) any {
		return SoftmaxXentParams{rows, cols}
	})
	m.Types = []shaders.Type{shaders.F32, shaders.F16}
	return m
}

func crossEntropy(c shaders.Call, p SoftmaxXentParams, args []shaders.View, arg, i int) shaders.Value {
	n, row := int(p.Cols), i
	if arg != loss {
		row = i / n
	}
	shared := c.PerRow(row, func() []float64 { return shaders.LargestAndSum(args[0], row*n, n) })
	largest, sum := shared[0], shared[1]
	label := int(uint32(args[1].At(row)) % p.Cols)
	if arg == loss {
		x := args[0].At(row*n + label)
		return shaders.Value{Want: math.Log(sum) - (x - largest), Scale: 1 + math.Abs(x) + math.Abs(largest)}
	}
	below := args[0].At(i) - largest
	share := math.Exp(below) / sum
	v := shaders.Value{Want: share, Scale: share}
	if share > 0 { // then below is finite
		v.Scale *= 1 - below
	}
	if i%n == label {
		v.Want--
		v.Scale++
	}
	v.Want /= float64(p.Rows)
	v.Scale /= float64(p.Rows)
	return v
}

func sgd() *shaders.Impl {
	params := func(c shaders.Call) SGDParams { return c.Params.(SGDParams) }
	n := func(c shaders.Call) int { return int(params(c).N) }
	op := &shaders.Op{
		Name: "sgd", About: "w = w - rate · dw, in place", Params: SGDParams{},
		Args: []shaders.Arg{
			{Name: "w", Type: shaders.Var, Access: shaders.InOut, Len: n},
			{Name: "dw", Type: shaders.Var, Len: n},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 2 * float64(n(c)), Bytes: 3 * float64(c.Type.Bytes(n(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			w, step := args[0].At(i), float64(params(c).Rate)*args[1].At(i)
			return shaders.Value{Want: w - step, Scale: math.Abs(w) + math.Abs(step)}
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases:     []shaders.Case{{Params: SGDParams{0, 1}}, {Params: SGDParams{1, 0.5}}, {Params: SGDParams{1003, 0.1}}},
		Valid:     func(c shaders.Call) error { return shaders.Indexable("elements", n(c)) },
	}
	return implementation(op, "sgd.metal", linear(n))
}
