package advice

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// set maps axes or metrics to values by name.
type set = map[string]any

// took returns a verified result with the time of a repetition, ± 1 %.
func took(workload, where, variant string, seconds float64, settings set, more ...func(*workloads.Result)) workloads.Result {
	r := workloads.Result{Workload: workload, Case: where, Variant: variant, Status: workloads.OK}
	for name, v := range settings {
		r.Settings = append(r.Settings, workloads.Setting{Name: name, Value: v})
	}
	r.Values.Set(workloads.Time, stats.Interval{Median: seconds, Lo: 0.99 * seconds, Hi: 1.01 * seconds})
	for _, f := range more {
		f(&r)
	}
	return r
}

// over sets the paired speedup over a baseline.
func over(baseline string, x float64) func(*workloads.Result) {
	return func(r *workloads.Result) {
		r.Baseline = baseline
		r.Values.Set(workloads.Speedup, stats.Interval{Median: x, Lo: 0.98 * x, Hi: 1.02 * x})
	}
}

// with sets metrics, numbers and texts.
func with(values set) func(*workloads.Result) {
	return func(r *workloads.Result) {
		for name, v := range values {
			switch v := v.(type) {
			case string:
				r.Values.SetText(metric.Name(name), v)
			case float64:
				r.Values.SetNumber(metric.Name(name), v)
			}
		}
	}
}

// disturbed adds the warning that forbids conclusions.
func disturbed(r *workloads.Result) {
	r.Warn(workloads.WarningKind(measure.Disturbed), "other programs")
}

// badPeaks adds the warning that shares of peaks may be too high.
func badPeaks(r *workloads.Result) { r.Warn(workloads.PeaksDisturbed, "a peak was disturbed") }

// changed returns a result after a change.
func changed(by func(*workloads.Result), r workloads.Result) workloads.Result {
	by(&r)
	return r
}

// but returns a run on a GPU with one result, changed.
func but(by func(*workloads.Result), r workloads.Result) *bundle.Run {
	return run(true, changed(by, r))
}

// infinite adds the warning of an overflow.
func infinite(r *workloads.Result) {
	r.Warn(workloads.Infinite, "3 of 9 weights lie beyond the range of the format, which makes them infinite")
	r.Values.SetNumber(workloads.Overflowed, 3)
}

// run returns a finished run on an engine with these results.
func run(onGPU bool, results ...workloads.Result) *bundle.Run {
	r := &bundle.Run{Meta: bundle.Meta{ID: "run", Engine: gpu.Info{Engine: "cpu", Device: "Test"}, EngineReason: "asked for", State: bundle.Finished}}
	if onGPU {
		r.Meta.Engine = gpu.Info{Engine: "metal", Device: "Test GPU", GPU: true}
	}
	for i := range results {
		results[i].ID = workloads.ResultID(0, i)
	}
	r.Results = results
	return r
}

// read adds as many readings as there are values, one per second; metrics of one call share snapshots.
func read(r *bundle.Run, values map[string][]float64) *bundle.Run {
	for metric, list := range values {
		for i, v := range list {
			for len(r.Snapshots) <= i {
				r.Snapshots = append(r.Snapshots, monitor.Snapshot{Time: time.Unix(int64(len(r.Snapshots)), 0)})
			}
			s := &r.Snapshots[i]
			s.Readings = append(s.Readings, monitor.Reading{Metric: metric, Value: v, Status: monitor.OK, Source: "test"})
		}
	}
	return r
}

// withJob gives the run a job of one of the test workloads, in a number format.
func withJob(r *bundle.Run, format string) *bundle.Run {
	r.Meta.Jobs = []bundle.Job{{Workload: "sums", Params: workloads.Values{"dtype": format, "min_n": 1, "max_n": 8}}}
	return r
}

// known are the test workloads.
func known() []workloads.Workload {
	return []workloads.Workload{{
		Name: "sums", Title: "Sums",
		Params: []workloads.Param{
			{Name: "dtype", Type: workloads.Choice, Choices: workloads.Options("f32", "f16"), Default: "f32", Role: workloads.RoleCase},
			{Name: "min_n", Type: workloads.Int, Min: 1, Max: 64, Default: 1, Role: workloads.RoleSweep},
			{Name: "max_n", Type: workloads.Int, Min: 1, Max: 64, Default: 8, Role: workloads.RoleSweep},
		},
		Axes:   []workloads.Axis{{Name: "n", Title: "N"}},
		Sweeps: []workloads.Sweep{{Axis: "n", From: "min_n", To: "max_n", Steps: workloads.Doubling}},
	}}
}

