package leak

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestCurveKeepsEndsAndPeaks(t *testing.T) {
	for _, n := range []int{1, 599, 600, 601, 1201, 50_000} {
		var c Curve
		for i := 1; i <= n; i++ {
			live := int64(1000 + i)
			if i == n/2+1 {
				live = 1e9 // a peak that lasts one iteration
			}
			c.Observe(i, float64(i)/20, live)
		}
		points := c.Points()
		if len(points) > MaxPoints || len(points) < min(n, MaxPoints/2) {
			t.Errorf("%d iterations are %d points", n, len(points))
		}
		last := points[len(points)-1]
		if last.Iteration != n || last.Seconds != float64(n)/20 {
			t.Errorf("%d iterations end at %+v", n, last)
		}
		var peak int64
		for i, p := range points {
			peak = max(peak, p.Peak)
			if p.Live > p.Peak || i > 0 && p.Iteration <= points[i-1].Iteration {
				t.Fatalf("%d iterations: point %d is %+v after %+v", n, i, p, points[max(i, 1)-1])
			}
		}
		if peak != 1e9 {
			t.Errorf("%d iterations: the peak became %d", n, peak)
		}
	}
}

func TestFitNeedsAWindow(t *testing.T) {
	var s Slope
	s.Reset("case 2")
	feed(&s, func(int) int64 { return mb }, 0, 40) // 2 s
	if _, why := s.Fit(); !strings.Contains(why, "case 2") {
		t.Errorf("a fit after 2 s; why: %q", why)
	}
}

func TestFitIsTheLineOfTheVerdict(t *testing.T) {
	var s Slope
	feed(&s, func(i int) int64 { return mb + int64(i)*1000 }, 0, 200)
	v := s.End()
	f, why := s.Fit()
	if why != "" {
		t.Fatal(why)
	}
	if f != v.Fit || math.Abs(f.PerIteration.Slope-1000) > 10 || math.Abs(f.PerSecond.Slope-20_000) > 200 {
		t.Errorf("fit %+v, verdict %+v", f, v)
	}
	if f.LastIteration != 199 || f.Seconds() < 8 {
		t.Errorf("fitted from %d to %d, %.1f s, want nearly all of 10 s", f.FirstIteration, f.LastIteration, f.Seconds())
	}
	band := f.PerIteration.Band(0, float64(f.LastIteration-f.FirstIteration), 17)
	end := band[len(band)-1]
	if want := float64(mb + 199*1000); math.Abs(end.Y-want) > 100 {
		t.Errorf("the line ends at %g B, the bytes at %g", end.Y, want)
	}
	for i, p := range band {
		if p.Lo > p.Y || p.Hi < p.Y || math.Abs(p.Hi-p.Lo-2*f.PerIteration.Scatter) > 1e-6 {
			t.Errorf("band point %d: %+v, scatter %g", i, p, f.PerIteration.Scatter)
		}
	}
}

// For steadily growing bytes, the line passes through them and has their slope by time and by iteration, at any iteration rate.
func TestFitLiesOnWhatGrows(t *testing.T) {
	for _, hz := range []int{2, 8, 20, 50, 1000} {
		var s Slope
		start := time.Unix(1000, 0)
		const bytes = 500_000
		for i := range 6 * hz {
			s.Observe(start.Add(time.Duration(i)*time.Second/time.Duration(hz)), i, int64(i)*bytes)
		}
		f, why := s.Fit()
		if why != "" {
			t.Fatal(hz, why)
		}
		if slope := f.PerIteration.Slope; math.Abs(slope/bytes-1) > 0.005 {
			t.Errorf("%d a second: %g B per iteration, want %d", hz, slope, bytes)
		}
		if slope := f.PerSecond.Slope; math.Abs(slope/float64(bytes*hz)-1) > 0.005 {
			t.Errorf("%d a second: %g B/s, want %d", hz, slope, bytes*hz)
		}
		for i := f.FirstIteration; i <= f.LastIteration; i++ {
			byIteration, _, _ := f.PerIteration.At(float64(i - f.FirstIteration))
			byTime, _, _ := f.PerSecond.At(start.Add(time.Duration(i) * time.Second / time.Duration(hz)).Sub(f.Begin).Seconds())
			if math.Abs(byIteration-float64(i)*bytes) > bytes/2 || math.Abs(byTime-float64(i)*bytes) > bytes/2 {
				t.Fatalf("%d a second: at iteration %d the line is at %g and %g, the bytes at %d", hz, i, byIteration, byTime, i*bytes)
			}
		}
	}
}

