//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"assay/gpu"
)

// paced returns the median time of a run of a program, in seconds, and the relative spread of the middle half, from samples of
// that duration with two in flight.
func paced(t *testing.T, x *adder, each float64, sample time.Duration) (median, spread float64) {
	t.Helper()
	p, err := x.e.Prepare(x.launch())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Release(); err != nil {
			t.Error(err)
		}
	}()
	repeat := max(1, int(sample.Seconds()/each))
	var times []float64
	var flight []gpu.Submission
	for range 40 {
		s, err := x.q.Submit(p, repeat)
		if err != nil {
			t.Fatal(err)
		}
		if flight = append(flight, s); len(flight) < 2 {
			continue
		}
		timing, err := flight[0].Wait(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		times, flight = append(times, timing.Device/float64(repeat)), flight[1:]
	}
	if _, err := flight[0].Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	times = slices.Sorted(slices.Values(times[8:]))
	n := len(times)
	return times[n/2], (times[3*n/4] - times[n/4]) / times[n/2]
}

// Samples of the engine's duration give the same times as far longer ones, for short kernels and for long ones.
func TestRealSampleDuration(t *testing.T) {
	needReal(t)
	for _, elements := range []int{1 << 10, 1 << 16, 1 << 20, 1 << 24} {
		x := newAdder(t, open(t, Options{}), elements)
		each, _ := paced(t, x, 5e-6, time.Millisecond)
		long, _ := paced(t, x, each, 20*time.Millisecond)
		for _, sample := range []time.Duration{200 * time.Microsecond, time.Millisecond, gpuSample, 10 * time.Millisecond} {
			median, spread := paced(t, x, each, sample)
			t.Logf("%d elements, samples of %v: %.3f µs, spread %.2f %%, %.4f of that of 20 ms", elements, sample, 1e6*median, 100*spread, median/long)
			if sample == gpuSample && math.Abs(median/long-1) > 0.03 {
				t.Errorf("%d elements: samples of %v give %.3f µs, those of 20 ms %.3f µs", elements, sample, 1e6*median, 1e6*long)
			}
		}
		x.close()
	}
}
