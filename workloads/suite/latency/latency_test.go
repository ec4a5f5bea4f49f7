package latency

import (
	"math"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/cpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

func launched(t *testing.T, b *benchtest.Rig, set workloads.Values) {
	t.Helper()
	if err := b.Run(t.Context(), t, Launch(), set); err != nil {
		t.Fatal(err)
	}
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Setting("stage") == onTheDevice && r.Status == workloads.Unsupported {
			continue // reports why
		}
		if r.Status != workloads.OK || r.Number(workloads.Compared) == 0 {
			t.Fatalf("%s %s: %s %q", r.Case, r.Variant, r.Status, r.Failure.Text)
		}
		if want := r.Time().Median / r.Number(workloads.Items); math.Abs(r.Number(eachTime)-want) > 1e-9*want {
			t.Errorf("%s %s: %g s each, want %g", r.Case, r.Variant, r.Number(eachTime), want)
		}
	}
}

func says(t *testing.T, b *benchtest.Rig, words ...string) {
	t.Helper()
	for _, want := range words {
		found := false
		for _, f := range b.Findings {
			found = found || strings.Contains(f.Text, want)
		}
		if !found {
			t.Errorf("no finding says %q", want)
		}
	}
}

// On an engine whose clock is not the host's, all parts are measured, and the finding says why the gap is missing.
func TestLatencyWithoutGap(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	launched(t, b, workloads.Values{"max_count": 8, "min_buffers": 8, "max_buffers": 8, "min_set": 1, "max_set": 4})
	says(t, b, "each additional dispatch costs ", "not available: scripted times have no host clock", "One command buffer per empty dispatch", "by the device’s clock: each additional dispatch costs ",
		"; timed alone by counters, one takes ", " before and after the device’s time, ",
		"Waiting for command buffers with one empty dispatch each at 8 command buffers, against waiting for each, ", "two queues in turn", "A dependent load: ")
	for i := range b.Measured {
		if !math.IsNaN(b.Measured[i].Number(gapTime)) {
			t.Errorf("%s has a gap", b.Measured[i].Variant)
		}
		if rate := b.Measured[i].Number(workloads.Bandwidth); !math.IsNaN(rate) && b.Measured[i].Variant != chained {
			t.Errorf("%s: empty dispatches at %g B/s", b.Measured[i].Variant, rate)
		}
		if known := b.Measured[i].Number(stageTime) > 0; known != (b.Measured[i].Variant == byCounters) {
			t.Errorf("%s: a dispatch timed alone: %t", b.Measured[i].Variant, known)
		}
	}
}

// plain is an engine with only one way to encode programs.
type plain struct{ gpu.Engine }

// An engine that cannot time a dispatch alone yields one row, and the rest is measured.
func TestLatencyWithoutCounters(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Engine = plain{b.Env.Engine}
	if err := b.Run(t.Context(), t, Launch(), workloads.Values{"part": partDispatches, "max_count": 4}); err != nil {
		t.Fatal(err)
	}
	missing := 0
	for i := range b.Measured {
		if r := &b.Measured[i]; r.Status == workloads.Unsupported && r.Variant == byCounters && strings.Contains(r.Failure.Text, "encodes programs in one way") {
			missing++
		} else if r.Status != workloads.OK {
			t.Errorf("%s %s: %s %q", r.Case, r.Variant, r.Status, r.Failure.Text)
		}
	}
	if missing != 1 {
		t.Errorf("%d rows say what is missing, want 1", missing)
	}
}

// On the CPU engine there is one clock for both, and a round trip has a part before the device begins and a part on it.
func TestLatencyWithGap(t *testing.T) {
	e, err := cpu.OpenWith(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	b := benchtest.On(t, e)
	launched(t, b, workloads.Values{"part": partDispatches, "max_count": 32})
	for i := range b.Measured {
		r := &b.Measured[i]
		gap, device, outside := r.Number(gapTime), r.Number(deviceTime), r.Number(outsideTime)
		if r.Variant == inOne && !(gap > 0 && device > 0 && outside > 0) {
			t.Errorf("%s: %g s before it begins, %g s on the device, %g s besides", r.Case, gap, device, outside)
		}
	}
}
