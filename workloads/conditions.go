package workloads

import (
	"assay/internal/metric"
	"assay/internal/stats"
)

// conditionsOf are the metrics of the surroundings that are reported for a series, and the words for each.
func conditionsOf() []struct {
	of   metric.Name
	unit string
	word string
} {
	return []struct {
		of   metric.Name
		unit string
		word string
	}{{Hottest, "°C", "temperature"}, {Power, "W", "power"}, {Process, "B", "Assay’s memory"}}
}

// Conditions compares the machine in the last third of a curve over time with the first: temperature, power and memory, as far as they
// are known, and how much Assay's memory grows per minute; and it counts the throttled results. A curve too short for Drift, or of which nothing is known, has no finding.
func (c *Curve) Conditions() []Finding {
	n := len(c.Results)
	third := n / 3
	if third < driftMin {
		return nil
	}
	f := c.finding(KindConditions, -1)
	f.Facts.Unit = ""
	f.Facts.Holds = Span{c.at(0), c.at(n - 1), 0, n}
	for _, r := range c.Results {
		if r.Number(Throttled) > 0 {
			f.Facts.Holds.Count++
		}
	}
	for _, q := range conditionsOf() {
		begin, end := knownMedian(c.Results[:third], q.of), knownMedian(c.Results[n-third:], q.of)
		if begin.Bounded() && end.Bounded() {
			f.Facts.Readings = append(f.Facts.Readings, Reading{Value: stats.Interval{Median: end.Median, Lo: begin.Median, Hi: end.Median}, Unit: q.unit, Per: q.word})
		}
	}
	if len(f.Facts.Readings) == 0 {
		return nil
	}
	if slope := c.slope(Process); slope.Bounded() {
		f.Facts.Value, f.Facts.Unit = stats.Interval{Median: 60 * slope.Median, Lo: 60 * slope.Lo, Hi: 60 * slope.Hi}, perMinute
	}
	f.Facts.Evidence = evidence(&c.Results[n-1], &c.Results[0])
	return []Finding{f}
}

// perMinute is the unit of a slope of memory.
const perMinute = "B/min"

// maxGroups is the maximum number of groups of neighboring results that a slope is taken from: results near each other are alike.
const maxGroups = 12

// slope is by how much a metric grows a second along a curve over time, from the means of neighbors.
func (c *Curve) slope(of metric.Name) stats.Interval {
	var at, values []float64
	for i := range c.Results {
		if v := c.Results[i].Get(of); v.Bounded() {
			at, values = append(at, c.at(i)), append(values, v.Median)
		}
	}
	n := min(len(values), maxGroups)
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		from, to := i*len(values)/n, (i+1)*len(values)/n
		x[i], y[i] = stats.Mean(at[from:to]).Median, stats.Mean(values[from:to]).Median
	}
	return stats.Trend(x, y)
}

// knownMedian is the median of a metric over the results that have it; unbounded where none has.
func knownMedian(results []Result, of metric.Name) stats.Interval {
	var values []float64
	for i := range results {
		if v := results[i].Get(of); v.Bounded() {
			values = append(values, v.Median)
		}
	}
	if len(values) == 0 {
		return stats.Median(nil).Interval
	}
	return stats.Exact(stats.Median(values).Median)
}
