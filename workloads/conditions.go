package workloads

import (
	"assay/internal/metric"
	"assay/internal/stats"
)

// conditionsOf are the metrics of the surroundings that a series is told with, and the words for each.
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

// Conditions compares the machine in the last third of a curve over time with the first: temperature, power, memory, as far as they
// are known, and counts the throttled results. A curve too short for Drift has no finding, and neither has one of which nothing is known.
func (c *Curve) Conditions() []Finding {
	n := len(c.Results)
	third := n / 3
	if third < driftMin {
		return nil
	}
	f := c.finding(KindConditions, -1)
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
	f.Facts.Evidence = evidence(&c.Results[n-1], &c.Results[0])
	return []Finding{f}
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
