package app

import (
	"runtime"
	"testing"
	"time"

	"assay/monitor"
)

// TestEightHoursOfTicksHoldMemoryFlat feeds a session eight hours of readings, some of which raise alerts.
func TestEightHoursOfTicksHoldMemoryFlat(t *testing.T) {
	const hour, maxGrowth = 3600, 256 << 10
	s, err := New(Config{Version: "test", RunsDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	alerts := 0
	defer s.Subscribe(func(u Update) {
		if _, ok := u.(AlertUpdate); ok {
			alerts++
		}
	})()
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	feed := func(from, to int) int64 {
		for i := from; i < to; i++ {
			s.tick(busySnapshot(i, began.Add(time.Duration(i)*time.Second)))
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	early := feed(0, 2*hour)
	late := feed(2*hour, 8*hour)
	t.Logf("%.2f MB after 2 h, %.2f MB after 8 h, %d alerts", float64(early)/1e6, float64(late)/1e6, alerts)
	if late > early+maxGrowth {
		t.Errorf("the heap grew by %d B, want %d B at most", late-early, maxGrowth)
	}
	if n := len(s.History()); n != 600 {
		t.Errorf("the history holds %d snapshots, want those of ten minutes", n)
	}
	if alerts == 0 {
		t.Error("no alert was raised")
	}
}

// busySnapshot is a machine whose memory fills up and empties every ten minutes.
func busySnapshot(i int, at time.Time) monitor.Snapshot {
	full := 0.4
	if i%600 > 300 {
		full = 0.97
	}
	snap := monitor.Snapshot{Time: at}
	for _, m := range []string{monitor.HostMemoryFull, monitor.HostCPU, monitor.ProcessRSS, monitor.ProcessCPU, monitor.EngineFlops} {
		snap.Readings = append(snap.Readings, monitor.Reading{
			Metric: m, Title: m, Unit: "ratio", Source: "test", Value: full, Status: monitor.OK, Provenance: monitor.Measured,
		})
	}
	return snap
}
