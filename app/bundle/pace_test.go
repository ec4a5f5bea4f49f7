package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/monitor"
)

// second returns the monitor's tick after some seconds: one metric has a value, others have none.
func second(i int, level monitor.State) monitor.Snapshot {
	lacking := monitor.Template(monitor.Temperature, "/sys/class/hwmon")
	lacking.Status, lacking.Provenance, lacking.Reason = monitor.Unavailable, "", "this machine has no temperature sensor"
	used, pressure := monitor.Template(monitor.HostMemory, "/proc/meminfo"), monitor.Template(monitor.MemoryPressureLevel, "/proc/pressure/memory")
	used.Status, used.Provenance, used.Value, used.Late = monitor.OK, monitor.Measured, float64(i), time.Duration(i%2)*time.Second
	pressure.Status, pressure.Provenance, pressure.Text = monitor.OK, monitor.Measured, level
	s := monitor.Snapshot{Time: runstest.Began().Add(time.Duration(i) * time.Second), Readings: []monitor.Reading{lacking, used, pressure}}
	for k := range s.Readings {
		s.Readings[k].Title = "" // not in the file
	}
	return s
}

// An hour's snapshots are few, including the last and every change of a state, and the file contains everything that memory has.
func TestPaceOfALongRun(t *testing.T) {
	b, err := Create(t.TempDir(), plainMeta0(), nil)
	runstest.Check(t, err)
	const hour, pressed = 3600, 3001
	for i := range hour {
		level := monitor.Normal
		if i == pressed {
			level = monitor.Warning
		}
		runstest.Check(t, b.Snapshot(second(i, level)))
	}
	runstest.Check(t, b.Finish(Finished, nil))
	run, err := Load(b.Dir())
	runstest.Check(t, err)
	var seconds []int
	for i := range run.Snapshots {
		seconds = append(seconds, int(run.Snapshots[i].Time.Sub(runstest.Began()).Seconds()))
	}
	n := len(seconds)
	if n > 700 || seconds[149] != 149 || seconds[n-1] != hour-1 || !slices.Contains(seconds, pressed) || !slices.Contains(seconds, pressed+1) {
		t.Errorf("%d kept: %v", n, seconds)
	}
	for i, was := range b.Run().Snapshots {
		runstest.Same(t, "readings", sorted(run.Snapshots[i].Readings), sorted(was.Readings))
	}
	data, err := os.ReadFile(filepath.Join(b.Dir(), monitorFile))
	runstest.Check(t, err)
	if n := strings.Count(string(data), "no temperature sensor"); n != 1 {
		t.Errorf("the file says %d times that there is no sensor", n)
	}
}

func sorted(all []monitor.Reading) []monitor.Reading {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b monitor.Reading) int { return strings.Compare(a.Metric, b.Metric) })
	return all
}

// A flickering state fills neither memory nor disk.
func TestPaceOfAFlicker(t *testing.T) {
	b, err := Create(t.TempDir(), plainMeta0(), nil)
	runstest.Check(t, err)
	for i := range 3600 {
		level := monitor.Normal
		if i%2 == 0 {
			level = monitor.Warning
		}
		runstest.Check(t, b.Snapshot(second(i, level)))
	}
	if n := len(b.Run().Snapshots); n > 900 {
		t.Errorf("%d kept", n)
	}
	runstest.Check(t, b.Finish(Finished, nil))
}

// A reading that comes back, or is missing for another reason, is news.
func TestLastingReadings(t *testing.T) {
	var w, r lasting
	for i, c := range []struct {
		status monitor.Status
		reason string
		rows   int
	}{
		{monitor.Unavailable, "no sensor", 2},
		{monitor.Unavailable, "no sensor", 1},
		{monitor.Failed, "cannot read it", 2},
		{monitor.OK, "", 2},
		{monitor.OK, "", 2},
		{monitor.Unavailable, "no sensor", 2},
	} {
		s := second(i, monitor.Normal)
		s.Readings = s.Readings[:2]
		s.Readings[0].Status, s.Readings[0].Reason = c.status, c.reason
		news := w.news(&s)
		if len(news.Readings) != c.rows {
			t.Errorf("step %d: %d rows, want %d", i, len(news.Readings), c.rows)
		}
		r.complete(&news)
		runstest.Same(t, "readings", sorted(news.Readings), sorted(s.Readings))
	}
	odd := monitor.Snapshot{Readings: []monitor.Reading{{Metric: "odd", Status: monitor.Unavailable}}}
	if w.news(&odd); len(w.news(&odd).Readings) != 1 {
		t.Error("a metric that is not of the catalog is left out")
	}
}
