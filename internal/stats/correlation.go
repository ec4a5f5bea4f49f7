package stats

import (
	"math"
	"slices"
)

// maxCorrelation bounds an estimate of lag-1 autocorrelation: beyond it, a series carries hardly any information.
const maxCorrelation = 0.98

// tau returns how many successive samples weigh as much as one independent sample in the variance of the median. That variance depends
// on the correlation of the signs (above or below the median), not only of the values; each of the three estimates misses some kind of
// correlation, so the largest is used.
func tau(series []float64, median float64) float64 {
	if len(series) < 5 {
		return 1
	}
	signs := make([]float64, len(series))
	for i, v := range series {
		if v > median {
			signs[i] = 1
		}
	}
	return max(1, firstOrder(logs(series)), firstOrder(signs), initialMonotone(signs))
}

// logs returns the logarithms of positive values, so that a few far outliers do not hide the correlation of the others; or the series
// itself if a value is not positive.
func logs(series []float64) []float64 {
	out := make([]float64, len(series))
	for i, v := range series {
		if !(v > 0) {
			return series
		}
		out[i] = math.Log(v)
	}
	return out
}

// firstOrder returns the variance inflation of a first-order autoregression, from the lag-1 autocorrelation corrected for its bias in
// short series.
func firstOrder(series []float64) float64 {
	n := float64(len(series))
	r, ok := correlation(centered(series), 1)
	if !ok {
		return 1
	}
	r = min(max((n*r+1)/(n-4), 0), maxCorrelation)
	return (1 + r) / (1 - r)
}

// initialMonotone is Geyer's estimate from sums of pairs of autocorrelations, taken while they are positive and do not grow.
func initialMonotone(series []float64) float64 {
	c := centered(series)
	sum, previous := 0.0, math.Inf(1)
	for lag := 0; lag+1 < len(c); lag += 2 {
		even, ok := correlation(c, lag)
		if !ok {
			return 1
		}
		odd, _ := correlation(c, lag+1)
		pair := min(even+odd, previous)
		if pair <= 0 {
			break
		}
		sum, previous = sum+pair, pair
	}
	return 2*sum - 1
}

// centered returns a series minus its mean: all zero if the series is constant, however the mean is rounded.
func centered(series []float64) []float64 {
	out := make([]float64, len(series))
	if slices.Max(series) == slices.Min(series) {
		return out
	}
	mean := 0.0
	for _, v := range series {
		mean += v / float64(len(series))
	}
	for i, v := range series {
		out[i] = v - mean
	}
	return out
}

// correlation returns the autocorrelation of a centered series at a lag; false if the series is constant.
func correlation(c []float64, lag int) (float64, bool) {
	var sum, square float64
	for i, v := range c {
		square += v * v
		if i >= lag {
			sum += v * c[i-lag]
		}
	}
	if !(square > 0) {
		return 0, false
	}
	return sum / square, true
}
