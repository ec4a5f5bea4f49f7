package metal

import (
	"math"

	"assay/gpu"
)

const (
	deviceClock    = "GPUStartTime and GPUEndTime of the command buffer"
	simulatedClock = "simulator's host clock; no GPU time is claimed"
)

// clockName is the clock that Timing.Device is read from.
func clockName(simulated bool) string {
	if simulated {
		return simulatedClock
	}
	return deviceClock
}

// timing is the time of a command buffer that succeeded. The gap before it is 0 if nothing was encoded, because no start is reported.
func timing(o outcome, encoded bool) (gpu.Timing, error) {
	seconds, err := deviceSeconds(o, encoded)
	if err != nil {
		return gpu.Timing{}, err
	}
	return gpu.Timing{Device: seconds, Wall: o.wall, Gap: max(0, o.start-o.begun)}, nil
}

// deviceSeconds is the device's time for a command buffer that succeeded. An implausible time (zero, negative, NaN, or longer
// than the wall time around it) is an error and is never replaced by another. If nothing was encoded, 0 is correct.
func deviceSeconds(o outcome, encoded bool) (float64, error) {
	if !encoded {
		return 0, nil
	}
	took := o.end - o.start
	switch {
	case o.start == 0 || o.end == 0:
		return 0, implausible("the device reports no time (start %g s, end %g s)", o.start, o.end)
	case math.IsNaN(took) || math.IsInf(took, 0):
		return 0, implausible("the device reports times that are not numbers (start %g s, end %g s)", o.start, o.end)
	case took <= 0:
		return 0, implausible("the device reports %g s, from %g s to %g s", took, o.start, o.end)
	case took > o.wall:
		return 0, implausible("the device reports %g s for what took %g s by the host's clock", took, o.wall)
	}
	return took, nil
}

func implausible(format string, args ...any) error {
	return gpu.Errorf(gpu.ErrExecution, "time", "", format, args...)
}

// invalidSample is MTLCounterErrorValue.
const invalidSample = math.MaxUint64

// stages converts the two raw samples of each segment to seconds. There is no time, and Why has the reason, if a sample is 0
// or ~0, if the end is not after the start, or if the length of a tick is unknown.
func stages(labels []string, raw []uint64, tick float64) []gpu.Stage {
	out := make([]gpu.Stage, len(labels))
	for i, label := range labels {
		out[i].Label = label
		if 2*i+1 >= len(raw) {
			out[i].Why = "not sampled"
			continue
		}
		out[i].Seconds, out[i].Why = sampled(raw[2*i], raw[2*i+1], tick)
	}
	return out
}

func sampled(start, end uint64, tick float64) (seconds float64, why string) {
	switch {
	case start == 0 || end == 0:
		return 0, "the device wrote a sample of zero"
	case start == invalidSample || end == invalidSample:
		return 0, "the device could not take the sample"
	case end <= start:
		return 0, "the samples are out of order"
	case !(tick > 0) || math.IsInf(tick, 0):
		return 0, "the length of the device's tick is not known"
	}
	return float64(end-start) * tick, ""
}
