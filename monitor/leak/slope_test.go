package leak

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// pattern returns the live bytes of successive observations.
type pattern func(observation int) int64

// run feeds a detector at a rate per second, 20 iterations a second, and returns when the first leak was found.
func run(p pattern, hz float64, length time.Duration) (at time.Duration, v Verdict, found bool) {
	var s Slope
	start := time.Unix(1_000_000, 0)
	for i := range int(hz * length.Seconds()) {
		at = time.Duration(float64(i) / hz * float64(time.Second))
		iteration := int(math.Round(at.Seconds() * 20))
		if v = s.Observe(start.Add(at), iteration, p(i)); v.Leaking {
			return at, v, true
		}
	}
	return 0, v, false
}

const mb = 1e6

// clean lists patterns of live bytes without a leak.
var clean = map[string]func(r *rand.Rand) pattern{
	"constant": func(*rand.Rand) pattern { return func(int) int64 { return 100 * mb } },
	"normal noise": func(r *rand.Rand) pattern {
		return func(int) int64 { return int64(100*mb + r.NormFloat64()*5*mb) }
	},
	"uniform noise": func(r *rand.Rand) pattern {
		return func(int) int64 { return int64(100*mb + r.Float64()*20*mb) }
	},
	"spikes": func(r *rand.Rand) pattern {
		return func(int) int64 { return int64(100*mb + r.ExpFloat64()*20*mb) }
	},
	"transient buffers": func(r *rand.Rand) pattern {
		return func(int) int64 { return 100*mb + int64(r.IntN(4))*16*mb }
	},
	"noise that lasts half a second": func(r *rand.Rand) pattern {
		x := 0.0
		return func(int) int64 { x = 0.9*x + r.NormFloat64(); return int64(100*mb + x*mb) }
	},
	"sawtooth up to 3 s": func(r *rand.Rand) pattern {
		period := 2 + r.IntN(58)
		return func(i int) int64 { return 100*mb + int64(i%period)*mb }
	},
	"garbage collection": func(r *rand.Rand) pattern {
		x, limit := 0.0, 5+25*r.Float64()
		return func(int) int64 {
			if x += r.Float64(); x > limit*(0.8+0.4*r.Float64()) {
				x = 0
			}
			return int64(100*mb + x*mb)
		}
	},
	"steps at the start": func(*rand.Rand) pattern {
		return func(i int) int64 { return int64(min(i/20, 3)) * 10 * mb }
	},
	"a pool that fills": func(*rand.Rand) pattern {
		return func(i int) int64 { return int64(100 * mb * (1 - math.Exp(-float64(i)/10))) }
	},
	"shrinking": func(*rand.Rand) pattern {
		return func(i int) int64 { return 1000*mb - int64(i)*1000 }
	},
}

func TestSlopeIsSilentThroughTenCleanMinutes(t *testing.T) {
	for name, make := range clean {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20) {
				p := make(rand.New(rand.NewPCG(seed, 1)))
				if at, v, found := run(p, 20, 10*time.Minute); found {
					t.Fatalf("seed %d: called a leak at %v: %s", seed, at, v.Cause)
				}
			}
		})
	}
}

