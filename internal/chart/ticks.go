package chart

import (
	"math"
	"slices"
)

// limit bounds what the scales accept, far from where a range overflows.
const limit = 1e290

// niceStep is the smallest step of 1, 2, 2.5 or 5 times a power of ten that
// divides span into at most n parts.
func niceStep(span float64, n int) float64 {
	if !(span > 0) || !finite(span) {
		return 1
	}
	raw := span / float64(max(1, n))
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	if mag == 0 {
		return raw
	}
	for _, f := range [...]float64{1, 2, 2.5, 5} {
		if f*mag >= raw*(1-1e-9) {
			return f * mag
		}
	}
	return 10 * mag
}

// binaryStep is niceStep in powers of two, for bytes on a binary axis.
func binaryStep(span float64, n int) float64 {
	if !(span > 0) || !finite(span) {
		return 1
	}
	return math.Exp2(math.Ceil(math.Log2(span/float64(max(1, n))) - 1e-9))
}

// stepFor is the step for a unit: binary bytes step by powers of two.
func stepFor(u Unit, span float64, n int) float64 {
	if u == BinaryBytes {
		return binaryStep(span, n)
	}
	return niceStep(span, n)
}

// maxTicks bounds a list of ticks, whatever the range.
const maxTicks = 64

// appendLinear appends the multiples of step within [lo, hi], ascending.
func appendLinear(dst []float64, lo, hi, step float64) []float64 {
	if !(step > 0) || !(hi >= lo) || !finite(hi-lo) {
		return dst
	}
	first := math.Ceil(lo/step - 1e-6)
	for i := range maxTicks {
		k := first + float64(i)
		v := k * step
		if v > hi+step*1e-6 {
			break
		}
		if i > 0 && v <= dst[len(dst)-1] {
			break // the step is below the resolution of float64 here
		}
		dst = append(dst, v)
	}
	return dst
}

// appendLog appends powers of base within [lo, hi], ascending, at most n. A
// range of less than two decades also gets 2 and 5 times the powers of ten.
func appendLog(dst []float64, lo, hi float64, base, n int) []float64 {
	if !(lo > 0) || !(hi >= lo) || !finite(hi) {
		return dst
	}
	b := float64(base)
	first := int(math.Ceil(logb(lo, b) - 1e-9))
	last := int(math.Floor(logb(hi, b) + 1e-9))
	if base == 10 && last-first < 2 {
		return append125(dst, lo, hi, first-1, last)
	}
	stride := max(1, (last-first+n)/max(1, n))
	for e := first; e <= last && len(dst) < maxTicks; e += stride {
		dst = append(dst, math.Pow(b, float64(e)))
	}
	return dst
}

// maxMeasured is the maximum number of X values that get their own labels.
const maxMeasured = 12

// appendMeasured appends the values of X that a sweep measured, at most n of them, and reports whether they are few enough to be
// readable. Hollow points come and go: only those beyond the sweep, which extend the axis, are labeled.
func (r *Renderer) appendMeasured(dst []float64, m *Model, n int) ([]float64, bool) {
	from := len(dst)
	for i := range m.Series {
		s := &m.Series[i]
		if s.Kind != LineKind && !s.Hollow {
			return dst[:from], false // not a sweep
		}
		for j := 0; s.ShowMarkers && !s.Hollow && j < s.Len(); j++ {
			x, y := s.At(j)
			at, known := slices.BinarySearch(dst[from:], x)
			if known || !finite(y) || !(x >= r.lay.x.lo && x <= r.lay.x.hi) {
				continue
			}
			if dst = slices.Insert(dst, from+at, x); len(dst)-from > maxMeasured {
				return dst[:from], false
			}
		}
	}
	if len(dst)-from < 2 {
		return dst[:from], false
	}
	dst = r.appendBeyond(dst, m, from)
	count := len(dst) - from
	for i, stride := from, (count+n-1)/n; from+(i-from)*stride < len(dst); i++ {
		dst[i] = dst[from+(i-from)*stride]
		count = i - from + 1
	}
	return dst[:from+count], true
}

// appendBeyond inserts the values of X of hollow points outside the range of the ticks from index from on.
func (r *Renderer) appendBeyond(dst []float64, m *Model, from int) []float64 {
	lo, hi := dst[from], dst[len(dst)-1]
	for i := range m.Series {
		s := &m.Series[i]
		for j := 0; s.Hollow && s.ShowMarkers && j < s.Len(); j++ {
			x, y := s.At(j)
			at, known := slices.BinarySearch(dst[from:], x)
			if !known && finite(y) && (x < lo || x > hi) && x >= r.lay.x.lo && x <= r.lay.x.hi && len(dst)-from < maxMeasured {
				dst = slices.Insert(dst, from+at, x)
			}
		}
	}
	return dst
}

func append125(dst []float64, lo, hi float64, first, last int) []float64 {
	for e := first; e <= last; e++ {
		for _, f := range [...]float64{1, 2, 5} {
			v := f * math.Pow(10, float64(e))
			if v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
				dst = append(dst, v)
			}
		}
	}
	return dst
}

func logb(v, base float64) float64 {
	switch base {
	case 2:
		return math.Log2(v)
	case 10:
		return math.Log10(v)
	}
	return math.Log(v) / math.Log(base)
}

// appendWindow appends ticks of a time window that ends now: the times 0, step, 2·step … before hi, ascending, in steps that are
// natural for times.
func appendWindow(dst []float64, lo, hi float64, n int) []float64 {
	span := hi - lo
	step := timeStep(span, n)
	if !(step > 0) || !finite(span) {
		return dst
	}
	for k := min(maxTicks-1, int(span/step+1e-9)); k >= 0; k-- {
		dst = append(dst, hi-float64(k)*step)
	}
	return dst
}

// timeStep returns a natural time step that divides a span of seconds into at most n parts.
func timeStep(span float64, n int) float64 {
	if span < 2 {
		return niceStep(span, n)
	}
	for _, s := range [...]float64{1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400} {
		if s*float64(max(1, n)) >= span*(1-1e-9) {
			return s
		}
	}
	return niceStep(span, n)
}

// bareTime reports whether an axis shows time and has no title that could say so; then its labels do.
func bareTime(a *Axis) bool { return a.Scale == Linear && a.Unit == Seconds && a.Title == "" }

// appendClock appends a time on an axis with that step and end, using one unit throughout.
func appendClock(b []byte, s, step, end float64) []byte {
	switch {
	case step < 60 || end <= 120:
		return append(appendSignificant(b, s), " s"...)
	case step < 3600:
		return append(appendSignificant(b, s/60), " min"...)
	}
	return append(appendSignificant(b, s/3600), " h"...)
}

// appendAgo appends how long ago: "now", "30 s", "5 min", "2 h".
func appendAgo(b []byte, s float64) []byte {
	switch {
	case s < 1e-9:
		return append(b, "now"...)
	case s < 120 && s != 60:
		return append(appendSignificant(b, s), " s"...)
	case s < 7200 && s != 3600:
		return append(appendSignificant(b, s/60), " min"...)
	}
	return append(appendSignificant(b, s/3600), " h"...)
}
