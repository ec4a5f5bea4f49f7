package chart

import "math"

// axisMap maps values of one axis to pixels.
type axisMap struct {
	scale  Scale
	lo, hi float64 // the range shown
	a, b   float64 // pixel = a·t + b, t the value or its logarithm
}

func newAxisMap(s Scale, lo, hi, from, to float64) axisMap {
	m := axisMap{scale: s, lo: lo, hi: hi}
	tlo, thi := m.transform(lo), m.transform(hi)
	m.a = (to - from) / (thi - tlo)
	m.b = from - m.a*tlo
	if !finite(m.a) || !finite(m.b) {
		m.a, m.b = 0, (from+to)/2
	}
	return m
}

func (m *axisMap) transform(v float64) float64 {
	if m.scale == Log2 || m.scale == Log10 {
		return math.Log2(v)
	}
	return v
}

// pixel returns the position of v; NaN if it has none.
func (m *axisMap) pixel(v float64) float64 {
	if m.scale != Log2 && m.scale != Log10 {
		p := m.a*v + m.b
		return p + 0*v // an infinite v has no position
	}
	p := m.a*math.Log2(v) + m.b
	if math.IsInf(p, 0) || math.IsInf(v, 0) {
		return math.NaN()
	}
	return p
}

// span is a range of values found in data.
type span struct {
	lo, hi, minPos float64 // minPos: the smallest positive value, for log scales
	ok             bool
}

func emptySpan() span { return span{lo: math.Inf(1), hi: math.Inf(-1), minPos: math.Inf(1)} }

func (s *span) add(v float64) {
	if v >= -limit && v <= limit {
		s.include(v)
	}
}

// include is add for a value known to be within the limit.
func (s *span) include(v float64) {
	s.ok = true
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	if v > 0 {
		s.minPos = min(s.minPos, v)
	}
}

// extent is the range of a model's data.
type extent struct {
	x, y, y2 span
	bars     bool // some series are bars
	right    bool // some series use the right axis
}

// extentOf scans a model for the ranges of its points, intervals and rules.
func extentOf(m *Model) extent {
	e := extent{x: emptySpan(), y: emptySpan(), y2: emptySpan()}
	for i := range m.Series {
		s := &m.Series[i]
		e.bars = e.bars || s.Kind == BarKind
		e.right = e.right || s.Right
		ys := &e.y
		if s.Right {
			ys = &e.y2
		}
		scanPoints(m, s, &e.x, ys)
	}
	e.addBoxes(m)
	if e.y.ok {
		for i := range m.Rules {
			e.y.add(m.Rules[i].Y)
		}
	}
	return e
}

// scanPoints adds the points of a series to the ranges.
func scanPoints(m *Model, s *Series, xs, ys *span) {
	from, to := -limit, limit
	if fixedRange(&m.X) {
		from, to = m.X.Min, m.X.Max
	}
	bounded := len(s.Lo) > 0
	for j := range s.Len() {
		px, py := s.At(j)
		if !(px >= from && px <= to && py >= -limit && py <= limit) {
			continue
		}
		xs.include(px)
		ys.include(py)
		if !bounded {
			continue
		}
		if lo, hi, ok := s.Interval(j); ok {
			ys.add(lo)
			ys.add(hi)
		}
	}
}

func fixedRange(a *Axis) bool {
	ok := finite(a.Min) && finite(a.Max) && a.Min < a.Max && math.Abs(a.Min) < limit && math.Abs(a.Max) < limit
	if a.Scale == Log2 || a.Scale == Log10 {
		return ok && a.Min > 0
	}
	return ok
}

// xRange is the range of X to show.
func xRange(a *Axis, s span, padded bool) (lo, hi float64) {
	switch {
	case a.Scale == Category:
		n := len(a.Categories)
		if s.ok {
			n = max(n, int(min(s.hi, 4096))+1)
		}
		return -0.5, float64(max(1, n)) - 0.5
	case fixedRange(a):
		return a.Min, a.Max
	case a.Scale == Log2 || a.Scale == Log10:
		return logRange(s, 2, padded)
	case !s.ok:
		return 0, 1
	}
	lo, hi = widen(s.lo, s.hi)
	if padded && s.lo < s.hi {
		pad := (hi - lo) * 0.04
		lo, hi = lo-pad, hi+pad
	}
	return lo, hi
}

