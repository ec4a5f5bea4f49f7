package quant

import (
	"fmt"
	"math"
)

// Errors accumulates the errors of approximated weights, in float64 and in one pass: pass all weights to Add, in any
// number of chunks. The zero value is ready.
type Errors struct {
	Count     int     // weights compared
	Overflows int     // finite originals that became infinite or NaN
	MaxAbs    float64 // largest |ŵ − w|, in the weights' unit; NaN if a weight is NaN

	signal, noise, approx, dot float64 // Σw², Σ(ŵ−w)², Σŵ², Σw·ŵ
}

// Add compares approximations with the finite originals in the same order. The slices have the same length.
func (e *Errors) Add(want, got []float32) error {
	if len(want) != len(got) {
		return fmt.Errorf("compare weights: %d originals with %d approximations", len(want), len(got))
	}
	s := *e // keep sums in registers
	for i, v := range want {
		w, g := float64(v), float64(got[i])
		d := math.Abs(g - w)
		if d > s.MaxAbs || d != d {
			s.MaxAbs = d
		}
		if !(d <= math.MaxFloat64) {
			s.Overflows++
		}
		s.signal += w * w
		s.noise += d * d
		s.approx += g * g
		s.dot += w * g
	}
	s.Count += len(want)
	*e = s
	return nil
}

// RMS is the root mean square of the errors, in the weights' unit: 0 if exact or without weights.
func (e *Errors) RMS() float64 {
	if e.noise == 0 {
		return 0
	}
	return math.Sqrt(e.noise / float64(e.Count))
}

// Noise and Signal return the sums of squares of the errors and of the originals.
func (e *Errors) Noise() float64  { return e.noise }
func (e *Errors) Signal() float64 { return e.signal }

// Rel is the relative error ‖ŵ − w‖ / ‖w‖: 0 if exact, +Inf if a weight overflowed or the originals are all zero.
func (e *Errors) Rel() float64 {
	if e.noise == 0 {
		return 0
	}
	return math.Sqrt(e.noise / e.signal)
}

// SNR is the signal-to-noise ratio 10·log10(Σw² / Σ(ŵ−w)²) in dB: +Inf if exact, −Inf if a weight overflowed.
func (e *Errors) SNR() float64 {
	if e.noise == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(e.signal/e.noise)
}

// Cosine is the cosine similarity of the two: 1 if exact, NaN if a weight overflowed or one side is all zero.
func (e *Errors) Cosine() float64 {
	if e.noise == 0 {
		return 1
	}
	return e.dot / math.Sqrt(e.signal) / math.Sqrt(e.approx)
}
