package graph

import (
	"context"
	"math"

	"assay/shaders"
	"assay/shaders/chain"
)

// tensor holds values in float64; the Scale of each is how far a kernel's value may differ, in units of Unit.
type tensor struct {
	shape []int
	at    []shaders.Value
}

// Unit is the unit of errors: a few roundings of a float.
const Unit = 2e-6

// evaluation computes a graph in float64, and propagates the errors that kernels may make.
type evaluation struct {
	g      *Graph
	values []tensor
	stored float64 // error added by storing a result, relative to it, in units
	least  float64 // minimum of that error, because numbers near 0 are evenly spaced
}

// MaxReference is how many operations a graph may have for Reference to take only seconds.
const MaxReference = 3e9

// Reference computes the outputs of a graph in float64 from its inputs, which it gets by calling input with the index of a value. A
// kernel's values may differ from Want by Unit times Scale. It checks ctx between operations and returns its error.
func (g *Graph) Reference(ctx context.Context, input func(i int) []float64) ([][]shaders.Value, error) {
	e := &evaluation{g: g, values: make([]tensor, len(g.Values)), stored: 0x1p-24 / Unit}
	if g.Type == shaders.F16 {
		e.stored, e.least = 0x1p-10/Unit, 0x1p-24/Unit
	}
	last := g.lastReads()
	for i := range g.Values {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := &g.Values[i]
		switch {
		case v.gone:
		case v.Number != nil:
			e.values[i] = tensor{nil, []shaders.Value{{Want: float64(float32(*v.Number))}}}
		case v.input():
			e.values[i].shape = v.Shape
			for _, x := range input(i) {
				e.values[i].at = append(e.values[i].at, shaders.Value{Want: x})
			}
		default:
			e.values[i] = e.compute(v)
		}
		for _, a := range v.Args {
			if last[a] == i && !g.output(a) {
				e.values[a].at = nil // large graphs do not fit into memory as a whole
			}
		}
	}
	var all [][]shaders.Value
	for _, o := range g.Outputs {
		all = append(all, e.values[o].at)
	}
	return all, nil
}

// lastReads returns, for each value, the last value that reads it.
func (g *Graph) lastReads() map[int]int {
	last := map[int]int{}
	for i := range g.Values {
		for _, a := range g.Values[i].Args {
			last[a] = i
		}
	}
	return last
}

func (e *evaluation) compute(v *Value) tensor {
	var args []tensor
	for _, a := range v.Args {
		args = append(args, e.values[a])
	}
	var out tensor
	switch {
	case v.Op.elementwise():
		out = evalElements(v, args)
	case v.Op.reduces():
		out = evalRows(v.Shape, args[0], func(row []shaders.Value) []shaders.Value {
			r := v.Op.reduce.Of(row)
			own := sumUnits(len(row)) * magnitude(row)
			if v.Op.reduce == chain.Mean { // its element errors are already divided
				own = own/float64(len(row)) + math.Abs(r.Want)
			}
			r.Scale += own
			return []shaders.Value{r}
		})
	default:
		out = v.Op.eval(e, v, args)
	}
	for i := range out.at {
		out.at[i].Scale += e.stored*math.Abs(out.at[i].Want) + e.least
	}
	return out
}

// sumUnits returns the error bound of a sum of n terms relative to the sum of their magnitudes, in units; see shaders.SumTolerance.
func sumUnits(n int) float64 { return shaders.SumTolerance(n, shaders.F32).Rel / Unit }

func magnitude(all []shaders.Value) float64 {
	sum := 0.0
	for _, x := range all {
		sum += math.Abs(x.Want)
	}
	return sum
}

// strides returns the strides of a contiguous tensor viewed as four dimensions of a broadcast result, 0 along missing ones.
func strides(shape, result []int) [4]int {
	var out [4]int
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 {
			out[4-len(shape)+i] = stride
		}
		stride *= shape[i]
	}
	return out
}

// four pads a shape with leading dimensions of 1.
func four(shape []int) [4]int {
	out := [4]int{1, 1, 1, 1}
	copy(out[4-len(shape):], shape)
	return out
}

func evalElements(v *Value, args []tensor) tensor {
	out := tensor{v.Shape, make([]shaders.Value, Elements(v.Shape))}
	dims := four(v.Shape)
	var steps [2][4]int
	for i, a := range args {
		steps[i] = strides(a.shape, v.Shape)
	}
	for i := range out.at {
		var operands [2]shaders.Value
		for j, a := range args {
			at, rest := 0, i
			for d := 3; d >= 0; d-- {
				at += rest % dims[d] * steps[j][d]
				rest /= dims[d]
			}
			operands[j] = a.at[at]
		}
		out.at[i] = chain.Code(v.Op.code).Apply(operands[0], operands[1])
	}
	return out
}

// evalRows applies f to each row of x.
func evalRows(shape []int, x tensor, f func(row []shaders.Value) []shaders.Value) tensor {
	out := tensor{shape: shape}
	n := x.shape[len(x.shape)-1]
	for at := 0; at < len(x.at); at += n {
		out.at = append(out.at, f(x.at[at:at+n])...)
	}
	return out
}

// term adds x·y to a sum, including the errors of both.
func term(sum *shaders.Value, x, y shaders.Value) {
	sum.Want += x.Want * y.Want
	sum.Scale += math.Abs(x.Want)*y.Scale + math.Abs(y.Want)*x.Scale + Unit*x.Scale*y.Scale
}

