package ui

import (
	"cmp"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/gpu"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// fakeSession is a session without engine or monitor: tests say what happens.
type fakeSession struct {
	mu       sync.Mutex
	send     func(app.Update)
	requests []app.Request
	refuse   error
	log      []string // Stop, Close, unsubscribe, in order
	engines  []app.EngineState
	runs     string        // where they are kept
	hang     chan struct{} // Close waits for it, where not nil
}

func newFakeSession() *fakeSession {
	return &fakeSession{engines: []app.EngineState{
		{Name: "metal", Title: "Metal", Reason: "needs macOS"},
		{Name: "cpu", Title: "CPU", Available: true, Info: gpu.Info{Engine: "cpu", Device: "Test CPU, 8 cores, AVX-512", Cores: 8}},
	}}
}

func (s *fakeSession) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, what)
}

func (s *fakeSession) Subscribe(f func(app.Update)) func() {
	s.send = f
	return func() { s.note("unsubscribe") }
}
func (s *fakeSession) Workloads() []workloads.Workload { return workloads.All() }
func (s *fakeSession) Engines() []app.EngineState      { return s.engines }
func (s *fakeSession) History() []monitor.Snapshot     { return nil }
func (s *fakeSession) Alerts() []monitor.Alert         { return nil }
func (s *fakeSession) Version() string                 { return "1.2.3" }
func (s *fakeSession) RunsDir() string                 { return cmp.Or(s.runs, "/home/ada/runs") }
func (s *fakeSession) Stop()                           { s.note("stop") }

func (s *fakeSession) StartRun(r app.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return s.refuse
}

func (s *fakeSession) Close() error {
	s.note("close")
	if s.hang != nil {
		<-s.hang
	}
	return nil
}

// epoch is when everything in the tests happens.
var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// newTestDesk is a window of the software driver. Its hop delivers only what the test sends by apply.
func newTestDesk(t *testing.T, a appearance, width, height float32) (*desk, *fakeSession) {
	t.Helper()
	fyneApp := test.NewTempApp(t)
	s := newFakeSession()
	settings{fyneApp.Preferences()}.setAppearance(a)
	settings{fyneApp.Preferences()}.setSize(fyne.NewSize(width, height))
	d := open(fyneApp, s)
	d.window.Resize(fyne.NewSize(width, height))
	d.hop.do = func(func()) {} // the software driver would run it on the goroutine that calls
	t.Cleanup(func() {
		d.hop.close()
		d.work.Wait()
		d.window.Close()
	})
	return d, s
}

// snapshot is second i of a machine at work.
func snapshot(i int) monitor.Snapshot {
	wave := math.Sin(float64(i) / 7)
	value := func(metric, unit, source string, v float64) monitor.Reading {
		return monitor.Reading{
			Metric: metric, Title: metric, Unit: unit, Source: source, Value: v, Status: monitor.OK, Provenance: monitor.Measured,
		}
	}
	missing := func(metric, why string) monitor.Reading {
		return monitor.Reading{Metric: metric, Title: metric, Status: monitor.Unavailable, Reason: why}
	}
	return monitor.Snapshot{Time: epoch.Add(time.Duration(i) * time.Second), Readings: []monitor.Reading{
		value(monitor.EngineFlops, "FLOP/s", "completed dispatches × the kernels' operations", 2.4e11+4e10*wave),
		value(monitor.EngineBytes, "B/s", "completed dispatches × the kernels' bytes", 1.8e10+3e9*wave),
		value(monitor.PoolReuse, "ratio", "engine", 0.9+0.05*wave),
		value(monitor.EngineLive, "B", "engine", 6e7+1e7*wave),
		value(monitor.ProcessRSS, "B", "/proc/self/statm", 1.6e8+1e7*wave),
		value(monitor.ProcessCPU, "ratio", "/proc/self/stat", 0.031),
		value(monitor.HostMemoryFull, "ratio", "/proc/meminfo", 0.41+0.02*wave),
		value(monitor.MemoryPressure, "ratio", "/proc/pressure/memory", 0.002),
		missing(monitor.Temperature, "/sys/class/thermal has no sensor"),
		missing(monitor.ThermalState, "no sensor tells of heat"),
		missing(monitor.Throttling, "the processor does not count it"),
	}}
}

// apply feeds updates as the hop would.
func apply(d *desk, updates ...app.Update) {
	items := make([]any, len(updates))
	for i, u := range updates {
		items[i] = u
	}
	d.deliver(items)
}

