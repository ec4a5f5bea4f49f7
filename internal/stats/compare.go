package stats

import "math"

// Speedup returns a variant's speed relative to base: the time of base divided by the variant's. The samples were interleaved forward
// and backward (A B B A), so that samples 2k and 2k+1 of both make a round, whose difference is free of steady drift. Excess samples
// are ignored. N of the result counts rounds.
func Speedup(base, variant []float64) Estimate {
	d := roundDifferences(logs(base), logs(variant))
	if len(d) == 0 {
		return oneRatio(base, variant)
	}
	e := Median(d)
	e.Median, e.Lo, e.Hi = math.Exp(e.Median), math.Exp(e.Lo), math.Exp(e.Hi)
	if math.IsInf(e.Hi, 1) {
		e.Lo = math.Inf(-1) // exp of an open end is 0, which would read as a bound
	}
	return e
}

// oneRatio returns the ratio of single samples, which has no interval.
func oneRatio(base, variant []float64) Estimate {
	if len(base) == 0 || len(variant) == 0 {
		return Median(nil)
	}
	return Estimate{Interval: Unbounded(base[0] / variant[0]), Tau: 1, N: 1}
}

func roundDifferences(base, variant []float64) []float64 {
	rounds := min(len(base), len(variant)) / 2
	d := make([]float64, rounds)
	for k := range d {
		d[k] = (base[2*k] + base[2*k+1] - variant[2*k] - variant[2*k+1]) / 2
	}
	return d
}
