package bench

import (
	"context"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// counting is a queue that counts submissions with launches in flight: submitted and not yet waited for.
type counting struct {
	gpu.Queue
	flight, deepest, submitted int
}

func (c *counting) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	if p.Launches() == 0 { // it poisons or copies words of outputs
		return c.Queue.Submit(p, repeat)
	}
	s, err := c.Queue.Submit(p, repeat)
	c.flight, c.submitted = c.flight+1, c.submitted+1
	c.deepest = max(c.deepest, c.flight)
	return &countedSubmission{s, c}, err
}

type countedSubmission struct {
	gpu.Submission
	by *counting
}

func (s *countedSubmission) Wait(ctx context.Context) (gpu.Timing, error) {
	s.by.flight--
	return s.Submission.Wait(ctx)
}

// A series warms up before its first window and keeps two command buffers in flight; none is while a window is verified.
func TestSeriesOnADevice(t *testing.T) {
	b := benchtest.New(t, gputest.Script{Steps: []gputest.Step{{Seconds: 1}}, Repeat: true})
	b.Env.Workload = &workloads.Workload{Name: "series"}
	queue := &counting{Queue: b.Env.Queue}
	b.Env.Queue = queue
	clock := time.Unix(0, 0)
	b.Env.Options.Now = func() time.Time { clock = clock.Add(100 * time.Millisecond); return clock }
	first := 0
	b.OnProgress = func(p workloads.Progress) {
		if len(b.Measured) == 1 && first == 0 {
			first = queue.submitted
		}
		if len(b.Measured) > 0 && queue.flight != 0 {
			t.Errorf("%d in flight at the end of a window", queue.flight)
		}
	}
	c := Case{Name: "case", Build: func(s *Scope) ([]Variant, error) {
		set, _ := reluOf(t, s, 8)
		return []Variant{{Name: "relu", Work: s.Launches(set)}}, nil
	}}
	if err := New(b.Env).Follow(t.Context(), c, 5*time.Second, time.Second); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 5 || queue.deepest != 2 {
		t.Fatalf("%d windows, at most %d in flight", len(b.Measured), queue.deepest)
	}
	const before, warm, window = 2, 9, 10 // verification and calibration; until stable, and one in flight; of 1 s
	if first != before+warm+window {
		t.Errorf("%d command buffers until the end of the first window, want %d", first, before+warm+window)
	}
	for i := range b.Measured {
		r := &b.Measured[i]
		if n := r.Number(workloads.Warmups); r.Status != workloads.OK || len(r.Samples) != window || n != map[bool]float64{true: warm}[i == 0] {
			t.Errorf("window %d: %s, %d samples, %g warm-ups", i, r.Status, len(r.Samples), n)
		}
	}
	b.NoLive(t)
}

// A window whose samples give no interval reports that.
func TestWindowWithoutIntervalSaysWhy(t *testing.T) {
	b := benchtest.New(t, gputest.Script{Steps: []gputest.Step{{Seconds: 1}}, Repeat: true})
	b.Env.Workload = &workloads.Workload{Name: "series"}
	clock := time.Unix(0, 0)
	b.Env.Options.Now = func() time.Time { clock = clock.Add(100 * time.Millisecond); return clock }
	c := Case{Name: "case", Build: func(s *Scope) ([]Variant, error) {
		set, _ := reluOf(t, s, 8)
		return []Variant{{Name: "relu", Work: s.Launches(set)}}, nil
	}}
	if err := New(b.Env).Follow(t.Context(), c, time.Second, 300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for i := range b.Measured {
		if w := b.Measured[i].Warnings; len(w) != 1 || w[0].Text != "only 3 samples: too few for an interval" {
			t.Errorf("window %d warns %v", i, w)
		}
	}
	if len(b.Measured) == 0 {
		t.Error("no window")
	}
}

// A series that should wait for a quiet machine waits before its first window, and no longer than allowed.
func TestSeriesWaitsForQuiet(t *testing.T) {
	for _, tc := range []struct {
		name  string
		busy  int // laps
		limit time.Duration
		slept int
	}{
		{"quiet", 0, time.Second, 1},
		{"busy at first", 3, 10 * time.Second, 4},
		{"busy throughout", 1000, time.Second, 4},
		{"not to wait", 3, 0, 0},
	} {
		b := benchtest.New(t, gputest.Script{Steps: []gputest.Step{{Seconds: 1}}, Repeat: true})
		b.Env.Workload = &workloads.Workload{Name: "series"}
		clock, slept, laps, waited := time.Unix(0, 0), 0, 0, 0
		o := &b.Env.Options
		o.Now = func() time.Time { clock = clock.Add(time.Millisecond); return clock }
		o.Factors = []measure.Factor{{Name: "others", Limit: 0.1, Text: func(float64) string { return "busy" }}}
		o.QuietTimeout = tc.limit
		o.Sleep = func(_ context.Context, d time.Duration) { clock, slept = clock.Add(d), slept+1 }
		o.Lap = func() []float64 {
			if laps++; laps <= 2*tc.busy { // one that begins a wait, and one that ends it
				return []float64{0.5}
			}
			return []float64{0}
		}
		b.OnProgress = func(p workloads.Progress) {
			if p.Measure.Phase == measure.Waiting {
				waited++
			}
		}
		c := Case{Name: "case", Build: func(s *Scope) ([]Variant, error) {
			set, _ := reluOf(t, s, 8)
			return []Variant{{Name: "relu", Work: s.Launches(set)}}, nil
		}}
		if err := New(b.Env).Follow(t.Context(), c, 20*time.Millisecond, 10*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if slept != tc.slept || waited != tc.slept || len(b.Measured) == 0 {
			t.Errorf("%s: waited for %d laps and reported %d, want %d; %d windows", tc.name, slept, waited, tc.slept, len(b.Measured))
		}
	}
}

// Of a window with many samples few are kept, evenly spaced, and the result says how many.
func TestWindowsKeepFewSamples(t *testing.T) {
	r := workloads.Result{}
	for i := range 640 {
		r.Samples = append(r.Samples, float64(i))
	}
	r.Values.SetNumber(workloads.Samples, 640)
	got := few(r)
	if len(got.Samples) != keptSamples || got.Samples[0] != 0 || got.Samples[63] != 630 || got.Number(workloads.SamplesKept) != keptSamples {
		t.Errorf("kept %v, told %v", got.Samples, got.Number(workloads.SamplesKept))
	}
	r.Samples = r.Samples[:keptSamples]
	if got := few(r); len(got.Samples) != keptSamples || got.Number(workloads.SamplesKept) > 0 {
		t.Errorf("of %d all are kept: %d", keptSamples, len(got.Samples))
	}
}
