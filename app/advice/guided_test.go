package advice

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/suite"
)

// jobs are all jobs that checklists and flows measure.
func jobs() []Job {
	var all []Job
	for _, c := range Checklists() {
		all = append(all, c.Jobs...)
	}
	for _, f := range Flows() {
		for _, s := range f.Steps {
			all = append(all, s.Job)
		}
	}
	return all
}

// The workloads have what checklists and flows measure, and what rules look for.
func TestJobsAreValid(t *testing.T) {
	all := suite.All()
	for _, j := range jobs() {
		w, err := workloads.Find(all, j.Workload)
		if err != nil {
			t.Error(err)
			continue
		}
		v := w.Defaults(true).With(j.Params)
		if err := w.CheckAll(v); err != nil {
			t.Errorf("%s %v: %v", j.Workload, j.Params, err)
		} else if len(w.Points(v)) == 0 {
			t.Errorf("%s %v has no case", j.Workload, j.Params)
		}
	}
	for _, c := range contrasts() {
		if c.workload == "" {
			continue
		}
		w, err := workloads.Find(all, c.workload)
		if err != nil {
			t.Error(err)
			continue
		}
		for axis := range c.where {
			if w.Axis(axis).Name == "" {
				t.Errorf("%s has no axis %q, which %s needs", w.Name, axis, c.ID)
			}
		}
	}
}

// allOf returns a run on a GPU with results that are all changed.
func allOf(by func(*workloads.Result), results ...workloads.Result) *bundle.Run {
	for i := range results {
		by(&results[i])
	}
	return run(true, results...)
}

// line is what a line of a checklist must say about a run.
type line struct {
	list, id string
	run      *bundle.Run
	want     State
}

func lines() []line {
	reuse := func(rate float64) *bundle.Run {
		return run(true, took("pool", "c", "training, pooled", 1, set{"profile": "training", "way": "pooled"}, with(set{"reuse_rate": rate})))
	}
	lengths := func(small, large float64) *bundle.Run {
		all := rates(small, large)
		all[0].Settings, all[1].Settings = []workloads.Setting{{Name: "elements", Value: 1000}}, []workloads.Setting{{Name: "elements", Value: 1_000_000}}
		return run(true, all...)
	}
	found := func(kinds ...string) *bundle.Run {
		r := run(true)
		for _, kind := range kinds {
			r.Findings = append(r.Findings, workloads.Finding{
				Workload: "batching", Kind: kind, Text: "It bends.", Facts: workloads.Facts{Axis: workloads.Axis{Name: "batch"}, Place: workloads.Place{At: 16}},
			})
		}
		return r
	}
	ended := func(r *bundle.Run) *bundle.Run { r.Meta.Finished = time.Unix(1, 0); return r }
	uses := func(once, often float64) *bundle.Run {
		return run(true, took("transfers", "1 use", "upload", once, set{"reuse": 1}), took("transfers", "16 uses", "upload", often, set{"reuse": 16}))
	}
	fused := func(pattern string, x float64) *bundle.Run {
		return pairOf("fusion", set{"pattern": pattern}, "separate", "fused", x)
	}
	under := func(metrics ...string) *bundle.Run {
		values := map[string][]float64{monitor.EngineBytes: {1, 1, 1}}
		for _, m := range metrics {
			values[m] = []float64{1, 2, 3}
		}
		return read(run(true), values)
	}
	return []line{
		{"optimize", "device", run(true, rates(1)...), Done},
		{"optimize", "device", run(false, rates(1)...), NotDone},
		{"optimize", "device", run(true), NotAvailable},
		{"optimize", "types", pairOf("batching", nil, "f32", "f16", 1.8), Done},
		{"optimize", "types", pairOf("batching", nil, "f32", "f16", 0.7), NotDone},
		{"optimize", "types", pairOf("batching", nil, "f32", "f16", 1.8, disturbed), NotCertain},
		{"optimize", "types", run(true), NotAvailable},
		{"optimize", "allocation", pairOf("pool", set{"study": "batches"}, "cold", "preallocated", 9), Done},
		{"optimize", "allocation", pairOf("pool", set{"study": "batches"}, "cold", "preallocated", 1), NotDone},
		{"optimize", "allocation", run(true), NotAvailable},
		{"optimize", "batch", found(workloads.KindKnee), Done},
		{"optimize", "batch", found(workloads.KindRising), NotDone},
		{"optimize", "batch", found(workloads.KindNone), NotCertain},
		{"optimize", "batch", found(workloads.KindNone, workloads.KindKnee), Done},
		{"optimize", "batch", allOf(disturbed, rates(1, 2, 3)...), NotCertain},
		{"optimize", "batch", run(true), NotAvailable},
		{"optimize", "fusion", fused("add+relu", 1.4), Done},
		{"optimize", "fusion", fused("add+relu", 1), NotDone},
		{"optimize", "fusion", run(true), NotAvailable},
		{"optimize", "access", run(true, placedAt(1e-3, 0, 0.8, 1e8, "bandwidth")), Done},
		{"optimize", "access", run(true, placedAt(1e-3, 0, 0.2, 1e8, "neither")), NotDone},
		{"optimize", "access", pairOf("bandwidth", set{"access": "patterns"}, "random", "sequential", 9), Done},
		{"optimize", "access", run(true), NotAvailable},
		{"optimize", "profile", under(monitor.EngineFlops), Done},
		{"optimize", "profile", run(true), NotAvailable},
		{"optimize", "cleanup", ended(run(true)), Done},
		{"optimize", "cleanup", ended(leaky(bundle.LeakFound)), NotDone},
		{"optimize", "cleanup", run(true), NotAvailable},
		{"deploy", "fused", fused("matmul+relu", 1.4), Done},
		{"deploy", "fused", fused("matmul+relu", 0.9), NotDone},
		{"deploy", "fused", fused("add+relu", 1.4), NotAvailable},
		{"deploy", "batch", run(true, rates(1, 2, 3, 4, 5)...), Done},
		{"deploy", "batch", run(true, rates(5, 9, 3, 2, 1)...), NotDone},
		{"deploy", "batch", run(true, rates(1, 2)...), NotAvailable},
		{"deploy", "batch", allOf(disturbed, rates(1, 2, 3, 4, 5)...), NotCertain},
		{"deploy", "elements", lengths(1, 9), Done},
		{"deploy", "elements", lengths(9, 1), NotDone},
		{"deploy", "elements", lengths(1, 1), NotCertain},
		{"deploy", "elements", run(true), NotAvailable},
		{"deploy", "transfers", pairOf("transfers", set{"part": "reuse"}, "upload", "no copy", 2), Done},
		{"deploy", "transfers", pairOf("transfers", set{"part": "reuse"}, "upload", "no copy", 1), NotDone},
		{"deploy", "transfers", run(true), NotAvailable},
		{"deploy", "resident", uses(1, 4), Done},
		{"deploy", "resident", uses(1, 16), NotDone},
		{"deploy", "resident", run(true), NotAvailable},
		{"deploy", "resident", allOf(disturbed, uses(1, 4).Results...), NotCertain},
		{"deploy", "pool", reuse(0.9), Done},
		{"deploy", "pool", reuse(0.4), NotDone},
		{"deploy", "pool", run(true), NotAvailable},
		{"deploy", "measured", run(true, rates(1, 2)...), Done},
		{"deploy", "measured", run(true, took("x", "c", "v", 1, nil), took("x", "c", "w", 1, nil, disturbed)), NotDone},
		{"deploy", "measured", run(true), NotAvailable},
		{"deploy", "memory", under(monitor.EngineLive), Done},
		{"deploy", "memory", run(true), NotAvailable},
	}
}

