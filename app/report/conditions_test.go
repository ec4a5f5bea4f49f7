package report

import (
	"math"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/monitor"
)

// The conditions of a run of hours are those of all its snapshots, also of those that are not kept in memory.
func TestConditionsOfALongRun(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	const ticks, hot = 10_000, 5000
	for i := range ticks {
		state, throttled := monitor.Nominal, 0.0
		if i == hot {
			state = monitor.Serious
		}
		if i > ticks/4 {
			throttled = 0.07
		}
		runstest.Check(t, b.Snapshot(monitor.Snapshot{
			Time: runstest.Began().Add(time.Duration(i+2) * time.Second), Readings: []monitor.Reading{
				{Metric: monitor.ThermalState, Text: state, Provenance: monitor.Measured, Status: monitor.OK},
				{Metric: monitor.Throttling, Value: throttled, Unit: "ratio", Provenance: monitor.Measured, Status: monitor.OK},
			},
		}))
	}
	runstest.Check(t, b.Finish(bundle.Finished, nil))
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
