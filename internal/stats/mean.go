package stats

import "math"

// studentQuantiles are the 97.5 % points of Student's t for 1, 2, … degrees of freedom.
var studentQuantiles = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131}

// Mean returns the mean of a few values that are themselves means of many, and so nearly normal, with Student's interval. For a single
// value it has no bounds.
func Mean(values []float64) Interval {
	n := len(values)
	if n == 0 {
		return Unknown()
	}
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(n)
	if n == 1 {
		return Unbounded(mean)
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	quantile := studentQuantiles[min(n-1, len(studentQuantiles))-1]
	half := quantile * math.Sqrt(squares/float64(n-1)/float64(n))
	return Interval{mean, mean - half, mean + half}
}