// Each line has a run that ticks it, usually one that contradicts it, and one that cannot tell; the deciding figure is given.
func TestChecklists(t *testing.T) {
	tested := map[string]bool{}
	for _, l := range lines() {
		for _, c := range Checklists() {
			if c.Name != l.list {
				continue
			}
			for _, got := range c.Check(&Subject{Run: l.run, Workloads: known()}) {
				if got.ID != l.id {
					continue
				}
				tested[l.list+" "+l.id+" "+string(got.State)] = true
				if got.State != l.want || got.Why == "" || (got.State == Done || got.State == NotDone) && len(got.Evidence) == 0 {
					t.Errorf("%s, %s: %s: %s %v, want %s", l.list, l.id, got.State, got.Why, got.Evidence, l.want)
				}
			}
		}
	}
	for _, c := range Checklists() {
		if len(c.Items) != 8 {
			t.Errorf("%s has %d lines, want 8", c.Name, len(c.Items))
		}
		for _, i := range c.Items {
			for _, s := range []State{Done, NotAvailable} {
				if !tested[c.Name+" "+i.ID+" "+string(s)] {
					t.Errorf("%s, %s is not tested for %q", c.Name, i.ID, s)
				}
			}
		}
	}
}

// scripted answers each step of a flow with a run.
func scripted(runs map[string]*bundle.Run) Measurer {
	return func(_ context.Context, step *Step) (*Subject, error) {
		if r := runs[step.ID]; r != nil {
			return &Subject{Run: r, Workloads: known()}, nil
		}
		return nil, errors.New("no such device")
	}
}

// branches returns what a flow decided at each step it reached.
func branches(v *Verdict) string {
	var list []string
	for _, t := range v.Steps {
		list = append(list, t.ID+" "+string(t.Branch))
	}
	return strings.Join(list, ", ")
}

