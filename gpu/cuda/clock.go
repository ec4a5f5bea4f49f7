package cuda

import (
	"math"

	"assay/gpu"
)

// clockSkew is how far the device's clock may deviate from the host's, relative to the time measured: the host's clock is steered
// by the network's, the device's runs on its own crystal.
const clockSkew = 1e-3

// timing returns the time of a submission that succeeded. An implausible time (not positive although something was done, not a
// number, or longer than the wall time around it by more than the clocks' difference) is an error and is never replaced by
// another.
func timing(device, wall float64, works bool) (gpu.Timing, error) {
	switch {
	case math.IsNaN(device) || math.IsInf(device, 0) || works && device <= 0:
		return gpu.Timing{}, gpu.Errorf(gpu.ErrExecution, "time", "", "the device reports %g s", device)
	case device > wall*(1+clockSkew):
		return gpu.Timing{}, gpu.Errorf(gpu.ErrExecution, "time", "", "the device reports %g s for what took %g s by the host's clock", device, wall)
	}
	return gpu.Timing{Device: device, Wall: max(wall, device)}, nil
}
