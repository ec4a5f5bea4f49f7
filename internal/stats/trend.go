package stats

import (
	"math"
	"slices"
)

// minTrend is the minimum number of points of a trend with an interval: with fewer, even the steepest pairs do not bound it.
const minTrend = 5

// Trend returns how much y grows with x: the median of the slopes of all pairs of points (Theil and Sen), and the 95 % interval from
// Kendall's rank correlation. It assumes no distribution of the noise, only that it is independent from point to point.
func Trend(x, y []float64) Interval {
	var slopes []float64
	for i := range x {
		for j := range i {
			if x[i] != x[j] {
				slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	if len(slopes) == 0 {
		return Unknown()
	}
	slices.Sort(slopes)
	n, pairs := float64(len(x)), float64(len(slopes))
	median := medianOf(slopes)
	if n < minTrend {
		return Unbounded(median)
	}
	reach := 1.96 * math.Sqrt(n*(n-1)*(2*n+5)/18)
	lo, hi := int(math.Floor((pairs-reach)/2)), int(math.Ceil((pairs+reach)/2))
	return Interval{Median: median, Lo: slopes[max(lo-1, 0)], Hi: slopes[min(hi, len(slopes)-1)]}
}