func flowNamed(t *testing.T, name string) *Flow {
	t.Helper()
	for _, f := range Flows() {
		if f.Name == name {
			return &f
		}
	}
	t.Fatalf("no flow %s", name)
	return nil
}

func TestFlows(t *testing.T) {
	quiet := func() *bundle.Run { return run(true, took("elementwise", "add", "one", 1, nil)) }
	launch := func(x float64) *bundle.Run {
		return pairOf("latency", set{"part": "dispatches"}, "one each", "one command buffer", x)
	}
	fused := func(x float64) *bundle.Run { return pairOf("fusion", nil, "separate", "fused", x) }
	pooled := func(x float64) *bundle.Run {
		r := pairOf("pool", set{"study": "pooling"}, "unpooled", "pooled", x)
		for i, way := range []string{"unpooled", "pooled"} {
			r.Results[i].Settings = append(r.Results[i].Settings, workloads.Setting{Name: "way", Value: way})
		}
		return r
	}
	copied := func(x float64) *bundle.Run { return pairOf("transfers", set{"reuse": 1}, "upload", "no copy", x) }
	holding := func(list ...float64) *bundle.Run {
		r := run(true)
		for i, held := range list {
			r.Results = append(r.Results, took("pool", "c", "training", 1, set{"capacity": 1 << i}, with(set{"reuse_rate": 0.9, "held_bytes": held})))
		}
		return r
	}
	training := func(heavy, light string, a, b float64) *bundle.Run {
		return run(true, took("training", "c", heavy, 1, nil, with(set{"held_bytes": a})), took("training", "c", light, 2, nil, with(set{"held_bytes": b})))
	}
	growth := run(true, took("concurrency", "4", "side by side", 1, set{"requests": 4}))
	growth.Findings = []workloads.Finding{{Workload: "concurrency", Kind: workloads.KindGrowth, Text: "It grows.", Facts: workloads.Facts{
		Axis: workloads.Axis{Name: "requests"}, Value: stats.Exact(1e6), Unit: "B",
	}}}
	hot := read(quiet(), map[string][]float64{monitor.Throttling: {.3, .3}})
	roomy := read(quiet(), map[string][]float64{monitor.HostMemoryFull: {.3, .3}})
	for _, test := range []struct {
		name, flow string
		runs       map[string]*bundle.Run
		want       string // branches
		says       string // in the verdict
		found      bool
		sure       bool
	}{
		{"throttled", "slow", map[string]*bundle.Run{"machine": hot}, "machine cause", "throttling", true, true},
		{
			"launches cost", "slow",
			map[string]*bundle.Run{"machine": quiet(), "launches": launch(5), "batch": run(true, rates(1, 3)...), "fusion": fused(1.3), "pool": pooled(1), "resident": copied(1.2)},
			"machine clear, launches loss, batch loss, fusion loss, pool clear, resident loss",
			"The cost of launches", true, true,
		},
		{
			"launches are free", "slow",
			map[string]*bundle.Run{"machine": quiet(), "launches": launch(1), "pool": pooled(1), "resident": copied(1)},
			"machine clear, launches clear, batch skipped, fusion skipped, pool clear, resident clear", "None of the usual causes", false, true,
		},
		{
			"nothing can be measured", "slow", nil, "machine unsure, launches unsure, batch unsure, fusion unsure, pool unsure, resident unsure",
			"6 of 6 steps could not be decided. The machine: Could not be measured: no such device.", false, false,
		},
		{
			"some cannot be measured", "slow",
			map[string]*bundle.Run{"machine": quiet(), "pool": pooled(3)},
			"machine clear, launches unsure, batch unsure, fusion unsure, pool loss, resident unsure", "Of what could be decided, the largest gain is here: Reuse of buffers.", true, false,
		},
		{
			"a pool and checkpoints", "memory",
			map[string]*bundle.Run{"pressure": roomy, "leak": quiet(), "pool": holding(1e6, 9e6), "batch": growth, "activations": training("all activations", "checkpoints", 5e6, 1e6), "epochs": training("pool kept", "pool cleared", 1, 1)},
			"pressure clear, leak clear, pool loss, batch loss, activations loss, epochs clear",
			"What the pool keeps. A capacity of 1 reuses as much as larger ones, and holds 8.00 MB less. Then activations that are kept (4.00 MB), concurrent requests (2.00 MB).", true, true,
		},
		{"leaks", "memory", map[string]*bundle.Run{"pressure": roomy, "leak": leaky(bundle.LeakFound)}, "pressure clear, leak cause", "3 buffers", true, true},
		{
			"copies", "transfers",
			map[string]*bundle.Run{
				"pieces": pairOf("transfers", set{"part": "moves"}, "small uploads", "upload", 1), "copies": copied(4), "prepare": pairOf("pool", set{"study": "batches"}, "cold", "preallocated", 2),
				"stay":    run(true, took("transfers", "1 use", "upload", 1, set{"reuse": 1}), took("transfers", "16 uses", "upload", 2, set{"reuse": 16})),
				"overlap": pairOf("overlap", nil, "serial", "double-buffered", 1),
			},
			"pieces clear, copies loss, stay loss, prepare loss, overlap clear", "Data that stays on the GPU", true, true,
		},
	} {
		v, err := flowNamed(t, test.flow).Walk(context.Background(), false, scripted(test.runs), func(Taken) {})
		if err != nil {
			t.Fatal(err)
		}
		if got := branches(&v); got != test.want || !strings.Contains(v.Text, test.says) || v.Found != test.found || v.Sure != test.sure || v.Do == "" {
			t.Errorf("%s: %s\nwant %s\nverdict: %s Do: %s (%v, %v)", test.name, got, test.want, v.Text, v.Do, v.Found, v.Sure)
		}
		for _, s := range v.Steps {
			if s.Saw == "" || s.Branch == Loss && (s.Do == "" || len(s.Evidence) == 0 || math.IsNaN(s.size())) {
				t.Errorf("%s, %s: %+v", test.name, s.ID, s.Outcome)
			}
		}
	}
}

