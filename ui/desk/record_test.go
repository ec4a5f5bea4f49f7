package desk

import (
	"runtime"
	"testing"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/monitor"
	"assay/workloads/measure"
	"assay/workloads/suite"
)

// Eight hours of monitoring at one snapshot per second use no more memory than the first half hour.
func TestMonitoringHoldsMemoryFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("28,800 snapshots take a second")
	}
	m := newModel(suite.All())
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	tick := func() {
		s := monitor.Snapshot{Time: at}
		for _, metric := range []string{monitor.HostCPU, monitor.ProcessRSS, monitor.EngineFlops, monitor.PoolReuse, monitor.Power} {
			s.Readings = append(s.Readings, monitor.Reading{Metric: metric, Value: float64(at.Second()), Status: monitor.OK})
		}
		m.apply(app.TickUpdate{Snapshot: s})
		at = at.Add(time.Second)
	}
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	for range 1800 {
		tick()
	}
	before := heap()
	for i := range 8 * 3600 {
		tick()
		if i%60 == 0 {
			a := monitor.Alert{ID: "hot", Raised: at}
			m.apply(app.AlertUpdate{Alert: a})
			a.Cleared = at
			m.apply(app.AlertUpdate{Alert: a})
		}
	}
	if after := heap(); after > before+512<<10 {
		t.Errorf("8 hours took %d kB more than the first half hour's %d kB", (after-before)>>10, before>>10)
	}
	if len(m.Past) != keepAlerts {
		t.Errorf("%d past alerts are kept, want %d", len(m.Past), keepAlerts)
	}
	runtime.KeepAlive(m)
}

// The record has a run and its timed cases, for the charts to shade.
func TestRunsAreNotedInTheRecord(t *testing.T) {
	m := newModel(suite.All())
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	m.apply(app.TickUpdate{Snapshot: monitor.Snapshot{Time: at}})
	m.apply(app.StartUpdate{Meta: bundle.Meta{Started: at, Jobs: []bundle.Job{{Workload: "batching"}}}})
	for i, step := range []struct {
		name  string
		phase measure.Phase
	}{
		{"matmul 64", measure.Verifying},
		{"matmul 64", measure.WarmingUp},
		{"matmul 64", measure.Sampling},
		{"matmul 64", measure.Rechecking},
		{"matmul 128", measure.Sampling},
	} {
		p := app.ProgressUpdate{At: at.Add(time.Duration(i) * time.Second)}
		time.Sleep(time.Millisecond) // the window is busy: that must change nothing
		p.Case, p.Measure.Phase = step.name, step.phase
		m.apply(p)
	}
	m.apply(app.TickUpdate{Snapshot: monitor.Snapshot{Time: at.Add(6 * time.Second)}})
	m.apply(app.EndUpdate{})
	cases := m.Record.Cases()
	if len(cases) != 2 || cases[0].Label != "matmul 64" || cases[1].Label != "matmul 128" {
		t.Fatalf("cases %v", cases)
	}
	for i, want := range [][2]int{{1, 3}, {4, 6}} { // seconds, to the nanosecond
		from, to := at.Add(time.Duration(want[0])*time.Second), at.Add(time.Duration(want[1])*time.Second)
		if c := cases[i]; !c.From.Equal(from) || !c.To.Equal(to) {
			t.Errorf("%s is from %v to %v, want %v to %v", c.Label, c.From, c.To, from, to)
		}
	}
	if runs := m.Record.Runs(); len(runs) != 1 || runs[0].Label != "Batching" || runs[0].To.IsZero() {
		t.Errorf("runs %v", runs)
	}
}

// An alert whose text changes stays where it is: it is not raised again.
func TestAnAlertInOtherWordsIsTheSame(t *testing.T) {
	m := newModel(suite.All())
	raised := monitor.Alert{ID: "leak.slope", Title: "Live memory grows", Cause: "by 9 MB/s", Raised: time.Unix(1000, 0)}
	restated := raised
	restated.Cause = "by 10 MB/s"
	for _, a := range []monitor.Alert{raised, {ID: "hot", Raised: time.Unix(1001, 0)}, restated} {
		m.apply(app.AlertUpdate{Alert: a})
	}
	if len(m.Active) != 2 || m.Active[0].ID != "hot" || m.Active[1].Cause != "by 10 MB/s" {
		t.Errorf("%+v", m.Active)
	}
}
