package workloads

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/stats"
)

// A level is a minimum number of consecutive values, none of which is more than levelWidth times another.
const (
	levelCount = 3
	levelWidth = 1.15
)

// Levels finds the ranges of a curve in which its value stays constant, like the bandwidth of each cache level: the longest first,
// then its neighbors. A curve without any has no finding, and one with a disturbed result no conclusion. reason is reported with them.
func (c *Curve) Levels(reason string) []Finding {
	if len(c.Results) < levelCount {
		return nil
	}
	if f, is := c.disturbed(); is {
		return f
	}
	spans := c.level(0, len(c.Results))
	if len(spans) == 0 {
		return nil
	}
	last := spans[len(spans)-1]
	f := c.finding(KindLevels, last[1]-1)
	f.Facts.Reason, f.Facts.Evidence = reason, nil
	for _, s := range slices.Backward(spans) {
		for i := s[1] - 1; i >= s[0]; i-- {
			f.Facts.Evidence = append(f.Facts.Evidence, c.Results[i].ID)
		}
	}
	for _, s := range spans {
		f.Facts.Leaders = append(f.Facts.Leaders, Leader{From: c.at(s[0]), To: c.at(s[1] - 1), Value: c.typical(s[0], s[1])})
	}
	f.Facts.Holds = Span{c.at(0), c.at(len(c.Results) - 1), len(spans), len(c.Results)}
	return []Finding{f}
}

// level lists the levels among results from i up to j, in their order, each by its first result and the one after its last.
func (c *Curve) level(i, j int) [][2]int {
	from, to := i, i
	for first := i; first < j; first++ {
		lo, hi := math.Inf(1), 0.0
		for k := first; k < j; k++ {
			v := c.value(k).Median
			if lo, hi = min(lo, v), max(hi, v); !(hi <= levelWidth*lo) {
				break
			}
			if k+1-first > to-from {
				from, to = first, k+1
			}
		}
	}
	if to-from < levelCount {
		return nil
	}
	return append(append(c.level(i, from), [2]int{from, to}), c.level(to, j)...)
}

// typical returns the median of results from i up to j, and the range of their intervals.
func (c *Curve) typical(i, j int) stats.Interval {
	out := stats.Interval{Lo: math.Inf(1), Hi: math.Inf(-1)}
	var medians []float64
	for k := i; k < j; k++ {
		v := c.value(k)
		medians = append(medians, v.Median)
		out.Lo, out.Hi = min(out.Lo, v.Lo, v.Median), max(out.Hi, v.Hi, v.Median)
	}
	out.Median = stats.Median(medians).Median
	return out
}

// furthest returns the results at the largest place of the axis that have a time, in order.
func (c *Curve) furthest() []*Result {
	var out []*Result
	for i := range c.Results {
		if c.Results[i].Status != OK {
			continue
		}
		if len(out) > 0 {
			at, _ := Number(out[0].Setting(c.Axis.Name))
			switch cmp.Compare(c.at(i), at) {
			case -1:
				continue
			case 1:
				out = nil
			}
		}
		out = append(out, &c.Results[i])
	}
	return out
}

// costRule distinguishes variants that differ by more than a choice depends on.
func costRule() stats.Rule { return stats.Rule{Floor: stats.InTurns, Matters: sameSpeed} }

// Costs finds how each variant compares with the baseline of its case, at the largest place of the axis where the baseline was
// measured. words returns the words for a variant, and readings are reported for each. Without a baseline that others are compared with there is no
// finding; with a disturbed result, or without an interval of any, no conclusion.
func (c *Curve) Costs(words func(variant string) string) []Finding {
	far := &Curve{Subject: c.Subject, Axis: c.Axis, Of: c.Of, Unit: c.Unit}
	for _, r := range c.furthest() {
		far.Results = append(far.Results, *r)
	}
	base := slices.IndexFunc(far.Results, func(r Result) bool { return r.Baseline == "" })
	if base < 0 {
		return nil
	}
	if f, is := far.disturbed(); is {
		return f
	}
	f := far.finding(KindCosts, base)
	f.Facts.Holds = Span{far.at(base), far.at(base), 1, 1}
	var few *Result // one without an interval
	for i := range far.Results {
		r := &far.Results[i]
		if i == base {
			continue
		}
		if !r.Speedup().Bounded() {
			few = r
			continue
		}
		judged := Judged{Variant: words(r.Variant), Speed: r.Speedup(), Verdict: costRule().Judge(r.Speedup())}
		if c.Readings != nil {
			judged.Besides = c.Readings(r)
		}
		f.Facts.Judged = append(f.Facts.Judged, judged)
		f.Facts.Evidence = append(f.Facts.Evidence, r.ID)
	}
	switch {
	case len(f.Facts.Judged) > 0:
		return []Finding{f}
	case few != nil:
		return none(c.Subject, noInterval(few, few.Speedup(), c.Subject.Baseline))
	}
	return nil
}

// Rate returns the curve's value for a result, for Readings: what each variant reaches, in addition to the comparison.
func (c *Curve) Rate(r *Result) []Reading { return []Reading{{Value: r.Get(c.Of), Unit: c.Unit}} }

// Share relates the largest value at the furthest place of the axis to the specification, which is 0 with a reason if it is not
// known, and relates the other variants there to the largest.
func (c *Curve) Share(specified float64, why string, words func(variant string) string) []Finding {
	far := &Curve{Subject: c.Subject, Axis: c.Axis, Of: c.Of, Unit: c.Unit}
	for _, r := range c.furthest() {
		far.Results = append(far.Results, *r)
	}
	if len(far.Results) == 0 {
		return nil
	}
	if f, is := far.disturbed(); is {
		return f
	}
	best := far.best(all)
	f := far.finding(KindShare, best)
	f.Facts.Limit, f.Facts.Reason = specified, why
	f.Facts.Subject.Way = words(far.Results[best].Variant)
	for i := range far.Results {
		if v := far.value(i); i != best && v.Bounded() {
			f.Facts.Judged = append(f.Facts.Judged, Judged{Variant: words(far.Results[i].Variant), Speed: stats.Quotient(v, f.Facts.Value)})
			f.Facts.Evidence = append(f.Facts.Evidence, far.Results[i].ID)
		}
	}
	return []Finding{f}
}

// Slope finds what one more on the axis adds to a time, from the smallest to the largest place, with what the intervals allow.
// With fewer than two places there is no finding. Readings are those of the smallest place; reason is reported with them.
func (c *Curve) Slope(reason string) []Finding {
	n := len(c.Results)
	if n < 2 || !(c.at(n-1) > c.at(0)) {
		return nil
	}
	if f, is := c.disturbed(); is {
		return f
	}
	for i := range c.Results {
		if !c.value(i).Bounded() {
			return none(c.Subject, tooFew(c.Results[i].Samples))
		}
	}
	f := c.finding(KindSlope, n-1)
	a, b, more := c.value(0), c.value(n-1), c.at(n-1)-c.at(0)
	f.Facts.Value = stats.Interval{Median: (b.Median - a.Median) / more, Lo: (b.Lo - a.Hi) / more, Hi: (b.Hi - a.Lo) / more}
	f.Facts.Best, f.Facts.Reason = c.extreme(0), reason
	f.Facts.Holds = Span{c.at(0), c.at(n - 1), n, n}
	if c.Readings != nil {
		f.Facts.Readings = c.Readings(&c.Results[0])
	}
	f.Facts.Evidence = evidence(&c.Results[n-1], &c.Results[0])
	return []Finding{f}
}
