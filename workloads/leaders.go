package workloads

import (
	"cmp"
	"slices"

	"assay/internal/metric"
	"assay/internal/stats"
)

// Leader is the fastest variant on a stretch of an axis.
type Leader struct {
	Variant  string
	From, To float64
	Value    stats.Interval // at To
}

// Leaders finds which variant has the largest value of a metric at each place of an axis. A variant leads on as long as no other
// one is measurably better. Results of fewer than two variants have no finding, and disturbed ones no conclusion.
func Leaders(axis Axis, of metric.Name, unit string, subject Subject, results []Result) []Finding {
	curve := Curve{Axis: axis, Of: of, Unit: unit, Subject: subject}
	variants := map[string]bool{}
	for i := range results {
		if results[i].Status == OK && results[i].Get(of).Bounded() {
			curve.Results = append(curve.Results, results[i])
			variants[results[i].Variant] = true
		}
	}
	if len(variants) < 2 {
		return nil
	}
	if f, is := curve.disturbed(); is {
		return f
	}
	order := make([]int, len(curve.Results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(curve.at(i), curve.at(j)) })
	var leaders []Leader
	var last int
	for len(order) > 0 {
		n := 1
		for n < len(order) && curve.at(order[n]) == curve.at(order[0]) {
			n++
		}
		last = curve.lead(order[:n], leaders)
		leaders = extended(leaders, &curve, last)
		order = order[n:]
	}
	f := curve.finding(KindLeaders, last)
	f.Variant, f.Facts.Leaders = curve.Results[last].Variant, leaders
	return []Finding{f}
}

// lead is the best of the results of one place; the leader so far, unless another one is measurably better.
func (c *Curve) lead(here []int, leaders []Leader) int {
	best := slices.MaxFunc(here, func(i, j int) int { return cmp.Compare(c.value(i).Median, c.value(j).Median) })
	if len(leaders) == 0 {
		return best
	}
	for _, i := range here {
		if c.Results[i].Variant == leaders[len(leaders)-1].Variant && c.value(i).Hi >= c.value(best).Lo {
			return i
		}
	}
	return best
}

// extended is leaders with result i, which goes on with the last stretch or begins another.
func extended(leaders []Leader, c *Curve, i int) []Leader {
	r := &c.Results[i]
	if n := len(leaders); n > 0 && leaders[n-1].Variant == r.Variant {
		leaders[n-1].To, leaders[n-1].Value = c.at(i), c.value(i)
		return leaders
	}
	return append(leaders, Leader{r.Variant, c.at(i), c.at(i), c.value(i)})
}