// leaking adds a leak to noise; each must be found within 5 s.
func TestSlopeFindsLeaksWithinFiveSeconds(t *testing.T) {
	none := func(*rand.Rand, int) float64 { return 0 }
	for _, c := range []struct {
		name   string
		bytes  int64 // per leaking iteration
		every  int   // iterations
		hz     float64
		before time.Duration // clean time before the leak
		noise  func(r *rand.Rand, i int) float64
	}{
		{"4 KiB each iteration", 4096, 1, 20, 0, none},
		{"4 KiB each 10 iterations", 4096, 10, 20, 0, none},
		{"4 KiB after a clean minute", 4096, 1, 20, time.Minute, none},
		{"1 MiB/s seen twice a second", 52429, 1, 2, 0, none},
		{"in every fourth iteration, seen twice a second", 52429, 4, 2, time.Minute, none},
		{"1 MiB/s seen 1000 times a second", 52429, 1, 1000, 0, none},
		{"normal noise", 52429, 1, 20, 0, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() * 0.1 * mb }},
		{
			"a transient half of the time", 52429, 1, 20, time.Minute,
			func(r *rand.Rand, _ int) float64 { return float64(r.IntN(2)) * 16 * mb },
		},
		{"a sawtooth", 52429, 1, 20, time.Minute, func(_ *rand.Rand, i int) float64 { return float64(i%7) * mb }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 2))
				p := func(i int) int64 {
					iterations := (float64(i)/c.hz - c.before.Seconds()) * 20
					leaked := int64(max(0, iterations)/float64(c.every)) * c.bytes
					return 100*mb + leaked + int64(c.noise(r, i))
				}
				at, _, found := run(p, c.hz, c.before+5*time.Second+time.Millisecond)
				if !found || at < c.before {
					t.Fatalf("seed %d: found %v at %v, leak began at %v", seed, found, at, c.before)
				}
			}
		})
	}
}

func TestSlopeStatesTheRate(t *testing.T) {
	_, v, found := run(func(i int) int64 { return 50*mb + int64(i)*1000 }, 20, 6*time.Second)
	if !found {
		t.Fatal("not found")
	}
	each, rate := v.Fit.PerIteration, v.Fit.PerSecond
	if math.Abs(each.Slope-1000) > 50 || math.Abs(rate.Slope-20_000) > 1000 {
		t.Errorf("%v B per iteration and %v B/s, want 1000 and 20000", each.Slope, rate.Slope)
	}
	if each.R2 < 0.9999 || each.R2 > 1 {
		t.Errorf("R² %v of bytes that grow evenly", each.R2)
	}
	if rate.Lo > 20_000 || rate.Hi < 20_000 || rate.Hi-rate.Lo > 0.15*20_000 {
		t.Errorf("%g to %g B/s of bytes that grow evenly by 20000", rate.Lo, rate.Hi)
	}
	if v.Bytes < 40_000 || v.Bytes > 100_000 {
		t.Errorf("%d B leaked in about 4 s at 20 kB/s", v.Bytes)
	}
	if !strings.HasPrefix(v.Cause, "live bytes grow by ") || !strings.Contains(v.Cause, "per iteration") {
		t.Errorf("cause %q", v.Cause)
	}
	if !strings.Contains(v.Cause, " MB/s (95 % interval ") && !strings.Contains(v.Cause, " kB/s (95 % interval ") {
		t.Errorf("cause %q has no interval", v.Cause)
	}
}

// feed observes p at 20 Hz between two observations and returns the last verdict.
func feed(s *Slope, p pattern, from, to int) (v Verdict) {
	start := time.Unix(1_000_000, 0)
	for i := from; i < to; i++ {
		v = s.Observe(start.Add(time.Duration(i)*50*time.Millisecond), i, p(i))
	}
	return v
}

func TestSlopeKeepsAFindingAfterTheLeakStops(t *testing.T) {
	var s Slope
	v := feed(&s, func(i int) int64 { return int64(min(i, 200)) * 1000 }, 0, 2000)
	if !v.Leaking || v.Bytes < 190_000 || v.Bytes > 200_000 {
		t.Errorf("leaking %v with %d B, want the 200 kB to stay found", v.Leaking, v.Bytes)
	}
}

func TestSlopeWithdrawsWhenTheBytesComeBack(t *testing.T) {
	var s Slope
	if v := feed(&s, func(i int) int64 { return mb + int64(i)*1000 }, 0, 200); !v.Leaking {
		t.Fatal("the climb was not found")
	}
	if v := feed(&s, func(int) int64 { return mb }, 200, 220); v.Leaking {
		t.Errorf("still leaking after all came back: %s", v.Cause)
	}
}

