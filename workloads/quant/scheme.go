package quant

import (
	"fmt"
	"math"

	"assay/internal/half"
)

// Scheme is how the scale and the zero point are derived from the weights.
type Scheme uint8

// Schemes. Affine spreads the codes from the minimum to the maximum, Symmetric maps the largest magnitude to the largest code and zero
// to 0, and Absmean uses the mean magnitude as the scale.
const (
	Usual Scheme = iota // the kind's default
	Affine
	Symmetric
	Absmean
)

// schemes describes the schemes. It is read-only.
var schemes = [...]struct {
	name  string
	zero  bool // has zero points
	scale func(s *Span, k *kind) float64
}{
	Usual:     {name: "usual"},
	Affine:    {"affine", true, func(s *Span, k *kind) float64 { return (s.Max - s.Min) / float64(k.hi-k.lo) }},
	Symmetric: {"symmetric", false, func(s *Span, k *kind) float64 { return max(-s.Min, s.Max) / k.top }},
	Absmean:   {"absmean", false, func(s *Span, _ *kind) float64 { return s.Mean() }},
}

// String is the scheme's name.
func (s Scheme) String() string {
	if int(s) >= len(schemes) {
		return fmt.Sprintf("scheme %d", uint8(s))
	}
	return schemes[s].name
}

// Span is what a scale is derived from. The zero value stands for no weights.
type Span struct {
	Count    int
	Min, Max float64
	Sum      float64 // of magnitudes
}

// Add adds finite weights.
func (s *Span) Add(w []float32) {
	if len(w) == 0 {
		return
	}
	lo, hi, sum := w[0], w[0], 0.0
	for _, v := range w {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
		sum += math.Abs(float64(v))
	}
	if s.Count == 0 {
		s.Min, s.Max = float64(lo), float64(hi)
	}
	s.Count += len(w)
	s.Min, s.Max, s.Sum = min(s.Min, float64(lo)), max(s.Max, float64(hi)), s.Sum+sum
}

// Mean returns the mean magnitude; 0 without weights.
func (s *Span) Mean() float64 {
	if s.Count == 0 {
		return 0
	}
	return s.Sum / float64(s.Count)
}

// minNormal is the smallest normal float32: kernels may flush smaller values to zero.
const minNormal = 0x1p-126

// fit returns the scale and zero point of weights, as stored. A constant block is exact: its scale is its value, unless the scheme
// uses the mean magnitude. If the scale would not be a normal float32, or not a nonzero number in f16, it is 1 and the weights become
// zeros.
func (f Format) fit(s *Span, k *kind) (scale, zero float64) {
	scheme := schemes[f.scheme(k)]
	if s.Min == s.Max && math.Abs(s.Min) >= minNormal && f.scheme(k) != Absmean {
		scale = f.stored(s.Min)
	} else if scale = f.stored(scheme.scale(s, k)); scheme.zero && scale >= minNormal {
		zero = f.stored(float64(k.lo) - s.Min/scale)
	}
	if math.Abs(scale) < minNormal {
		return 1, 0
	}
	return scale, zero
}

// stored rounds a scale or a zero point to a finite value of the type it is stored in.
func (f Format) stored(v float64) float64 {
	if f.Half {
		return float64(half.To(half.From(float32(min(max(v, -half.Max), half.Max)))))
	}
	return float64(float32(min(max(v, -math.MaxFloat32), math.MaxFloat32)))
}
