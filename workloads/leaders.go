package workloads

import (
	"cmp"
	"slices"
	"strings"

	"assay/internal/metric"
	"assay/internal/stats"
)

// Leader is the fastest variant in a range of an axis, or several that no measured place in it distinguishes.
type Leader struct {
	Variant  string // several are joined by " or "
	From, To float64
	Value    stats.Interval // at To, for the one with the largest median
	Little   bool           // several differ somewhere, by their own intervals or by pairs, but by no more than stats.InTurns
}

// Leaders finds which variant has the largest value of a metric at each place of an axis. All variants whose intervals come within
// stats.InTurns of that of the largest share the place. Results of fewer than two variants have no finding; disturbed results, or
// those without an interval, have no conclusion.
func Leaders(axis Axis, of metric.Name, unit string, subject Subject, results []Result) []Finding {
	curve := Curve{Axis: axis, Of: of, Unit: unit, Subject: subject}
	variants := map[string]bool{}
	for i := range results {
		if results[i].Status == OK {
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
	for i := range curve.Results {
		if !curve.value(i).Bounded() {
			return none(subject, tooFew(curve.Results[i].Samples))
		}
	}
	return []Finding{curve.leaders()}
}

// leaders goes from place to place.
func (c *Curve) leaders() Finding {
	var leaders []Leader
	var best []*Result // at each place
	order := make([]int, len(c.Results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.at(i), c.at(j)) })
	last := 0
	for len(order) > 0 {
		n := 1
		for n < len(order) && c.at(order[n]) == c.at(order[0]) {
			n++
		}
		first, names, little := c.lead(order[:n])
		leaders, last = extended(leaders, Leader{names, c.at(first), c.at(first), c.value(first), little}), first
		best, order = append(best, &c.Results[first]), order[n:]
	}
	f := c.finding(KindLeaders, last)
	slices.Reverse(best) // it points at the last, which is the first of its evidence
	f.Variant, f.Facts.Leaders, f.Facts.Evidence = c.Results[last].Variant, leaders, evidence(best...)
	return f
}

// lead returns the best of the results at one place, the names of all that are not certainly slower by more than the rule counts, and
// whether one is slower by less. Pairs of samples say more than separate intervals, which a busy machine widens for both.
func (c *Curve) lead(here []int) (best int, names string, little bool) {
	best = slices.MaxFunc(here, func(i, j int) int { return cmp.Compare(c.value(i).Median, c.value(j).Median) })
	beats := func(i, j int) bool { return difference().Judge(c.paired(i, j)) == stats.Faster }
	if i := slices.IndexFunc(here, func(i int) bool { return beats(i, best) }); i >= 0 {
		best = here[i]
	}
	var level []string
	for _, i := range here {
		if i == best || c.value(i).Hi*(1+stats.InTurns) >= c.value(best).Lo && !beats(best, i) {
			level, little = append(level, c.Results[i].Variant), little || c.value(i).Hi < c.value(best).Lo || shown(c.paired(i, best))
		}
	}
	return best, strings.Join(level, " or "), little
}

// paired returns how many times as fast as result j result i is, from their pairs of samples: unknown if they were not compared.
func (c *Curve) paired(i, j int) stats.Interval {
	a, b := &c.Results[i], &c.Results[j]
	switch {
	case a.Baseline == b.Variant && a.Baseline != "":
		return a.Speedup()
	case b.Baseline == a.Variant && b.Baseline != "":
		v := b.Speedup()
		return stats.Interval{Median: 1 / v.Median, Lo: 1 / v.Hi, Hi: 1 / v.Lo}
	}
	return stats.Unknown()
}

// extended returns leaders with the next place's, which continues the last range or begins another.
func extended(leaders []Leader, next Leader) []Leader {
	if n := len(leaders); n > 0 && leaders[n-1].Variant == next.Variant {
		leaders[n-1].To, leaders[n-1].Value = next.To, next.Value
		leaders[n-1].Little = leaders[n-1].Little || next.Little
		return leaders
	}
	return append(leaders, next)
}