// look returns what the rules find in a run, and the piece of one rule.
func look(r *bundle.Run, rule string) (p Piece, ok bool) {
	for _, p := range Advise(&Subject{Run: r, Workloads: known()}) {
		if p.Rule == rule {
			return p, true
		}
	}
	return Piece{}, false
}

// placedAt returns a result of short or long dispatches, related to the peaks.
func placedAt(seconds, compute, bandwidth, bytes float64, bound string) workloads.Result {
	return took("sums", "n 8", "plain", seconds, set{"n": 8}, with(set{
		"share_of_peak_compute": compute, "share_of_peak_bandwidth": bandwidth, "bytes": bytes, "bound_by": bound, "dispatches": 1.0,
		"arithmetic": "f32", "peak_bytes_per_s": 1e11, "bytes_per_s": bandwidth * 1e11,
	}))
}

// rates returns a curve of items per second over the batch size.
func rates(list ...float64) []workloads.Result {
	var all []workloads.Result
	for i, v := range list {
		r := took("sums", fmt.Sprintf("batch %d", 1<<i), "plain", 1e-3, set{"batch": 1 << i})
		r.Values.Set(workloads.ItemRate, stats.Interval{Median: v, Lo: 0.99 * v, Hi: 1.01 * v})
		all = append(all, r)
	}
	return all
}

// pairOf returns two ways of doing one case, the second x times faster than the first.
func pairOf(workload string, where set, slow, fast string, x float64, more ...func(*workloads.Result)) *bundle.Run {
	return run(true, took(workload, "case", slow, 1e-3, where, more...), took(workload, "case", fast, 1e-3/x, where, append(more, over(slow, x))...))
}

// tunedRun has a finding of a search.
func tunedRun(x float64, used bool, more ...func(*workloads.Result)) *bundle.Run {
	r := run(true, took("tuning", "case", "default", 1e-3, nil, more...))
	r.Meta.Tuned = used
	r.Findings = []workloads.Finding{{Workload: "tuning", Kind: workloads.KindTuned, Result: "1.1", Text: "Faster.", Facts: workloads.Facts{
		Value: stats.Interval{Median: x, Lo: 0.99 * x, Hi: 1.01 * x},
	}}}
	return r
}

func leaky(found ...bundle.Kind) *bundle.Run {
	r := run(false)
	for _, k := range found {
		r.Events = append(r.Events, bundle.Event{Kind: k, ID: "leak-1", Title: "Buffers", Text: "3 buffers"})
	}
	return r
}

// verdict is what a rule must make of a run.
type verdict struct {
	rule  string
	fires *bundle.Run
	gain  float64 // expected; 0: not known
	// silent are runs for which the rule must not give advice.
	silent []*bundle.Run
}

