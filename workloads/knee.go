package workloads

import (
	"math"

	"assay/internal/metric"
	"assay/internal/stats"
)

// Knee finds the value from which on all values reach a share of the best: their intervals, compared with that of the best, allow nothing
// else. If larger values fall below it again, the finding is the best. If the best is the last and still clearly above
// the one before it, the curve is still rising. In all other cases there is no conclusion, and the finding says why. A curve
// of fewer than two results has no finding.
func (c *Curve) Knee(part float64) []Finding {
	if len(c.Results) < 2 {
		return nil
	}
	if f, is := c.disturbed(); is {
		return f
	}
	k := c.against(part)
	if unknown := k.firstUnknown(); unknown >= 0 {
		return c.unclear(unknown)
	}
	switch {
	case k.rises():
		return []Finding{c.rising()}
	case k.reached < len(c.Results)-1:
		return []Finding{k.finding()}
	case k.falls():
		return []Finding{k.bestFinding()}
	}
	return c.unclear(k.doubtful())
}

// knee compares each value of a curve with a share of the best one.
type knee struct {
	*Curve
	part    float64
	best    int
	reached int // from here on all values reach the share
	below   int // values certainly below the share end here: the knee is not before it
}

// against compares the values of the curve with a share of the best.
func (c *Curve) against(part float64) knee {
	k := knee{Curve: c, part: part, best: c.best(all)}
	for i := range c.Results {
		if !k.reaches(i) {
			k.reached = i + 1
		}
		if k.isBelow(i) {
			k.below = i + 1
		}
	}
	return k
}

// reaches reports whether value i certainly reaches the share of the best.
func (k *knee) reaches(i int) bool {
	return i == k.best || k.value(i).Lo >= k.part*k.value(k.best).Hi
}

// isBelow reports whether value i is certainly below the share of the best.
func (k *knee) isBelow(i int) bool {
	return i != k.best && k.value(i).Hi < k.part*k.value(k.best).Lo
}

// firstUnknown is the first value without an interval; −1: all have one.
func (k *knee) firstUnknown() int {
	for i := range k.Results {
		if v := k.value(i); !v.Bounded() || !(v.Lo > 0) {
			return i
		}
	}
	return -1
}

// rises reports whether the last value is the best and so far above the one before it that a larger one may matter.
func (k *knee) rises() bool {
	last := len(k.Results) - 1
	return k.best == last && k.value(last).Median > maxRise(k.part)*k.value(last-1).Median &&
		k.value(last).Lo > k.value(last-1).Hi
}

// maxRise is how much a curve may rise from one value to the next without it mattering, since a share of the best is
// enough.
func maxRise(part float64) float64 { return 1 + (1-part)/2 }

// falls reports whether a value after the best is certainly below its share.
func (k *knee) falls() bool { return k.below > k.best+1 }

// doubtful returns the value that leaves the knee open: neither certainly above nor below, or the one before a last value that is not
// clearly better.
func (k *knee) doubtful() int {
	for i := len(k.Results) - 1; i >= 0; i-- {
		if !k.reaches(i) && !k.isBelow(i) {
			return i
		}
	}
	return k.best
}

// finding is the knee. It is between the last value certainly below the share and the first from which all reach it.
func (k *knee) finding() Finding {
	f := k.Curve.finding(KindKnee, k.reached)
	f.Facts.Place.Lo = k.at(max(0, min(k.below, k.reached)-1))
	k.complete(&f, len(k.Results)-k.reached)
	return f
}

// bestFinding is the best, which larger values fall below again.
func (k *knee) bestFinding() Finding {
	f := k.Curve.finding(KindBest, k.best)
	count := 0
	for i := range k.Results {
		if k.reaches(i) {
			count++
		}
		if !k.lower(i) { // as good as the best, as far as can be told
			f.Facts.Place.Lo, f.Facts.Place.Hi = min(f.Facts.Place.Lo, k.at(i)), max(f.Facts.Place.Hi, k.at(i))
		}
	}
	k.complete(&f, count)
	return f
}

