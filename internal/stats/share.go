package stats

import "math"

// z95 is how many standard deviations to either side of a normal distribution's mean hold 95 % of it.
const z95 = 1.959964

// Share is the part k of n, by Wilson's interval: the part of all from which the n were drawn at random. It is Unknown for n = 0.
func Share(k, n int) Interval {
	if n <= 0 {
		return Unknown()
	}
	p, m := float64(k)/float64(n), float64(n)
	center := (p + z95*z95/(2*m)) / (1 + z95*z95/m)
	half := z95 / (1 + z95*z95/m) * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m))
	return Interval{p, max(0, min(p, center-half)), min(1, max(p, center+half))}
}

// PairedShares is the difference of two shares of the same n: first is how many are only in the first, second how many are only in
// the second. The interval is that of Agresti and Min, which counts half of one more in each of the four cells. It is Unknown for
// n = 0.
func PairedShares(first, second, n int) Interval {
	if n <= 0 {
		return Unknown()
	}
	a, b, m := float64(first)+0.5, float64(second)+0.5, float64(n)+2
	center := (a - b) / m
	half := z95 * math.Sqrt(a+b-(a-b)*(a-b)/m) / m
	d := float64(first-second) / float64(n)
	return Interval{d, max(-1, min(d, center-half)), min(1, max(d, center+half))}
}
