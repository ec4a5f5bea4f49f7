package precision

import (
	"errors"
	"fmt"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// maxProducts limits the multiplications for checking outputs, to about a tenth of a second on the host.
const maxProducts = 1 << 26

// exact is part of a layer's output, computed with float64 sums from the original weights and activations: for the first items of the
// batch, and for every n-th row of the weights, with n = every.
type exact struct {
	items, every int
	sums         [][]float32 // [item][row / every]
}

// judged returns the part of a layer that takes at most `most` products: all rows for the first items, or, if the layer is too large
// even for one item, evenly spaced rows.
func judged(rows, cols, batch, most int) exact {
	every := max(1, (rows*cols+most-1)/most)
	return exact{every: every, items: min(batch, max(1, most/((rows+every-1)/every*cols)))}
}

// exactOutputs computes the outputs to compare with.
func exactOutputs(l *layer) (*exact, error) {
	e := judged(l.rows, l.cols, l.batch, maxProducts)
	key := fmt.Sprintf("outputs of %d items, every %d of %s, %d×%d activations %s", e.items, e.every, l.key, l.batch, l.cols, l.given)
	return bench.Cached(l.Scope, key, func(s *bench.Scope) (*exact, error) { return &e, e.sum(s, l) })
}

// sum reads a row of weights at a time.
func (e *exact) sum(s *bench.Scope, l *layer) error {
	x := make([]float32, e.items*l.cols)
	if err := s.Floats(l.x, shaders.F32)(x, 0); err != nil {
		return err
	}
	e.sums = make([][]float32, e.items)
	weights, row := s.Floats(l.weights, shaders.F32), make([]float32, l.cols)
	for r := 0; r < l.rows; r += e.every {
		s.Progress(r, l.rows)
		if err := errors.Join(weights(row, r*l.cols), s.Context().Err()); err != nil {
			return err
		}
		for i := range e.sums {
			e.sums[i] = append(e.sums[i], float32(dot(x[i*l.cols:][:l.cols], row)))
		}
	}
	return nil
}

// dot uses four sums, which a processor computes in parallel.
func dot(a, b []float32) float64 {
	var s [4]float64
	n := len(a) / 4 * 4
	for i := 0; i < n; i += 4 {
		s[0] += float64(a[i]) * float64(b[i])
		s[1] += float64(a[i+1]) * float64(b[i+1])
		s[2] += float64(a[i+2]) * float64(b[i+2])
		s[3] += float64(a[i+3]) * float64(b[i+3])
	}
	for i := n; i < len(a); i++ {
		s[0] += float64(a[i]) * float64(b[i])
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// errorsOf runs the launches of a format once, verified, and compares their output with the exact one.
func (e *exact) errorsOf(l *layer, launches []gpu.Launch) (*quant.Errors, error) {
	if err := l.Verify(launches...); err != nil {
		return nil, err
	}
	out, at, t := outputOf(launches)
	read, row := l.Floats(out, t), make([]float32, l.rows)
	var off quant.Errors
	for i, sums := range e.sums {
		if err := read(row, at+i*l.rows); err != nil {
			return nil, err
		}
		got := row[:0:len(row)]
		for r := 0; r < l.rows; r += e.every {
			got = append(got, row[r])
		}
		if err := off.Add(sums, got); err != nil {
			return nil, err
		}
	}
	return &off, nil
}

// outputOf returns where launches leave their result: the output of the last, its first element, and its type.
func outputOf(launches []gpu.Launch) (gpu.Buffer, int, shaders.Type) {
	last := &launches[len(launches)-1]
	k := last.Kernel.Spec()
	i := k.Outputs()[0]
	return last.Bindings[i].Buffer, 8 * last.Bindings[i].Offset / k.Args[i].Type.Bits(), k.Args[i].Type
}

// describeOutputs sets the result's values about the layer's output.
func describeOutputs(r *workloads.Result, off *quant.Errors) {
	r.Values.SetNumber(workloads.OutputSNR, off.SNR())
	r.Values.SetNumber(workloads.OutputCosine, off.Cosine())
	r.Values.SetNumber(workloads.OutputErrorMax, off.MaxAbs)
	r.Values.SetNumber(workloads.OutputErrorRMS, off.RMS())
	r.Values.SetNumber(workloads.OutputErrorRel, off.Rel())
	r.Values.SetNumber(workloads.OutputsJudged, float64(off.Count))
	r.Values.SetNumber(workloads.OutputsOverflowed, float64(off.Overflows))
	if off.Overflows == 0 {
		return
	}
	remedy := ": keep outputs in f32"
	if r.Number(workloads.Overflowed) > 0 {
		remedy = "" // the weights are infinite
	}
	r.Warn(workloads.Infinite, fmt.Sprintf("%d of %d outputs are infinite in the type that the kernel writes%s", off.Overflows, off.Count, remedy))
}
