package monitor

import "context"

// sensorSource says of each sensor that this version does not read it on macOS, so that the window shows why it is
// missing.
type sensorSource struct{}

const noSensorReader = "the macOS sensor reader is not part of this version"

func (sensorSource) Name() string { return "sensors" }

func (sensorSource) Read(context.Context) []Reading {
	pressure := Reading{Metric: MemoryPressure, Title: "Memory pressure", Unit: "ratio", Source: "macOS"}
	return []Reading{
		pressure.unavailable(noSensorReader),
		temperature("macOS").unavailable(noSensorReader),
		thermalState("macOS").unavailable(noSensorReader),
		hostThrottling("macOS").unavailable(noSensorReader),
		hostPower("macOS").unavailable(noSensorReader),
	}
}
