package stats

import (
	"math"
	"slices"
)

const (
	trendParts = 10
	// trendScore is the smallest Kendall score of ten values that chance exceeds in fewer than 1 of 100 series.
	trendScore = 29
	// driftWidths is the difference between the halves that a stationary series rarely exceeds, in widths of the interval.
	driftWidths = 1.5
)

// Drift reports whether a series rises or falls steadily, so that its median describes no single state, and the relative
// change from its first tenth to its last.
func Drift(series []float64) (change float64, drifts bool) {
	n := len(series)
	if n < 2*trendParts {
		return 0, false
	}
	parts := make([]float64, trendParts)
	for i := range parts {
		parts[i] = medianOf(series[i*n/trendParts : (i+1)*n/trendParts])
	}
	change = parts[trendParts-1]/parts[0] - 1
	halves := medianOf(series[n/2:]) - medianOf(series[:n/2])
	e := Median(series)
	steps := e.Bounded() && math.Abs(halves) > driftWidths*(e.Hi-e.Lo)
	score := kendall(parts)
	return change, steps || score >= trendScore || score <= -trendScore
}

// kendall is the number of rising pairs of values minus the number of falling ones.
func kendall(values []float64) int {
	score := 0
	for i, a := range values {
		for _, b := range values[i+1:] {
			switch {
			case b > a:
				score++
			case b < a:
				score--
			}
		}
	}
	return score
}

func medianOf(values []float64) float64 { return middle(slices.Sorted(slices.Values(values))) }

const (
	minModeShare  = 0.1 // of the samples, in the smaller mode
	modeGap       = 4   // times the spread within the modes
	minModeSwitch = 30  // number of switches at which the share of each mode is known well enough
)

// Modes reports whether a series keeps switching between two levels, but so rarely that the share of time at each level is not known:
// the median may be from either.
func Modes(series []float64) (low, high float64, rare bool) {
	sorted := slices.Sorted(slices.Values(series))
	at := largestGap(sorted)
	if at == 0 {
		return 0, 0, false
	}
	low, high = middle(sorted[:at]), middle(sorted[at:])
	spread := max(deviation(sorted[:at], low), deviation(sorted[at:], high))
	return low, high, high-low > modeGap*spread && switches(series, sorted[at]) < minModeSwitch
}

// largestGap returns the index above the widest gap between neighbors that leaves a share of minModeShare on both sides; 0 if all are
// equal there.
func largestGap(sorted []float64) int {
	n := len(sorted)
	edge := max(2, int(math.Ceil(minModeShare*float64(n))))
	at, widest := 0, 0.0
	for i := edge; i <= n-edge; i++ {
		if gap := sorted[i] - sorted[i-1]; gap > widest {
			at, widest = i, gap
		}
	}
	return at
}

// deviation returns the median absolute deviation, scaled to the standard deviation of normal noise.
func deviation(values []float64, center float64) float64 {
	off := make([]float64, len(values))
	for i, v := range values {
		off[i] = math.Abs(v - center)
	}
	return 1.4826 * medianOf(off)
}

// switches counts how often a series crosses a level.
func switches(series []float64, level float64) int {
	count := 0
	for i := 1; i < len(series); i++ {
		if (series[i] >= level) != (series[i-1] >= level) {
			count++
		}
	}
	return count
}
