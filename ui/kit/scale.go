package kit

import (
	"math"
	"sort"
)

// Scale maps a number to positions of a slider.
type Scale struct {
	Min, Max     float64 // of the number
	whole        bool
	lo, hi, step float64   // positions
	stops        []float64 // numbers at positions 0, 1, 2 …; nil: a position is the number
}

// steps is roughly how many positions a linear slider has; wide is the ratio of a range's ends above which a linear
// slider is useless for its small values.
const (
	steps = 100
	wide  = 200
)

// NewScale returns the scale of numbers from least to most: powers of two or, depending on the width of the range, linear or in
// steps 1, 2, 5.
func NewScale(least, most float64, whole, log2 bool) *Scale {
	s := &Scale{Min: least, Max: most, whole: whole}
	low := least
	if low <= 0 {
		low = most / 1e4 // for the values above zero
	}
	switch {
	case log2:
		s.stop(low, []float64{1}, 2)
	case least >= 0 && most/low >= wide:
		s.stop(low, []float64{1, 2, 5}, 10)
	default:
		s.lo, s.hi, s.step = least, most, niceStep((most-least)/steps)
		if whole {
			s.step = max(1, math.Round(s.step))
		}
	}
	return s
}

// NewEvenScale is the scale of numbers from least to most in even steps.
func NewEvenScale(least, most, step float64, whole bool) *Scale {
	return &Scale{Min: least, Max: most, whole: whole, lo: least, hi: most, step: step}
}

// stop sets the stops: mantissas times powers of base, from low to the largest number, and the ends of the range.
func (s *Scale) stop(low float64, mantissas []float64, base float64) {
	s.stops = []float64{s.Min}
	for e := math.Floor(math.Log(low) / math.Log(base)); ; e++ {
		power := math.Pow(base, e)
		if power >= s.Max {
			break
		}
		for _, m := range mantissas {
			if v := tidy(m * power); v > s.Min && v < s.Max && (!s.whole || v == math.Trunc(v)) {
				s.stops = append(s.stops, v)
			}
		}
	}
	s.stops = append(s.stops, s.Max)
	s.hi, s.step = float64(len(s.stops)-1), 1
}

// tidy rounds off floating-point noise: 0.30000000000000004 is 0.3.
func tidy(x float64) float64 {
	if x == 0 || math.Abs(x) >= 1e9 {
		return x
	}
	digits := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*digits) / digits
}

// niceStep returns the largest of 1, 2 and 5 times a power of ten that is not above x.
func niceStep(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{5, 2} {
		if x >= f*power {
			return f * power
		}
	}
	return power
}

// Value is the number at a position, within its range: an int if whole, else a float64.
func (s *Scale) Value(at float64) any {
	x := at
	if s.stops != nil {
		x = s.stops[min(len(s.stops)-1, max(0, int(math.Round(at))))]
	} else {
		x = tidy(math.Round(x/s.step) * s.step)
	}
	x = min(s.Max, max(s.Min, x))
	if s.whole {
		return int(math.Round(x))
	}
	return x
}

// Position is the slider's position for an int or a float64, possibly between two stops.
func (s *Scale) Position(v any) float64 {
	x := 0.0
	switch v := v.(type) {
	case int:
		x = float64(v)
	case float64:
		x = v
	}
	if s.stops == nil {
		return x
	}
	i := sort.SearchFloat64s(s.stops, x)
	if i == 0 || i == len(s.stops) {
		return float64(min(i, len(s.stops)-1))
	}
	return float64(i-1) + (x-s.stops[i-1])/(s.stops[i]-s.stops[i-1])
}
