package stats

import (
	"math"
	"slices"
)

// Estimate is a median with its interval, and the amount of information in the series.
type Estimate struct {
	Interval
	// Tau is how many successive samples weigh as much as one independent sample; 1 if they are independent. NaN
	// without samples.
	Tau float64
	N   int // samples
}

// Effective returns the effective sample size of the series.
func (e Estimate) Effective() float64 { return float64(e.N) / e.Tau }

// ranks is the half-width of an interval, in standard deviations of the rank: the normal quantile, 1.96, plus a little because Tau is
// itself an estimate; simulations of whole measurements show the resulting coverage (package measure).
const ranks = 2.0

// Median estimates the median of a series. The interval's ends are two of the samples, which are further apart the more successive
// samples depend on each other.
func Median(series []float64) Estimate {
	n := len(series)
	if n == 0 {
		return Estimate{Interval: Unknown(), Tau: math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(series))
	e := Estimate{Interval: Unbounded(middle(sorted)), Tau: tau(series, middle(sorted)), N: n}
	reach := ranks * math.Sqrt(float64(n)*e.Tau/4)
	if r := int(math.Floor(float64(n)/2 - reach)); r >= 1 {
		e.Lo, e.Hi = sorted[r-1], sorted[n-r]
	}
	return e
}

// middle returns the median of sorted values, of which there must be at least one.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// Quantile returns the value below which about a fraction q of the samples lies; NaN without samples.
func Quantile(samples []float64, q float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Outliers counts the samples outside Tukey's far fences: three interquartile ranges beyond the quartiles.
func Outliers(samples []float64) int {
	if len(samples) < 4 {
		return 0
	}
	s := slices.Sorted(slices.Values(samples))
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
