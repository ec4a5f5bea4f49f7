package bundle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/monitor"
)

// unended writes what a killed watch leaves: a reading of host memory per second, and no verdict.
func unended(t *testing.T, seconds int, warmUp float64, bytes func(second int) float64) (dir string) {
	t.Helper()
	w := &Watch{Command: []string{"./train"}, PID: 4711, Name: "train", Interval: 1, WarmUp: warmUp, Tolerance: 5e5}
	b, err := Create(t.TempDir(), Meta{ID: NewWatchID(runstest.Began()), Started: runstest.Began(), State: Running, Watch: w}, nil)
	runstest.Check(t, err)
	t.Cleanup(func() { _ = b.Finish(Stopped, nil) })
	for i := range seconds {
		memory, cost := monitor.Template(monitor.WatchedFootprint, "test"), monitor.Template(monitor.WatchedCost, "test")
		memory.Status, memory.Value, cost.Status, cost.Value = monitor.OK, bytes(i), monitor.OK, 2e-3
		runstest.Check(t, b.Snapshot(monitor.Snapshot{Time: runstest.Began().Add(time.Duration(i) * time.Second), Readings: []monitor.Reading{memory, cost}}))
	}
	dir = filepath.Join(t.TempDir(), filepath.Base(b.Dir())) // a copy has no lock, as after a kill
	runstest.Check(t, os.CopyFS(dir, os.DirFS(b.Dir())))
	if r, err := Load(b.Dir()); err != nil || r.Meta.Watch.Ended != "the watch has not ended" {
		t.Errorf("a watch that goes on: %+v, %v", r, err)
	}
	return dir
}

// What a killed watch recorded is counted and judged when it is loaded.
func TestUnendedWatchIsJudged(t *testing.T) {
	leaking := func(second int) float64 { return 1e8 + 1e5*float64(second) }
	for _, c := range []struct {
		name          string
		seconds       int
		warmUp, from  float64
		judged, leaks bool
		bytes         func(second int) float64
	}{
		{"a leak", 600, 30, 30, true, true, leaking},
		{"none", 600, 30, 30, true, false, func(int) float64 { return 1e8 }},
		{"short", 50, 30, 10, true, true, leaking}, // with less warm-up
		{"short, with a warm-up of its own", 50, 12, 12, true, true, leaking},
		{"too short", 20, 30, 0, false, false, leaking},
		{"nothing", 0, 30, 0, false, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := unended(t, c.seconds, c.warmUp, c.bytes)
			r, err := Load(dir)
			runstest.Check(t, err)
			w := r.Meta.Watch
			if w.Readings != c.seconds || len(w.Verdicts) != len(WatchKinds()) || !strings.Contains(w.Ended, "cut off") || r.Meta.State != Running {
				t.Fatalf("%+v", w)
			}
			if w.Judged() != c.judged || w.Leaks() != c.leaks || r.OK() == c.leaks {
				t.Errorf("judged %v, leaks %v: %s", w.Judged(), w.Leaks(), w.Verdicts[0].Text)
			}
			if want := time.Duration(max(0, c.seconds-1)) * time.Second; r.Meta.Watched() != want || c.seconds > 0 && w.Cost != 2e-3 {
				t.Errorf("watched for %v at %g s, want %v", r.Meta.Watched(), w.Cost, want)
			}
			if c.judged && w.Verdicts[0].Line.From != c.from {
				t.Errorf("judged from %g s, want %g", w.Verdicts[0].Line.From, c.from)
			}
			thinned, _, err := LoadThinned(context.Background(), dir)
			if err != nil || thinned.Meta.Watch.Readings != w.Readings || thinned.Meta.Watch.Leaks() != c.leaks {
				t.Errorf("thinned %+v, %v", thinned, err)
			}
		})
	}
}
