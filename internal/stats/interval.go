// Package stats draws conclusions from times: medians with intervals that account for the correlation of successive
// samples, differences between interleaved variants, and the patterns (drift, modes) that make intervals unreliable. It
// assumes no distribution. Series are always in the order in which they were taken.
package stats

import "math"

// Confidence of every interval: it contains the true value in at least this share of measurements.
const Confidence = 0.95

// Interval is an estimate with its 95 % confidence interval. All are NaN if unknown; Lo and Hi are infinite if there
// are too few samples to bound it.
type Interval struct {
	Median, Lo, Hi float64
}

// Unknown returns the Interval of no samples.
func Unknown() Interval { return Interval{math.NaN(), math.NaN(), math.NaN()} }

// Exact returns the Interval of a value known without error.
func Exact(v float64) Interval { return Interval{v, v, v} }

// Unbounded returns an estimate without an interval; Unknown if there is none.
func Unbounded(v float64) Interval {
	if math.IsNaN(v) {
		return Unknown()
	}
	return Interval{v, math.Inf(-1), math.Inf(1)}
}

// Width returns the interval's full width relative to the median; +Inf if it is unbounded. People read half of it: "± 0.5 %".
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
