package leak

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// program returns the memory of a simulated program at a time in seconds. It is called in ascending order.
type program func(at float64) float64

// minutes is the length of a simulated watch.
const minutes = 10

// mbPerMin is a rate in B/s.
const mbPerMin = 1e6 / 60

// hostLimits are the limits for host memory.
var hostLimits = Limits{Tolerance: 0.5 * mbPerMin, Least: 1e6}

// watchProgram reads a program once a second, at uneven times, and judges it without its first half minute.
func watchProgram(r *rand.Rand, p program) TrendVerdict {
	var t Trend
	start := time.Unix(1_000_000, 0)
	for i := range minutes * 60 {
		at := float64(i) + 0.02*r.Float64()
		t.Observe(start.Add(time.Duration(at*1e9)), p(at))
	}
	return t.Judge(start.Add(30*time.Second), start.Add(time.Hour), hostLimits)
}

func plus(parts ...program) program {
	return func(at float64) float64 {
		sum := 0.0
		for _, p := range parts {
			sum += p(at)
		}
		return sum
	}
}

func constant(v float64) program { return func(float64) float64 { return v } }

func leaks(rate float64) program { return func(at float64) float64 { return rate * at } }

// jitter varies from reading to reading.
func jitter(r *rand.Rand, size float64) program {
	return func(float64) float64 { return r.ExpFloat64() * size }
}

// wander is a floor that drifts and returns within about the given number of seconds.
func wander(r *rand.Rand, seconds, size float64) program {
	x, before := r.NormFloat64(), 0.0
	return func(at float64) float64 {
		keep := math.Exp(-(at - before) / seconds)
		x, before = keep*x+math.Sqrt(1-keep*keep)*r.NormFloat64(), at
		return x * size
	}
}

// collected is a heap that grows to a limit and is collected, from and to random levels.
func collected(r *rand.Rand, seconds, size float64) program {
	begin, next := -seconds*r.Float64(), 0.0
	next = begin + seconds*(0.6+0.8*r.Float64())
	return func(at float64) float64 {
		for at >= next {
			begin, next = next, next+seconds*(0.6+0.8*r.Float64())
		}
		return size * (at - begin) / seconds
	}
}

// filling is a cache of a given size with fewer and fewer misses.
func filling(seconds, size float64) program {
	return func(at float64) float64 { return size * (1 - math.Exp(-at/seconds)) }
}

// inStairs is a program that grows in even or uneven steps.
func inStairs(r *rand.Rand, p program, seconds, uneven float64) program {
	last, next := p(0), seconds*r.Float64()
	return func(at float64) float64 {
		for at >= next {
			last, next = p(at), next+seconds*(1+uneven*(2*r.Float64()-1))
		}
		return last
	}
}