// ticks are n seconds of the monitor.
func ticks(d *desk, n int) {
	for i := range n {
		apply(d, app.TickUpdate{Snapshot: snapshot(i)})
	}
}

func interval(median, spread float64) measure.Interval {
	return measure.Interval{Median: median, Lo: median * (1 - spread), Hi: median * (1 + spread)}
}

// sweepResult is a result of the batching workload.
func sweepResult(sweep, axis string, n int, gflops float64) workloads.Result {
	nan := math.NaN()
	r := workloads.Result{
		Workload: "batching", Variant: "f32", Status: workloads.OK, Started: epoch, Stop: measure.StopPrecision,
		Settings: []workloads.Setting{{Name: "sweep", Value: sweep}, {Name: axis, Value: n}},
		Samples:  make([]float64, 24), Reps: 4, Ops: 2 * float64(n) * 1e6, Bytes: float64(n) * 4e3, Items: float64(n),
		ErrorMax: 1.2e-6, ErrorRel: 3e-7, SNR: nan, Cosine: nan, Footprint: nan, BytesSaved: nan,
		Speedup: measure.Interval{Median: nan, Lo: nan, Hi: nan},
	}
	r.Case = map[string]string{"matmul": "matmul ", "mlp": "mlp batch "}[sweep] + itoa(n)
	r.Time = interval(r.Ops/1e9/gflops, 0.006)
	return r
}

func itoa(n int) string { return (&workloads.Param{}).Format(n) }

// sweep is a run of the batching workload.
func sweep() []workloads.Result {
	var list []workloads.Result
	for i, g := range []float64{21, 74, 131, 168, 181, 184} {
		list = append(list, sweepResult("matmul", "size", 64<<i, g))
	}
	for i, g := range []float64{4, 8, 15, 31, 58, 90, 121, 130} {
		list = append(list, sweepResult("mlp", "batch", 1<<i, g))
	}
	return list
}

func sweepMeta() app.Meta {
	return app.Meta{
		ID: "20261120-120000-batching", Started: epoch, Engine: gpu.Info{Engine: "cpu", Device: "Test CPU, 8 cores, AVX-512"},
		EngineReason: "first that opens", Jobs: []app.Job{{Workload: "batching"}},
	}
}

// play brings the window to a state.
func play(d *desk, state string) {
	d.model.engines = newFakeSession().engines
	d.update(changedEngines)
	ticks(d, 130)
	results := sweep()
	switch state {
	case "running":
		d.run.showSegment(1)
		apply(d, app.StartUpdate{Meta: sweepMeta()})
		for _, r := range results[:4] {
			apply(d, app.ResultUpdate{Result: r})
		}
		apply(d, app.ProgressUpdate{Progress: workloads.Progress{
			Workload: "batching", Case: "matmul 1024", Done: 4, Total: 14, Measure: measure.Progress{Phase: measure.Sampling, Variant: "f32"},
		}, Fraction: 0.31, Left: 12.4})
	case "finished":
		finish(d, results, nil)
	case "failed":
		broken := results[9]
		broken.Status, broken.Reason = workloads.Failed, "element 17 is 3.5, want 3.25 within 1e-4"
		broken.Time = interval(math.NaN(), 0)
		broken.Samples = nil
		finish(d, append(results[:9:9], broken), errors.New("batching: submit matmul: device lost: a command buffer hung for 10 s"))
	}
}

// finish plays a whole run.
func finish(d *desk, results []workloads.Result, err error) {
	d.run.showSegment(1)
	meta := sweepMeta()
	apply(d, app.StartUpdate{Meta: meta})
	meta.Finished = epoch.Add(13 * time.Second)
	finding := workloads.Finding{
		Workload: "batching", Kind: "knee", Case: "matmul 512", Variant: "f32",
		Text: "f32 matrix products reach 90 % of their best throughput at 512 rows: smaller ones leave the device idle.",
	}
	run := &app.Run{Meta: meta, Results: results, Findings: []workloads.Finding{finding}, Dir: "/home/ada/.local/share/assay/runs/20261120-120000-batching"}
	run.Results[3].Mark = "knee"
	if err != nil {
		run.Meta.Error = err.Error()
		apply(d, app.ProgressUpdate{Fraction: 0.66})
		apply(d, app.AlertUpdate{Alert: monitor.Alert{
			ID: "memory.full", Severity: monitor.SeverityWarning, Title: "Memory almost full",
			Cause: "93.1 % of the memory is in use; swapping may begin (limit 90 %)", Raised: epoch.Add(5 * time.Second),
		}})
	}
	apply(d, app.EndUpdate{Run: run, Err: err})
}
