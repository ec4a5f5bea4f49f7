package measure

import (
	"math"
	"math/rand/v2"
)

// A noise generates successive samples around 1, in device order.
type noise struct {
	name   string
	median float64
	next   func(r *rand.Rand) func() float64
}

// autoregressive is Gaussian noise of standard deviation sd on the logarithm, with each sample correlated with the previous one by
// rho.
func autoregressive(rho, sd float64) func(r *rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 {
		z := r.NormFloat64()
		return func() float64 {
			z = rho*z + math.Sqrt(1-rho*rho)*r.NormFloat64()
			return math.Exp(sd * z)
		}
	}
}

// twoLevels is at 1 or, three times in ten, 5 % above, and stays at a level for dwell samples on average.
func twoLevels(dwell, sd float64) func(r *rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 {
		level := 1.0
		return func() float64 {
			if r.Float64() < 1/dwell {
				level = 1
				if r.Float64() < 0.3 {
					level = 1.05
				}
			}
			return level * math.Exp(sd*r.NormFloat64())
		}
	}
}

// inLowerLevel is the normal quantile of 0.5/0.7: the position of twoLevels' median within the lower level.
const inLowerLevel = 0.5659488

func noises() []noise {
	return []noise{
		{"independent", 1, autoregressive(0, 0.02)},
		{"quiet", 1, autoregressive(0, 0.005)},
		{"correlated 0.3", 1, autoregressive(0.3, 0.02)},
		{"correlated 0.6", 1, autoregressive(0.6, 0.02)},
		{"correlated 0.9", 1, autoregressive(0.9, 0.01)},
		{"log-normal", 1, func(r *rand.Rand) func() float64 {
			return func() float64 { return 0.9 + 0.1*math.Exp(0.4*r.NormFloat64()) } // skewed
		}},
		{"two levels", math.Exp(0.005 * inLowerLevel), twoLevels(1, 0.005)},
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