// widen gives an empty range some width.
func widen(lo, hi float64) (float64, float64) {
	if hi-lo > 1e-9*max(math.Abs(lo), math.Abs(hi)) {
		return lo, hi
	}
	if hi == 0 {
		return 0, 1
	}
	d := math.Abs(hi) / 2
	return lo - d, hi + d
}

func logRange(s span, base float64, padded bool) (lo, hi float64) {
	if !s.ok || !finite(s.minPos) {
		return 1, base * base
	}
	lo, hi = max(s.minPos, 1e-290), max(s.hi, 1e-290)
	if hi < lo*1.01 {
		return lo / base, hi * base
	}
	if padded {
		f := math.Pow(hi/lo, 0.04)
		lo, hi = lo/f, hi*f
	}
	return lo, hi
}

// yRange returns the range of Y to show, rounded out to whole steps, and the step; the step is 0 on a log scale. n is the number of
// parts that fit.
func yRange(a *Axis, s span, bars bool, n int) (lo, hi, step float64) {
	if a.Scale == Category {
		lo, hi = xRange(a, s, false)
		return lo, hi, 1
	}
	if fixedRange(a) {
		return a.Min, a.Max, a.step(a.Max-a.Min, 1, n)
	}
	if a.Scale == Log2 || a.Scale == Log10 {
		lo, hi = logRange(s, 10, false)
		return floorLog(lo), ceilLog(hi), 0
	}
	if !s.ok {
		return 0, 1, a.step(1, 1, n)
	}
	lo, hi = s.lo, s.hi
	if bars || a.FromZero || lo >= 0 && (lo < 0.6*hi || lo == hi) {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	lo, hi = widen(lo, hi)
	return roundOut(a, lo, hi, n)
}

// rightRange is yRange for the right axis: it takes as many steps as the left axis has gaps between its grid lines, so that both share
// the grid.
func rightRange(a *Axis, s span, gaps int) (lo, hi, step float64) {
	if gaps == 0 || fixedRange(a) || !s.ok {
		return yRange(&Axis{Unit: a.Unit, Min: a.Min, Max: a.Max, FromZero: a.FromZero, Whole: a.Whole}, s, false, max(2, gaps))
	}
	lo, hi = s.lo, s.hi
	if a.FromZero || lo >= 0 && (lo < 0.6*hi || lo == hi) {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	lo, hi = widen(lo, hi)
	f := a.Unit.factor(a.Unit.exponent(max(math.Abs(lo), math.Abs(hi))))
	span := (hi - lo) / f
	for range 8 {
		step = a.step(span, f, gaps)
		from := math.Floor(lo/step+1e-9) * step
		if to := from + float64(gaps)*step; to >= hi-1e-9*step {
			return from, to, step
		}
		span = step / f * float64(gaps) * 1.01
	}
	return roundOut(a, lo, hi, gaps)
}

// step returns the step that divides a span, a multiple of factor, into at most n parts.
func (a *Axis) step(span, factor float64, n int) float64 {
	step := stepFor(a.Unit, span, n) * factor
	switch {
	case !a.Whole || step == math.Trunc(step):
		return step
	case step < 1:
		return 1
	}
	return 2 * step // for a step of 2.5
}

// roundOut widens lo … hi to whole steps.
func roundOut(a *Axis, lo, hi float64, n int) (float64, float64, float64) {
	f := a.Unit.factor(a.Unit.exponent(max(math.Abs(lo), math.Abs(hi))))
	step := a.step((hi-lo)/f, f, n)
	lo, hi = math.Floor(lo/step+1e-9)*step, math.Ceil(hi/step-1e-9)*step
	return lo, hi, step
}

// floorLog and ceilLog round to 1, 2 or 5 times a power of ten.
func floorLog(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range [...]float64{5, 2} {
		if f*p <= v*(1+1e-9) {
			return f * p
		}
	}
	return p
}

func ceilLog(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range [...]float64{1, 2, 5} {
		if f*p >= v*(1-1e-9) {
			return f * p
		}
	}
	return 10 * p
}
