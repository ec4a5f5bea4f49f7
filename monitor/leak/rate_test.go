package leak

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// growing is a simulated leak: the bytes leaked by a given time, and the additional live bytes at an observation.
type growing struct {
	name  string
	leak  func(r *rand.Rand, rate, seconds float64) func(at float64) float64 // bytes leaked by a time in seconds; called in ascending order
	noise func(r *rand.Rand, rate float64) func() float64                    // bytes at each observation
}

func steadily(_ *rand.Rand, rate, _ float64) func(at float64) float64 {
	return func(at float64) float64 { return rate * at }
}

// stairs rise once every 0.02 to 0.8 s, first at a random moment.
func stairs(r *rand.Rand, rate, _ float64) func(at float64) float64 {
	period, phase := 0.02+0.78*r.Float64(), r.Float64()
	return func(at float64) float64 { return rate * period * math.Floor(at/period+phase) }
}

// randomly allocates buffers of one size at random moments, ten a second.
func randomly(r *rand.Rand, rate, _ float64) func(at float64) float64 {
	next, sum := r.ExpFloat64()/10, 0.0
	return func(at float64) float64 {
		for next <= at {
			next, sum = next+r.ExpFloat64()/10, sum+rate/10
		}
		return sum
	}
}

// unevenly allocates buffers of random sizes, 30 a second.
func unevenly(r *rand.Rand, rate, _ float64) func(at float64) float64 {
	next, sum := 1.0/30, 0.0
	return func(at float64) float64 {
		for next <= at {
			next, sum = next+1.0/30, sum+rate/30*r.ExpFloat64()
		}
		return sum
	}
}

func silent(*rand.Rand, float64) func() float64 { return func() float64 { return 0 } }

func normal(r *rand.Rand, rate float64) func() float64 {
	return func() float64 { return r.NormFloat64() * 0.1 * rate }
}

// transient buffers are live in half of all observations.
func transient(r *rand.Rand, rate float64) func() float64 {
	return func() float64 { return float64(r.IntN(2)) * rate }
}

// wandering is noise that lasts half a second.
func wandering(r *rand.Rand, rate float64) func() float64 {
	x := 0.0
	return func() float64 {
		x = 0.9*x + r.NormFloat64()
		return x * 0.05 * rate
	}
}

// watched observes a leak about 20 times a second, at uneven times and with pauses as on a busy machine, and returns the verdict at
// the end of the case.
func watched(g growing, seed uint64) (v Verdict, rate float64) {
	r := rand.New(rand.NewPCG(seed, 11))
	rate = math.Pow(10, 4+4*r.Float64())
	seconds := 6 + 24*r.Float64()
	live, noise := g.leak(r, rate, seconds), g.noise(r, rate)
	var s Slope
	start, at := time.Unix(1_000_000, 0), 0.0
	for i := 0; at < seconds; i++ {
		s.Observe(start.Add(time.Duration(at*1e9)), i, int64(1e9+live(at)+noise()))
		at += 0.05 * (0.5 + r.Float64())
		if r.IntN(50) == 0 {
			at += 0.3 * r.Float64()
		}
	}
	return s.End(), rate
}

// In at least 93 of 100 simulated leaks of each kind, the interval contains the true rate and is useful: at most a few tenths of the
// rate wide.
func TestRateIsInItsInterval(t *testing.T) {
	const leaks = 200
	for _, g := range []growing{
		{"steady", steadily, silent},
		{"stairs", stairs, silent},
		{"at random", randomly, silent},
		{"unevenly", unevenly, silent},
		{"steady, noisy", steadily, normal},
		{"stairs, noisy", stairs, normal},
		{"at random, noisy", randomly, normal},
		{"steady, transient", steadily, transient},
		{"stairs, transient", stairs, transient},
		{"steady, wandering", steadily, wandering},
		{"stairs, wandering", stairs, wandering},
	} {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			held, found, width := 0, 0, 0.0
			for seed := range uint64(leaks) {
				v, rate := watched(g, seed)
				if !v.Leaking {
					continue
				}
				l := v.Fit.PerSecond
				found++
				width += (l.Hi - l.Lo) / rate
				if l.Lo <= rate && rate <= l.Hi {
					held++
				}
			}
			share := float64(held) / float64(found)
			t.Logf("%d of %d found, %.1f %% held, %.1f %% wide", found, leaks, 100*share, 100*width/float64(found))
			if found < leaks/2 || share < 0.93 || width/float64(found) > 0.6 {
				t.Errorf("%d of %d found, %.1f %% of the intervals hold the rate, %.0f %% wide on average", found, leaks, 100*share, 100*width/float64(found))
			}
		})
	}
}

// Level periods before and after a leak do not lower its rate, however long they last.
func TestRateIsOfTheGrowthAlone(t *testing.T) {
	for _, hz := range []float64{2, 5, 20, 200} {
		for _, seconds := range []float64{6, 10, 60} {
			var s Slope
			const rate, before, after = 1e6, 10.0, 20.0
			start := time.Unix(1_000_000, 0)
			for i := range int(hz * (before + seconds + after)) {
				at := float64(i) / hz
				live := 1e9 + rate*min(max(0, at-before), seconds)
				s.Observe(start.Add(time.Duration(at*1e9)), i, int64(live))
			}
			v := s.End()
			if l := v.Fit.PerSecond; !v.Leaking || l.Lo > rate || l.Hi < rate || math.Abs(l.Slope-rate) > 0.05*rate {
				t.Errorf("%g a second, %g s: %s", hz, seconds, v.Cause)
			}
		}
	}
}
