package cuda

import (
	"errors"
	"math"
	"testing"

	"assay/gpu"
)

// No time is better than a wrong one; a difference between the two clocks is not wrong.
func TestTiming(t *testing.T) {
	for _, c := range []struct {
		device, wall float64
		works        bool
		want         gpu.Timing // zero: an error
	}{
		{1e-3, 2e-3, true, gpu.Timing{Device: 1e-3, Wall: 2e-3}},
		{1.0001, 1, true, gpu.Timing{Device: 1.0001, Wall: 1.0001}},
		{1.01, 1, true, gpu.Timing{}},
		{0, 1, true, gpu.Timing{}},
		{-1, 1, true, gpu.Timing{}},
		{math.NaN(), 1, true, gpu.Timing{}},
		{math.Inf(1), 1, true, gpu.Timing{}},
		{0, 1e-6, false, gpu.Timing{Wall: 1e-6}},
	} {
		got, err := timing(c.device, c.wall, c.works)
		if refused := c.want == (gpu.Timing{}); got != c.want || (err != nil) != refused || refused && !errors.Is(err, gpu.ErrExecution) {
			t.Errorf("%g s of %g s: %+v, %v; want %+v", c.device, c.wall, got, err, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	none := func(string) string { return "" }
	for _, o := range []Options{{Timeout: -1}, {CompileTimeout: -1}} {
		if _, err := o.complete(none); !errors.Is(err, gpu.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	o, err := Options{}.complete(func(string) string { return "3" })
	if err != nil || o.Device != "3" || o.Library != defaultLibrary || o.Timeout != defaultTimeout || len(o.BLAS) < 3 || o.Compile == nil {
		t.Errorf("%+v, %v", o, err)
	}
}
