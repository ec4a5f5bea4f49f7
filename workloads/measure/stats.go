package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"
)

// Confidence of every interval.
const Confidence = 0.95

// Interval is a median with its 95 % confidence interval, from order statistics: no distribution is assumed. With
// fewer than 6 samples no such interval exists, and Lo and Hi are infinite.
type Interval struct {
	Median, Lo, Hi float64
}

// Width is the interval's whole width relative to the median; +Inf where it is unbounded. People read half of it:
// "± 0.5 %".
func (i Interval) Width() float64 {
	if i.Median == 0 {
		return math.Inf(1)
	}
	return (i.Hi - i.Lo) / math.Abs(i.Median)
}

// Bounded reports whether the interval exists.
func (i Interval) Bounded() bool {
	return !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0) && !math.IsNaN(i.Median)
}

// Median summarises samples; all NaN if there are none.
func Median(samples []float64) Interval {
	if len(samples) == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	s := benchmath.NewSample(slices.Clone(samples), &benchmath.DefaultThresholds)
	sum := benchmath.AssumeNothing.Summary(s, Confidence)
	return Interval{sum.Center, sum.Lo, sum.Hi}
}

// Ratio is how many times longer a takes than b: the median, with interval, of the ratios of samples taken side by
// side. Drift that slows both cancels out. a and b pair by index; an excess is left out.
func Ratio(a, b []float64) Interval {
	n := min(len(a), len(b))
	ratios := make([]float64, n)
	for i := range n {
		ratios[i] = a[i] / b[i]
	}
	return Median(ratios)
}

// outliers counts the samples outside Tukey's far fences: three interquartile ranges beyond the quartiles.
func outliers(samples []float64) int {
	s := slices.Sorted(slices.Values(samples))
	if len(s) < 4 {
		return 0
	}
	q1, q3 := s[len(s)/4], s[len(s)*3/4]
	fence := 3 * (q3 - q1)
	count := 0
	for _, v := range s {
		if v < q1-fence || v > q3+fence {
			count++
		}
	}
	return count
}

// warnings says in words what a reader must know before trusting the samples, which are in the order taken.
func warnings(samples []float64, o Options) []string {
	var w []string
	iv := Median(samples)
	if !iv.Bounded() {
		w = append(w, fmt.Sprintf("only %d samples: too few for an interval", len(samples)))
	} else if iv.Width() > o.Precision {
		w = append(w, fmt.Sprintf("interval ± %s %%, wanted ± %s %%", percent(iv.Width()/2), percent(o.Precision/2)))
	}
	if n := outliers(samples); 10*n > len(samples) {
		w = append(w, fmt.Sprintf("%d of %d samples are far outliers", n, len(samples)))
	}
	if d, ok := drift(samples); ok {
		w = append(w, fmt.Sprintf("drifted by %s%.0f %%: heat or a busy machine", sign(d), 100*math.Abs(d)))
	}
	return w
}

// sign is a minus or a plus.
func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return "+"
}

// percent writes a share so that one just above a limit differs from it: "0.51", "3.2", "46".
func percent(share float64) string {
	p := 100 * share
	switch {
	case p < 1:
		return strings.TrimSuffix(strconv.FormatFloat(p, 'f', 2, 64), "0")
	case p < 10:
		return strconv.FormatFloat(p, 'f', 1, 64)
	}
	return strconv.FormatFloat(p, 'f', 0, 64)
}

// driftLimit is the relative change between first and last third that is reported.
const driftLimit = 0.05

// drift compares the first third of the samples with the last: their relative change, and whether it is larger than
// driftLimit and more than chance (Mann-Whitney, p < 0.01).
func drift(samples []float64) (float64, bool) {
	n := len(samples) / 3
	if n < 5 {
		return 0, false
	}
	t := &benchmath.Thresholds{CompareAlpha: 0.01}
	first := benchmath.NewSample(slices.Clone(samples[:n]), t)
	last := benchmath.NewSample(slices.Clone(samples[len(samples)-n:]), t)
	change := Median(last.Values).Median/Median(first.Values).Median - 1
	cmp := benchmath.AssumeNothing.Compare(first, last)
	return change, math.Abs(change) > driftLimit && cmp.P < cmp.Alpha
}
