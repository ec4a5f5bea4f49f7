package controls

import (
	"context"
	"errors"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

func TestLeakControl(t *testing.T) {
	for _, tc := range []struct {
		name   string
		set    workloads.Values
		leaks  bool
		atMost int // bytes
	}{
		{"leaks", workloads.Values{"rate": 10.0, "iterations": 100.0, "duration": 0.2, "limit": 100.0}, true, 100e6},
		{"up to the limit", workloads.Values{"rate": 1000.0, "iterations": 1000.0, "duration": 0.2, "limit": 3.0}, true, 3e6},
		{"clean", workloads.Values{"rate": 0.0, "iterations": 100.0, "duration": 0.2}, false, 0},
	} {
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, Leak(), tc.set); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, l := range b.Pool.Live() {
			sum += l.Requested
			if l.Label != "deliberate leak" {
				t.Errorf("%s: %q is live", tc.name, l.Label)
			}
		}
		if (sum > 0) != tc.leaks || sum > tc.atMost || b.Iterations < 2 || len(b.Measured) != 0 {
			t.Errorf("%s: %d B live after %d iterations, %d results", tc.name, sum, b.Iterations, len(b.Measured))
		}
	}
	b := benchtest.New(t, gputest.Script{})
	ctx, cancel := context.WithCancel(t.Context())
	b.OnProgress = func(workloads.Progress) { cancel() }
	if err := b.Run(ctx, t, Leak(), workloads.Values{"iterations": 1.0}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