// lower reports whether value i is certainly lower than the best.
func (k *knee) lower(i int) bool {
	return i != k.best && k.value(i).Hi < k.value(k.best).Lo
}

// complete adds what knees and bests have in common; count is how many values reach the share.
func (k *knee) complete(f *Finding, count int) {
	f.Facts.Best, f.Facts.Limit = k.extreme(k.best), k.part
	f.Facts.Holds = Span{k.at(0), k.at(len(k.Results) - 1), count, len(k.Results)}
	f.Facts.Evidence = append(f.Facts.Evidence, evidence(&k.Results[k.best])...)
}

// rising is the finding of a curve whose last value is the best so far.
func (c *Curve) rising() Finding {
	last := len(c.Results) - 1
	f := c.finding(KindRising, last)
	f.Facts.Best, f.Facts.Limit = c.extreme(last-1), c.value(last).Median/c.value(last-1).Median
	f.Facts.Holds, f.Facts.AtEdge = Span{c.at(0), c.at(last), len(c.Results), len(c.Results)}, true
	f.Facts.Evidence = append(f.Facts.Evidence, evidence(&c.Results[last-1])...)
	return f
}

// unclear is no conclusion, since the interval of value i is too wide.
func (c *Curve) unclear(i int) []Finding {
	found := none(c.Subject, Lack{At: c.extreme(i)})
	found[0].Facts.Axis, found[0].Facts.Unit, found[0].Facts.Evidence = c.Axis, c.Unit, evidence(&c.Results[i])
	return found
}

// disturbed is no conclusion, if any result of the curve was disturbed.
func (c *Curve) disturbed() ([]Finding, bool) {
	if n := countDisturbed(c.Results) + countDisturbed(c.Left); n > 0 {
		return none(c.Subject, Lack{Disturbed: n, Of: len(c.Results) + len(c.Left)}), true
	}
	return nil, false
}

func countDisturbed(results []Result) int {
	n := 0
	for i := range results {
		if _, disturbed := results[i].Disturbed(); disturbed {
			n++
		}
	}
	return n
}

// Lack is what is missing for a conclusion: undisturbed results, or a narrower interval at a value.
type Lack struct {
	Disturbed, Of int         // results
	Few           int         // samples, if that is why; otherwise 0
	Count         int         // the number of independent samples they are worth, if they are correlated; otherwise 0
	Unmeasured    metric.Name // the metric that a limit is on
	Untimed       string      // what has no time to compare with
	At            Extreme
}

// noInterval is the lack of a result whose speedup over base has no interval: samples, or a time of base, which failed or was not measured.
func noInterval(r *Result, speedup stats.Interval, base string) Lack {
	if math.IsNaN(speedup.Median) && base != "" {
		return Lack{Untimed: base}
	}
	return tooFew(r.Samples)
}

// tooFew is the lack of samples for an interval.
func tooFew(samples []float64) Lack {
	l := Lack{Few: max(1, len(samples))}
	if e := stats.Median(samples); e.Tau >= 2 {
		l.Count = int(max(1, math.Round(e.Effective())))
	}
	return l
}

// none is the finding that there is no conclusion.
func none(s Subject, lack Lack) []Finding {
	return []Finding{{Kind: KindNone, Facts: Facts{Subject: s, Place: nowhere(), Lack: lack}}}
}

// Within finds the last value for which the whole interval of Of, a time, is within a limit, and likewise for all values before it. If there
// is none, the finding points at no result.
func (c *Curve) Within(limit float64) []Finding {
	if len(c.Results) == 0 {
		return nil
	}
	if f, is := c.disturbed(); is {
		return f
	}
	last := -1
	for i := range c.Results {
		if v := c.value(i); !v.Bounded() || v.Hi > limit {
			break
		}
		last = i
	}
	f := c.finding(KindWithin, last)
	f.Facts.Limit, f.Facts.Best = limit, c.extreme(max(0, last))
	f.Facts.Holds = Span{c.at(0), c.at(len(c.Results) - 1), last + 1, len(c.Results)}
	f.Facts.AtEdge = last+1 == len(c.Results)
	return []Finding{f}
}
