package stats

// Apart returns a variant's speed relative to base if the two were not interleaved: the ratio of their medians, and the ratio of their
// fastest tenths. Other load on a machine slows the median, but rarely all of the fastest samples. Both intervals are wide: each end
// divides opposite ends, which would have to be reached at once; and because a drifting series has no single median, its interval
// includes those of its thirds. The ratio has open ends if there are too few samples.
func Apart(base, variant []float64) (ratio, fastest Interval) {
	b, v := medianAcrossTime(base), medianAcrossTime(variant)
	return Quotient(b, v), Quotient(acrossTime(base, 0.1), acrossTime(variant, 0.1))
}

// Quotient returns a/b for nonnegative amounts that were measured apart. It has open ends if either has.
func Quotient(a, b Interval) Interval {
	if !a.Bounded() || !b.Bounded() {
		return Unbounded(a.Median / b.Median)
	}
	return Interval{a.Median / b.Median, a.Lo / b.Hi, a.Hi / b.Lo}
}

// medianAcrossTime returns a median with its interval, widened to include the medians of the parts of acrossTime.
func medianAcrossTime(series []float64) Interval {
	e, parts := Median(series), acrossTime(series, 0.5)
	return Interval{e.Median, min(e.Lo, parts.Lo), max(e.Hi, parts.Hi)}
}

// acrossTime returns a quantile, and its range over the first, second and last third of the samples.
func acrossTime(series []float64, q float64) Interval {
	v := Quantile(series, q)
	out := Interval{v, v, v}
	const parts = 3
	for i := range parts {
		v := Quantile(series[i*len(series)/parts:(i+1)*len(series)/parts], q)
		out.Lo, out.Hi = min(out.Lo, v), max(out.Hi, v)
	}
	return out
}
