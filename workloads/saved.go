package workloads

import (
	"fmt"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Saving returns the share of the baseline's time that a speedup saves; below 0 if it costs time.
func Saving(speedup stats.Interval) stats.Interval {
	share := func(x float64) float64 { return 1 - 1/x }
	if !speedup.Bounded() {
		return stats.Unbounded(share(speedup.Median))
	}
	return stats.Interval{Median: share(speedup.Median), Lo: share(speedup.Lo), Hi: share(speedup.Hi)}
}

// Saved finds the share of the baseline's time that a variant saves; beside says, in sentences, what else is worth knowing. With a
// result that is not OK there is no finding; without an interval of the speedup, or with a disturbed result, no conclusion.
func Saved(baseline, way *Result, s Subject, beside string) []Finding {
	return saved(baseline, way, way.Speedup(), s, beside)
}

// SavedBetween is Saved for two variants that are both compared with a third: its interval is that of the quotient of their speedups,
// at its widest. There is no conclusion if either has no interval.
func SavedBetween(baseline, way *Result, s Subject) []Finding {
	a, b := way.Speedup(), baseline.Speedup()
	by := stats.Unbounded(a.Median / b.Median)
	if a.Bounded() && b.Bounded() {
		by = stats.Interval{Median: a.Median / b.Median, Lo: a.Lo / b.Hi, Hi: a.Hi / b.Lo}
	}
	return saved(baseline, way, by, s, "")
}

func saved(baseline, way *Result, by stats.Interval, s Subject, beside string) []Finding {
	lacking, is := compared(baseline, way, s)
	if !is && !by.Bounded() { // the baseline's own speedup has no interval
		lacking, is = none(s, noInterval(baseline, baseline.Speedup(), against(baseline, baseline, s))), true
	}
	if is {
		for i := range lacking {
			lacking[i].Facts.Reason = beside
		}
		return lacking
	}
	kind := KindNotSaved
	switch difference().Judge(by) {
	case stats.Faster:
		kind = KindSaved
	case stats.Slower:
		kind = KindLost
	}
	return []Finding{{
		Kind: kind, Result: way.ID, Case: way.Case, Variant: way.Variant,
		Facts: Facts{
			Subject: s, Place: nowhere(), Value: by, Reason: beside, Evidence: evidence(way, baseline),
			Readings: []Reading{{Value: baseline.Time(), Unit: "s"}, {Value: way.Time(), Unit: "s"}},
		},
	}}
}

// saved returns a sentence such as "Training: pooled saves 31.2 % of the time of unpooled (30.4–32.0 %).".
func (f *Facts) saved() string {
	about := fmt.Sprintf("%s: %s ", f.Subject.Name, f.Subject.Way)
	from, to := f.Readings[0].Value, f.Readings[1].Value
	times := fmt.Sprintf(", %s instead of %s", si.Range(to.Median, to.Lo, to.Hi, "s"), si.Range(from.Median, from.Lo, from.Hi, "s"))
	share := Saving(f.Value)
	switch difference().Judge(f.Value) {
	case stats.Faster:
		about += fmt.Sprintf("saves %s of the time of %s%s.", shareText(share), f.Subject.Baseline, times)
	case stats.Slower:
		about += fmt.Sprintf("%s %s%s.", f.way("is", "are"), f.change(f.Subject.Baseline), times)
	default:
		about += "shows " + f.against(f.Subject.Baseline) + "."
	}
	return strings.TrimSpace(about + " " + f.Reason)
}

// shareText is a share with its interval: "31.2 % (30.4–32.0 %)".
func shareText(s stats.Interval) string {
	return fmt.Sprintf("%.1f %% (%.1f–%.1f %%)", 100*s.Median, 100*s.Lo, 100*s.Hi)
}

// enough is the share of a curve's best value that is as good as the best.
const enough = 0.99

// Enough finds the value of the axis from which on a curve without noise stays within 1 % of its best. A curve of fewer than two results, or
// with one missing, has no finding.
func (c *Curve) Enough() []Finding {
	if len(c.Results) < 2 {
		return nil
	}
	best := c.best(all)
	for i := range c.Results {
		if !(c.value(i).Median >= 0) {
			return nil
		}
	}
	at := len(c.Results) - 1
	for at > 0 && c.value(at-1).Median >= enough*c.value(best).Median {
		at--
	}
	f := c.finding(KindEnough, at)
	f.Facts.Best = c.extreme(0)
	f.Facts.Holds = Span{c.at(at), c.at(len(c.Results) - 1), len(c.Results) - at, len(c.Results)}
	f.Facts.AtEdge = at == len(c.Results)-1 && (c.Full == nil || !c.Full(&c.Results[at]))
	for i := range c.Results {
		if i != at {
			f.Facts.Evidence = append(f.Facts.Evidence, c.Results[i].ID)
		}
	}
	return []Finding{f}
}

// enough returns a sentence such as "Training, reuse: 93.5 % from a capacity of 8 on, with 12 MB held; 45.0 % at 1.".
func (f *Facts) enough() string {
	with := make([]string, len(f.Readings))
	for i := range f.Readings {
		with[i] = f.Readings[i].amount() + " " + f.Readings[i].Per
	}
	there := si.Format(f.Value.Median, f.Unit)
	if len(with) > 0 {
		there += ", with " + strings.Join(with, " and ")
	}
	first := ""
	if f.Place.At != f.Best.At {
		first = fmt.Sprintf("; %s at %s", si.Format(f.Best.Value.Median, f.Unit), plain(f.Best.At))
	}
	if f.AtEdge {
		return fmt.Sprintf("%s: still rising at %s: %s%s.", f.Subject.Name, f.at(f.Place.At), there, first)
	}
	return fmt.Sprintf("%s: %s is enough: %s%s.", f.Subject.Name, f.at(f.Place.At), there, first)
}