// Lines and steps that were disturbed say so, and how many results were.
func TestDisturbedIsTheReason(t *testing.T) {
	busy := &Subject{Run: allOf(disturbed, rates(1, 2, 3)...), Workloads: known()}
	if got := kneeFound(busy); got.State != NotCertain || got.Why != "All 3 results along the batch were disturbed: other programs." {
		t.Errorf("%s: %s", got.State, got.Why)
	}
	f := Flow{Steps: []Step{{ID: "batch", Title: "The size of batches", judge: batches}}}
	v, err := f.Walk(context.Background(), false, func(context.Context, *Step) (*Subject, error) { return busy, nil }, func(Taken) {})
	want := "1 of 1 step could not be decided. The size of batches: All 3 results along the batch were disturbed: other programs."
	if err != nil || v.Title() != "No verdict" || v.Text != want || v.Do != "Measure again on a quiet machine." {
		t.Errorf("%v, %s: %s %s", err, v.Title(), v.Text, v.Do)
	}
	if got := Tally([]Ticked{{Tick: Tick{State: Done}}, {Tick: Tick{State: NotCertain}}}); got != "1 of 2 lines done, 0 not done, 1 not certain, 0 not available" {
		t.Error(got)
	}
}

// Bytes are not disturbed, but times next to them are, and say so.
func TestDisturbedTimesBesideBytes(t *testing.T) {
	r := run(true, took("training", "c", "all", 1, nil, with(set{"held_bytes": 5e6}), disturbed), took("training", "c", "few", 2, nil, with(set{"held_bytes": 1e6})))
	out := lighter("all", "few", "Do.")(&Subject{Run: r})
	if e := out.Evidence; out.Branch != Loss || strings.Contains(e[0].Source, "disturbed") || !strings.HasSuffix(e[2].Source, "all, disturbed") || strings.Contains(e[3].Source, "disturbed") {
		t.Errorf("%s: %+v", out.Branch, e)
	}
}

// A flow that is stopped ends and is reported as stopped; with all steps, it continues beyond the cause.
func TestFlowsStopAndGoOn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := flowNamed(t, "slow")
	v, err := f.Walk(ctx, false, func(context.Context, *Step) (*Subject, error) { cancel(); return nil, context.Canceled }, func(Taken) {})
	if !errors.Is(err, context.Canceled) || len(v.Steps) != 0 {
		t.Errorf("%v, %+v", err, v)
	}
	hot := read(run(true, took("elementwise", "add", "one", 1, nil)), map[string][]float64{monitor.Throttling: {.3, .3}})
	told := 0
	v, err = f.Walk(context.Background(), true, scripted(map[string]*bundle.Run{"machine": hot}), func(Taken) { told++ })
	if err != nil || len(v.Steps) != len(f.Steps) || told != 2*len(f.Steps) || !strings.HasPrefix(v.Text, "The machine: ") {
		t.Errorf("%v, %d told, %s, %s", err, told, branches(&v), v.Text)
	}
}

// If memory is not full, a sentence says so.
func TestMemoryIsNotFull(t *testing.T) {
	r := &bundle.Run{Snapshots: []monitor.Snapshot{{
		Time: time.Unix(1, 0), Readings: []monitor.Reading{{Metric: monitor.HostMemoryFull, Unit: "ratio", Status: monitor.OK, Value: 0.125}},
	}}}
	out := pressed(&Subject{Run: r})
	if want := "Memory is not full: the highest share of memory in use was 12.5 % (limit 90 %)."; out.Saw != want {
		t.Errorf("says %q, want %q", out.Saw, want)
	}
}