func verdicts() []verdict {
	full := func(metric string, v ...float64) *bundle.Run { return read(run(true), map[string][]float64{metric: v}) }
	study := func(v string) set { return set{"study": v, "way": "unpooled"} }
	pooled := func(x float64) *bundle.Run {
		r := pairOf("pool", nil, "training, unpooled", "training, pooled", x)
		r.Results[0].Settings = []workloads.Setting{{Name: "study", Value: "pooling"}, {Name: "way", Value: "unpooled"}}
		r.Results[1].Settings = []workloads.Setting{{Name: "study", Value: "pooling"}, {Name: "way", Value: "pooled"}}
		return r
	}
	part := func(v string) set { return set{"part": v} }
	return []verdict{
		{"leak", leaky(bundle.LeakFound), 0, []*bundle.Run{leaky(), leaky(bundle.LeakFound, bundle.LeakWithdrawn)}},
		{"no-gpu", run(false, rates(1)...), 0, []*bundle.Run{run(true, rates(1)...), run(false)}},
		{
			"wide-format", withJob(run(true, placedAt(1e-3, 0.1, 0.8, 1e8, "bandwidth")), "f32"), 2,
			[]*bundle.Run{
				withJob(run(true, placedAt(1e-3, 0.1, 0.8, 1e8, "bandwidth")), "f16"), withJob(run(false, placedAt(1e-3, 0.8, 0.1, 1e8, "compute")), "f32"),
				withJob(but(disturbed, placedAt(1e-3, 0.1, 0.8, 1e8, "bandwidth")), "f32"),
				withJob(run(false, changed(badPeaks, placedAt(1e-3, 0.1, 0.8, 1e8, "bandwidth"))), "f32"),
			},
		},
		{
			"host-work", read(run(true), map[string][]float64{monitor.GPUUtilization: {.1, .2, .1}, monitor.ProcessCPU: {1, 1, 1}, monitor.EngineBytes: {1, 1, 1}}), 0,
			[]*bundle.Run{
				read(run(true), map[string][]float64{monitor.GPUUtilization: {.9, .9, .9}, monitor.ProcessCPU: {1, 1, 1}, monitor.EngineBytes: {1, 1, 1}}),
				read(run(true), map[string][]float64{monitor.GPUUtilization: {.1, .2, .1}, monitor.ProcessCPU: {1, 1, 1}}),
				read(run(false), map[string][]float64{monitor.GPUUtilization: {.1, .2, .1}, monitor.ProcessCPU: {1, 1, 1}, monitor.EngineBytes: {1, 1, 1}}),
			},
		},
		{"working-set", full(monitor.EngineWorkingSet, 0.5, 0.93), 0, []*bundle.Run{full(monitor.EngineWorkingSet, 0.5, 0.89), run(true)}},
		{"memory-full", full(monitor.HostMemoryFull, 0.95), 0, []*bundle.Run{full(monitor.HostMemoryFull, 0.2)}},
		{"swapping", full(monitor.HostSwapGrowth, 5e6, 6e6), 0, []*bundle.Run{full(monitor.HostSwapGrowth, 5e6, 0, -5e6)}},
		{"throttled", full(monitor.Throttling, 0.2, 0.2), 1.25, []*bundle.Run{full(monitor.Throttling, 0.2, 0), full(monitor.Throttling, 0.04, 0.04)}},
		{
			"gpu-throttled", full(monitor.GPUThrottling, 0.5, 0.5), 2,
			[]*bundle.Run{full(monitor.GPUThrottling, 0, 0), read(run(false), map[string][]float64{monitor.GPUThrottling: {.5, .5}})},
		},
		{"not-quiet", full(monitor.HostOthers, .5, .5, .5), 0, []*bundle.Run{full(monitor.HostOthers, .5, .5, .01), full(monitor.HostOthers, .02, .05, .01)}},
		{
			"pool-reuse", read(run(true), map[string][]float64{monitor.PoolReuseRecent: {.3, .3, .3}, monitor.EngineBytes: {1, 1, 1}}), 0,
			[]*bundle.Run{
				read(run(true), map[string][]float64{monitor.PoolReuseRecent: {.8, .7, .9}, monitor.EngineBytes: {1, 1, 1}}),
				read(run(true), map[string][]float64{monitor.PoolReuseRecent: {.3, .3, .3}, monitor.EngineBytes: {0, 0, 0}}),
			},
		},
		{"pool-stranded", full(monitor.PoolStranded, 2e8, 2e8, 2e8), 0, []*bundle.Run{full(monitor.PoolStranded, 2e8, 0, 0)}},
		{
			"pool-waste", read(run(true), map[string][]float64{monitor.PoolWaste: {.2, .2, .2}, monitor.PoolWasted: {2e6, 2e6, 2e6}}), 0,
			[]*bundle.Run{read(run(true), map[string][]float64{monitor.PoolWaste: {.01, .02, .01}, monitor.PoolWasted: {2e6, 2e6, 2e6}})},
		},
		{"overflow", run(true, took("quantization", "w", "f16", 1, nil, infinite)), 0, []*bundle.Run{run(true, took("quantization", "w", "f16", 1, nil))}},
		{
			"small-batch", run(true, rates(100, 200, 390, 400)...), 4,
			[]*bundle.Run{run(true, rates(100, 110, 150)...), run(true, rates(100)...), run(true, append(rates(100), took("sums", "batch 2", "plain", 1, set{"batch": 2}, disturbed))...)},
		},
		{
			"low-bandwidth", run(true, placedAt(1e-3, 0, 0.25, 1e8, "neither")), 4,
			[]*bundle.Run{
				run(true, placedAt(1e-3, 0, 0.8, 1e8, "bandwidth")), run(true, placedAt(1e-3, 0, 0.25, 1000, "neither")),
				run(true, took("sums", "n 8", "plain", 1, nil)), but(disturbed, placedAt(1e-3, 0, 0.25, 1e8, "neither")), but(badPeaks, placedAt(1e-3, 0, 0.25, 1e8, "neither")),
			},
		},
		{
			"launch-bound", run(true, placedAt(5e-6, 0.01, 0.02, 1e4, "neither")), 0,
			[]*bundle.Run{run(true, placedAt(5e-3, 0.01, 0.02, 1e4, "neither")), run(true, placedAt(5e-6, 0.6, 0.02, 1e4, "compute")), but(disturbed, placedAt(5e-6, 0.01, 0.02, 1e4, "neither"))},
		},
		{"tuned", tunedRun(1.5, false), 1.5, []*bundle.Run{tunedRun(1.5, true), tunedRun(1.01, false), tunedRun(1.5, false, disturbed)}},
		{
			"unfused", pairOf("fusion", nil, "separate", "fused", 1.5), 1.5,
			[]*bundle.Run{pairOf("fusion", nil, "separate", "fused", 0.9), pairOf("fusion", nil, "separate", "fused", 1.5, disturbed)},
		},
		{"wide-format-measured", pairOf("batching", nil, "f32", "f16", 1.8), 1.8, []*bundle.Run{pairOf("batching", nil, "f32", "f16", 1.01)}},
		{"unpooled", pooled(3), 3, []*bundle.Run{pooled(1), pairOf("other", study("pooling"), "unpooled", "pooled", 3)}},
		{
			"allocating", pairOf("pool", set{"study": "batches"}, "cold", "preallocated", 12), 12,
			[]*bundle.Run{pairOf("pool", set{"study": "batches"}, "cold", "preallocated", 1)},
		},
		{
			"one-dispatch-each", pairOf("latency", part("dispatches"), "one each", "one command buffer", 6), 6,
			[]*bundle.Run{pairOf("latency", part("dispatches"), "one each", "one command buffer", 1.02)},
		},
		{
			"waiting", pairOf("latency", part("sync"), "wait for each", "some in flight", 3), 3,
			[]*bundle.Run{pairOf("latency", part("sync"), "wait for each", "some in flight", 0.9)},
		},
		{"copied", pairOf("transfers", part("once"), "upload", "no copy", 4), 4, []*bundle.Run{pairOf("transfers", part("once"), "upload", "no copy", 1)}},
		{
			"small-uploads", pairOf("transfers", part("moves"), "small uploads", "upload", 5), 5,
			[]*bundle.Run{pairOf("transfers", part("moves"), "small uploads", "upload", 1)},
		},
		{
			"strided", pairOf("bandwidth", set{"access": "patterns"}, "strided", "sequential", 7), 7,
			[]*bundle.Run{pairOf("bandwidth", set{"access": "patterns"}, "strided", "sequential", 1)},
		},
		{
			"columns", pairOf("bandwidth", set{"access": "layouts"}, "columns", "rows", 7), 7,
			[]*bundle.Run{pairOf("bandwidth", set{"access": "layouts"}, "columns", "rows", 1)},
		},
		{
			"serial", pairOf("overlap", nil, "serial", "double-buffered", 1.6), 1.6,
			[]*bundle.Run{pairOf("overlap", nil, "serial", "double-buffered", 1)},
		},
	}
}

