package ui

import (
	"testing"

	"assay/monitor"
)

func TestPressureIsTheLevelWhereThereIsOne(t *testing.T) {
	ratio := monitor.Reading{Metric: monitor.MemoryPressure, Value: 0.5, Unit: "ratio", Status: monitor.OK}
	level := monitor.Reading{Metric: monitor.MemoryPressureLevel, Text: "warning", Status: monitor.OK}
	none := monitor.Reading{Metric: monitor.MemoryPressure, Status: monitor.Unavailable, Reason: "states a level instead"}
	for _, c := range []struct {
		readings []monitor.Reading
		want     string
	}{
		{[]monitor.Reading{ratio}, ratio.String()},
		{[]monitor.Reading{none, level}, "warning"},
		{[]monitor.Reading{none}, "not available"},
	} {
		if got := pressure(&monitor.Snapshot{Readings: c.readings}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.readings, got, c.want)
		}
	}
}