// cleanPrograms do not leak.
func cleanPrograms() map[string]func(r *rand.Rand) program {
	return map[string]func(r *rand.Rand) program{
		"constant": func(r *rand.Rand) program { return plus(constant(100*mb), jitter(r, 0.1*mb)) },
		"jitter":   func(r *rand.Rand) program { return plus(constant(500*mb), jitter(r, 100*mb*r.Float64())) },
		"cache that fills": func(r *rand.Rand) program {
			return plus(constant(100*mb), filling(20+280*r.Float64(), mb*math.Pow(10, 1+2.5*r.Float64())), jitter(r, mb*r.Float64()))
		},
		"cache that fills slowly": func(r *rand.Rand) program {
			return plus(constant(100*mb), filling(300+100*r.Float64(), mb*math.Pow(10, 1+2.5*r.Float64())), jitter(r, mb*r.Float64()))
		},
		"cache that fills evenly": func(r *rand.Rand) program {
			full, size := 60+300*r.Float64(), mb*math.Pow(10, 1+2.5*r.Float64())
			return plus(constant(100*mb), func(at float64) float64 { return size * min(1, at/full) }, jitter(r, mb*r.Float64()))
		},
		"cache that fills in stairs": func(r *rand.Rand) program {
			return inStairs(r, plus(constant(100*mb), filling(30+200*r.Float64(), mb*math.Pow(10, 1+2.5*r.Float64()))), 5+30*r.Float64(), 0.5)
		},
		"logarithm": func(r *rand.Rand) program {
			knee, size := 1+20*r.Float64(), mb*math.Pow(10, 1+2*r.Float64())
			return plus(constant(50*mb), func(at float64) float64 { return size * math.Log1p(at/knee) }, jitter(r, mb*r.Float64()))
		},
		"warm-up": func(r *rand.Rand) program {
			end := 5 + 60*r.Float64()
			return plus(func(at float64) float64 { return 500 * mb * min(1, at/end) }, jitter(r, 2*mb))
		},
		"loading, and less afterward": func(r *rand.Rand) program {
			end := 5 + 100*r.Float64()
			return plus(constant(100*mb), func(at float64) float64 {
				if at < end {
					return 400 * mb * at / end
				}
				return 0
			}, jitter(r, mb))
		},
		"collected": func(r *rand.Rand) program {
			return plus(constant(100*mb), collected(r, 1+60*r.Float64(), mb*math.Pow(10, 3*r.Float64())))
		},
		"collected, drifting": func(r *rand.Rand) program {
			return plus(constant(100*mb), collected(r, 1+40*r.Float64(), 50*mb), wander(r, 10+80*r.Float64(), 10*mb*r.Float64()))
		},
		"slow teeth": func(r *rand.Rand) program {
			period, phase := 60+300*r.Float64(), r.Float64()
			return plus(constant(100*mb), func(at float64) float64 {
				_, part := math.Modf(at/period + phase)
				return 100 * mb * part
			}, jitter(r, 0.2*mb))
		},
		"teeth rounded": func(r *rand.Rand) program {
			period, phase := 30+300*r.Float64(), r.Float64()
			return plus(constant(100*mb), func(at float64) float64 { return 20 * mb * (1 + math.Sin(2*math.Pi*(at/period+phase))) }, jitter(r, 0.2*mb))
		},
		"wandering": func(r *rand.Rand) program {
			return plus(constant(100*mb), wander(r, 5+85*r.Float64(), 20*mb*r.Float64()))
		},
		"one step": func(r *rand.Rand) program {
			when, size := 600*r.Float64(), mb*math.Pow(10, 3*r.Float64())
			return plus(constant(100*mb), func(at float64) float64 {
				if at > when {
					return size
				}
				return 0
			}, jitter(r, 0.3*mb))
		},
		"three steps": func(r *rand.Rand) program {
			return inStairs(r, plus(constant(100*mb), leaks(10*mbPerMin*r.Float64())), 200, 0.2)
		},
		"epochs with a peak": func(r *rand.Rand) program {
			period := 10 + 50*r.Float64()
			return plus(constant(100*mb), func(at float64) float64 {
				if math.Mod(at, period) > 0.7*period {
					return 300 * mb
				}
				return 0
			}, jitter(r, mb))
		},
		"load that comes and goes": func(r *rand.Rand) program {
			level, next := 0.0, 0.0
			return plus(constant(100*mb), func(at float64) float64 {
				for at >= next {
					level, next = 200*mb*r.Float64(), next+20+100*r.Float64()
				}
				return level
			}, jitter(r, mb))
		},
		"slower than the tolerance": func(r *rand.Rand) program {
			return plus(constant(100*mb), leaks(0.4*mbPerMin*r.Float64()), jitter(r, 0.2*mb*r.Float64()))
		},
	}
}

