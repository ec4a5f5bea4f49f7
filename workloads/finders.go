package workloads

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/metric"
	"assay/internal/stats"
)

// Curve holds the results of one variant along an axis, or of the best variant at each place, in axis order.
type Curve struct {
	Subject Subject
	Axis    Axis
	Unit    string      // of Of; empty: a ratio
	Of      metric.Name // what is judged
	Results []Result
	// Partial: the curve omits values of the axis at which the variant cannot be measured.
	Partial bool
	// Left holds results without an interval, which the curve omits.
	Left []Result
	// Full reports whether no larger value can be better than a result, as for a cache that holds everything; nil: never.
	Full func(r *Result) bool
	// Readings are additional numbers at the place of a finding; nil: none.
	Readings func(r *Result) []Reading
}

// Add appends a result to the curve, or to those left out.
func (c *Curve) Add(r Result) {
	switch {
	case r.Get(c.Of).Bounded():
		c.Results = append(c.Results, r)
	case r.Status == OK:
		c.Left = append(c.Left, r)
	}
}

// at is the axis value of result i.
func (c *Curve) at(i int) float64 {
	switch v := c.Results[i].Setting(c.Axis.Name).(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return nowhere().At
}

// omits reports whether a place was measured at which no result has an interval.
func (c *Curve) omits() bool {
	at := func(r *Result) any { return r.Setting(c.Axis.Name) }
	return slices.ContainsFunc(c.Left, func(left Result) bool {
		return !slices.ContainsFunc(c.Results, func(r Result) bool { return at(&r) == at(&left) })
	})
}

// value is what is judged of result i.
func (c *Curve) value(i int) stats.Interval { return c.Results[i].Get(c.Of) }

func (c *Curve) extreme(i int) Extreme { return Extreme{c.at(i), c.value(i)} }

// best is the index of the maximum among the valid results.
func (c *Curve) best(counts func(i int) bool) int {
	best := -1
	for i := range c.Results {
		if counts(i) && (best < 0 || c.value(i).Median > c.value(best).Median) {
			best = i
		}
	}
	return best
}

func all(int) bool { return true }

// finding starts a finding that points at result i; at no result if i is negative.
func (c *Curve) finding(kind string, i int) Finding {
	f := Finding{Kind: kind, Facts: Facts{
		Subject: c.Subject, Axis: c.Axis, Metric: c.Of, Unit: c.Unit, Place: nowhere(), Partial: c.Partial, Left: c.omits(),
	}}
	if len(c.Results) > 0 {
		f.Variant = c.Results[0].Variant
	}
	if i >= 0 {
		r := &c.Results[i]
		f.Result, f.Case, f.Variant, f.Facts.Value, f.Facts.Evidence = r.ID, r.Case, r.Variant, c.value(i), evidence(r)
		f.Facts.Place = Place{c.at(i), c.at(i), c.at(i)}
		if c.Readings != nil {
			f.Facts.Readings = c.Readings(r)
		}
	}
	return f
}

// Crossover finds where a curve of speedups pays and where it stops paying. A value pays if its whole interval is
// above 1 by more than stats.InTurns, and is slower if it is below 1 by as much; otherwise it is unknown. A curve of one result concerns that value alone. A curve with no
// results has no finding, and one with a disturbed result, or with no interval at all, has no conclusion.
func (c *Curve) Crossover() []Finding {
	if f, is := c.disturbed(); is {
		return f
	}
	switch {
	case len(c.Results) > 0:
	case len(c.Left) > 0:
		return none(c.Subject, noInterval(&c.Left[0], c.Left[0].Get(c.Of), c.Subject.Baseline))
	default:
		return nil
	}
	verdict := func(i int) stats.Verdict { return difference().Judge(c.value(i)) }
	pays := func(i int) bool { return verdict(i) == stats.Faster }
	n := len(c.Results)
	first, last, count := n, -1, 0
	for i := range c.Results {
		if pays(i) {
			first, last, count = min(first, i), i, count+1
		}
	}
	slower := n // every value from here on is slower
	for slower > 0 && verdict(slower-1) == stats.Slower {
		slower--
	}
	if count == 0 {
		return []Finding{c.noGain()}
	}
	f := c.finding(KindPaysPart, -1)
	best := c.best(pays)
	f.Facts.Best, f.Facts.Readings = c.extreme(best), c.spares(best)
	f.Facts.Holds, f.Facts.Slower = Span{c.at(first), c.at(last), count, last - first + 1}, c.slower(slower)
	switch {
	case count == n:
		f.Kind = KindPays
	case last < n-1 && slower == n: // no value at the end is shown to be slower
		f.Facts.Place = Place{c.at(last + 1), c.at(last), nowhere().At}
		f.Facts.Unsure = c.unsure(last + 1)
	case last < n-1:
		f.Kind, f.Result, f.Case = KindCrossover, c.Results[slower].ID, c.Results[slower].Case
		f.Facts.Place = Place{c.crossing(last, slower), c.at(last), c.at(slower)}
		f.Facts.Value = c.value(slower)
		f.Variant, f.Facts.Evidence = c.Results[slower].Variant, c.evidence(slower, last)
	}
	return []Finding{f}
}

// noGain is the finding of a curve that is faster nowhere: where it is slower, and where neither is shown.
func (c *Curve) noGain() Finding {
	n := len(c.Results)
	slower := func(i int) bool { return difference().Judge(c.value(i)) == stats.Slower }
	first, last, count := n, -1, 0
	for i := range c.Results {
		if slower(i) {
			first, last, count = min(first, i), i, count+1
		}
	}
	f, best := c.finding(KindUnclear, -1), c.best(all)
	f.Facts.Holds, f.Facts.Unsure = Span{c.at(0), c.at(n - 1), 0, n}, c.unsure(0)
	switch {
	case count == n:
		f.Kind = KindNeverPays
	case count > 0:
		f.Kind, best = KindSlowerPart, c.best(slower)
		f.Facts.Holds = Span{c.at(first), c.at(last), count, last - first + 1}
	}
	f.Facts.Best, f.Facts.Readings = c.extreme(best), c.spares(best)
	return f
}

// slower are the values before result n at which the way is slower.
func (c *Curve) slower(n int) (list []Extreme) {
	for i := range n {
		if difference().Judge(c.value(i)) == stats.Slower {
			list = append(list, c.extreme(i))
		}
	}
	return list
}

// unsure are the values from result i on at which neither faster nor slower is shown.
func (c *Curve) unsure(i int) (list []Extreme) {
	for ; i < len(c.Results); i++ {
		if v := difference().Judge(c.value(i)); v != stats.Faster && v != stats.Slower {
			list = append(list, c.extreme(i))
		}
	}
	return list
}

// evidence lists the IDs of two results, and then of all if these are of several variants.
func (c *Curve) evidence(i, j int) []string {
	list := evidence(&c.Results[i], &c.Results[j])
	if slices.ContainsFunc(c.Results, func(r Result) bool { return r.Variant != c.Results[0].Variant }) {
		for k := range c.Results {
			if k != i && k != j {
				list = append(list, c.Results[k].ID)
			}
		}
	}
	return list
}

// crossing estimates where the ratio crosses 1, between result i, above it, and j, below it.
func (c *Curve) crossing(i, j int) float64 {
	from, to := c.at(i), c.at(j)
	above, below := c.value(i).Median, c.value(j).Median
	part := (above - 1) / (above - below)
	if from > 0 { // sizes grow by factors
		return from * math.Pow(to/from, part)
	}
	return from + part*(to-from)
}

// driftMin is the minimum number of values in each third of a curve. The chance that all of five are below five others
// is 1 in 252.
const driftMin = 5

// steadyWithin is the maximum relative spread of a steady curve.
const steadyWithin = 0.1

// Drift compares the last third of a curve over time with its first, and points at the end if all of it is faster, or all
// of it slower, than all of the first. The value is the ratio of the medians; its interval spans the ratios of all pairs
// of values, so it assumes nothing about correlation. A shorter curve has no finding.
func (c *Curve) Drift() []Finding {
	n := len(c.Results)
	third := n / 3
	if third < driftMin {
		return nil
	}
	if f, is := c.disturbed(); is {
		return f
	}
	begin, end := make([]float64, third), make([]float64, third)
	for i := range third {
		begin[i], end[i] = c.value(i).Median, c.value(n-third+i).Median
	}
	ratio := stats.Interval{
		Median: stats.Median(end).Median / stats.Median(begin).Median,
		Lo:     slices.Min(end) / slices.Max(begin), Hi: slices.Max(end) / slices.Min(begin),
	}
	f := c.finding(KindSteady, -1)
	switch {
	case ratio.Lo > 1 || ratio.Hi < 1:
		f = c.finding(KindDrift, n-1)
	case ratio.Lo < 1-steadyWithin || ratio.Hi > 1+steadyWithin:
		f.Kind = KindVaries
	}
	f.Facts.Value, f.Facts.Unit = ratio, ""
	f.Facts.Holds = Span{c.at(0), c.at(n - 1), n, n}
	f.Facts.Evidence = evidence(&c.Results[n-1], &c.Results[0])
	return []Finding{f}
}

// Totals compares the total time of all cases for two variants. Cases without both are skipped; without cases or
// intervals there is no finding, and with a disturbed result no conclusion.
func Totals(results []Result, s Subject, baseline, way string) []Finding {
	f := Finding{Kind: KindTotal, Variant: way, Facts: Facts{Subject: s, Place: nowhere()}}
	var from, to stats.Interval
	var both []Result
	for i := range results {
		r := &results[i]
		b := slices.IndexFunc(results, func(o Result) bool { return o.Case == r.Case && o.Variant == baseline && o.Status == OK })
		if r.Variant != way || r.Status != OK || b < 0 {
			continue
		}
		from, to, both = sum(from, results[b].Time()), sum(to, r.Time()), append(both, results[b], *r)
		f.Facts.Evidence = append(f.Facts.Evidence, evidence(r, &results[b])...)
		f.Facts.Holds.Count++
	}
	if lacking, is := (&Curve{Subject: s, Results: both}).disturbed(); is {
		return lacking
	}
	if f.Facts.Holds.Count == 0 || !from.Bounded() || !to.Bounded() || !(to.Lo > 0) {
		return nil
	}
	f.Facts.Readings = []Reading{{Value: from, Unit: "s"}, {Value: to, Unit: "s"}}
	f.Facts.Value = stats.Quotient(from, to)
	return []Finding{f}
}

// Trade compares how much of an amount a variant and its baseline need, and their times; per says what happens to the amount, in its unit. With a
// result that is not OK there is no finding. Without an interval of the speedup, or with a disturbed result, there is no conclusion on the
// times, nor on an amount that depends on them.
func Trade(baseline, way *Result, s Subject, of metric.Metric, unit, per string) []Finding {
	lacking, is := compared(baseline, way, s)
	if is && (len(lacking) == 0 || !of.Untimed) {
		return lacking
	}
	amount := func(r *Result) Reading { return Reading{Value: stats.Exact(r.Number(of.Name)), Unit: unit, Per: per} }
	f := Finding{
		Kind: KindTrade, Result: way.ID, Case: way.Case, Variant: way.Variant,
		Facts: Facts{
			Subject: s, Place: nowhere(), Value: stats.Unknown(), Evidence: evidence(way, baseline),
			Readings: []Reading{amount(baseline), amount(way)},
		},
	}
	if f.Facts.Readings[0].amount() == f.Facts.Readings[1].amount() {
		f.Kind = KindNoTrade
	}
	if is {
		f.Facts.Lack = lacking[0].Facts.Lack
		return []Finding{f}
	}
	a, b := baseline.Time(), way.Time()
	more := stats.Interval{Median: b.Median - a.Median, Lo: b.Lo - a.Hi, Hi: b.Hi - a.Lo}
	f.Facts.Value = way.Speedup()
	f.Facts.Readings = append(f.Facts.Readings, Reading{Value: b, Unit: "s"}, Reading{Value: more, Unit: "s"})
	return []Finding{f}
}

// compared is the finding for two results if they cannot be compared: none, or that there is no conclusion.
func compared(baseline, way *Result, s Subject) (f []Finding, is bool) {
	if baseline.Status != OK || way.Status != OK {
		return nil, true
	}
	if f, is := (&Curve{Subject: s, Results: []Result{*baseline, *way}}).disturbed(); is {
		return f, true
	}
	if !way.Speedup().Bounded() {
		return none(s, noInterval(way, way.Speedup(), against(way, baseline, s))), true
	}
	return nil, false
}

// against names what a result was compared with: the baseline of a finding, or a third variant that both were compared with.
func against(r, baseline *Result, s Subject) string {
	if r.Baseline == "" || r.Baseline == baseline.Variant {
		return s.Baseline
	}
	return r.Baseline
}

// Beside puts published figures next to two results of a case, a baseline and a variant that should be better. Published figures come
// from other machines: nothing is computed from them, and they are reported even without a conclusion. With a result that is not OK
// there is no finding; without an interval of the speedup, or with a disturbed result, no conclusion.
func Beside(baseline, way *Result, s Subject, published string) []Finding {
	if lacking, is := compared(baseline, way, s); is {
		for i := range lacking {
			lacking[i].Facts.Reason = published
		}
		return lacking
	}
	return []Finding{{
		Kind: KindBeside, Result: way.ID, Case: way.Case, Variant: way.Variant,
		Facts: Facts{
			Subject: s, Place: nowhere(), Value: way.Speedup(), Reason: published, Evidence: evidence(way, baseline),
			Readings: []Reading{{Value: way.Time(), Unit: "s"}},
		},
	}}
}

// sum adds intervals end by end, which is conservative: the result covers both.
func sum(a, b stats.Interval) stats.Interval {
	return stats.Interval{Median: a.Median + b.Median, Lo: a.Lo + b.Lo, Hi: a.Hi + b.Hi}
}

// Stages finds the stages that take the largest share of a whole, from the results of one case: the variant named whole, and its stages, each
// measured alone. Stages not measurably smaller than the largest share its place. Without the whole or a stage there is
// no finding; with a disturbed result or one without an interval, no conclusion.
func Stages(results []Result, s Subject, whole string) []Finding {
	var all *Result
	var stages []*Result
	for i := range results {
		if r := &results[i]; r.Status == OK && r.Variant == whole {
			all = r
		} else if r.Status == OK {
			stages = append(stages, r)
		}
	}
	if all == nil || len(stages)+1 < len(results) || len(stages) == 0 {
		return nil
	}
	if f, is := (&Curve{Subject: s, Results: results}).disturbed(); is {
		return f
	}
	for i := range results {
		if t := results[i].Time(); !t.Bounded() || !(t.Lo > 0) {
			return none(s, tooFew(results[i].Samples))
		}
	}
	return []Finding{largestStages(all, stages, s)}
}

func largestStages(all *Result, stages []*Result, s Subject) Finding {
	largest := slices.MaxFunc(stages, func(a, b *Result) int { return cmp.Compare(a.Time().Median, b.Time().Median) })
	f := Finding{Kind: KindStage, Result: largest.ID, Case: largest.Case, Variant: largest.Variant, Facts: Facts{
		Subject: s, Place: nowhere(), Value: stats.Quotient(largest.Time(), all.Time()), Evidence: evidence(largest, all),
	}}
	var total stats.Interval
	var level []string
	for _, r := range stages {
		total = sum(total, r.Time())
		if r != largest && r.Time().Hi >= largest.Time().Lo {
			level = append(level, strconv.Quote(r.Variant))
		}
	}
	f.Facts.Readings = []Reading{{Value: stats.Quotient(total, all.Time())}}
	f.Facts.Nearest = strings.Join(level, " and ")
	return f
}