// Every rule applies where it must, with evidence and its gain, and is silent where it must be.
func TestRules(t *testing.T) {
	tested := map[string]bool{}
	for _, v := range verdicts() {
		tested[v.rule] = true
		p, ok := look(v.fires, v.rule)
		if !ok {
			t.Errorf("%s is silent", v.rule)
			continue
		}
		if len(p.Evidence) == 0 || p.Text == "" || p.Do == "" || p.Title == "" {
			t.Errorf("%s says %+v", v.rule, p)
		}
		for _, f := range p.Evidence {
			if f.Words() == "" || f.Source == "" {
				t.Errorf("%s has the evidence %+v", v.rule, f)
			}
		}
		if g := p.Gain.Speedup.Median; v.gain == 0 != math.IsNaN(g) || v.gain != 0 && math.Abs(g/v.gain-1) > 1e-9 {
			t.Errorf("%s expects a gain of %v (%s), want %v", v.rule, g, p.Gain.Words(), v.gain)
		}
		for i, r := range v.silent {
			if p, spoke := look(r, v.rule); spoke {
				t.Errorf("%s speaks in silent run %d: %s", v.rule, i, p.Text)
			}
		}
		if len(v.silent) == 0 {
			t.Errorf("%s is not tested for silence", v.rule)
		}
	}
	for _, r := range Rules() {
		if !tested[r.ID] {
			t.Errorf("rule %s has no test", r.ID)
		}
		if r.Needs == "" || r.Do == "" || r.Title == "" {
			t.Errorf("rule %+v lacks words", r)
		}
	}
}