func TestFlatFit(t *testing.T) {
	var s Slope
	feed(&s, func(int) int64 { return 5 * mb }, 0, 200)
	f, why := s.Fit()
	if y, lo, hi := f.PerSecond.At(1); why != "" || y != 5*mb || lo != y || hi != y || f.PerSecond.Slope != 0 {
		t.Errorf("flat bytes are fitted as %g (%g to %g), slope %g, %q", y, lo, hi, f.PerSecond.Slope, why)
	}
}

// The fit agrees with an example computed by hand, and its range covers its points.
func TestLineRange(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	y := []float64{1, 0, 3, 2, 5, 4, 7, 6}
	l := fitLine(x, y, 0)
	// mean 3.5 both, sxx and syy 42, sxy 38: slope 38/42, R² (38/42)²; the point (1, 0) is farthest from the line
	if math.Abs(l.Slope-38.0/42) > 1e-12 || math.Abs(l.R2-38.0*38/42/42) > 1e-12 {
		t.Fatalf("%+v", l)
	}
	_, lo, hi := l.At(3.5)
	if want := 3.5 - 2.5*38/42; math.Abs((hi-lo)/2-want) > 1e-12 || math.Abs(l.Scatter-want) > 1e-12 {
		t.Errorf("range ± %g at the mean, scatter %g, want %g", (hi-lo)/2, l.Scatter, want)
	}
	if y, lo, hi := (Line{}).At(1); y != 0 || lo != 0 || hi != 0 {
		t.Error("an empty line has a height")
	}
}

// The range of a line is tight: every fitted point lies in it, and one lies on its border.
func TestLineRangeHasAllItsPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 1000 {
		x, y := make([]float64, 15), make([]float64, 15)
		floor := 1e12
		for i := len(x) - 1; i >= 0; i-- { // cumulative minima from the right, like the detector's floors
			floor = min(floor, float64(i)*1000+r.NormFloat64()*5000)
			x[i], y[i] = float64(i), floor
		}
		l := fitLine(x, y, 0)
		farthest := 0.0
		for i := range x {
			height, lo, hi := l.At(x[i])
			farthest = max(farthest, math.Abs(y[i]-height))
			if y[i] < lo-1e-6 || y[i] > hi+1e-6 {
				t.Fatalf("the point %g at %g lies outside %g to %g", y[i], x[i], lo, hi)
			}
		}
		if math.Abs(farthest-l.Scatter) > 1e-6 {
			t.Fatalf("the farthest point is %g from the line, scatter %g", farthest, l.Scatter)
		}
	}
}

func TestCompare(t *testing.T) {
	known := func(b int64) Amount { return Amount{Bytes: b} }
	none := Amount{Missing: "nothing tells"}
	for _, c := range []struct {
		name           string
		before, now    Levels
		leaking, known bool
		says           string
	}{
		{"same", Levels{known(1), known(2), known(3)}, Levels{known(1), known(2), known(3)}, false, true, "unchanged"},
		{"at the tolerance", Levels{known(0), none, none}, Levels{known(100), none, none}, false, true, "grown by 100 B"},
		{"over it", Levels{known(0), known(0), none}, Levels{known(50), known(101), none}, true, true, "engine’s live buffers 101 B, baseline 0 B, grown by 101 B"},
		{"the device alone", Levels{known(9), known(9), known(9)}, Levels{known(9), known(9), known(1009)}, true, true, "device memory 1.01 kB"},
		{"shrunk", Levels{known(900), none, none}, Levels{known(100), none, none}, false, true, "shrunk by 800 B"},
		{"not before", Levels{none, none, none}, Levels{known(900), none, none}, false, false, "not in the baseline: nothing tells"},
		{"not now", Levels{known(1), none, none}, Levels{none, none, none}, false, false, "nothing could be compared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Compare(c.before, c.now, 100)
			if got.Leaking != c.leaking || got.Known != c.known || !strings.Contains(got.Cause, c.says) {
				t.Errorf("%+v, want leaking %v, known %v, with %q", got, c.leaking, c.known, c.says)
			}
			if !strings.Contains(got.Cause, "tolerance of 100 B") || len(got.Growths) != 3 {
				t.Errorf("the words lack the tolerance: %q", got.Cause)
			}
		})
	}
}

func BenchmarkCurveObserve(b *testing.B) {
	var c Curve
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Observe(i, time.Duration(i).Seconds(), int64(i))
	}
}
