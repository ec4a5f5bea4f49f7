package metal

import (
	"errors"
	"math"
	"strings"
	"testing"

	"assay/gpu"
)

func TestDeviceSeconds(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		name             string
		start, end, wall float64
		want             float64 // 0: refused
	}{
		{"plain", 100, 100.25, 0.5, 0.25},
		{"as long as the wall time", 100, 100.5, 0.5, 0.5},
		{"not reported", 0, 0, 0.5, 0},
		{"start not reported", 0, 100, 0.5, 0},
		{"end not reported", 100, 0, 0.5, 0},
		{"nothing", 100, 100, 0.5, 0},
		{"negative", 100, 99, 0.5, 0},
		{"NaN", nan, 100, 0.5, 0},
		{"infinite", 100, inf, 0.5, 0},
		{"longer than the wall time", 100, 101, 0.5, 0},
	}
	for _, c := range cases {
		got, err := deviceSeconds(outcome{start: c.start, end: c.end, wall: c.wall}, true)
		if got != c.want {
			t.Errorf("%s: %g s, want %g s", c.name, got, c.want)
		}
		if refused := errors.Is(err, gpu.ErrExecution); refused != (c.want == 0) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	if got, err := deviceSeconds(outcome{wall: 0.1}, false); got != 0 || err != nil {
		t.Errorf("nothing was encoded: %g s, %v", got, err)
	}
}

func TestTimingHoldsTheGapBeforeTheDeviceStarts(t *testing.T) {
	whole := outcome{begun: 99.5, start: 100, end: 100.25, wall: 1}
	want := gpu.Timing{Device: 0.25, Wall: 1, Gap: 0.5}
	if got, err := timing(whole, true); got != want || err != nil {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := timing(outcome{begun: 99.5, wall: 1}, false); got != (gpu.Timing{Wall: 1}) || err != nil {
		t.Errorf("nothing was encoded: %+v, %v", got, err)
	}
	if got, err := timing(outcome{begun: 99.5, wall: 1}, true); got != (gpu.Timing{}) || err == nil {
		t.Errorf("no times were reported: %+v, %v", got, err)
	}
}

func TestClockName(t *testing.T) {
	if got := clockName(false); !strings.Contains(got, "GPUStartTime") {
		t.Errorf("a device's clock is %q", got)
	}
	if got := clockName(true); !strings.Contains(got, "host clock") || !strings.Contains(got, "no GPU time") {
		t.Errorf("a simulated device's clock is %q", got)
	}
}

func TestStages(t *testing.T) {
	labels := []string{"good", "zero start", "zero end", "no value", "backward", "empty", "missing"}
	raw := []uint64{1000, 1500, 0, 10, 10, 0, 10, math.MaxUint64, 20, 10, 7, 7}
	got := stages(labels, raw, 1e-9)
	if len(got) != len(labels) {
		t.Fatalf("%d stages, want %d", len(got), len(labels))
	}
	for i, s := range got {
		if s.Label != labels[i] {
			t.Errorf("stage %d is %q, want %q", i, s.Label, labels[i])
		}
		if valid := i == 0; valid != (s.Why == "") || valid != (s.Seconds > 0) {
			t.Errorf("%s: %g s, reason %q", s.Label, s.Seconds, s.Why)
		}
	}
	if want := 500e-9; math.Abs(got[0].Seconds-want) > 1e-15 {
		t.Errorf("%g s, want %g s", got[0].Seconds, want)
	}
	for _, tick := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if s := stages([]string{"x"}, []uint64{1, 2}, tick)[0]; s.Seconds != 0 || s.Why == "" {
			t.Errorf("tick %g: %+v", tick, s)
		}
	}
}
