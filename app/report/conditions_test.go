package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/monitor"
)

// ticks are those of some hours: hot for a second, and throttled after the first quarter.
func ticks(each func(monitor.Snapshot) error) error {
	const ticks, hot = 10_000, 5001
	for i := range ticks {
		state, throttled := monitor.Nominal, 0.0
		if i == hot {
			state = monitor.Serious
		}
		if i > ticks/4 {
			throttled = 0.07
		}
		if err := each(monitor.Snapshot{
			Time: runstest.Began().Add(time.Duration(i+2) * time.Second), Readings: []monitor.Reading{
				{Metric: monitor.ThermalState, Text: state, Provenance: monitor.Measured, Status: monitor.OK},
				{Metric: monitor.Throttling, Value: throttled, Unit: "ratio", Provenance: monitor.Measured, Status: monitor.OK},
			},
		}); err != nil {
			return err
		}
	}
	return nil
}

// A run of hours keeps few snapshots, including those where a state changed, and each counts for as long as it was the newest.
func TestConditionsOfALongRun(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, ticks(b.Snapshot))
	runstest.Check(t, b.Finish(bundle.Finished, nil))
	run, err := bundle.Load(b.Dir())
	runstest.Check(t, err)
	c := conditionsOf(run)
	if n := len(run.Snapshots); n > 1000 || c.hottest != monitor.Serious || math.Abs(c.throttled.value-0.07) > 1e-9 {
		t.Errorf("of %d snapshots: %+v", n, c)
	}
}

// The conditions of a run with more snapshots than memory keeps are those of all snapshots.
func TestConditionsOfAThinnedRun(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(bundle.Finished, nil))
	file, err := os.Create(filepath.Join(b.Dir(), "monitor.csv"))
	runstest.Check(t, err)
	defer file.Close()
	rows, err := bundle.NewMonitorCSV(file)
	runstest.Check(t, err)
	runstest.Check(t, ticks(rows.Write))
	run, every, err := bundle.LoadThinned(t.Context(), b.Dir())
	runstest.Check(t, err)
	for i := range run.Snapshots {
		if r, _ := run.Snapshots[i].Find(monitor.ThermalState); r.Text == monitor.Serious {
			t.Fatal("the hot second is in memory: the test shows nothing")
		}
	}
	c := conditionsOf(run)
	if every < 2 || c.hottest != monitor.Serious || !c.throttled.known || math.Abs(c.throttled.value-0.07) > 1e-9 || c.others.known {
		t.Errorf("one of %d in memory: %+v", every, c)
	}
}
