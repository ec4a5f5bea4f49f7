package stats

import "math"

// z95 is the number of standard deviations around a normal distribution's mean, on either side, that contain 95 % of it.
const z95 = 1.959964

// Share returns the fraction k of n with Wilson's interval: the fraction of the population from which the n were drawn at random. It
// is Unknown for n = 0.
func Share(k, n int) Interval {
	if n <= 0 {
		return Unknown()
	}
	p, m := float64(k)/float64(n), float64(n)
	center := (p + z95*z95/(2*m)) / (1 + z95*z95/m)
	half := z95 / (1 + z95*z95/m) * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m))
	return Interval{p, max(0, min(p, center-half)), min(1, max(p, center+half))}
}

// PairedShares returns the difference of two shares of the same n: first is how many are only in the first, second how many only in
// the second. The interval is Tango's: the differences that a score test does not reject. It is Unknown for n = 0.
func PairedShares(first, second, n int) Interval {
	if n <= 0 {
		return Unknown()
	}
	score := func(d float64) float64 { return pairedScore(float64(first), float64(second), float64(n), d) }
	d := float64(first-second) / float64(n)
	return Interval{d, crossing(score, -1, d, z95), crossing(score, d, 1, -z95)}
}

// pairedScore returns how many standard deviations the observed difference lies above d, if d is the true one.
func pairedScore(b, c, n, d float64) float64 {
	// The most likely share of those only in the second, given the difference d, solves q2·x² + q1·x + q0 = 0.
	q2, q1, q0 := 2*n, -b-c+(2*n-b+c)*d, -c*d*(1-d)
	only := (math.Sqrt(max(0, q1*q1-4*q2*q0)) - q1) / (2 * q2)
	return (b - c - n*d) / math.Sqrt(max(n*(2*only+d*(1-d)), math.SmallestNonzeroFloat64))
}

// crossing returns where a decreasing function takes a value, between lo and hi.
func crossing(f func(float64) float64, lo, hi, value float64) float64 {
	for range 60 {
		if mid := (lo + hi) / 2; f(mid) > value {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
