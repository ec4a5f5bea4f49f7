package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// tried returns the batches that a policy tries if batches up to a limit are good.
func tried(p *policy, b bounds, limit, steps int) (batches []int, ended bool) {
	var trials []measure.Trial[int]
	for range steps {
		next, more := p.next(b, trials)
		if !more {
			return batches, true
		}
		t := measure.Trial[int]{Setting: next}
		if next > limit {
			t.Err = errors.New("too slow")
		}
		trials, batches = append(trials, t), append(batches, next)
	}
	return batches, false
}

func TestPolicies(t *testing.T) {
	for _, tc := range []struct {
		policy string
		bounds bounds
		limit  int
		want   string
	}{
		{"doubling", bounds{1, 32, 128}, 1000, "[32 64 128] true"},
		{"doubling", bounds{1, 32, 128}, 100, "[32 64 128 64 128 64 128 64] false"},
		{"doubling", bounds{8, 32, 128}, 0, "[32 16 8] true"},
		{"doubling", bounds{1, 32, 100}, 1000, "[32 64 100] true"},
		{"bisection", bounds{1, 32, 128}, 1000, "[32 64 128] true"},
		{"bisection", bounds{1, 32, 128}, 100, "[32 64 128 96 112 104] true"},
		{"bisection", bounds{1, 32, 128}, 5, "[32 16 8 4 6 5] true"},
		{"bisection", bounds{8, 32, 128}, 0, "[32 16 8] true"},
	} {
		all := policies()
		at := slices.IndexFunc(all, func(p policy) bool { return p.name == tc.policy })
		if got := fmt.Sprint(tried(&all[at], tc.bounds, tc.limit, 8)); got != tc.want {
			t.Errorf("%s in %v up to %d: %s, want %s", tc.policy, tc.bounds, tc.limit, got, tc.want)
		}
	}
}

// Every policy stays within its bounds, and either ends or keeps changing the batch.
func TestPoliciesStayWithinBounds(t *testing.T) {
	for _, p := range policies() {
		for limit := range 140 {
			for start := 1; start <= 128; start += 31 {
				batches, _ := tried(&p, bounds{1, start, 128}, limit, 60)
				for i, n := range batches {
					if n < 1 || n > 128 || i > 0 && n == batches[i-1] {
						t.Fatalf("%s from %d up to %d: %v", p.name, start, limit, batches)
					}
				}
				if p.name == "bisection" && len(batches) > 20 {
					t.Errorf("bisection from %d up to %d takes %d steps", start, limit, len(batches))
				}
			}
		}
	}
}

// Exceeding the memory limit is the outcome of a step, not an error; the next batch is smaller, and the finding says where it ends.
func TestAdaptiveKeepsToTheMemoryLimit(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	set := workloads.Values{"width": 32, "layers": 2, "max_latency": 0.0, "start": 32, "min_batch": 1, "max_batch": 4096, "max_memory": 1.0, "steps": 30, "policy": "bisection"}
	// 8 kB of weights, and three activations of 128 B per item: 1 MB holds at most 2582 items.
	if err := b.Run(t.Context(), t, Adaptive(), set); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	largest, refused := 0, 0
	for i := range b.Measured {
		r := &b.Measured[i]
		n := r.Setting("batch").(int)
		switch {
		case r.Status == workloads.OK && r.Values.Text(outcome) == withinLimits && r.Number(workloads.HeldBytes) == float64(8192+384*n):
			largest = max(largest, n)
		case r.Status == workloads.Unsupported && r.Values.Text(outcome) == tooLarge && n > 2582 && strings.Contains(r.Failure.Text, "the limit is 1.00 MB"):
			refused++
		default:
			t.Errorf("batch %d: %s %q, %s, %g B", n, r.Status, r.Failure.Text, r.Values.Text(outcome), r.Number(workloads.HeldBytes))
		}
	}
	if refused == 0 || largest > 2582 || largest < 2582*(apart-1)/apart {
		t.Errorf("%d batches refused, the largest is %d", refused, largest)
	}
	if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, fmt.Sprintf("settles on a batch of %d (", largest)) {
		t.Errorf("findings %+v", b.Findings)
	}
}

// A disturbed time leaves open only what the time decides.
func TestAdaptiveConcludesFromMemoryAlone(t *testing.T) {
	for latency, want := range map[float64]string{0: "bisection: settles on a batch of ", 10_000: "bisection: no conclusion."} {
		b := benchtest.New(t, gputest.Script{})
		b.Env.Options.Budget = 2 * time.Millisecond // by the test's clock, for retaking disturbed samples
		b.Env.Options.Surroundings = measure.Surroundings{
			Factors: []measure.Factor{{Name: "others", Limit: 0.1, Text: func(float64) string { return "other programs used all of it" }}},
			Lap:     func() []float64 { return []float64{1} },
		}
		set := workloads.Values{"width": 16, "layers": 1, "max_latency": latency, "max_batch": 256, "policy": "bisection", "max_memory": 0.01}
		if err := b.Run(t.Context(), t, Adaptive(), set); err != nil {
			t.Fatal(err)
		}
		if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, want) {
			t.Errorf("with a limit of %g ms: findings %+v", latency, b.Findings)
		}
	}
}

// On a device whose time grows with the batch, the published rule oscillates, and bisection settles.
func TestDoublingDoesNotSettle(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	w := Adaptive()
	set := workloads.Values{"width": 16, "layers": 1, "max_latency": 0.0, "max_batch": 128, "steps": 8, "policy": "doubling", "max_memory": 0.01}
	if err := b.Run(t.Context(), t, w, set); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 8 || len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, "does not settle: 3 of 8 steps broke the limit of 10.0 kB.") {
		t.Errorf("%d results, findings %+v", len(b.Measured), b.Findings)
	}
}

func TestAdaptiveRefuses(t *testing.T) {
	w := Adaptive()
	for _, tc := range []struct {
		set  workloads.Values
		want string
	}{
		{workloads.Values{"start": 256}, "start is 256, want min_batch to max_batch, which are 1 and 128"},
		{workloads.Values{"start": 4, "min_batch": 8}, "start is 4"},
		{workloads.Values{"max_batch": 4096, "width": 4096, "layers": 64}, "of buffers; the maximum is 8.59 GB"},
	} {
		if err := w.Check(w.Defaults(false).With(tc.set)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v, want %q", tc.set, err, tc.want)
		}
	}
}
