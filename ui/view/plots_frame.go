package view

import (
	"math"

	"assay/app"
	"assay/internal/chart"
	"assay/workloads"
)

// frame gives a chart with only points of live tuning stable axes: along X the sizes of a default run, extended to outlying
// points, along Y whole decades, or from zero to a round number.
func frame(m *chart.Model, c *chart.Chart, tuned []app.Tuned, w *workloads.Workload) {
	if m.X.Scale != chart.Category {
		m.X.Min, m.X.Max = reach(c, tuned, w)
	}
	span := newSpan()
	for _, k := range m.Rules {
		span.add(k.Y)
	}
	for i := range c.Model.Series {
		if s := &c.Model.Series[i]; c.Rows[i] != nil {
			for j := range s.Len() {
				span.add(s.Y[j])
				span.add(s.Lo[j])
				span.add(s.Hi[j])
			}
		}
	}
	m.Y.Min, m.Y.Max = span.around(m.Y.Scale)
}

// reach returns the X range of a default run if a parameter sets it, extended to outlying points, else a range around the
// points.
func reach(c *chart.Chart, tuned []app.Tuned, w *workloads.Workload) (lo, hi float64) {
	points := newSpan()
	for i := range c.Model.Series {
		for _, x := range c.Model.Series[i].X {
			points.add(x)
		}
	}
	around, to := points.around(c.Model.X.Scale)
	for i := range tuned {
		p, err := w.Param(tuned[i].Place)
		for _, own := range tunable(w.Charts(tuned[i].Results)) {
			if err != nil || own.View != c.View || own.Facet != c.Facet {
				continue
			}
			if at, ok := workloads.Number(tuned[i].Case[p.Name]); !ok || at != own.Model.Series[0].X[0] {
				continue
			}
			if lo, hi = usual(w, p); points.least < lo {
				lo = around
			}
			if points.hi > hi {
				hi = to
			}
			return max(lo, p.Min), min(hi, p.Max)
		}
	}
	return around, to
}

// usual returns the range of a parameter in a default run: for the end of a sweep, the range of the sweep.
func usual(w *workloads.Workload, p *workloads.Param) (lo, hi float64) {
	s := w.SweepOf(p.Name)
	if s == nil {
		return p.Min, p.Max
	}
	v := w.Defaults(false)
	return float64(v.Int(s.From)), float64(v.Int(s.To))
}

// span is a range of finite values that includes zero.
type span struct{ least, lo, hi float64 } // least: the smallest value above zero

func newSpan() span { return span{least: math.Inf(1)} }

func (s *span) add(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	if v > 0 {
		s.least = min(s.least, v)
	}
}

// around returns a round range for an axis of that scale; empty to leave it to the chart.
func (s *span) around(scale chart.Scale) (lo, hi float64) {
	switch {
	case s.lo < 0 || s.hi <= 0:
		return 0, 0
	case scale == chart.Linear:
		return 0, roundUp(s.hi)
	case scale == chart.Log2:
		return math.Exp2(math.Floor(math.Log2(s.least))), math.Exp2(math.Floor(math.Log2(s.hi)) + 1)
	}
	return math.Pow(10, math.Floor(math.Log10(s.least))), math.Pow(10, math.Floor(math.Log10(s.hi))+1)
}

// roundUp returns the smallest of 1, 2 and 5 times a power of ten that is not below x.
func roundUp(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= x {
			return f * power
		}
	}
	return 10 * power
}
