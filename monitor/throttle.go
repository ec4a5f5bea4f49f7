package monitor

// clockBelow is the share by which the fastest clock lies below the base clock, both in the same unit. A processor
// that has work and runs below its base clock is being held back, by heat or by a power limit.
func clockBelow(fastest, base uint64) float64 {
	if base == 0 || fastest >= base {
		return 0
	}
	return 1 - float64(fastest)/float64(base)
}

// Reasons why throttling cannot be read.
const (
	noThrottle = "this machine reports neither throttle counters nor clocks"
	noBase     = "this machine reports no base clock"
	idleClock  = "the processor is mostly idle, so its clock is not representative"
)
