package memory

import (
	"math"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// specified is an engine whose memory has a specification; with untuned set, its kernels have no tunables.
type specified struct {
	gpu.Engine
	untuned bool
}

func (s specified) Info() gpu.Info {
	i := s.Engine.Info()
	i.Bandwidth, i.Untuned = 100e9, s.untuned
	return i
}

func (s specified) Unwrap() gpu.Engine { return s.Engine }

func measured(t *testing.T, untuned bool, set workloads.Values) *benchtest.Rig {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	b.Env.Engine = specified{b.Env.Engine, untuned}
	if err := b.Run(t.Context(), t, Bandwidth(), workloads.Values{"access": all, "min_set": 1, "max_set": 4}.With(set)); err != nil {
		t.Fatal(err)
	}
	return b
}

// Every kind of access has a finding; every way has a share of the best in its case and, if it reads from memory, of the
// specification.
func TestBandwidthIsRelated(t *testing.T) {
	b := measured(t, false, nil)
	best, spec := map[string]float64{}, 0
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Status != workloads.OK {
			t.Fatalf("%s %s: %s", r.Case, r.Variant, r.Failure.Text)
		}
		best[r.Case] = max(best[r.Case], r.Number(ofBest))
		if share := r.Number(ofSpec); !math.IsNaN(share) {
			spec++
			if want := r.Number(workloads.Bandwidth) / 100e9; math.Abs(share-want) > 1e-9*want || r.Setting("operands") != "memory" {
				t.Errorf("%s %s from %v: %g of the specification, want %g", r.Case, r.Variant, r.Setting("operands"), share, want)
			}
		}
	}
	if len(best) != 3*len(accesses()) || spec == 0 {
		t.Errorf("%d cases, %d results from memory", len(best), spec)
	}
	for name, share := range best {
		if share != 1 {
			t.Errorf("%s: the best is %g of the best", name, share)
		}
	}
	for _, words := range []string{
		"of the specified 100 GB/s", "Access patterns at 4.00 KiB, against sequential reads, ", "random reads: ", "Matrices at ",
		"tiled transposition: ", "Alignment at ", "Vector width at ",
	} {
		found := false
		for _, f := range b.Findings {
			found = found || strings.Contains(f.Text, words)
		}
		if !found {
			t.Errorf("no finding says %q", words)
		}
	}
}

// A way that the engine does not support is one row of the run.
func TestBandwidthSaysOnceWhatIsMissing(t *testing.T) {
	b := measured(t, true, workloads.Values{"access": "width"})
	missing := map[string]int{}
	for i := range b.Measured {
		if r := &b.Measured[i]; r.Status == workloads.Unsupported && strings.Contains(r.Failure.Text, "width") {
			missing[r.Variant]++
		}
	}
	if len(missing) != 3 || missing["1 wide"] != 1 || missing["2 wide"] != 1 || missing["8 wide"] != 1 {
		t.Errorf("rows of what is missing: %v", missing)
	}
}

// Chunks are never longer than what is read, and strides skip only a remainder.
func TestBandwidthOfOddSizes(t *testing.T) {
	b := measured(t, false, workloads.Values{"access": "patterns", "min_set": 3, "max_set": 3, "stride": 7, "chunk": 1 << 20})
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Status != workloads.OK || r.Number(workloads.Compared) == 0 {
			t.Errorf("%s %s: %s %s", r.Case, r.Variant, r.Status, r.Failure.Text)
		}
	}
}
