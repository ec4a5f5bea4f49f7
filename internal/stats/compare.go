package stats

import "math"

// Speedup is how many times as fast as base a variant is: the time of base over that of the variant. The samples were
// taken in turns, forward and backward (A B B A), so that samples 2k and 2k+1 of both make a round, whose difference
// is free of steady drift. An excess is left out. N of the result counts rounds.
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

// oneRatio is the ratio of single samples, which has no interval.
func oneRatio(base, variant []float64) Estimate {
	if len(base) == 0 || len(variant) == 0 {
		return Median(nil)
	}
	return Estimate{Interval: unbounded(base[0] / variant[0]), Tau: 1, N: 1}
}

func roundDifferences(base, variant []float64) []float64 {
	rounds := min(len(base), len(variant)) / 2
	d := make([]float64, rounds)
	for k := range d {
		d[k] = (base[2*k] + base[2*k+1] - variant[2*k] - variant[2*k+1]) / 2
	}
	return d
}

// Verdict is what a speedup shows.
type Verdict string

// Verdicts. Same is shown, not assumed: the whole interval lies within the difference that matters. Unsure means that
// the interval allows for both.
const (
	Faster Verdict = "faster"
	Slower Verdict = "slower"
	Same   Verdict = "same"
	Unsure Verdict = "unsure"
)

// Judge is the verdict on a speedup where relative differences up to matters count as none.
func Judge(speedup Interval, matters float64) Verdict {
	switch {
	case !speedup.Bounded():
		return Unsure
	case speedup.Lo >= 1/(1+matters) && speedup.Hi <= 1+matters:
		return Same
	case speedup.Lo > 1:
		return Faster
	case speedup.Hi < 1:
		return Slower
	}
	return Unsure
}
