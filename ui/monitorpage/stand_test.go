package monitorpage

import (
	"math"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/measure"
)

// stand opens the page.
func stand(t testing.TB, look kit.Appearance, size fyne.Size) *uitest.Stand {
	t.Helper()
	return uitest.Open(t, desk.Page{Name: desk.PageMonitor, Title: "Monitor", Build: New}, look, size)
}

// snapshot is second i of a machine at work, or at rest.
func snapshot(i int, busy bool) monitor.Snapshot {
	s := uitest.Snapshot(i)
	wave := math.Sin(float64(i) / 5)
	value := func(metric, unit, source string, v float64) monitor.Reading {
		return monitor.Reading{Metric: metric, Unit: unit, Source: source, Value: v, Status: monitor.OK, Provenance: monitor.Measured}
	}
	s.Readings = append(s.Readings,
		value(monitor.HostCPU, "ratio", "/proc/stat", 0.5+0.3*wave), value(monitor.ProcessHeap, "B", "runtime/metrics", 2e7+4e6*wave),
		value(monitor.ProcessOverhead, "B", "footprint less buffers", 5e7+3e6*wave),
		value(monitor.QueueDepth, "command buffers", "engine", math.Round(1+wave)),
	)
	if !busy {
		s.Readings = append(s.Readings, monitor.Reading{Metric: monitor.PoolStranded, Status: monitor.Unavailable, Reason: "no run is going on"})
	} else {
		s.Readings = append(s.Readings,
			value(monitor.EngineBuffers, "buffers", "engine", math.Round(12+4*wave)), value(monitor.PoolStranded, "B", "engine", 2e7+1e7*wave),
			value(monitor.PoolCached, "B", "engine", 6e7), value(monitor.PoolReuseRecent, "ratio", "engine", 0.8+0.1*wave))
	}
	return s
}

// play brings the page to a state.
func play(t testing.TB, s *uitest.Stand, state string) {
	t.Helper()
	playPaced(t, s, state, func() {})
}

// playPaced is play with a pause after each update of the run, as on a machine that is busy with other work.
func playPaced(t testing.TB, s *uitest.Stand, state string, pause func()) {
	t.Helper()
	d := s.Desk
	tick := func(from, to int, busy bool) {
		for i := from; i < to; i++ {
			d.Take(app.TickUpdate{Snapshot: snapshot(i, busy)})
		}
	}
	switch state {
	case "empty":
		return
	case "unavailable":
		d.Take(app.TickUpdate{Snapshot: nothing()})
		return
	}
	tick(0, 40, false)
	meta := uitest.SweepMeta()
	meta.Started = uitest.Epoch.Add(40 * time.Second)
	d.Take(app.StartUpdate{Meta: meta})
	for c, name := range []string{"matmul 64", "matmul 128", "matmul 256", "mlp batch 16"} {
		at := 42 + 14*c
		d.Take(progress(name, c, measure.Verifying))
		pause()
		tick(at-2, at, true)
		pause()
		d.Take(progress(name, c, measure.Sampling))
		pause()
		tick(at, at+12, true)
	}
	d.Take(app.AlertUpdate{Alert: monitor.Alert{
		ID: "throttling", Severity: severity.Warning, Title: "Throttled", Raised: uitest.Epoch.Add(75 * time.Second),
	}})
	tick(96, 97, true)
	switch state {
	case "paused":
		test.Tap(uitest.Button(t, s.View.Object, "Pause"))
	case "finished":
		run := uitest.FinishedRun(uitest.Sweep())
		run.Meta.Started = meta.Started
		d.Take(app.EndUpdate{Run: run})
		tick(97, 115, false)
	}
}

func progress(name string, done int, phase measure.Phase) app.ProgressUpdate {
	return app.ProgressUpdate{Progress: workloads.Progress{
		Workload: "batching", Case: name, Done: done, Total: 14, Measure: measure.Progress{Phase: phase, Variant: "f32"},
	}, Fraction: 0.3, Left: 12}
}

// nothing is a snapshot in which no source has a value.
func nothing() monitor.Snapshot {
	s := snapshot(0, true)
	for i := range s.Readings {
		r := &s.Readings[i]
		*r = monitor.Reading{Metric: r.Metric, Status: monitor.Unavailable, Reason: "this system does not tell"}
	}
	return s
}
