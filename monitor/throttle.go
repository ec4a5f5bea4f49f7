package monitor

// clockBelow is the share by which the fastest clock lies below another, both in the same unit. A processor that has work
// and runs below its base clock, or below the best one that it had with as much work, is held back by heat or a power limit.
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
