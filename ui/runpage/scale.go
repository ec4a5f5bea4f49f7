package runpage

import (
	"math"
	"sort"

	"assay/workloads"
)

// scale maps a numeric parameter to positions of its slider.
type scale struct {
	param        *workloads.Param
	lo, hi, step float64
	stops        []float64 // values at positions 0, 1, 2 …; nil: a position is the value
}

// steps is about how many positions a linear slider has; wide is the ratio of the ends of a range from which on a
// linear slider would be of no use for its small values.
const (
	steps = 100
	wide  = 200
)

func newScale(p *workloads.Param) scale {
	low := p.Min
	if low <= 0 {
		low = p.Max / 1e4 // of the values above zero
	}
	switch {
	case p.Log2:
		return newStops(p, low, []float64{1}, 2)
	case p.Min >= 0 && p.Max/low >= wide:
		return newStops(p, low, []float64{1, 2, 5}, 10)
	}
	step := niceStep((p.Max - p.Min) / steps)
	if p.Type == workloads.Int {
		step = max(1, math.Round(step))
	}
	return scale{p, p.Min, p.Max, step, nil}
}

// newStops is a scale whose stops are the mantissas times the powers of base from low to the parameter's maximum, with
// the ends of its range.
func newStops(p *workloads.Param, low float64, mantissas []float64, base float64) scale {
	stops := []float64{p.Min}
	for e := math.Floor(math.Log(low) / math.Log(base)); ; e++ {
		power := math.Pow(base, e)
		if power >= p.Max {
			break
		}
		for _, m := range mantissas {
			if v := tidy(m * power); v > p.Min && v < p.Max && (p.Type != workloads.Int || v == math.Trunc(v)) {
				stops = append(stops, v)
			}
		}
	}
	stops = append(stops, p.Max)
	return scale{p, 0, float64(len(stops) - 1), 1, stops}
}

// tidy rounds away what floating point adds: 0.30000000000000004 is 0.3.
func tidy(x float64) float64 {
	if x == 0 || math.Abs(x) >= 1e9 {
		return x
	}
	digits := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*digits) / digits
}

// niceStep is the nearest of 1, 2, 5 times a power of ten at or below x.
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

// value is the parameter's value at a position, within its range.
func (s scale) value(at float64) any {
	x := at
	if s.stops != nil {
		x = s.stops[min(len(s.stops)-1, max(0, int(math.Round(at))))]
	} else {
		x = tidy(math.Round(x/s.step) * s.step)
	}
	x = min(s.param.Max, max(s.param.Min, x))
	if s.param.Type == workloads.Int {
		return int(math.Round(x))
	}
	return x
}

// position is where a value stands on the slider, between two stops where it is none.
func (s scale) position(v any) float64 {
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
