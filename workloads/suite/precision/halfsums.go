package precision

import (
	"errors"
	"fmt"

	"github.com/x448/float16"

	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// maxHalfProducts limits the products summed in f16 on the host, to a few hundredths of a second.
const maxHalfProducts = 1 << 21

// halfSums are the errors that the output of the layer in f16 would have if its sums were in f16 too, accumulated one product after
// another, as kernels with half-precision accumulators do. No kernel here does that; the host computes them.
func (l *layer) halfSums() (*quant.Errors, error) {
	part := judged(l.rows, l.cols, l.batch, maxHalfProducts)
	key := fmt.Sprintf("f16 sums of %d items, every %d of %s, %d×%d activations %s", part.items, part.every, l.key, l.batch, l.cols, l.given)
	return bench.Cached(l.Scope, key, func(s *bench.Scope) (*quant.Errors, error) {
		x := make([]float32, part.items*l.cols)
		if err := s.Floats(l.x, shaders.F32)(x, 0); err != nil {
			return nil, err
		}
		var off quant.Errors
		weights, row := s.Floats(l.weights, shaders.F32), make([]float32, l.cols)
		for r := 0; r < l.rows; r += part.every {
			if err := errors.Join(weights(row, r*l.cols), s.Context().Err()); err != nil {
				return nil, err
			}
			for i := range part.items {
				item := x[i*l.cols:][:l.cols]
				if err := off.Add([]float32{float32(dot(item, row))}, []float32{halfDot(item, row)}); err != nil {
					return nil, err
				}
			}
		}
		return &off, nil
	})
}

// half rounds to the nearest f16.
func half(x float32) float32 { return float16.Fromfloat32(x).Float32() }

// halfDot is a dot product in f16: operands, and the sum after each product.
func halfDot(a, b []float32) float32 {
	var sum float32
	for i := range a {
		sum = half(sum + half(a[i])*half(b[i]))
	}
	return sum
}

// describeHalfSums sets the result's values about sums in f16.
func describeHalfSums(r *workloads.Result, off *quant.Errors) {
	r.Values.SetNumber(workloads.HalfSumsSNR, off.SNR())
	r.Values.SetNumber(workloads.HalfSumsOverflowed, float64(off.Overflows))
	r.Values.SetNumber(workloads.HalfSumsOf, float64(off.Count))
}
