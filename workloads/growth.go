package workloads

import (
	"math"

	"assay/internal/stats"
)

// Growth fits a line through an amount along the axis, which has no noise: what each step adds, and the constant part. A
// curve of fewer than three results, or with one missing, has no finding.
func (c *Curve) Growth() []Finding {
	n := len(c.Results)
	if n < 3 {
		return nil
	}
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range c.Results {
		xs[i], ys[i] = c.at(i), c.value(i).Median
		if math.IsNaN(xs[i]) || math.IsNaN(ys[i]) {
			return nil
		}
	}
	l := stats.Line(xs, ys)
	f := c.finding(KindGrowth, n-1)
	f.Facts.Value = stats.Exact(l.Slope)
	f.Facts.Holds = Span{xs[0], xs[n-1], n, n}
	f.Facts.Readings = []Reading{{Value: stats.Exact(l.Intercept), Unit: c.Unit}, {Value: stats.Exact(l.R2)}}
	for i := range n - 1 {
		f.Facts.Evidence = append(f.Facts.Evidence, c.Results[i].ID)
	}
	return []Finding{f}
}

// Scaling returns how close a result comes to linear scaling relative to the first, if each of its workers does as much work as one of
// the first's: the time of the first divided by its own. It is not known if either failed.
func Scaling(first, r *Result) stats.Interval {
	switch {
	case first.Status != OK || r.Status != OK:
		return stats.Exact(math.NaN())
	case first == r:
		return stats.Exact(1)
	}
	return stats.Quotient(first.Time(), r.Time())
}