func evalMatmul(_ *evaluation, v *Value, args []tensor) tensor {
	a, b := args[0], args[1]
	m, k, n := a.shape[len(a.shape)-2], a.shape[len(a.shape)-1], b.shape[len(b.shape)-1]
	out := tensor{v.Shape, make([]shaders.Value, Elements(v.Shape))}
	units := sumUnits(k)
	magnitudes := make([]float64, n)
	for row := range len(out.at) / n {
		first := 0
		if len(b.shape) > 2 {
			first = row / m * k * n
		}
		sums := out.at[row*n : row*n+n]
		clear(magnitudes)
		for d := range k {
			x, others := a.at[row*k+d], b.at[first+d*n:first+d*n+n]
			for col := range sums {
				term(&sums[col], x, others[col])
				magnitudes[col] += math.Abs(x.Want * others[col].Want)
			}
		}
		for col := range sums {
			sums[col].Scale += units * magnitudes[col]
		}
	}
	return out
}

func evalConv(_ *evaluation, v *Value, args []tensor) tensor {
	x, f := args[0], args[1]
	c, h, w, side := x.shape[1], x.shape[2], x.shape[3], f.shape[2]
	stride, pad := int(v.Attrs["stride"]), int(v.Attrs["pad"])
	out := tensor{v.Shape, make([]shaders.Value, Elements(v.Shape))}
	o, rows, cols := v.Shape[1], v.Shape[2], v.Shape[3]
	units := sumUnits(c * side * side)
	for i := range out.at {
		col, row, filter, image := i%cols, i/cols%rows, i/cols/rows%o, i/cols/rows/o
		magnitude := 0.0
		for tap := range c * side * side {
			y, z := row*stride+tap/side%side-pad, col*stride+tap%side-pad
			if y < 0 || y >= h || z < 0 || z >= w {
				continue
			}
			p, q := x.at[((image*c+tap/side/side)*h+y)*w+z], f.at[filter*c*side*side+tap]
			term(&out.at[i], p, q)
			magnitude += math.Abs(p.Want * q.Want)
		}
		out.at[i].Scale += units * magnitude
	}
	return out
}

// evalSoftmax lets the error of an element scale its exponential, and all errors together shift the sum.
func evalSoftmax(_ *evaluation, v *Value, args []tensor) tensor {
	return evalRows(v.Shape, args[0], func(row []shaders.Value) []shaders.Value {
		largest, sum, moved := math.Inf(-1), 0.0, 0.0
		for _, x := range row {
			largest = math.Max(largest, x.Want)
		}
		out := make([]shaders.Value, len(row))
		for i, x := range row {
			out[i].Want = math.Exp(x.Want - largest)
			sum += out[i].Want
		}
		for i, x := range row {
			out[i].Want /= sum
			moved += out[i].Want * (x.Scale + 1 + largest - x.Want)
		}
		for i, x := range row {
			out[i].Scale = 2 * out[i].Want * (x.Scale + moved + 1 + largest - x.Want + sumUnits(len(row)))
		}
		return out
	})
}

// normalize divides rows by their root mean square, after subtracting the mean if centered.
func normalize(v *Value, args []tensor, centered bool) tensor {
	return evalRows(v.Shape, args[0], func(row []shaders.Value) []shaders.Value {
		n := float64(len(row))
		mean, off, square := 0.0, 0.0, 0.0
		for _, x := range row {
			mean += x.Want / n
			off += x.Scale / n
		}
		off += magnitude(row) / n
		if !centered {
			mean = 0
		}
		for _, x := range row {
			square += (x.Want - mean) * (x.Want - mean) / n
		}
		root := math.Sqrt(square + v.Attrs["eps"])
		out := make([]shaders.Value, len(row))
		moved := 0.0 // relative error of the root
		for _, x := range row {
			moved += math.Abs(x.Want-mean) / root * (x.Scale + off) / root / n
		}
		for i, x := range row {
			w := args[1].at[i]
			y := (x.Want - mean) / root
			out[i].Want = y * w.Want
			out[i].Scale = math.Abs(w.Want)*((x.Scale+off+math.Abs(x.Want))/root+math.Abs(y)*(moved+sumUnits(len(row)))) + math.Abs(y)*w.Scale
			if len(args) > 2 {
				out[i].Want += args[2].at[i].Want
				out[i].Scale += args[2].at[i].Scale + math.Abs(args[2].at[i].Want)
			}
			out[i].Scale += math.Abs(out[i].Want)
		}
		return out
	})
}

func evalLayerNorm(_ *evaluation, v *Value, args []tensor) tensor { return normalize(v, args, true) }

func evalRMSNorm(_ *evaluation, v *Value, args []tensor) tensor { return normalize(v, args, false) }

func evalTranspose(_ *evaluation, v *Value, args []tensor) tensor {
	out := tensor{v.Shape, make([]shaders.Value, len(args[0].at))}
	n := len(v.Shape)
	rows, cols := v.Shape[n-2], v.Shape[n-1]
	for i := range out.at {
		matrix := i / (rows * cols) * rows * cols
		out.at[i] = args[0].at[matrix+i%cols*rows+i/cols%rows]
	}
	return out
}

func evalReshape(_ *evaluation, v *Value, args []tensor) tensor {
	return tensor{v.Shape, append([]shaders.Value(nil), args[0].at...)}
}
