package memory

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

// onCPU is a rig with the CPU engine.
func onCPU(t *testing.T) *benchtest.Rig {
	t.Helper()
	e, err := cpu.OpenWith(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return benchtest.On(t, e)
}

func transferred(t *testing.T, b *benchtest.Rig) {
	t.Helper()
	set := workloads.Values{"part": all, "min_size": 4, "max_size": 16, "chunk": 3, "piece": 1, "max_reuse": 4, "reused": 8}
	if err := b.Run(t.Context(), t, Transfers(), set); err != nil {
		t.Fatal(err)
	}
}

// Every way moves what it should, has a rate unless nothing moves, and each part has a finding.
func TestTransfers(t *testing.T) {
	for name, b := range map[string]*benchtest.Rig{
		"cpu": onCPU(t), "fake": benchtest.New(t, gputest.Script{}), "discrete": benchtest.New(t, gputest.Script{Discrete: true}),
	} {
		t.Run(name, func(t *testing.T) {
			transferred(t, b)
			seen := map[string]bool{}
			for i := range b.Measured {
				r := &b.Measured[i]
				seen[r.Variant] = true
				if r.Status != workloads.OK || !(r.Number(workloads.Compared) > 0) {
					t.Errorf("%s %s: %s %s", r.Case, r.Variant, r.Status, r.Failure.Text)
				}
				if rate := r.Number(payloadRate); math.IsNaN(rate) != (r.Variant == "wrap") {
					t.Errorf("%s %s moves %g B/s", r.Case, r.Variant, rate)
				}
			}
			if len(seen) != 10 {
				t.Errorf("ways: %v", seen)
			}
			if name == "cpu" {
				return // its times are too noisy, with too few samples, to base findings on
			}
			for _, words := range []string{
				"Moving data at 16.0 KiB, against an upload, ", "a readback: ", "A kernel that reads its data at 16.0 KiB, against private memory, ",
				"Data used once: use in place", "Data used again: use in place",
			} {
				if !strings.Contains(texts(b), words) {
					t.Errorf("no finding says %q: %s", words, texts(b))
				}
			}
		})
	}
}

func texts(b *benchtest.Rig) string {
	var all []string
	for _, f := range b.Findings {
		all = append(all, f.Text)
	}
	return strings.Join(all, "\n")
}

// copying is an engine that cannot use host memory in place.
type copying struct{ gpu.Engine }

// A missing capability of an engine is one row of each part.
func TestTransfersSayWhatIsMissing(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Engine = copying{b.Env.Engine}
	transferred(t, b)
	missing := map[string]int{}
	for i := range b.Measured {
		if r := &b.Measured[i]; r.Status == workloads.Unsupported && strings.Contains(r.Failure.Text, "copies all memory of the host") {
			missing[r.Variant]++
		} else if r.Status != workloads.OK {
			t.Errorf("%s %s: %s %s", r.Case, r.Variant, r.Status, r.Failure.Text)
		}
	}
	if len(missing) != 2 || missing["wrap"] != 1 || missing["no copy"] != 3 {
		t.Errorf("rows of what is missing: %v", missing)
	}
}
