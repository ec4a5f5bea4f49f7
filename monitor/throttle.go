package monitor

// clockBelow returns the share by which the fastest clock lies below another, both in the same unit. A processor under load that runs
// below its base clock, or below the best clock it had under the same load, is held back by heat or a power limit.
func clockBelow(fastest, usual uint64) float64 {
	if usual == 0 || fastest >= usual {
		return 0
	}
	return 1 - float64(fastest)/float64(usual)
}

// Reasons why throttling cannot be read.
const (
	noThrottle = "this machine reports neither throttle counters nor clocks"
	idleClock  = "the processor is mostly idle, so its clock is not representative"
)