// leakyPrograms leak at a rate in B/s.
func leakyPrograms() map[string]func(r *rand.Rand, rate float64) program {
	return map[string]func(r *rand.Rand, rate float64) program{
		"steadily": func(r *rand.Rand, rate float64) program { return plus(constant(100*mb), leaks(rate)) },
		"in jitter": func(r *rand.Rand, rate float64) program {
			return plus(constant(100*mb), leaks(rate), jitter(r, 5*mb*r.Float64()))
		},
		"in stairs": func(r *rand.Rand, rate float64) program {
			return plus(inStairs(r, plus(constant(100*mb), leaks(rate)), 2+58*r.Float64(), 0.3), jitter(r, 0.1*mb))
		},
		"at random": func(r *rand.Rand, rate float64) program {
			next, sum := 0.0, 0.0
			return plus(constant(100*mb), func(at float64) float64 {
				for next <= at {
					next, sum = next+r.ExpFloat64(), sum+rate
				}
				return sum
			})
		},
		"collected": func(r *rand.Rand, rate float64) program {
			return plus(constant(100*mb), leaks(rate), collected(r, 1+9*r.Float64(), 20*mb))
		},
		"drifting": func(r *rand.Rand, rate float64) program {
			return plus(constant(100*mb), leaks(rate), wander(r, 2+18*r.Float64(), 0.3*mb))
		},
		"after a cache has filled": func(r *rand.Rand, rate float64) program {
			return plus(constant(100*mb), leaks(rate), filling(10+20*r.Float64(), 200*mb), jitter(r, 0.2*mb))
		},
		"after loading": func(r *rand.Rand, rate float64) program {
			end := 10 + 50*r.Float64()
			return plus(leaks(rate), func(at float64) float64 {
				if at < end {
					return 500 * mb * at / end
				}
				return 100 * mb
			}, jitter(r, 0.2*mb))
		},
		"from the third minute on": func(r *rand.Rand, rate float64) program {
			return plus(constant(100*mb), func(at float64) float64 { return rate * max(0, at-180) }, jitter(r, 0.2*mb))
		},
		"beside epochs": func(r *rand.Rand, rate float64) program {
			period := 5 + 25*r.Float64()
			return plus(constant(100*mb), leaks(rate), func(at float64) float64 {
				if math.Mod(at, period) > 0.5*period {
					return 200 * mb
				}
				return 0
			}, jitter(r, 0.2*mb))
		},
	}
}

const traces = 150

// No false alarms: among simulated programs of each kind that do not leak, none is called a leak in ten minutes.
func TestTrendAccusesNobody(t *testing.T) {
	for name, make := range cleanPrograms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shapes := map[Shape]int{}
			for seed := range uint64(traces) {
				r := rand.New(rand.NewPCG(seed, 21))
				v := watchProgram(r, make(r))
				shapes[v.Shape]++
				if v.Shape.Leaking() {
					t.Errorf("seed %d: %s, R² %.3f, bend %.2f", seed, v.Fit.BySecond(), v.Fit.PerSecond.R2, v.Bend)
				}
			}
			t.Logf("%v", shapes)
		})
	}
}

// No misses: every simulated leak above 1 MB/min is found in ten minutes, and the interval contains its rate.
func TestTrendMissesNothing(t *testing.T) {
	for name, make := range leakyPrograms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shapes, held := map[Shape]int{}, 0
			for seed := range uint64(traces) {
				r := rand.New(rand.NewPCG(seed, 22))
				rate := 1.1 * mbPerMin * math.Pow(10, 2.5*r.Float64())
				if seed%3 == 0 {
					rate = 1.1 * mbPerMin
				}
				v := watchProgram(r, make(r, rate))
				shapes[v.Shape]++
				if !v.Shape.Leaking() {
					t.Errorf("seed %d: %.2f MB/min: shape %d, %s, R² %.3f, bend %.2f, grown %.1f MB", seed, rate/mbPerMin, v.Shape, v.Fit.BySecond(), v.Fit.PerSecond.R2, v.Bend, v.Grown/mb)
				}
				if l := v.Fit.PerSecond; l.Lo <= rate*1.001 && rate*0.999 <= l.Hi {
					held++
				}
			}
			t.Logf("%v, %.1f %% held", shapes, 100*float64(held)/traces)
			if held < traces*90/100 {
				t.Errorf("the interval holds the rate of %d of %d", held, traces)
			}
		})
	}
}