// A run without results and readings gets no advice.
func TestNothingWithoutEvidence(t *testing.T) {
	if got := Advise(&Subject{Run: &bundle.Run{}, Workloads: known()}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// The largest gain comes first, and pieces without a gain last.
func TestOrder(t *testing.T) {
	r := pairOf("fusion", nil, "separate", "fused", 1.5)
	r.Results = append(r.Results, pairOf("latency", set{"part": "sync"}, "wait for each", "some in flight", 3).Results...)
	read(r, map[string][]float64{monitor.EngineWorkingSet: {0.95}})
	var got []string
	for _, p := range Advise(&Subject{Run: r}) {
		got = append(got, p.Rule)
	}
	if want := "waiting unfused working-set"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A trial compares only the case of the evidence: its sweep is narrowed to it.
func TestTrials(t *testing.T) {
	p, _ := look(withJob(run(true, placedAt(1e-3, 0.1, 0.8, 1e8, "bandwidth")), "f32"), "wide-format")
	if p.Trial == nil {
		t.Fatal("no trial")
	}
	if b, a := p.Trial.Before.Params, p.Trial.After.Params; b.Int("min_n") != 8 || b.Int("max_n") != 8 || b.String("dtype") != "f32" || a.String("dtype") != "f16" {
		t.Errorf("compares %v with %v", b, a)
	}
	r := withJob(run(false, took("sums", "n 4", "plain", 1, set{"n": 4})), "f32")
	s := &Subject{Run: r, Workloads: known(), GPUs: []string{"metal"}}
	if p := Advise(s)[0]; p.Trial == nil || p.Trial.After.Engine != "metal" || p.Trial.Before.Engine != "cpu" || p.Trial.After.Params.Int("max_n") != 4 {
		t.Errorf("%+v", p.Trial)
	}
}

// The advice says how many results the rules ignored.
func TestLeftOut(t *testing.T) {
	quiet, busy := took("x", "c", "v", 1, nil), took("x", "c", "w", 1, nil, disturbed)
	for want, r := range map[string]*bundle.Run{
		"": run(true, quiet), "1 of 2 results is disturbed": run(true, quiet, busy), "2 of 2 results are disturbed, and left out: nothing is concluded from disturbed times. Measure again": run(true, busy, busy),
	} {
		if got := LeftOut(r); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A bound says that it is one, and whether it rests on measurements or on counted bytes.
func TestGainWords(t *testing.T) {
	for want, g := range map[string]Gain{
		"at most 2.00× faster, by bytes":             {stats.Unbounded(2), ByBytes},
		"at most 4.00× faster, by what was measured": {stats.Unbounded(4), Bound},
		"not known": unknownGain(),
	} {
		if got := g.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A rule about readings gives their mean, over the time that counts if that is known, and labels an extreme as one.
func TestReadingsTellTheMean(t *testing.T) {
	for _, c := range []struct {
		rule   string
		values map[string][]float64
		want   string
	}{
		{
			"not-quiet",
			map[string][]float64{monitor.HostOthers: {.5, .6, .7, .9}, monitor.EngineBytes: {1, 1, 1, 0}},
			"On average 60 % of all core time went to other programs while kernels ran (70 % at most); 3 of 3 readings are above 10 %.",
		},
		{
			"not-quiet",
			map[string][]float64{monitor.HostOthers: {.5, .6, .7}},
			"On average 60 % of all core time went to other programs over the run (70 % at most); 3 of 3 readings are above 10 %.",
		},
		{
			"pool-reuse",
			map[string][]float64{monitor.PoolReuseRecent: {.1, .3, .5, .7}, monitor.EngineBytes: {1, 1, 1, 1}},
			"On average 40 % of the buffers came from the pool while kernels ran (10 % at the lowest); 3 of 4 readings are below 60 %.",
		},
		{"swapping", map[string][]float64{monitor.HostSwapGrowth: {5e6, 6e6, -50e6}}, "At times 6 MB/s went to swap over the run; 2 of 3 readings are above 1 MB/s."},
		{
			"throttled",
			map[string][]float64{monitor.Throttling: {.1, .3}},
			"On average 20 % of the speed was lost to throttling over the run (30 % at most); 2 of 2 readings are above 5 %. Times measured then are too long.",
		},
	} {
		if p, _ := look(read(run(true), c.values), c.rule); p.Text != c.want {
			t.Errorf("%s\nwant %s", p.Text, c.want)
		}
	}
}