func TestSlopeKnowsASlowCycleFromItsSecondTurn(t *testing.T) {
	var s Slope
	cycle := func(i int) int64 { return mb + int64(i%300)*1000 } // 15 s
	if v := feed(&s, cycle, 0, 299); !v.Leaking {
		t.Fatal("the first climb of 15 s is expected to look like a leak")
	}
	feed(&s, cycle, 299, 310)
	for i := 310; i < 3000; i++ {
		if v := feed(&s, cycle, i, i+1); v.Leaking {
			t.Fatalf("observation %d: called a leak on a later turn: %s", i, v.Cause)
		}
	}
}

func TestSlopeStartsAnewAtReset(t *testing.T) {
	var s Slope
	grow := func(i int) int64 { return mb + int64(i)*1000 }
	if v := feed(&s, grow, 0, 200); !v.Leaking {
		t.Fatal("not found")
	}
	s.Reset("case 2")
	if v := s.Verdict(); v.Leaking || !strings.Contains(v.Cause, "case 2") {
		t.Errorf("after reset: %+v", v)
	}
	if v := feed(&s, grow, 200, 260); v.Leaking {
		t.Error("judged 3 s after a reset, from observations of the case before")
	}
}

func TestSlopeDoesNotJudgeOneLongIteration(t *testing.T) {
	var s Slope
	start := time.Unix(0, 0)
	for i := range 400 {
		iteration := 10 + i/200
		if v := s.Observe(start.Add(time.Duration(i)*50*time.Millisecond), iteration, int64(i)*1000); v.Leaking {
			t.Fatalf("growth within an iteration was called a leak: %s", v.Cause)
		}
	}
}

func TestSlopeIgnoresWarmUp(t *testing.T) {
	s := Slope{WarmUp: 1000}
	if v := feed(&s, func(i int) int64 { return int64(i) * 1000 }, 0, 1000); v.Leaking {
		t.Error("judged during warm-up")
	}
}

// FuzzSlope: for any input, the detector neither panics nor finds a leak in bytes that never rise, and its numbers are finite.
func FuzzSlope(f *testing.F) {
	f.Add([]byte{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120}, uint16(50), false)
	f.Add([]byte{255, 0, 255, 0, 1, 2, 3, 4}, uint16(500), true)
	f.Add([]byte{}, uint16(0), false)
	f.Fuzz(func(t *testing.T, live []byte, step uint16, falling bool) {
		live = live[:min(len(live), 1000)]
		var s Slope
		at, level := time.Unix(0, 0), int64(1<<40)
		for round := range 3 {
			for i, b := range live {
				at = at.Add(time.Duration(step)*time.Millisecond - 5*time.Millisecond)
				level += int64(b) - 100
				if falling {
					level -= 155
				}
				v := s.Observe(at, round*len(live)+i, level)
				rate, each := v.Fit.PerSecond, v.Fit.PerIteration
				if v.Leaking && (falling || rate.Slope <= 0 || each.Slope <= 0) {
					t.Fatalf("leak in falling bytes: %+v", v)
				}
				for _, x := range []float64{each.Slope, each.Lo, each.Hi, rate.Slope, rate.Lo, rate.Hi} {
					if math.IsNaN(x) || math.IsInf(x, 0) {
						t.Fatalf("not a number in %+v", v)
					}
				}
				if rate.Lo > rate.Slope || rate.Hi < rate.Slope {
					t.Fatalf("the rate lies outside its interval: %+v", rate)
				}
				if v.Cause == "" {
					t.Fatal("a verdict without words")
				}
			}
		}
	})
}

func BenchmarkSlopeObserve(b *testing.B) {
	var s Slope
	start := time.Unix(0, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Observe(start.Add(time.Duration(i)*50*time.Millisecond), i, 100*mb)
	}
}
